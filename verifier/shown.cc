// The words of section 3.5, in their order.
#include "verifier/shown.h"

namespace muster::verifier {

using schemas::HoldState;
using schemas::PartShown;
using schemas::PartState;

PartShown ShownOf(HoldState hold) {
  switch (hold) {
    case HoldState::kNone:
      return PartShown::kSeeking;
    case HoldState::kHeld:
      return PartShown::kHeld;
    case HoldState::kPrepared:
      return PartShown::kPrepared;
    case HoldState::kCommitted:
      return PartShown::kCommitted;
    case HoldState::kPermitted:
      return PartShown::kPermitted;
    case HoldState::kClosed:
      return PartShown::kEnded;
  }
  return PartShown::kUnknown;
}

PartShown ShownOf(PartState part) {
  switch (part) {
    case PartState::kBooked:
      return PartShown::kSeeking;  // no word of its own: the hold's counts
    case PartState::kReady:
      return PartShown::kReady;
    case PartState::kStarting:
      return PartShown::kStarting;
    case PartState::kRunning:
      return PartShown::kRunning;
    case PartState::kEnding:
      return PartShown::kEnding;
    case PartState::kEnded:
      return PartShown::kEnded;
  }
  return PartShown::kUnknown;
}

}  // namespace muster::verifier
