// The rows of protocol.md section 3.5 are tried from the end of a request's life backwards. The
// first match counts.
#include "meta/requests/request_state.h"

#include "verifier/attempt_table.h"

namespace muster::meta {

using schemas::RequestState;

RequestState ShownState(const RequestFacts& f) {
  if (f.outcome) return RequestState::kEnded;
  if (f.cancelling) return RequestState::kCancelling;
  if (f.undecidable) return RequestState::kUnknown;
  if (!f.attempt) return f.parked ? RequestState::kParked : RequestState::kWaiting;
  if (!verifier::Permitted(*f.attempt)) return RequestState::kPromised;
  if (f.unheard) return RequestState::kUnknown;
  if (f.all_started) return RequestState::kRunning;
  // n = 1 is permitted at once, so it stays promised until its part starts.
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
      // One turn may report a start, a run and an end, or the silence of a site that was to start
      // it; its user may also park it.
      return to != S::kPromised;
    case S::kStarting:
      return to != S::kStarting;
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

}  // namespace muster::meta
