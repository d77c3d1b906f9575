// The JSON of the documents users read, and the words of their closed lists. cli.md section 4:
// names in snake_case, amounts with their unit in the name, times as RFC 3339 with 'Z', unknown is
// null and never absent.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/resources.h"
#include "base/text/calendar.h"
#include "base/time.h"
#include "schemas/fields.h"
#include "schemas/views.h"

namespace muster::cli {

using Json = nlohmann::ordered_json;  // fields in the order of the page

std::string_view Word(schemas::RequestState state);
std::string_view Word(schemas::Outcome outcome);
std::string_view Word(schemas::PartShown state);
std::string_view Word(schemas::Place place);
std::string_view Word(schemas::RequestClass kind);
std::string_view Word(schemas::SiteState state);
std::string_view Word(schemas::ReasonCode code);
std::string_view Word(schemas::CauseCode code);  // "none" for kNone

// "mem" -> "mem_bytes"; other names as they are.
Json ResourcesJson(const ResourceSet& set);

inline Json ToJson(bool v) { return v; }
inline Json ToJson(double v) { return v; }
inline Json ToJson(const std::string& v) { return v; }
template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
Json ToJson(T v) {
  return v;
}
template <class T>
  requires std::is_enum_v<T>
Json ToJson(T v) {
  return std::string(Word(v));
}
template <class Tag>
Json ToJson(Id<Tag> v) {
  return v.value;
}
inline Json ToJson(Span v) { return v.seconds; }
inline Json ToJson(BootSpan v) { return static_cast<double>(v.milliseconds) / 1000.0; }
// "Never" of either kind is null.
inline Json ToJson(Instant v) { return v >= kFarFuture ? Json() : Json(text::ToRfc3339(v)); }
inline Json ToJson(Moment v) { return v.milliseconds == 0 ? Json() : Json(text::ToRfc3339(v)); }
inline Json ToJson(const Digest& v) { return ToHex(v); }
inline Json ToJson(const ResourceSet& v) { return ResourcesJson(v); }
Json ToJson(const std::map<std::string, std::string>& v);
template <class T>
Json ToJson(const std::optional<T>& v);
template <class T>
Json ToJson(const std::vector<T>& v);
template <schemas::HasFields T>
Json ToJson(const T& v);

// The name of a field in JSON: spans end in "_s".
template <class T>
std::string JsonName(std::string name) {
  constexpr bool kIsSpan = std::is_same_v<T, Span> || std::is_same_v<T, BootSpan> ||
                           std::is_same_v<T, std::optional<BootSpan>>;
  return kIsSpan && !name.ends_with("_s") ? name + "_s" : name;
}
// Texts that do not apply are empty in the structs and null in JSON; only output may be empty and
// known.
inline bool EmptyIsNull(std::string_view name) { return name != "data"; }

template <class T>
Json ToJson(const std::optional<T>& v) {
  return v ? ToJson(*v) : Json();
}
template <class T>
Json ToJson(const std::vector<T>& v) {
  Json array = Json::array();
  for (const T& element : v) array.push_back(ToJson(element));
  return array;
}
// Appends one field of a struct under its JSON name.
template <class T>
void AddField(Json& object, const char* name, const T& field) {
  Json value = ToJson(field);
  if (value.is_string() && value.template get_ref<const std::string&>().empty() &&
      EmptyIsNull(name)) {
    value = nullptr;
  }
  // Names of a struct differ, so that none needs to be looked for.
  object.get_ref<Json::object_t&>().emplace_back(JsonName<T>(name), std::move(value));
}
template <schemas::HasFields T>
Json ToJson(const T& v) {
  Json object = Json::object();
  schemas::ForEachField(
      v, [&object](const char* name, const auto& field) { AddField(object, name, field); });
  return object;
}

// One line, or indented by two; bytes that are no UTF-8 are replaced.
std::string JsonText(const Json& document, bool indented);

}  // namespace muster::cli
