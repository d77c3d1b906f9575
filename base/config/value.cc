// Reads single values; each kind has its own error message.
#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/config/document.h"
#include "base/phrases.h"
#include "base/units.h"

namespace muster::config {
namespace {

constexpr size_t kKeyCharacters = 40;
constexpr size_t kNameBytes = 255;

std::string_view TypeName(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "true or false";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::table:
      return "a section";
    default:
      return "a date or time";
  }
}

bool IsZ85(char c) {
  constexpr std::string_view kSigns = ".-:+=^!/*?&<>()[]{}@%$#";
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         kSigns.find(c) != std::string_view::npos;
}

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

std::optional<int> ParseInt(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What is wrong with an endpoint; "" if it is valid.
std::string EndpointFault(std::string_view text, bool binds) {
  constexpr std::string_view kScheme = "tcp://";
  if (!text.starts_with(kScheme)) return "it starts with tcp://";
  text.remove_prefix(kScheme.size());
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return "it needs a host and a port";
  const std::string_view port = text.substr(colon + 1);
  if (binds && port == "*") return "";
  const std::optional<int> number = ParseInt(port);
  if (!number || *number < 1 || *number > 65535) return "the port is a number from 1 to 65535";
  const std::string_view host = text.substr(0, colon);
  const auto odd = [](char c) { return c == '/' || c == ' ' || c == ';' || c == '"'; };
  if (std::any_of(host.begin(), host.end(), odd)) return "this is no host";
  return "";
}

}  // namespace

void Value::Report(std::string message, std::string caret_note, Lines help) const {
  document_->Report(node_->source(), std::move(message), std::move(caret_note), std::move(help));
}

void Value::ReportInside(const Diagnostic& diagnostic) const {
  const auto* text = node_->as_string();
  const SourceSpan whole = where();
  std::string note = diagnostic.where ? diagnostic.where->caret_note : "";
  // Columns within the value are meaningful only if the file contains the text unchanged between
  // quotes.
  size_t before = 0;  // converts the column from characters to bytes
  const std::string& line = whole.source_line;
  for (uint32_t i = 1; i < whole.column && before < line.size(); ++i) {
    do ++before;
    while (before < line.size() && (line[before] & 0xC0) == 0x80);
  }
  const bool shown = text != nullptr && diagnostic.where && diagnostic.where->column > 0 &&
                     before < line.size() &&
                     line.compare(before + 1, text->get().size(), text->get()) == 0;
  toml::source_region region = node_->source();
  if (shown) {
    const auto characters = [&](size_t from, size_t bytes) {
      uint32_t count = 0;
      for (size_t i = from; i < from + bytes && i < line.size(); ++i) {
        if ((line[i] & 0xC0) != 0x80) ++count;
      }
      return count;
    };
    const size_t offset = diagnostic.where->column - 1;
    const uint32_t skipped = characters(before + 1, offset);
    region.begin.column = whole.column + 1 + skipped;
    region.end.line = region.begin.line;
    region.end.column = region.begin.column +
                        std::max(1u, characters(before + 1 + offset, diagnostic.where->length));
  }
  document_->Report(region, diagnostic.message, std::move(note), diagnostic.help);
}

std::optional<std::string> Value::WrongType(std::string_view wanted) const {
  Report("'" + key_ + "' is " + std::string(wanted) + ", not " + std::string(TypeName(*node_)));
  return std::nullopt;
}

std::optional<std::string> Value::AsText() const {
  if (node_ == nullptr) return std::nullopt;
  const auto* text = node_->as_string();
  if (text == nullptr) return WrongType("a text in quotes");
  if (text->get().empty()) {
    Report("'" + key_ + "' is empty");
    return std::nullopt;
  }
  return text->get();
}

std::optional<std::string> Value::AsName() const {
  std::optional<std::string> name = AsText();
  if (!name) return std::nullopt;
  if (name->size() > kNameBytes) {
    Report("a name has at most " + std::to_string(kNameBytes) + " characters");
    return std::nullopt;
  }
  if (!std::all_of(name->begin(), name->end(), IsNameCharacter)) {
    Report("malformed name " + Quoted(*name), "",
           {"letters, digits, '.', '_' and '-' are accepted"});
    return std::nullopt;
  }
  return name;
}

std::optional<std::string> Value::AsPath() const {
  const std::optional<std::string> path = AsText();
  if (!path) return std::nullopt;
  return document_->Resolve(*path);
}

std::optional<std::string> Value::AsPublicKey() const {
  std::optional<std::string> key = AsText();
  if (!key) return std::nullopt;
  if (key->size() == kKeyCharacters && std::all_of(key->begin(), key->end(), IsZ85)) return key;
  Report("malformed key",
         key->size() == kKeyCharacters ? "a character in it is not Z85"
                                       : "this has " + std::to_string(key->size()) + " characters",
         {"a public key is 40 characters of Z85, as 'muster keys new' prints it"});
  return std::nullopt;
}

std::optional<std::string> Value::AsEndpoint(bool binds) const {
  std::optional<std::string> endpoint = AsText();
  if (!endpoint) return std::nullopt;
  const std::string fault = EndpointFault(*endpoint, binds);
  if (fault.empty()) return endpoint;
  Report("malformed address " + Quoted(*endpoint), fault,
         {binds ? "as in tcp://0.0.0.0:7710" : "as in tcp://meta.campus.example:7710"});
  return std::nullopt;
}

std::optional<std::string> Value::AsChoice(const Lines& choices, const Lines& not_yet) const {
  std::optional<std::string> text = AsText();
  if (!text) return std::nullopt;
  if (std::find(choices.begin(), choices.end(), *text) != choices.end()) return text;
  const Lines help = {"accepted: " + Joined(choices)};
  if (std::find(not_yet.begin(), not_yet.end(), *text) != not_yet.end()) {
    Report(key_ + " " + Quoted(*text) + " is not supported by this version", "", help);
  } else {
    Report("unknown " + key_ + " " + Quoted(*text), DidYouMean(*text, choices), help);
  }
  return std::nullopt;
}

std::optional<bool> Value::AsBool() const {
  if (node_ == nullptr) return std::nullopt;
  const auto* value = node_->as_boolean();
  if (value != nullptr) return value->get();
  WrongType("true or false");
  return std::nullopt;
}

std::optional<int64_t> Value::AsInteger(int64_t least, int64_t most) const {
  if (node_ == nullptr) return std::nullopt;
  const auto* value = node_->as_integer();
  if (value == nullptr) {
    WrongType("a whole number");
    return std::nullopt;
  }
  if (value->get() >= least && value->get() <= most) return value->get();
  Report("'" + key_ + "' is out of bounds", "",
         {"accepted: " + std::to_string(least) + " to " + std::to_string(most)});
  return std::nullopt;
}

std::optional<double> Value::AsFraction() const {
  if (node_ == nullptr) return std::nullopt;
  const std::optional<double> value = node_->value<double>();
  if (!value || !node_->is_number()) {
    WrongType("a number");
    return std::nullopt;
  }
  if (*value > 0 && *value < 1) return value;
  Report("'" + key_ + "' is out of bounds", "",
         {"accepted: more than 0 and less than 1, as in 0.9"});
  return std::nullopt;
}

std::optional<int> Value::AsPercent(int least, int most) const {
  const std::optional<std::string> text = AsText();
  if (!text) return std::nullopt;
  std::optional<int> value;
  if (text->ends_with('%')) value = ParseInt(std::string_view(*text).substr(0, text->size() - 1));
  if (value && *value >= least && *value <= most) return value;
  Report(value ? "'" + key_ + "' is out of bounds" : "malformed share " + Quoted(*text), "",
         {"accepted: \"" + std::to_string(least) + "%\" to \"" + std::to_string(most) + "%\""});
  return std::nullopt;
}

std::optional<int64_t> Value::AsSize() const {
  if (node_ != nullptr && node_->is_integer()) return AsInteger(0, int64_t{1} << 60);
  const std::optional<std::string> text = AsText();
  if (!text) return std::nullopt;
  const absl::StatusOr<int64_t> size = ParseSize(*text);
  if (size.ok()) return *size;
  Report("malformed size for '" + key_ + "'", std::string(Text(size.status())), {"as in \"64gb\""});
  return std::nullopt;
}

std::optional<BootSpan> Value::AsBootSpan(BootSpan least, BootSpan most) const {
  if (node_ != nullptr && node_->is_integer()) {
    const std::string number = std::to_string(node_->as_integer()->get());
    const absl::StatusOr<Span> refused = ParseDuration(number);
    Report("malformed duration for '" + key_ + "'", std::string(Text(refused.status())),
           {"\"" + number + "s\" or \"" + number + "m\""});
    return std::nullopt;
  }
  const std::optional<std::string> text = AsText();
  if (!text) return std::nullopt;
  const absl::StatusOr<BootSpan> span = ParseBootSpan(*text);
  if (!span.ok()) {
    Report("malformed duration for '" + key_ + "'", std::string(Text(span.status())),
           {DurationHelp(*text)});
    return std::nullopt;
  }
  if (*span >= least && *span <= most) return *span;
  Report("'" + key_ + "' is out of bounds", "",
         {"accepted: " + DurationText(least) + " to " + DurationText(most)});
  return std::nullopt;
}

std::optional<Span> Value::AsSpan(Span least, Span most) const {
  const std::optional<BootSpan> span = AsBootSpan(ToBootSpan(least), ToBootSpan(most));
  if (!span) return std::nullopt;
  if (span->milliseconds % 1000 == 0) return Span{span->milliseconds / 1000};
  Report("'" + key_ + "' is in whole seconds");
  return std::nullopt;
}

std::optional<Lines> Value::AsNames() const {
  const std::optional<std::string> text = AsText();
  if (!text) return std::nullopt;
  absl::StatusOr<Lines> names = ExpandNames(*text);
  if (names.ok()) return *std::move(names);
  Report("malformed names " + Quoted(*text), std::string(Text(names.status())),
         {"as in \"n[1-16]\" or \"n[9-16],g[1-2]\""});
  return std::nullopt;
}

std::vector<Value> Value::AsList() const {
  std::vector<Value> out;
  if (node_ == nullptr) return out;
  const toml::array* list = node_->as_array();
  if (list == nullptr) {
    WrongType("a list");
    return out;
  }
  for (const toml::node& element : *list) out.emplace_back(*document_, key_, &element);
  return out;
}

}  // namespace muster::config
