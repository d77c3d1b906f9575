// Each of the rows S1 to S11 appears once, except S6, which also follows kNever.
#include "meta/search/search_table.h"

namespace muster::meta {
namespace {

// The request has a place that binds, and is tried elsewhere or altered. It may stay as it is.
bool IsTried(Goal goal) {
  return goal == Goal::kEarlierElsewhere || goal == Goal::kEarlierJointly || goal == Goal::kAltered;
}

SearchStep WithoutPlace(Goal goal, Stage stage) {
  if (IsTried(goal)) return {6, Stage::kDone, Then::kGivesUp};
  if (goal == Goal::kGateMoved) return {5, Stage::kDone, Then::kKeepsPlace};
  return {4, stage == Stage::kHolds ? stage : Stage::kWaits, Then::kTriesAgain};
}

SearchStep AfterRefusal(Goal goal) {
  if (goal == Goal::kEarlierElsewhere || goal == Goal::kEarlierJointly) {
    return {9, Stage::kDone, Then::kGivesUp};
  }
  if (goal == Goal::kGateMoved) return {8, Stage::kDone, Then::kKeepsPlace};
  // An altered request tries again too: its user waits, and another start may work.
  return {7, Stage::kWaits, Then::kTriesAgain};
}

}  // namespace

SearchStep NextSearchStep(Goal goal, Stage stage, SearchEvent event) {
  const bool open = stage == Stage::kWaits || stage == Stage::kAsked;
  switch (event) {
    case SearchEvent::kAsk:
      // Earlier questions may still be unanswered.
      if (open) return {1, Stage::kAsked, Then::kGoesOn};
      break;
    case SearchEvent::kHold:
      if (open) return {2, Stage::kHolds, Then::kGoesOn};
      break;
    case SearchEvent::kNotNow:
      if (!open) break;
      // A request with a sound place whose gate moved keeps seeking; it leaves the place only for
      // one that was found.
      if (!IsTried(goal)) return {3, Stage::kWaits, Then::kTriesAgain};
      return WithoutPlace(goal, stage);
    case SearchEvent::kNoPlace:
      if (stage != Stage::kDone) return WithoutPlace(goal, stage);
      break;
    case SearchEvent::kRefused:
      if (stage == Stage::kHolds) return AfterRefusal(goal);
      break;
    case SearchEvent::kNever:
      if (stage == Stage::kDone) break;
      if (IsTried(goal)) return {6, Stage::kDone, Then::kGivesUp};
      if (goal == Goal::kFirstPlace) return {10, Stage::kDone, Then::kEnds};
      // A request with bound sites may still start. If not, it ends at the latest with its permit
      // window.
      return {11, stage, Then::kGoesOn};
  }
  return {};
}

}  // namespace muster::meta
