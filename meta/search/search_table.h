// What a request seeks a place for, how far that has come, and what follows when none is found: the
// table by which a search goes on or is over. It ends in one of four ways: a place is held, the
// one that is there is kept, what was tried is given up, or the request ends. scheduling.md section
// 4, protocol.md section 5 (replace before release).
#pragma once

#include <cstdint>

namespace muster::meta {

enum class Goal : uint8_t {
  kFirstPlace,        // it has none
  kEndangered,        // the one it has cannot stay: lost in part (C7), or its gate opens behind it
  kGateMoved,         // a start as early as its gate opens; the place it has is sound
  kEarlierElsewhere,  // an earlier start at another site (meta/search/rechoice.h)
  kEarlierJointly,    // an earlier start of all its parts (meta/search/joint_moves.h)
  kAltered,           // one for what a user makes of it (meta/search/replacement.h)
};
inline constexpr int kGoals = 6;

enum class Stage : uint8_t {
  kWaits,  // in the waiting room, or is being looked at
  kAsked,  // its sites are asked
  kHolds,  // an attempt is in HOLDING
  kDone,   // nothing is sought
};
inline constexpr int kStages = 4;

enum class SearchEvent : uint8_t {
  kAsk,      // its sites are to be asked
  kHold,     // a hold is to be ordered
  kNotNow,   // nobody can be asked at this moment: a site is silent, a second has not begun
  kNoPlace,  // there is none, as far as its sites answered; at kHolds: beside an adopted hold
  kRefused,  // C2: what was ordered is not held
  kNever,    // there can be none any more
};
inline constexpr int kSearchEvents = 6;

enum class Then : uint8_t {
  kGoesOn,      // with the event itself, or as if nothing had happened
  kTriesAgain,  // it waits, and is tried again
  kKeepsPlace,  // the place that is there is good enough
  kGivesUp,     // it stays as it was, where it was
  kEnds,        // so does the request
};

struct SearchStep {
  int row = 0;  // 0: there is none, and only a bug asks for it
  Stage next = Stage::kDone;
  Then then = Then::kGoesOn;
};

SearchStep NextSearchStep(Goal goal, Stage stage, SearchEvent event);

}  // namespace muster::meta
