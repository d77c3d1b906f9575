// The JSON of the documents users read, and the words of their closed lists. cli.md section 4:
// names in snake_case, amounts with their unit in the name, times as RFC 3339 with 'Z', unknown is
// null and never absent.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/interval.h"
#include "base/resources.h"
#include "base/text/calendar.h"
#include "base/time.h"
#include "schemas/fields.h"
#include "schemas/views.h"

namespace muster::cli {

using Json = nlohmann::ordered_json;  // fields in the order of the page

// The words of a closed list, in the order of its enumerators; the value only says which list.
using WordList = std::span<const std::string_view>;
WordList WordsOf(schemas::RequestState);
WordList WordsOf(schemas::Outcome);
WordList WordsOf(schemas::PartShown);
WordList WordsOf(schemas::Place);
WordList WordsOf(schemas::RequestClass);
WordList WordsOf(schemas::SiteState);
WordList WordsOf(schemas::NodeState);
WordList WordsOf(schemas::BookingKind);
WordList WordsOf(schemas::ReasonCode);
WordList WordsOf(schemas::CauseCode);  // "none" for kNone
template <class T>
  requires std::is_enum_v<T>
std::string_view Word(T value) {
  const WordList words = WordsOf(value);
  const auto index = static_cast<size_t>(value);
  // Newer peers may send words this program does not know.
  return index < words.size() ? words[index] : std::string_view("unknown");
}

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
Json ToJson(const IntervalSet& v);       // [{"from", "until"}], the second null where it is open
Json ToJson(const schemas::JobView& v);  // as ForEachJobField has it, whole
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
  object.get_ref<Json::object_t&>().reserve(T::Fields().kCount);
  schemas::ForEachField(
      v, [&object](const char* name, const auto& field) { AddField(object, name, field); });
  return object;
}

// The fields of a job in the order of the page. What no part of this version can set is there, too:
// null is "none", and programs that read it go on working when it comes. Without `whole`, as a
// queue shows it: without history and events.
template <class Visit>
void ForEachJobField(const schemas::JobView& job, bool whole, Visit&& visit) {
  schemas::ForEachField(job, [&](const char* name, const auto& field) {
    const std::string_view text(name);
    if (text == "after" || text == "array" || text == "firm" || text == "reservation") return;
    if (!whole && (text == "history" || text == "events")) return;
    visit(name, field);
    if (text == "deadline") {
      visit("after", job.after);
      visit("array", job.array);
      visit("reservation", job.reservation);
    }
    if (text == "queue") visit("firm", job.firm);
  });
}
Json JobJson(const schemas::JobView& job, bool whole);

// One line, or indented by two; bytes that are no UTF-8 are replaced.
std::string JsonText(const Json& document, bool indented);

}  // namespace muster::cli
