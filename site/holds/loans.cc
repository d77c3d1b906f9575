// See loans.h.
#include "site/holds/loans.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "site/holds/hold_facts.h"
#include "site/plan/plan.h"
#include "site/planning/environment.h"
#include "site/planning/lent_room.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::LoanState;
using schemas::PartRecord;
using schemas::PartState;
using verifier::Booked;
using verifier::LoanEvent;
using verifier::LoanGuards;
using verifier::LoanNext;
using verifier::LoanStep;

namespace {

std::optional<LoanState> StateOf(const PartRecord& part) {
  return part.loan ? std::optional(part.loan->state) : std::nullopt;
}

// A life on lent room that was recalled: when it began and was told to end, and how much longer
// than at the reference speed it takes on its nodes.
struct Life {
  std::optional<Moment> began, told;
  Span slower;
};

// What the life did until it was told to end, in terms of the duration, if it says that it has
// saved that. At least a second is always left to do.
Span SavedBy(const HoldRecord& hold, const Life& life, const driver::PartEnded& end) {
  const PartRecord& part = hold.parts.front();
  const bool saves = hold.order.contract->way == schemas::RecallWay::kCheckpoint &&
                     end.end.exit_code == schemas::kSavedStatus;
  if (!saves || !life.began || !life.told || *life.told <= *life.began) return {};
  const Span ran = Moment{life.told->milliseconds - life.began->milliseconds}.Floor() - Instant{0};
  const Span left = LeftOf(hold, part.index);
  const Span there = left + life.slower;
  const Span done{there > Span{0} ? ran.seconds * left.seconds / there.seconds : 0};
  return std::clamp(done, Span{0}, left - Span{1});
}

// How much longer `left` takes on nodes where `before` takes `slower` longer.
Span SlowerFor(Span left, Span before, Span slower) {
  const int64_t there = before.seconds + slower.seconds;
  return Span{(left.seconds * there + before.seconds - 1) / before.seconds} - left;
}

}  // namespace

const HoldRecord* Loans::LentTo(const Fence& room) const {
  for (const auto& [fence, its_room] : rooms_) {
    if (its_room == room) return ledger().Find(fence);
  }
  return nullptr;
}

Fence Loans::RoomOf(const Fence& fence) const {
  const auto it = rooms_.find(fence);
  return it == rooms_.end() ? fence : it->second;
}

bool Loans::LendsWhatItKeeps() const {
  const auto lends = [](const auto& rule) { return rule.lend; };
  const rules::RuleSet& rules = options().rules;
  return std::any_of(rules.pools.begin(), rules.pools.end(), lends) ||
         std::any_of(rules.standing.begin(), rules.standing.end(), lends);
}

bool Loans::ProtectionIsOver(const HoldRecord& hold) const {
  const schemas::Contract& contract = *hold.order.contract;
  const PartRecord& part = hold.parts.front();
  const Moment since = part.loan ? part.loan->since : part.only_lent->since;
  const Span from_word = contract.min_run - contract.grace;
  return now() >= Moment{since.milliseconds + ToBootSpan(from_word).milliseconds};
}

PartRecord& Loans::PartOfLoan(const Fence& fence) {
  PartRecord& part = records().Edit(fence).parts.front();
  MUSTER_CHECK(part.loan.has_value());
  return part;
}

bool Loans::Lend(const Fence& fence) {
  const HoldRecord& before = *ledger().Find(fence);
  const LoanStep step = NextLoan(StateOf(before.parts.front()), LoanEvent::kLend, {});
  MUSTER_CHECK(step.next == LoanNext::kStarting);
  const uint32_t index = before.parts.front().index;
  verifier::Demand demand = DemandNow(before);
  schemas::PartDemand& wants = demand.parts.front();
  const Span duration = wants.duration;
  const Span booked = BookedFirst(*before.order.contract);
  demand.asked[index] = duration;  // rules judge it by its whole length
  demand.stays = MayStay(duration);
  wants.duration = booked;
  wants.tail = {};
  demand.allowed = IntervalSet::Only(now_floor());
  const Fence room{plan::kLent, next_room_};
  const PlanRevision revision = plan().revision();
  auto answer = planner().Book(room, demand, now_floor(), std::nullopt);
  const bool kept_for_others = std::get_if<Booked>(&answer) == nullptr && LendsWhatItKeeps();
  if (kept_for_others) {
    demand.lent = true;
    answer = planner().Book(room, demand, now_floor(), std::nullopt);
  }
  const auto* found = std::get_if<Booked>(&answer);
  if (found == nullptr) return false;
  schemas::PartPlace place = found->places.front();
  place.index = index;
  HoldRecord& hold = records().Edit(fence);
  if (!Clean(place, wants.exclusive) || !TakePorts(hold.parts)) {
    planner().Free(room);
    return false;
  }
  // Less room makes nothing possible that was not.
  movable().singles().Renamed(revision, plan().revision());
  PartRecord& part = hold.parts.front();
  ++part.tries;
  ++next_room_;
  rooms_.emplace(fence, room);
  if (kept_for_others) kept_for_others_.insert(fence);
  part.loan = schemas::Loan{
      .place = place,
      .token = ToText(fence) + "." + std::to_string(index) + "." + std::to_string(part.tries),
      .since = now()};
  Enter({fence, index}, part.loan->token, place, wants.exclusive);
  SetLoan(fence, LoanState::kStarting);
  PartRecord as_lent = part;
  as_lent.place = place;
  Drive(driver::StartPart{
      .token = part.loan->token,
      .part_name = PartFolder(hold.order, index),
      .user = hold.order.requester.user,
      .payload = hold.order.payload,
      .environment = PartEnvironment(options().name, hold, as_lent, now_floor()),
      .place = place,
      .jobwide = wants.jobwide,
      .secret = hold.permit->secret,
      .not_before = now_floor(),
      .not_after = now_floor() + std::max(options().facts.start_slack, kLentStartWait),
      .walltime = duration + place.slower,
      .notice = hold.order.notice});
  return true;
}

