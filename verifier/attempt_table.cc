// Rows C1 to C13, each written once. A pair without a row changes nothing.
#include "verifier/attempt_table.h"

namespace muster::verifier {
namespace {

using S = schemas::AttemptState;

bool BeforePermit(S s) { return s == S::kDecided || s == S::kCommitted || s == S::kBarrier; }

AttemptStep FromHolding(AttemptEvent event, const AttemptGuards& g) {
  switch (event) {
    case AttemptEvent::kRefused:
      return {2, S::kAborting, kOrderRelease | kResumeSearch};
    case AttemptEvent::kPrepared:
      if (!g.several || !g.before_window_end || g.rival_permitted) break;
      return {3, S::kDecided,
              kWriteDecision | kWritePromise | kWriteSuperseded | kBookMembers | kOrderCommit |
                  kReleaseReplaced | kTellUser};
    case AttemptEvent::kSoleCommitted:
      if (g.several || !g.wanted || g.rival_permitted) break;
      return {4, S::kPermitted,
              kWriteDecision | kWritePromise | kWriteSuperseded | kWritePermit | kBookMembers |
                  kOrderPermit | kReleaseReplaced | kTellUser};
    default:
      break;
  }
  return {0, S::kHolding, 0};
}

AttemptStep FromBeforePermit(S state, AttemptEvent event, const AttemptGuards& g) {
  switch (event) {
    case AttemptEvent::kAllCommitted:
      if (state == S::kDecided) return {5, S::kCommitted, kTellUser};
      break;
    case AttemptEvent::kLeadReached:
      if (state == S::kCommitted) return {6, S::kBarrier, 0};
      break;
    case AttemptEvent::kMemberLost:
      return {7, state, kSeekReplacement};
    case AttemptEvent::kReady:
      if (state != S::kBarrier || !g.before_window_end || !g.members_heard || g.superseded ||
          g.rival_permitted) {
        break;
      }
      return {8, S::kPermitted, kWritePermit | kOrderPermit | kTellUser};
    case AttemptEvent::kGivenUp:
      return {9, S::kAborting, kWriteAbort | kOrderRelease | kTellUser | kPlaceAgain};
    default:
      break;
  }
  return {0, state, 0};
}

AttemptStep FromPermitted(S state, AttemptEvent event, const AttemptGuards& g) {
  switch (event) {
    case AttemptEvent::kAllRunning:
      if (state == S::kPermitted) return {10, S::kRunning, kBookMembers};
      break;
    case AttemptEvent::kPartialStart:
      if (state != S::kPermitted || !g.several) break;
      return {11, S::kPartial, kWritePartial | kOrderRelease | kTellUser | kCountPartial};
    case AttemptEvent::kAllClosed:
      return {12, S::kClosed, kWriteOutcome | kPlaceAgain};
    default:
      break;
  }
  return {0, state, 0};
}

}  // namespace

AttemptStep NextAttemptStep(S state, AttemptEvent event, const AttemptGuards& guards) {
  if (state == S::kSeeking && event == AttemptEvent::kCommonStart) {
    return {1, S::kHolding, kBookMembers | kOrderHolds};
  }
  if (state == S::kHolding) return FromHolding(event, guards);
  if (BeforePermit(state)) return FromBeforePermit(state, event, guards);
  if (Permitted(state)) return FromPermitted(state, event, guards);
  if (state == S::kAborting &&
      (event == AttemptEvent::kAllClosed || event == AttemptEvent::kSettled)) {
    return {13, S::kClosed, 0};
  }
  return {0, state, 0};
}

bool Binds(S state) { return BeforePermit(state) || Permitted(state); }

bool Permitted(S state) {
  return state == S::kPermitted || state == S::kRunning || state == S::kPartial;
}

}  // namespace muster::verifier
