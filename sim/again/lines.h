// Flattens any value that names its fields into lines "PATH = VALUE", one per field, so that two
// batches of effects can be compared line by line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/interval.h"
#include "base/resources.h"
#include "base/time.h"
#include "schemas/fields.h"

namespace muster::sim {

// Collects lines such as "to_meta[2].body.Verdict.rows[0].start = 1800000012".
class FieldLines {
 public:
  const std::vector<std::string>& lines() const { return lines_; }

  template <schemas::HasFields T>
  void Put(const std::string& way, const T& v) {
    const std::string before = way.empty() ? "" : way + ".";
    schemas::ForEachField(v,
                          [&](const char* name, const auto& field) { Put(before + name, field); });
  }
  template <class T>
  void Put(const std::string& way, const std::vector<T>& v) {
    for (size_t i = 0; i < v.size(); ++i) Put(way + "[" + std::to_string(i) + "]", v[i]);
  }
  template <class T>
  void Put(const std::string& way, const std::optional<T>& v) {
    if (v) Put(way, *v);
  }
  template <class... T>
  void Put(const std::string& way, const std::variant<T...>& v) {
    std::visit(
        [&](const auto& e) {
          const std::string name = NameOf(typeid(e));
          Add(way, name);
          Put(way + "." + name, e);
        },
        v);
  }
  template <class T>
    requires(std::is_integral_v<T> || std::is_floating_point_v<T>)
  void Put(const std::string& way, T v) {
    Add(way, std::to_string(v));
  }
  template <class T>
    requires std::is_enum_v<T>
  void Put(const std::string& way, T v) {
    Add(way, std::to_string(static_cast<uint64_t>(v)));
  }
  template <class Tag>
  void Put(const std::string& way, Id<Tag> v) {
    Add(way, std::to_string(v.value));
  }
  void Put(const std::string& way, const std::string& v);
  void Put(const std::string& way, const Fence& v) { Add(way, ToText(v)); }
  void Put(const std::string& way, Span v) { Put(way, v.seconds); }
  void Put(const std::string& way, Instant v) { Put(way, v.seconds); }
  void Put(const std::string& way, const Interval& v) {
    Put(way + ".begin", v.begin);
    Put(way + ".end", v.end);
  }
  void Put(const std::string& way, Moment v) { Put(way, v.milliseconds); }
  void Put(const std::string& way, BootSpan v) { Put(way, v.milliseconds); }
  void Put(const std::string& way, BootInstant v) { Put(way, v.milliseconds); }
  void Put(const std::string& way, const Digest& v);
  void Put(const std::string& way, const Secret& v);
  void Put(const std::string& way, const ResourceSet& v) { Add(way, ToText(v)); }
  void Put(const std::string& way, const IntervalSet& v) { Add(way, ToText(v)); }
  void Put(const std::string& way, const std::map<std::string, std::string>& v) {
    for (const auto& [key, value] : v) Put(way + "[" + key + "]", value);
  }

 private:
  static std::string NameOf(const std::type_info& type);  // such as "Verdict"
  void Add(const std::string& way, const std::string& text) {
    lines_.push_back(way + " = " + text);
  }

  std::vector<std::string> lines_;
};

template <class T>
std::vector<std::string> LinesOf(const T& value) {
  FieldLines lines;
  lines.Put("", value);
  return lines.lines();
}

// The first lines from where two lists differ, for each list under its name; "" if the lists are
// equal.
std::string FirstDifference(const std::vector<std::string>& a, const std::string& name_a,
                            const std::vector<std::string>& b, const std::string& name_b);

}  // namespace muster::sim