void Loans::SetLoan(const Fence& fence, LoanState state) {
  PartRecord& part = PartOfLoan(fence);
  part.loan->state = state;
  auto& changing = Memory(fence).changing_since;
  changing.erase(part.index);
  if (state == LoanState::kRunning || state == LoanState::kPaused) {
    MayBeBack();
  } else {
    changing[part.index] = now();
  }
  ReportLoan(fence);
}

void Loans::ReportLoan(const Fence& fence) {
  const PartRecord& part = ledger().Find(fence)->parts.front();
  Report(fence, ChangeOf(part, now()));
  IndexMove(fence);
  Touch(fence);
}

// The part is off its nodes, and the plan has its room back.
void Loans::ForgetLoan(const Fence& fence) {
  PartRecord& part = PartOfLoan(fence);
  Leave({fence, part.index}, part.loan->token);
  TouchWaiting();
  Live& memory = Memory(fence);
  memory.changing_since.erase(part.index);
  memory.timed_out.erase(part.index);
  MayBeBack();
  planner().Free(rooms_.at(fence));
  rooms_.erase(fence);
  kept_for_others_.erase(fence);
  part.loan.reset();
}

// From its start, with what it has been paused.
Span Loans::LentRunTime(const HoldRecord& hold) const {
  const PartRecord& part = hold.parts.front();
  return LeftOf(hold, part.index) + part.loan->place.slower + part.extended +
         InSeconds(PausedBy(*part.loan, now()));
}

Instant Loans::EndIfKept(const HoldRecord& hold) const {
  return hold.parts.front().loan->started_at->Ceiling() + LentRunTime(hold);
}

void Loans::Keep(const Fence& fence) {
  const schemas::Loan loan = *PartOfLoan(fence).loan;
  MUSTER_CHECK(loan.started_at.has_value());
  ForgetLoan(fence);
  planner().Free(fence);
  HoldRecord& hold = records().Edit(fence);
  PartRecord& part = hold.parts.front();
  const Instant old_start = std::exchange(hold.start, loan.started_at->Floor());
  part.place = loan.place;
  part.token = loan.token;
  part.end = {};
  part.paused = PausedBy(loan, now());
  if (hold.cause.code == schemas::CauseCode::kNone)
    hold.cause = Own(schemas::CauseCode::kBackfilled);
  if (hold.start != old_start) {
    Report(fence, schemas::Moved{.old_start = old_start,
                                 .new_start = hold.start,
                                 .cause = Own(schemas::CauseCode::kBackfilled)});
  }
  SetPart(fence, part.index,
          {verifier::PartRow::kRunning,
           PartState::kRunning,
           {.write = true, .report = true, .started_yes = true}},
          *loan.started_at);
  RestoreBooking(*ledger().Find(fence));
  SomethingIsFree();  // its own booking
}

void Loans::Recall(const Fence& fence, LoanEvent event, std::string job) {
  if (HasOnlyLentRoom(*ledger().Find(fence))) return RecallOnlyLent(fence, std::move(job));
  PartRecord& part = PartOfLoan(fence);
  const HoldRecord& hold = *ledger().Find(fence);
  const LoanStep step =
      NextLoan(part.loan->state, event, {.protection_over = ProtectionIsOver(hold)});
  if (step.next != LoanNext::kRecalled) return;
  part.loan->recalled_for = std::move(job);
  part.loan->told_at = now();
  SetLoan(fence, LoanState::kRecalled);
  Drive(
      driver::StopPart{.token = part.loan->token, .grace = ToBootSpan(hold.order.contract->grace)});
}

void Loans::RecallOnlyLent(const Fence& fence, std::string job) {
  HoldRecord& hold = records().Edit(fence);
  PartRecord& part = hold.parts.front();
  const auto step = NextPart(part.state, verifier::PartEvent::kEndInSight);
  if (IsRecalled(part) || step.row == verifier::PartRow::kNone || !ProtectionIsOver(hold)) return;
  part.only_lent->recalled_at = now();
  part.only_lent->recalled_for = std::move(job);
  SetPart(fence, part.index, step, now());
  Drive(driver::StopPart{.token = part.token, .grace = ToBootSpan(hold.order.contract->grace)});
}

