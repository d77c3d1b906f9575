// The table of the search for a place: by goal, stage and event it says how the search goes on. A
// search ends in one of four ways: a place is held, the present place is kept, a trial is given up,
// or the request ends. scheduling.md section 4, protocol.md section 5 (replace before release).
#pragma once

#include <cstdint>

namespace muster::meta {

enum class Goal : uint8_t {
  kFirstPlace,        // the request has no place
  kEndangered,        // its place cannot stay: lost in part (C7), or the gate opens later
  kGateMoved,         // a start when the gate opens; the present place is sound
  kEarlierElsewhere,  // an earlier start at another site (meta/search/relocation.h)
  kEarlierJointly,    // an earlier start of all its parts (meta/search/joint_moves.h)
  kAltered,           // a place for the request as altered (meta/search/replacement.h)
};
inline constexpr int kGoals = 6;

enum class Stage : uint8_t {
  kWaits,  // in the waiting room, or being looked at
  kAsked,  // sites are being asked
  kHolds,  // an attempt is in HOLDING
  kDone,   // nothing is sought
};
inline constexpr int kStages = 4;

enum class SearchEvent : uint8_t {
  kAsk,      // sites are to be asked
  kHold,     // a hold is to be ordered
  kNotNow,   // asking is impossible now: a site is silent, or no start is allowed
  kNoPlace,  // the sites that answered have none; at kHolds: an adopted hold exists meanwhile
  kRefused,  // C2: the ordered hold failed
  kNever,    // no place is possible any more
};
inline constexpr int kSearchEvents = 6;

enum class Then : uint8_t {
  kGoesOn,      // the event takes effect, or nothing changes
  kTriesAgain,  // the request waits and is tried again
  kKeepsPlace,  // the present place is good enough
  kGivesUp,     // the trial ends; the request stays as and where it was
  kEnds,        // the request ends
};

struct SearchStep {
  int row = 0;  // 0: no row; asking for it is a bug
  Stage next = Stage::kDone;
  Then then = Then::kGoesOn;
};

SearchStep NextSearchStep(Goal goal, Stage stage, SearchEvent event);

}  // namespace muster::meta
