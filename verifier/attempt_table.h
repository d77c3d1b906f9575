// The life of an attempt at the meta as a table: protocol.md section 3.2, rows C1 to C13. Pure:
// what happened in, the row that holds, the next state and its effects out. One member (n = 1) goes
// through the same table.
#pragma once

#include <cstdint>

#include "schemas/meta_records.h"

namespace muster::verifier {

enum class AttemptEvent : uint8_t {
  kCommonStart,    // a start that all members may take was found
  kRefused,        // counter, refusal, silence, answer_wait passed, or the request was cancelled
  kPrepared,       // all members prepared at one start (n > 1)
  kSoleCommitted,  // the only member committed (n = 1)
  kAllCommitted,
  kLeadReached,  // start - lead
  kMemberLost,   // dropped, unknown, or silent or quarantined at start - lead
  kReady,        // all first parts ready
  kGivenUp,      // past D - permit_window, cancelled by the user, or replaced
  kAllRunning,
  kPartialStart,  // a member closed unstarted, or evidence by silence (C11)
  kAllClosed,
  kSettled,  // D + settle passed
};
inline constexpr int kAttemptEvents = 13;

struct AttemptGuards {
  bool several = false;           // n > 1
  bool before_window_end = true;  // C3: now < D - permit_window; C8: now <= D - permit_window
  bool wanted = true;             // C4: the request still wants it
  bool rival_permitted = false;  // C3, C4, C8: another attempt of the request is permitted and open
  bool members_heard = true;     // C8: each within a second
  bool superseded = false;       // C8
};

// Effects, in the order in which they are carried out (attempt_executor.h).
enum AttemptEffect : uint32_t {
  kWriteDecision = 1u << 0,  // the start that the members agreed on, and D; durable from here on
  kWritePromise = 1u << 1,
  kWriteSuperseded = 1u << 2,  // on the attempt this one replaces, if any
  kWritePermit = 1u << 3,
  kWriteAbort = 1u << 4,    // with its cause
  kWritePartial = 1u << 5,  // likewise
  kWriteOutcome = 1u << 6,
  kBookMembers = 1u << 7,  // in the meta's own shadows of the members
  kOrderHolds = 1u << 8,
  kOrderCommit = 1u << 9,
  kOrderPermit = 1u << 10,
  kOrderRelease = 1u << 11,
  kReleaseReplaced = 1u << 12,  // the old attempt, where the new one has no hold
  kTellUser = 1u << 13,
  kSeekReplacement = 1u << 14,
  kResumeSearch = 1u << 15,  // nothing was promised: the search that found this start goes on
  kPlaceAgain = 1u << 16,    // the request waits again, rank kept, unless an outcome says otherwise
  kCountPartial = 1u << 17,
};
inline constexpr int kAttemptEffects = 18;

struct AttemptStep {
  int row = 0;  // of the table; 0: the pair is not listed, or its guard fails: nothing happens
  schemas::AttemptState next;
  uint32_t effects = 0;
  bool operator==(const AttemptStep&) const = default;
};

AttemptStep NextAttemptStep(schemas::AttemptState state, AttemptEvent event,
                            const AttemptGuards& guards);

// True for states whose attempt may get a permit or has one: DECIDED to PARTIAL.
bool Binds(schemas::AttemptState state);
// True from the permit's write until all members closed.
bool Permitted(schemas::AttemptState state);

}  // namespace muster::verifier
