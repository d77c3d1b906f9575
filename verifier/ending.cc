// Pure functions.
#include "verifier/ending.h"

#include <algorithm>
#include <array>

namespace muster::verifier {

using schemas::EndedBy;

Ending EndingOf(const std::vector<PartFacts>& parts, bool cancelled, bool rerunnable) {
  const auto well = [](const PartFacts& p) {
    return p.end.by == EndedBy::kExit && p.end.exit_code == 0;
  };
  if (std::all_of(parts.begin(), parts.end(), well)) return Ending::kDone;
  if (cancelled) return Ending::kCancelled;
  // The first part that ended badly by itself determines how the request ended; the release of the
  // other parts is a consequence.
  const PartFacts* first = nullptr;
  bool undecidable = false;
  for (const PartFacts& p : parts) {
    undecidable = undecidable || p.end.by == EndedBy::kUnknown ||
                  (p.started == schemas::Started::kUnknown && p.end.by == EndedBy::kNotEnded);
    const bool by_itself = (p.end.by == EndedBy::kExit && !well(p)) ||
                           p.end.by == EndedBy::kWalltime || p.end.by == EndedBy::kFailedToStart;
    if (!by_itself) continue;
    if (!first || (p.ended_at && first->ended_at && *p.ended_at < *first->ended_at)) first = &p;
  }
  if (first) return first->end.by == EndedBy::kWalltime ? Ending::kTimeout : Ending::kFailed;
  if (undecidable) return rerunnable ? Ending::kAgain : Ending::kUndecidable;
  const bool any_well = std::any_of(parts.begin(), parts.end(), well);
  return any_well ? Ending::kFailed : Ending::kAgain;
}

std::string CauseText(const schemas::Cause& cause) {
  constexpr std::array kWords = {
      "no cause",    "node_lost",   "operator",  "preempted", "overrun",    "policy_changed",
      "clock",       "forgot",      "disk_full", "site_down", "no_permit",  "late",
      "site_silent", "meta_outage", "partner",   "user",      "backfilled", "joint",
      "overtaken",   "packed",      "site",      "home",      "local"};
  const auto word = [&kWords](schemas::CauseCode of) {
    const size_t code = static_cast<size_t>(of);
    return std::string(code < kWords.size() ? kWords[code] : "unknown cause");
  };
  std::string out = word(cause.code);
  if (cause.because != schemas::CauseCode::kNone) out += ": " + word(cause.because);
  if (!cause.subject.site.empty()) out += " at " + cause.subject.site;
  if (!cause.subject.node.empty()) out += "/" + cause.subject.node;
  if (!cause.resource.empty()) out += ", " + cause.resource;
  if (!cause.subject.job.empty()) out += ", job " + cause.subject.job;
  if (!cause.subject.packing.empty()) out += " by " + cause.subject.packing;
  return out;
}

}  // namespace muster::verifier
