// The words stand in the order of their enumerators; a missing one does not compile (the arrays'
// sizes are fixed by the last enumerator).
#include "cli/json.h"

#include <array>

namespace muster::cli {
namespace {

template <auto kLast>
using Words = std::array<std::string_view, static_cast<size_t>(kLast) + 1>;

template <size_t kSize, class Enum>
std::string_view At(const std::array<std::string_view, kSize>& words, Enum value) {
  const auto index = static_cast<size_t>(value);
  // Newer peers may send words this program does not know.
  return index < kSize ? words[index] : std::string_view("unknown");
}

}  // namespace

std::string_view Word(schemas::RequestState state) {
  static constexpr Words<schemas::RequestState::kEnded> kWords = {
      "waiting", "parked", "promised", "starting", "running", "cancelling", "unknown", "ended"};
  return At(kWords, state);
}
std::string_view Word(schemas::Outcome outcome) {
  static constexpr Words<schemas::Outcome::kLost> kWords = {"done",      "failed",  "timeout",
                                                            "cancelled", "refused", "lost"};
  return At(kWords, outcome);
}
std::string_view Word(schemas::PartShown state) {
  static constexpr Words<schemas::PartShown::kUnknown> kWords = {
      "seeking",  "held",    "prepared", "committed", "permitted", "ready",
      "starting", "running", "ending",   "ended",     "unknown"};
  return At(kWords, state);
}
std::string_view Word(schemas::Place place) {
  static constexpr Words<schemas::Place::kScatter> kWords = {"free", "pack", "scatter"};
  return At(kWords, place);
}
std::string_view Word(schemas::RequestClass kind) {
  static constexpr Words<schemas::RequestClass::kInteractive> kWords = {"batch", "interactive"};
  return At(kWords, kind);
}
std::string_view Word(schemas::SiteState state) {
  static constexpr Words<schemas::SiteState::kQuarantined> kWords = {
      "down", "hello", "syncing", "up", "silent", "quarantined"};
  return At(kWords, state);
}
std::string_view Word(schemas::ReasonCode code) {
  static constexpr Words<schemas::ReasonCode::kHorizon> kWords = {
      "job",    "limit",      "freepool", "reservation", "property",  "topology", "node",
      "policy", "dependency", "silent",   "blocked",     "contended", "budget",   "horizon"};
  return At(kWords, code);
}
std::string_view Word(schemas::CauseCode code) {
  static constexpr Words<schemas::CauseCode::kSite> kWords = {
      "none",        "node_lost",   "operator",  "preempted", "overrun",    "policy_changed",
      "clock",       "forgot",      "disk_full", "site_down", "no_permit",  "late",
      "site_silent", "meta_outage", "partner",   "user",      "backfilled", "joint",
      "overtaken",   "packed",      "site"};
  return At(kWords, code);
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

std::string JsonText(const Json& document, bool indented) {
  return document.dump(indented ? 2 : -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace muster::cli
