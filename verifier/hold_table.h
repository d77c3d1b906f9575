// The state table of a hold at its site: protocol.md section 3.1, row by row. Pure: maps state,
// event and guards to a row, the next state and effects. The site's core applies the effects to
// records, plan, feed and driver.
#pragma once

#include <cstdint>
#include <string_view>

#include "schemas/hold.h"

namespace muster::verifier {

enum class HoldEvent : uint8_t {
  // Orders of the meta.
  kHoldHeld,
  kHoldPrepared,
  kCommitDirect,
  kPrepare,
  kCommit,
  kPermit,
  kRelease,
  // Events at the site itself.
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

// The guards of the table. Each row reads only the guards it names.
struct HoldGuards {
  bool fence_below_floor = false;
  bool within_caps = true;  // within the site's caps and lease limit, and enough disk space
  bool feasible = false;    // the planner found an allowed start
  bool one_member = false;  // n = 1
  bool lease_alive = true;
  bool before_deadline = true;       // now < D on the boot clock
  bool start_passed = false;         // the booked start and tail are past, on the plan clock
  bool started = false;              // some part is STARTING or further
  bool same_start_fits = false;      // the same start is possible on other nodes
  bool later_start_fits = false;     // a later start up to the last start is possible
  bool not_before_earliest = false;  // H17: the new start is one that EarliestMove allows
  bool unless_started = false;       // flag of a release order
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

// What to do besides moving to `next`. "Close" frees the booking and reports how the hold closed.
struct HoldEffects {
  bool write = false;  // write the record durably before anything is reported
  bool arm_lease = false;
  bool arm_deadline = false;     // D, also when armed again after a move
  bool close = false;            // close the hold as HoldStep::closed_as
  bool close_replaced = false;   // H3, H9, H10: close the replaced hold in the same write
  bool tombstone = false;        // H5
  bool moved = false;            // report old and new start with the cause
  bool feasible_starts = false;  // H16: report feasible starts
  bool stop = false;             // H13: stop the parts; close once their processes are gone
  // H10 with n = 1 and `start_passed`: apply H15 or H16, cause no_permit, in the same turn.
  bool start_later = false;
  // Answers that change nothing.
  bool countered = false;
  bool unknown = false;
  bool stale = false;
  bool present = false;         // answer with the hold's present state and its last revision
  bool protocol_error = false;  // count a protocol error
  bool operator==(const HoldEffects&) const = default;
};

struct HoldStep {
  HoldRow row;
  schemas::HoldState next;
  schemas::ClosedAs closed_as = schemas::ClosedAs::kNotClosed;
  HoldEffects effects;
  bool operator==(const HoldStep&) const = default;
};

// Returns the row that applies. `state` is kNone for a fence unknown to the ledger. Pairs that are
// not listed are H20; for an event of the site itself, H20 sends no answer and changes nothing.
HoldStep NextHold(schemas::HoldState state, HoldEvent event, const HoldGuards& guards);

// Whether the row depends on `feasible`. If it does, the planner must be asked first.
bool NeedsPlanning(schemas::HoldState state, HoldEvent event, HoldGuards guards);

}  // namespace muster::verifier
