// The JSON form of the documents, and the words of enumerations. cli.md section 4: names in
// snake_case, amounts with their unit in the name, times as RFC 3339 with 'Z'; an unknown value is
// null, never absent.
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
#include "schemas/bank.h"
#include "schemas/fields.h"
#include "schemas/views.h"

namespace muster::cli {

using Json = nlohmann::ordered_json;  // fields in the order of cli.md

// The words of an enumeration in the order of its enumerators. The argument only selects the
// enumeration.
using WordList = std::span<const std::string_view>;
WordList WordsOf(schemas::RequestState);
WordList WordsOf(schemas::Outcome);
WordList WordsOf(schemas::PartShown);
WordList WordsOf(schemas::LoanState);
WordList WordsOf(schemas::RecallWay);
WordList WordsOf(schemas::Place);
WordList WordsOf(schemas::RequestClass);
WordList WordsOf(schemas::SiteState);
WordList WordsOf(schemas::NodeState);
WordList WordsOf(schemas::BookingKind);
WordList WordsOf(schemas::ReasonCode);
WordList WordsOf(schemas::EntryKind);
WordList WordsOf(schemas::CauseCode);  // "none" for kNone
template <class T>
  requires std::is_enum_v<T>
std::string_view Word(T value) {
  const WordList words = WordsOf(value);
  const auto index = static_cast<size_t>(value);
  // Newer peers may send values that this program does not know.
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
// A time that means "never" is null.
inline Json ToJson(Instant v) { return v >= kFarFuture ? Json() : Json(text::ToRfc3339(v)); }
inline Json ToJson(Moment v) { return v.milliseconds == 0 ? Json() : Json(text::ToRfc3339(v)); }
inline Json ToJson(const Digest& v) { return ToHex(v); }
inline Json ToJson(const ResourceSet& v) { return ResourcesJson(v); }
Json ToJson(const IntervalSet& v);       // [{"from", "until"}]; "until" is null for an open end
Json ToJson(const schemas::JobView& v);  // all fields of ForEachJobField
Json ToJson(const std::map<std::string, std::string>& v);
template <class T>
Json ToJson(const std::optional<T>& v);
template <class T>
Json ToJson(const std::vector<T>& v);
template <schemas::HasFields T>
Json ToJson(const T& v);

// The JSON name of a field: spans get the suffix "_s".
template <class T>
std::string JsonName(std::string name) {
  constexpr bool kIsSpan = std::is_same_v<T, Span> || std::is_same_v<T, BootSpan> ||
                           std::is_same_v<T, std::optional<BootSpan>>;
  return kIsSpan && !name.ends_with("_s") ? name + "_s" : name;
}
// An empty text in a struct means "does not apply" and becomes null. Only output, "data", may be
// known and empty.
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
  // Field names are distinct, so no lookup is needed.
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

// Visits the fields of a job in the order of cli.md. Fields that this version never sets are
// included, so that programs keep working once they are set. `whole` false: without history and
// events, as a queue shows jobs.
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

// The document in one line, or indented by two. Invalid UTF-8 is replaced.
std::string JsonText(const Json& document, bool indented);

}  // namespace muster::cli
