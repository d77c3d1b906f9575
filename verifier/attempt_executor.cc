// The array below fixes the order of effects; a static assertion compares it with AttemptEffect.
#include "verifier/attempt_executor.h"

#include <array>

#include "base/check.h"

namespace muster::verifier {
namespace {

struct Action {
  AttemptEffect effect;
  void (AttemptActions::*carry_out)();
};

constexpr std::array<Action, kAttemptEffects> kActions{{
    {kWriteDecision, &AttemptActions::WriteDecision},
    {kWritePromise, &AttemptActions::WritePromise},
    {kWriteSuperseded, &AttemptActions::WriteSuperseded},
    {kWritePermit, &AttemptActions::WritePermit},
    {kWriteAbort, &AttemptActions::WriteAbort},
    {kWritePartial, &AttemptActions::WritePartial},
    {kWriteOutcome, &AttemptActions::WriteOutcome},
    {kBookMembers, &AttemptActions::BookMembers},
    {kOrderHolds, &AttemptActions::OrderHolds},
    {kOrderCommit, &AttemptActions::OrderCommit},
    {kOrderPermit, &AttemptActions::OrderPermit},
    {kOrderRelease, &AttemptActions::OrderRelease},
    {kReleaseReplaced, &AttemptActions::ReleaseReplaced},
    {kTellUser, &AttemptActions::TellUser},
    {kSeekReplacement, &AttemptActions::SeekReplacement},
    {kResumeSearch, &AttemptActions::ResumeSearch},
    {kPlaceAgain, &AttemptActions::PlaceAgain},
    {kCountPartial, &AttemptActions::CountPartial},
}};

constexpr bool EachEffectStandsAtItsPlace() {
  for (size_t i = 0; i < kActions.size(); ++i) {
    if (kActions[i].effect != 1u << i) return false;
  }
  return true;
}
static_assert(EachEffectStandsAtItsPlace());

}  // namespace

void Execute(const AttemptStep& step, AttemptActions& actions) {
  MUSTER_CHECK(step.row != 0 && step.effects < 1u << kAttemptEffects);
  actions.Enter(step.next);
  for (const Action& action : kActions) {
    if (step.effects & action.effect) (actions.*action.carry_out)();
  }
}

}  // namespace muster::verifier
