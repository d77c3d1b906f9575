// The life of a hold at its site: protocol.md section 3.1, row by row. Pure: state, event and
// guards in; row, next state and effects out. What the effects mean for records, plan, feed and
// driver is the site core's business.
#pragma once

#include <cstdint>
#include <string_view>

#include "schemas/hold.h"

namespace muster::verifier {

enum class HoldEvent : uint8_t {
  // orders of the meta
  kHoldHeld,
  kHoldPrepared,
  kCommitDirect,
  kPrepare,
  kCommit,
  kPermit,
  kRelease,
  // the site's own
  kLeaseEnds,
  kHigherEpoch,
  kDeadlinePasses,
  kSiteCause,
  kEarlierSlot,
  kLastStartPasses,
  kAllPartsEnded
};
inline constexpr HoldEvent kLastHoldEvent = HoldEvent::kAllPartsEnded;

inline bool IsLive(schemas::HoldState state) {
  return state != schemas::HoldState::kNone && state != schemas::HoldState::kClosed;
}

// The guards of the table. Each is read only by the rows that name it.
struct HoldGuards {
  bool fence_below_floor = false;
  bool within_caps = true;  // caps, lease, disk
  bool feasible = false;    // the planner found a start
  bool one_member = false;  // n = 1
  bool lease_alive = true;
  bool before_deadline = true;    // now < D on the boot clock
  bool start_passed = false;      // the booked start, on the plan clock
  bool started = false;           // a part is STARTING or beyond
  bool same_start_fits = false;   // on other nodes
  bool later_start_fits = false;  // new span fits and new start <= last start
  bool not_before_earliest = false;
  bool unless_started = false;  // of a release
};

enum class HoldRow : uint8_t {
  kH1 = 1,
  kH2,
  kH3,
  kH4,
  kH5,
  kH6,
  kH7,
  kH8,
  kH9,
  kH10,
  kH11,
  kH12,
  kH13,
  kH14,
  kH15,
  kH16,
  kH17,
  kH18,
  kH19,
  kH20,
  kH21,
  kH22
};
std::string_view ToText(HoldRow row);  // "H7"

// What has to be done besides moving to `next`. "Close" frees the booking and reports the kind.
struct HoldEffects {
  bool write = false;  // the record changes, durably, before anything is said
  bool arm_lease = false;
  bool arm_deadline = false;     // D, also anew after a move
  bool close = false;            // as `closed_as`
  bool close_replaced = false;   // H9: in the same write
  bool tombstone = false;        // H5
  bool moved = false;            // report old and new start with the cause
  bool feasible_starts = false;  // H16: with the starts that would do
  bool stop = false;             // H13: stop parts; close when the processes are gone
  bool start_later =
      false;  // H10, n = 1, start passed: H15 or H16, cause no_permit, in the same turn
  // answers that change nothing
  bool countered = false;
  bool unknown = false;
  bool stale = false;
  bool present = false;         // the state the hold is in, old revision
  bool protocol_error = false;  // counted
  bool operator==(const HoldEffects&) const = default;
};

struct HoldStep {
  HoldRow row;
  schemas::HoldState next;
  schemas::ClosedAs closed_as = schemas::ClosedAs::kNotClosed;
  HoldEffects effects;
  bool operator==(const HoldStep&) const = default;
};

// The row that applies. `state` is kNone for a fence the ledger does not know. Any pair the table
// does not list is H20. An event of the site itself that is not listed changes nothing (H20 without
// an answer being due).
HoldStep NextHold(schemas::HoldState state, HoldEvent event, const HoldGuards& guards);

// True if the outcome depends on `feasible`: only then the planner must be asked.
bool NeedsPlanning(schemas::HoldState state, HoldEvent event, HoldGuards guards);

}  // namespace muster::verifier
