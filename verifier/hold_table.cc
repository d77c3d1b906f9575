// See hold_table.h. Each row is tested after those that exclude it: H1 to H3 after H20, H22 and H4.
#include "verifier/hold_table.h"

#include <array>

namespace muster::verifier {
namespace {

using schemas::ClosedAs;
using schemas::HoldState;

HoldStep Present(HoldState state) {
  return {HoldRow::kH20, state, ClosedAs::kNotClosed, {.present = true}};
}

HoldStep Closing(HoldRow row, ClosedAs as) {
  return {row, HoldState::kClosed, as, {.write = true, .close = true}};
}

bool IsPromised(HoldState state) {
  return state == HoldState::kPrepared || state == HoldState::kCommitted ||
         state == HoldState::kPermitted;
}

// H1 to H4 and H22, and H20 if the hold exists already.
HoldStep Create(HoldState state, HoldEvent event, const HoldGuards& g) {
  const bool advances = event == HoldEvent::kCommitDirect && state == HoldState::kHeld;
  // H20: a late copy of the order that created the hold. The hold exists, so the floor is
  // irrelevant.
  if (IsLive(state) && !advances) return Present(state);
  if (g.fence_below_floor) return {HoldRow::kH22, state, ClosedAs::kNotClosed, {.stale = true}};
  if (state == HoldState::kClosed) return Present(state);
  const bool direct = event == HoldEvent::kCommitDirect;
  if (!g.within_caps || !g.feasible || (direct && !g.one_member)) {
    return {HoldRow::kH4, state, ClosedAs::kNotClosed, {.countered = true}};
  }
  switch (event) {
    case HoldEvent::kHoldHeld:
      return {
          HoldRow::kH1, HoldState::kHeld, ClosedAs::kNotClosed, {.write = true, .arm_lease = true}};
    case HoldEvent::kHoldPrepared:
      return {HoldRow::kH2,
              HoldState::kPrepared,
              ClosedAs::kNotClosed,
              {.write = true, .arm_deadline = true}};
    default:
      return {HoldRow::kH3,
              HoldState::kCommitted,
              ClosedAs::kNotClosed,
              {.write = true, .arm_deadline = true, .close_replaced = true}};
  }
}

HoldStep Order(HoldState state, HoldEvent event, const HoldGuards& g) {
  if (state == HoldState::kNone) {
    return {HoldRow::kH6, state, ClosedAs::kNotClosed, {.unknown = true}};
  }
  if (event == HoldEvent::kPrepare && state == HoldState::kHeld && g.lease_alive) {
    return {HoldRow::kH7,
            HoldState::kPrepared,
            ClosedAs::kNotClosed,
            {.write = true, .arm_deadline = true}};
  }
  if (state == HoldState::kHeld && event != HoldEvent::kPrepare) {
    return {HoldRow::kH21, state, ClosedAs::kNotClosed, {.present = true, .protocol_error = true}};
  }
  if (event == HoldEvent::kCommit && state == HoldState::kPrepared) {
    return {HoldRow::kH9,
            HoldState::kCommitted,
            ClosedAs::kNotClosed,
            {.write = true, .close_replaced = true}};
  }
  const bool may_permit = state == HoldState::kPrepared || state == HoldState::kCommitted;
  if (event == HoldEvent::kPermit && may_permit && g.before_deadline) {
    HoldStep step{HoldRow::kH10, HoldState::kPermitted, ClosedAs::kNotClosed, {.write = true}};
    step.effects.close_replaced = state == HoldState::kPrepared;
    step.effects.start_later = g.one_member && g.start_passed;
    return step;
  }
  return Present(state);
}

HoldStep Release(HoldState state, const HoldGuards& g) {
  if (state == HoldState::kNone) {
    if (g.fence_below_floor) {
      return {HoldRow::kH5, state, ClosedAs::kReleased, {.present = true}};
    }
    return {
        HoldRow::kH5, HoldState::kClosed, ClosedAs::kReleased, {.write = true, .tombstone = true}};
  }
  if (!IsLive(state)) return Present(state);
  if (!g.started) return Closing(HoldRow::kH12, ClosedAs::kReleased);
  if (g.unless_started) return Present(state);
  return {HoldRow::kH13, state, ClosedAs::kReleased, {.write = true, .stop = true}};
}

HoldStep SiteCause(HoldState state, const HoldGuards& g) {
  if (!IsPromised(state) || g.started) return Present(state);
  if (g.same_start_fits) return {HoldRow::kH14, state, ClosedAs::kNotClosed, {.write = true}};
  if (g.one_member && g.later_start_fits) {
    return {HoldRow::kH15,
            state,
            ClosedAs::kNotClosed,
            {.write = true, .arm_deadline = true, .moved = true}};
  }
  HoldStep step = Closing(HoldRow::kH16, ClosedAs::kDropped);
  step.effects.moved = true;
  step.effects.feasible_starts = true;
  return step;
}

}  // namespace

HoldStep NextHold(HoldState state, HoldEvent event, const HoldGuards& g) {
  switch (event) {
    case HoldEvent::kHoldHeld:
    case HoldEvent::kHoldPrepared:
    case HoldEvent::kCommitDirect:
      return Create(state, event, g);
    case HoldEvent::kPrepare:
    case HoldEvent::kCommit:
    case HoldEvent::kPermit:
      return Order(state, event, g);
    case HoldEvent::kRelease:
      return Release(state, g);
    case HoldEvent::kLeaseEnds:
    case HoldEvent::kHigherEpoch:
      if (state == HoldState::kHeld) return Closing(HoldRow::kH8, ClosedAs::kExpired);
      break;
    case HoldEvent::kDeadlinePasses:
      if (state == HoldState::kPrepared || state == HoldState::kCommitted) {
        return Closing(HoldRow::kH11, ClosedAs::kExpired);
      }
      break;
    case HoldEvent::kSiteCause:
      return SiteCause(state, g);
    case HoldEvent::kEarlierSlot:
      if ((state == HoldState::kCommitted || state == HoldState::kPermitted) && !g.started &&
          g.one_member && g.not_before_earliest) {
        return {HoldRow::kH17,
                state,
                ClosedAs::kNotClosed,
                {.write = true, .arm_deadline = true, .moved = true}};
      }
      break;
    case HoldEvent::kLastStartPasses:
      if (state == HoldState::kPermitted && !g.started) {
        return Closing(HoldRow::kH18, ClosedAs::kExpired);
      }
      break;
    case HoldEvent::kAllPartsEnded:
      if (state == HoldState::kPermitted) return Closing(HoldRow::kH19, ClosedAs::kEnded);
      break;
  }
  return Present(state);
}

bool NeedsPlanning(HoldState state, HoldEvent event, HoldGuards guards) {
  guards.feasible = true;
  const HoldStep with = NextHold(state, event, guards);
  guards.feasible = false;
  return with != NextHold(state, event, guards);
}

std::string_view ToText(HoldRow row) {
  static constexpr std::array<std::string_view, 23> kNames = {
      "",    "H1",  "H2",  "H3",  "H4",  "H5",  "H6",  "H7",  "H8",  "H9",  "H10", "H11",
      "H12", "H13", "H14", "H15", "H16", "H17", "H18", "H19", "H20", "H21", "H22"};
  return kNames[static_cast<size_t>(row)];
}

}  // namespace muster::verifier
