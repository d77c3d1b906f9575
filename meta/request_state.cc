// Section 3.5, first match from the end of life backwards.
#include "meta/request_state.h"

#include <algorithm>

#include "verifier/attempt_table.h"

namespace muster::meta {

using schemas::EndedBy;
using schemas::RequestState;

RequestState ShownState(const RequestFacts& f) {
  if (f.outcome) return RequestState::kEnded;
  if (f.cancelling) return RequestState::kCancelling;
  if (f.undecidable) return RequestState::kUnknown;
  if (!f.attempt) return f.parked ? RequestState::kParked : RequestState::kWaiting;
  if (!verifier::Permitted(*f.attempt)) return RequestState::kPromised;
  if (f.unheard) return RequestState::kUnknown;
  if (f.all_started) return RequestState::kRunning;
  // n = 1 is permitted at once: it is promised until its part starts.
  if (f.several || f.any_starting) return RequestState::kStarting;
  return RequestState::kPromised;
}

bool MayFollow(RequestState from, RequestState to) {
  using S = RequestState;
  switch (from) {
    case S::kWaiting:
      return to == S::kPromised || to == S::kParked || to == S::kEnded;
    case S::kParked:
      return to == S::kWaiting || to == S::kEnded;
    case S::kPromised:
      // One turn may tell of a start, a run and an end, or of the silence of a site that was to
      // start it.
      return to != S::kParked && to != S::kPromised;
    case S::kStarting:
      return to == S::kRunning || to == S::kWaiting || to == S::kUnknown || to == S::kEnded ||
             to == S::kCancelling || to == S::kParked;
    case S::kRunning:
      return to == S::kEnded || to == S::kCancelling || to == S::kUnknown || to == S::kWaiting ||
             to == S::kParked;
    case S::kCancelling:
      return to == S::kEnded;
    case S::kUnknown:
      return to != S::kUnknown;
    case S::kEnded:
      return false;
  }
  return false;
}

Ending EndingOf(const std::vector<PartFacts>& parts, bool cancelled, bool rerunnable) {
  const auto well = [](const PartFacts& p) {
    return p.end.by == EndedBy::kExit && p.end.exit_code == 0;
  };
  if (std::all_of(parts.begin(), parts.end(), well)) return Ending::kDone;
  if (cancelled) return Ending::kCancelled;
  // The first part that ended badly by itself says how the request ended; what was released follows
  // from it.
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

}  // namespace muster::meta
