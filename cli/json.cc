// Words are in the order of the enumerators. A missing word does not compile.
#include "cli/json.h"

#include <array>
#include <utility>

namespace muster::cli {
namespace {

// One word for each enumerator up to `kLast`.
template <auto kLast, class... Text>
consteval auto WordTable(Text... words) {
  static_assert(sizeof...(Text) == static_cast<size_t>(kLast) + 1, "a word for each enumerator");
  return std::array<std::string_view, sizeof...(Text)>{words...};
}

}  // namespace

WordList WordsOf(schemas::RequestState) {
  static constexpr auto kWords = WordTable<schemas::RequestState::kEnded>(
      "waiting", "parked", "promised", "starting", "running", "cancelling", "unknown", "ended");
  return kWords;
}
WordList WordsOf(schemas::Outcome) {
  static constexpr auto kWords = WordTable<schemas::Outcome::kLost>("done", "failed", "timeout",
                                                                    "cancelled", "refused", "lost");
  return kWords;
}
WordList WordsOf(schemas::PartShown) {
  static constexpr auto kWords = WordTable<schemas::PartShown::kUnknown>(
      "seeking", "held", "prepared", "committed", "permitted", "ready", "starting", "running",
      "ending", "ended", "unknown");
  return kWords;
}
WordList WordsOf(schemas::LoanState) {
  static constexpr auto kWords = WordTable<schemas::LoanState::kPaused>(
      "starting", "running", "recalled", "released", "paused");
  return kWords;
}
WordList WordsOf(schemas::RecallWay) {
  static constexpr auto kWords =
      WordTable<schemas::RecallWay::kSuspend>("requeue", "checkpoint", "suspend");
  return kWords;
}
WordList WordsOf(schemas::Place) {
  static constexpr auto kWords = WordTable<schemas::Place::kScatter>("free", "pack", "scatter");
  return kWords;
}
WordList WordsOf(schemas::RequestClass) {
  static constexpr auto kWords =
      WordTable<schemas::RequestClass::kInteractive>("batch", "interactive");
  return kWords;
}
WordList WordsOf(schemas::SiteState) {
  static constexpr auto kWords = WordTable<schemas::SiteState::kQuarantined>(
      "down", "hello", "syncing", "up", "silent", "quarantined");
  return kWords;
}
WordList WordsOf(schemas::NodeState) {
  static constexpr auto kWords =
      WordTable<schemas::NodeState::kDown>("up", "draining", "drained", "down");
  return kWords;
}
WordList WordsOf(schemas::BookingKind) {
  static constexpr auto kWords =
      WordTable<schemas::BookingKind::kLocal>("job", "reserved", "drained", "local");
  return kWords;
}
WordList WordsOf(schemas::ReasonCode) {
  static constexpr auto kWords = WordTable<schemas::ReasonCode::kCredit>(
      "job", "limit", "freepool", "reservation", "property", "topology", "node", "policy",
      "dependency", "silent", "blocked", "contended", "budget", "horizon", "share", "credit");
  return kWords;
}
WordList WordsOf(schemas::EntryKind) {
  static constexpr auto kWords =
      WordTable<schemas::EntryKind::kExpired>("deposit", "transfer", "adjust", "charge", "expired");
  return kWords;
}
WordList WordsOf(schemas::CauseCode) {
  static constexpr auto kWords = WordTable<schemas::CauseCode::kLocal>(
      "none", "node_lost", "operator", "preempted", "overrun", "policy_changed", "clock", "forgot",
      "disk_full", "site_down", "no_permit", "late", "site_silent", "meta_outage", "partner",
      "user", "backfilled", "joint", "overtaken", "packed", "site", "home", "local");
  return kWords;
}

Json ResourcesJson(const ResourceSet& set) {
  Json object = Json::object();
  for (const auto& [name, amount] : set.entries()) {
    object[name == "mem" ? "mem_bytes" : name] = amount;
  }
  return object;
}

Json ToJson(const std::map<std::string, std::string>& v) {
  Json object = Json::object();
  for (const auto& [name, value] : v) object[name] = value;
  return object;
}

Json ToJson(const IntervalSet& v) {
  Json array = Json::array();
  for (const Interval& interval : v.intervals()) {
    Json object = Json::object();
    object["from"] = ToJson(interval.begin);
    object["until"] = ToJson(interval.end);
    array.push_back(std::move(object));
  }
  return array;
}

Json JobJson(const schemas::JobView& job, bool whole) {
  constexpr size_t kOfThePage = 1;  // fields added by ForEachJobField: reservation
  Json object = Json::object();
  object.get_ref<Json::object_t&>().reserve(schemas::JobView::Fields().kCount + kOfThePage);
  ForEachJobField(job, whole, [&object](const char* name, const auto& field) {
    AddField(object, name, field);
  });
  return object;
}

Json ToJson(const schemas::JobView& v) { return JobJson(v, true); }

std::string JsonText(const Json& document, bool indented) {
  return document.dump(indented ? 2 : -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace muster::cli