void Loans::EndRecalled(HoldRecord& hold, const driver::PartEnded& end) {
  PartRecord& part = hold.parts.front();
  const std::string& job = part.only_lent->recalled_for;
  part.end.text = "recalled from lent room" + (job.empty() ? "" : ": job " + job + " is due there");
  part.recalls = 1;
  part.saved =
      SavedBy(hold, {part.started_at, part.only_lent->recalled_at, part.place.slower}, end);
  if (part.saved == Span{0}) part.lost = end.usage.elapsed;
  part.usage = {};  // what was taken back is nobody's use
}

void Loans::ReleaseLoan(const Fence& fence) {
  PartRecord& part = PartOfLoan(fence);
  const LoanStep step = NextLoan(part.loan->state, LoanEvent::kRelease, {});
  if (step.next != LoanNext::kReleased) return;
  part.loan->told_at = now();
  SetLoan(fence, LoanState::kReleased);
  Drive(driver::StopPart{.token = part.loan->token});
}

void Loans::Roll(const Fence& fence, Instant end) {
  const PlanRevision before = plan().revision();
  planner().Lengthen(RoomOf(fence), ledger().Find(fence)->parts.front().index, end);
  movable().singles().Renamed(before, plan().revision());
}

void Loans::LoanBegan(const Fence& fence, LoanEvent event, Moment at) {
  PartRecord& part = PartOfLoan(fence);
  if (!part.loan->started_at) part.loan->started_at = at;
  const LoanStep step = NextLoan(part.loan->state, event, {});
  if (step.next == LoanNext::kRunning) SetLoan(fence, LoanState::kRunning);
}

bool Loans::LoanGone(const Fence& fence, LoanEvent event, const driver::PartEnded& end) {
  PartRecord& part = PartOfLoan(fence);
  const LoanStep step = NextLoan(part.loan->state, event, {});
  if (step.row == verifier::LoanRow::kNone) return false;
  if (step.next == LoanNext::kReturned) {
    if (step.effects.recall) ++part.recalls;
    const Life life{part.loan->started_at, part.loan->told_at, part.loan->place.slower};
    const Span saved = step.effects.lost ? SavedBy(*ledger().Find(fence), life, end) : Span{0};
    if (step.effects.lost && saved == Span{0}) part.lost = part.lost + end.usage.elapsed;
    ForgetLoan(fence);
    if (saved > Span{0}) {
      const Span left = LeftOf(*ledger().Find(fence), part.index);
      part.place.slower = SlowerFor(left - saved, left, part.place.slower);
      part.saved = part.saved + saved;
      planner().Free(fence);
      RestoreBooking(*ledger().Find(fence));
    }
    ReportLoan(fence);
    SomethingIsFree();
    return false;
  }
  MUSTER_CHECK(step.next == LoanNext::kEnded);
  const bool dropped = ledger().Find(fence)->closed_as == schemas::ClosedAs::kDropped;
  const bool ran = event != LoanEvent::kNotStarted && event != LoanEvent::kFoundNeverRan;
  if (part.loan->state == LoanState::kReleased && (dropped || !ran)) {
    // If its place is gone, it may begin anew elsewhere: nothing of it counts as run.
    part.lost = part.lost + end.usage.elapsed;
    ForgetLoan(fence);
    part.end = {.by = schemas::EndedBy::kRelease};
    SetPart(fence, part.index,
            {verifier::PartRow::kEnded,
             PartState::kEnded,
             {.write = true, .report = true, .final_usage = true}},
            end.at);
    SomethingIsFree();
    return false;
  }
  if (!part.loan->started_at) {
    part.loan->started_at = Moment{end.at.milliseconds - end.usage.elapsed.milliseconds};
  }
  Keep(fence);
  return true;
}

void Loans::RebuildLoans() {
  for (const auto& [fence, hold] : ledger().holds()) {
    if (!IsLent(hold)) continue;
    const PartRecord& part = hold.parts.front();
    rooms_.emplace(fence, Fence{plan::kLent, next_room_++});
    // No record says whether the room is kept for others: it may be.
    if (LendsWhatItKeeps()) kept_for_others_.insert(fence);
    const bool cores = !IsOffItsCores(part);
    const Instant began = part.loan->since.Floor();
    const Instant first = began + BookedFirst(*hold.order.contract);
    const Instant until = std::max(first, now_floor() + TakenBackIn(*hold.order.contract));
    BookRoom(planner(), fence, {began, until}, cores);
    Enter({fence, part.index}, part.loan->token,
          cores ? part.loan->place : WithoutCores(part.loan->place),
          cores && DemandOf(hold, part.index).exclusive);
    if (IsBeginning(part) || IsEnding(part)) Memory(fence).changing_since[part.index] = now();
  }
}

}  // namespace muster::site
