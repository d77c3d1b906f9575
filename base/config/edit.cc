// toml++ parses the file, changes its tree, and prints it.
#include "base/config/edit.h"

#include <toml++/toml.h>

#include <array>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::config {
namespace {

constexpr std::array<std::string_view, 4> kNameKeys = {"name", "who", "names", "id"};

absl::StatusOr<toml::table> ParsedTable(const std::string& text, const std::string& what) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& problem) {
    return InvalidArgument(what + ": " + std::string(problem.description()));
  }
}

// Keys may be quoted where they have a dot: switch."n1.x".
absl::StatusOr<std::vector<std::string>> KeysIn(const std::string& path) {
  std::vector<std::string> keys(1);
  bool quoted = false;
  for (const char c : path) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == '.' && !quoted) {
      keys.emplace_back();
    } else {
      keys.back() += c;
    }
  }
  for (const std::string& key : keys) {
    if (key.empty() || quoted) return InvalidArgument("'" + path + "' is no path of keys");
  }
  return keys;
}

bool IsCalled(const toml::table& table, const std::string& name) {
  for (const std::string_view key : kNameKeys) {
    const std::optional<std::string> called = table[key].value<std::string>();
    if (called == name || (called && called->ends_with(" " + name))) return true;
  }
  return false;
}

// The place of the table that is called so, or has this number.
std::optional<size_t> PlaceIn(const toml::array& tables, const std::string& name) {
  for (size_t i = 0; i < tables.size(); ++i) {
    const toml::table* table = tables.get(i)->as_table();
    if (table == nullptr) return std::nullopt;
    if (IsCalled(*table, name) || std::to_string(i + 1) == name) return i;
  }
  return std::nullopt;
}

// What the keys lead to; null: there is none. With `make`, tables that are missing are made.
toml::node* WalkTo(toml::node* at, const std::vector<std::string>& keys, size_t count, bool make) {
  for (size_t i = 0; i < count && at != nullptr; ++i) {
    if (toml::table* table = at->as_table()) {
      if (make && !table->contains(keys[i])) table->insert(keys[i], toml::table());
      at = table->get(keys[i]);
    } else if (toml::array* tables = at->as_array()) {
      const std::optional<size_t> place = PlaceIn(*tables, keys[i]);
      at = place ? tables->get(*place) : nullptr;
    } else {
      at = nullptr;
    }
  }
  return at;
}

std::string PathTo(const std::vector<std::string>& keys, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += (i == 0 ? "" : ".") + keys[i];
  return out;
}

absl::Status TakeOut(toml::node& holder, const std::string& key) {
  if (toml::table* table = holder.as_table()) {
    if (table->erase(key) > 0) return absl::OkStatus();
  } else if (toml::array* tables = holder.as_array()) {
    if (const std::optional<size_t> place = PlaceIn(*tables, key)) {
      tables->erase(tables->begin() + static_cast<std::ptrdiff_t>(*place));
      return absl::OkStatus();
    }
  }
  return NotFound("there is nothing to remove");
}

}  // namespace

absl::StatusOr<std::string> Edited(const std::string& text, const std::string& path,
                                   const std::optional<std::string>& to) {
  MUSTER_ASSIGN_OR_RETURN(toml::table file, ParsedTable(text, "the file"));
  MUSTER_ASSIGN_OR_RETURN(const std::vector<std::string> keys, KeysIn(path));
  const size_t above = keys.size() - 1;
  toml::node* holder = WalkTo(&file, keys, above, to.has_value());
  if (holder == nullptr) return NotFound("there is no '" + PathTo(keys, above) + "'");
  if (to) {
    MUSTER_ASSIGN_OR_RETURN(toml::table value,
                            ParsedTable("value = " + *to, "'" + *to + "' is no value"));
    toml::table* table = holder->as_table();
    if (value.size() != 1) return InvalidArgument("'" + *to + "' is more than one value");
    if (table == nullptr) return NotFound("'" + PathTo(keys, above) + "' is no table");
    table->insert_or_assign(keys.back(), *value.get("value"));
  } else if (absl::Status removed = TakeOut(*holder, keys.back()); !removed.ok()) {
    return NotFound("there is no '" + path + "' to remove");
  }
  std::ostringstream out;
  out << toml::toml_formatter(file);
  return out.str() + "\n";
}

}  // namespace muster::config
