// The state table of an attempt at the meta: protocol.md section 3.2, rows C1 to C13. Pure: maps
// state, event and guards to a row, the next state and effects. Attempts with one member (n = 1)
// use the same table.
#pragma once

#include <cstdint>

#include "schemas/meta_records.h"

namespace muster::verifier {

enum class AttemptEvent : uint8_t {
  kCommonStart,  // a start that all members allow was found
  // A counter, refusal, loss or silence of a member; starts that do not agree; too late for a
  // permit; a rival that is permitted; answer_wait is over; or the request is not wanted any more.
  kRefused,
  kPrepared,       // all members prepared at one start (n > 1, or gated)
  kSoleCommitted,  // the only member committed (n = 1, not gated)
  kAllCommitted,
  kLeadReached,  // the time start - lead has come
  kMemberLost,   // dropped, unknown, or silent or quarantined at start - lead
  kReady,        // all first parts ready
  kGivenUp,      // past D - permit_window, cancelled by the user, or replaced
  kAllRunning,
  kPartialStart,  // a member closed unstarted, or evidence by silence (C11)
  kAllClosed,
  kSettled,  // the time D + settle has passed
};
inline constexpr int kAttemptEvents = 13;

struct AttemptGuards {
  bool several = false;  // n > 1, or gated: the attempt passes the barrier
  // C3: now < D - permit_window; C8: now <= D - permit_window. For n = 1 the window is one second.
  bool before_window_end = true;
  bool wanted = true;  // C4: the request has neither ended nor been cancelled
  // C3, C4, C8: another attempt of the request is permitted and open.
  bool rival_permitted = false;
  bool members_heard = true;  // C8: every member was heard within the last second
  bool superseded = false;    // C8
};

// Effects, as bits in order of execution (attempt_executor.h).
enum AttemptEffect : uint32_t {
  kWriteDecision = 1u << 0,  // the agreed start and D; durable from here on
  kWritePromise = 1u << 1,
  kWriteSuperseded = 1u << 2,  // on the attempt that this one replaces, if any
  kWritePermit = 1u << 3,
  kWriteAbort = 1u << 4,    // with its cause
  kWritePartial = 1u << 5,  // with its cause
  kWriteOutcome = 1u << 6,
  kBookMembers = 1u << 7,  // in the meta's shadows of the members' sites
  kOrderHolds = 1u << 8,
  kOrderCommit = 1u << 9,
  kOrderPermit = 1u << 10,
  kOrderRelease = 1u << 11,
  kReleaseReplaced = 1u << 12,  // release the replaced attempt where the new one has no hold
  kTellUser = 1u << 13,
  kSeekReplacement = 1u << 14,
  kResumeSearch = 1u << 15,  // nothing was promised yet: continue the search that found this start
  kPlaceAgain = 1u << 16,    // the request waits again with its rank, unless it has an outcome
  kCountPartial = 1u << 17,
};
inline constexpr int kAttemptEffects = 18;

struct AttemptStep {
  int row = 0;  // row of the table; 0: no row applies, nothing happens
  schemas::AttemptState next;
  uint32_t effects = 0;
  bool operator==(const AttemptStep&) const = default;
};

AttemptStep NextAttemptStep(schemas::AttemptState state, AttemptEvent event,
                            const AttemptGuards& guards);

// Whether an attempt in this state is decided and neither given up nor closed: DECIDED to PARTIAL.
bool Binds(schemas::AttemptState state);
// Whether the permit is written and not all holds are closed: PERMITTED to PARTIAL.
bool Permitted(schemas::AttemptState state);

}  // namespace muster::verifier
