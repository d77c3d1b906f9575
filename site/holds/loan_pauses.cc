// Loans that are taken off their cores and go on (rows L9, L10). See loans.h.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "site/holds/hold_facts.h"
#include "site/holds/loans.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::LoanState;
using schemas::PartRecord;
using verifier::LoanEvent;
using verifier::LoanNext;
using verifier::LoanStep;

bool Loans::MayBePaused(const HoldRecord& hold) const {
  if (hold.order.contract->way != schemas::RecallWay::kSuspend) return false;
  const PartRecord& part = hold.parts.front();
  // Where whole units are given away nobody else can have the cores of one.
  if (!part.loan || options().units.geometry != nullptr) return false;
  if (WithoutCores(part.loan->place) == part.loan->place) return false;
  const LoanStep step =
      NextLoan(part.loan->state, LoanEvent::kCoresDue, {.protection_over = ProtectionIsOver(hold)});
  return step.next == LoanNext::kPaused;
}

void Loans::PauseLoan(const Fence& fence, std::string job, SitePlanner without) {
  MUSTER_CHECK(MayBePaused(*ledger().Find(fence)));
  planner() = std::move(without);
  PartRecord& part = PartOfLoan(fence);
  part.loan->recalled_for = std::move(job);
  part.loan->paused_at = now();
  Replace({fence, part.index}, WithoutCores(part.loan->place), false);
  SetLoan(fence, LoanState::kPaused);
  Drive(driver::PausePart{part.loan->token});
  TouchWaiting();
  SomethingIsFree();
}

// Its walltime is counted from its start, so it grows by the pause before it goes on.
bool Loans::ResumeLoan(const Fence& fence, Instant end) {
  PartRecord& part = PartOfLoan(fence);
  const bool exclusive = DemandOf(*ledger().Find(fence), part.index).exclusive;
  const PartKey key{fence, part.index};
  if (!CleanBut(key, part.loan->place, exclusive)) return false;
  const LoanStep step = NextLoan(part.loan->state, LoanEvent::kCoresFree, {});
  MUSTER_CHECK(step.next == LoanNext::kRunning);
  const PlanRevision before = plan().revision();
  BookWhole(planner(), fence, end);
  movable().singles().Renamed(before, plan().revision());
  // Never 0, also if it was paused in this very turn: by it a later life of the site knows that the
  // driver is to let it go on.
  part.loan->paused = std::max(PausedBy(*part.loan, now()), Milliseconds(1));
  part.loan->paused_at.reset();
  part.loan->recalled_for.clear();
  Replace(key, part.loan->place, exclusive);
  SetLoan(fence, LoanState::kRunning);
  TellPauseAgain(fence);
  return true;
}

void Loans::TellPauseAgain(const Fence& fence) {
  const HoldRecord& hold = *ledger().Find(fence);
  const schemas::Loan& loan = *hold.parts.front().loan;
  if (loan.state == LoanState::kPaused) {
    Drive(driver::PausePart{loan.token});
  } else if (loan.state == LoanState::kRunning && loan.paused > BootSpan{0}) {
    Drive(driver::LimitPart{.token = loan.token, .walltime = LentRunTime(hold)});
    Drive(driver::ResumePart{loan.token});
  }
}

void Loans::BookWhole(SitePlanner& where, const Fence& fence, Instant end) const {
  BookRoom(where, fence, {std::min(now_floor(), end - Span{1}), end}, true);
}

void Loans::BookWithoutCores(SitePlanner& where, const Fence& fence, Instant end) const {
  BookRoom(where, fence, {std::min(now_floor(), end - Span{1}), end}, false);
}

Span Loans::StaysFrom(const HoldRecord& hold, Instant begin) const {
  const schemas::Loan& loan = *hold.parts.front().loan;
  const Instant began =
      loan.started_at ? loan.started_at->Ceiling() : loan.since.Ceiling() + kLentStartWait;
  return std::max(Span{0}, began + LentRunTime(hold) - begin);
}

void Loans::BookRoom(SitePlanner& where, const Fence& fence, Interval when, bool cores) const {
  const HoldRecord& hold = *ledger().Find(fence);
  verifier::Demand demand = DemandNow(hold);
  schemas::PartDemand& wants = demand.parts.front();
  wants.tail = {};
  wants.duration = when.end - when.begin;
  demand.lent = IsKeptForOthers(fence);
  demand.stays = StaysFrom(hold, when.begin);
  schemas::PartPlace place = hold.parts.front().loan->place;
  place.slower = {};
  if (!cores) {
    place = WithoutCores(std::move(place));
    for (schemas::Chunk& chunk : wants.chunks) chunk.resources.Set("ncpus", 0);
    wants.exclusive = false;
  }
  const Fence room = RoomOf(fence);
  where.Free(room);
  where.Restore(room, demand, {.start = when.begin, .places = {std::move(place)}});
}

}  // namespace muster::site
