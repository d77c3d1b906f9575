// The list of the checkers in checker.h, and how violations are stored.
#include "sim/checkers/checker.h"

#include <algorithm>

namespace muster::sim {

bool BeganLate(const schemas::HoldRecord& hold) {
  using schemas::CauseCode;
  const CauseCode code = hold.cause.code;
  const bool held_up = code == CauseCode::kLocal && !hold.cause.subject.job.empty();
  if (code != CauseCode::kLate && code != CauseCode::kSiteDown && !held_up) return false;
  return std::any_of(hold.parts.begin(), hold.parts.end(),
                     [](const auto& part) { return part.started_at.has_value(); });
}

void Checker::Violated(Moment at, const std::string& what) {
  constexpr size_t kKept = 20;  // the first ones are enough: a broken invariant repeats itself
  if (violations_.size() < kKept) {
    violations_.push_back(Name() + " at " + std::to_string(at.milliseconds) + " ms: " + what);
  }
}

std::vector<std::unique_ptr<Checker>> AllCheckers(const CheckedWorld& world) {
  std::vector<std::unique_ptr<Checker>> out;
  out.push_back(CheckStarts(world));
  out.push_back(CheckCapacity(world));
  out.push_back(CheckPlans(world));
  out.push_back(CheckOnce(world));
  out.push_back(CheckDriver(world));
  out.push_back(CheckDeadlines(world));
  out.push_back(CheckFences(world));
  out.push_back(CheckEnded(world));
  out.push_back(CheckPromises(world));
  out.push_back(CheckUsage(world));
  out.push_back(CheckShares(world));
  out.push_back(CheckSiteShares(world));
  out.push_back(CheckCredits(world));
  out.push_back(CheckSpanning(world));
  out.push_back(CheckHome(world));
  out.push_back(CheckSets(world));
  out.push_back(CheckLent(world));
  out.push_back(CheckOthers(world));
  out.push_back(CheckBlocks(world));
  out.push_back(CheckDrains(world));
  out.push_back(CheckLocals(world));
  out.push_back(CheckProgress(world));
  out.push_back(CheckMoves(world));
  out.push_back(CheckRunning(world));
  out.push_back(CheckMachines(world));
  out.push_back(CheckTimeOuts(world));
  out.push_back(CheckOutside(world));
  out.push_back(CheckHandedOver(world));
  out.push_back(CheckReserved(world));
  out.push_back(CheckAltered(world));
  out.push_back(CheckScheduling(world));
  return out;
}

}  // namespace muster::sim
