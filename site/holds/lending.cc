// See lending.h.
#include "site/holds/lending.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "site/holds/hold_facts.h"
#include "verifier/start_notice.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::LoanState;
using verifier::LoanEvent;

namespace {

// Without anything freed, room is looked for so often: rules may come into force by themselves.
constexpr Span kLendLook{60};

Moment After(Moment at, Span span) { return {at.milliseconds + ToBootSpan(span).milliseconds}; }

constexpr Span kLooksAhead{60};  // what is due later is looked for later

// Whether it runs on lent room, or is about to, and was not told to end.
bool MayGoOn(const HoldRecord& hold) {
  if (hold.parts.empty()) return false;
  const schemas::PartRecord& part = hold.parts.front();
  if (part.loan) {
    return !IsEnding(part);
  }
  return part.only_lent && !IsRecalled(part) &&
         (part.state == schemas::PartState::kStarting ||
          part.state == schemas::PartState::kRunning);
}

// When a life with only lent room is over anyway: its walltime ends it.
Instant WalltimeOf(const HoldRecord& hold) {
  return hold.start + RunTime(hold, hold.parts.front().index);
}

}  // namespace

// When its booking ends so soon that it is to be booked for longer: its nodes can still be had in
// time after that end. Never if it is booked to the end of its walltime.
Instant Lending::LooksAgain(const Fence& fence) const {
  const HoldRecord& hold = *ledger().Find(fence);
  const Instant end = plan().EndOf(RoomOf(fence), hold.parts.front().index);
  if (HasOnlyLentRoom(hold) && end >= WalltimeOf(hold)) return kFarFuture;
  return end - TakenBackIn(*hold.order.contract) + kLoanLook;
}

// When it may have to be recalled: somebody begins on one of its nodes, or its own start is near.
// Whether there is room for both is seen then, with all that is lent booked as far as it goes on.
Instant Lending::DueAt(const Fence& fence) const {
  const HoldRecord& hold = *ledger().Find(fence);
  const uint32_t index = hold.parts.front().index;
  if (!OnUsableNodes(PlaceNow(hold.parts.front()))) return LooksAgain(fence);
  const Span turnover = options().facts.turnover;
  const Span takes = TakenBackIn(*hold.order.contract) - kLoanLook;
  const Instant until = now_floor() + takes + kLooksAhead;
  Instant first = plan().RoomUntil(RoomOf(fence), index, until);
  for (const Fence& other : plan().Beside(RoomOf(fence), index, now_floor(), until)) {
    const HoldRecord* due = ledger().Find(other);
    if (due == nullptr || due->start <= now_floor()) continue;
    first = std::min(first, due->start - turnover);
  }
  if (HasOnlyLentRoom(hold)) return first - takes;
  const Instant own = hold.start - turnover;
  if (OwnStartIsHere(hold)) return std::min(first - takes, own);
  return std::min(first, own) - takes;
}

// Whether it is paused where it is to begin for good: then it goes on at its own start at the
// latest.
bool Lending::OwnStartIsHere(const HoldRecord& hold) const {
  const schemas::PartRecord& part = hold.parts.front();
  return part.loan && part.loan->state == LoanState::kPaused &&
         part.loan->place.chunks == part.place.chunks && !IsKeptForOthers(hold.order.fence);
}

bool Lending::IsDue() const {
  return std::any_of(due_.begin(), due_.end(),
                     [this](const auto& one) { return one.second <= now_floor(); });
}

// Those that may go on, and can be told to end.
std::vector<Fence> Lending::OnLentRoom() const {
  std::vector<Fence> lent(on_lent_room().begin(), on_lent_room().end());
  for (const auto& [fence, room] : rooms()) {
    if (MayGoOn(*ledger().Find(fence))) lent.push_back(fence);
  }
  std::sort(lent.begin(), lent.end(),
            [this](const Fence& a, const Fence& b) { return PlaceOf(a) < PlaceOf(b); });
  return lent;
}

void Lending::RollLoans() {
  for (const Fence& fence : OnLentRoom()) {
    if (LooksAgain(fence) <= now_floor()) RollOn(fence);
  }
}

// Until when it has to be booked, since it cannot be had back before that. At its walltime it is
// over by itself.
Instant Lending::NeededUntil(const Fence& fence) const {
  const HoldRecord& hold = *ledger().Find(fence);
  const schemas::PartRecord& part = hold.parts.front();
  const Instant until = now_floor() + TakenBackIn(*hold.order.contract);
  if (!part.loan) return std::min(until, WalltimeOf(hold));
  return part.loan->started_at ? std::min(until, EndIfKept(hold)) : until;
}

// As far as there is room. Nobody is recalled here: whoever is due may move in this turn yet.
void Lending::RollOn(const Fence& fence) {
  const HoldRecord& hold = *ledger().Find(fence);
  const schemas::PartRecord& part = hold.parts.front();
  if (!OnUsableNodes(PlaceNow(part))) return;
  Instant until = NeededUntil(fence);
  if (part.loan) until = std::min(until, hold.start - options().facts.turnover);
  if (plan().EndOf(RoomOf(fence), part.index) >= until) return;
  const Instant room = plan().RoomUntil(RoomOf(fence), part.index, until);
  if (room > plan().EndOf(RoomOf(fence), part.index)) Roll(fence, std::min(room, until));
}

// In the order of moving earlier, so that of two loans on a node the one that goes first stays.
void Lending::LookAtLoans() {
  NoteWhenDue();
  const bool freed =
      !due_.empty() && looked_.frees != movable().frees() && now() >= After(looked_.at, kLoanLook);
  if (!freed && !IsDue()) return LetGoOn();
  looked_ = {movable().frees(), now()};
  for (const Fence& fence : OnLentRoom()) LookAt(fence);
  NoteWhenDue();
  for (auto& [fence, at] : due_) at = std::max(at, now_floor() + Span{1});
}

// What was freed goes to those who are paused before it is lent anew: they do not wait for the look
// at all loans.
void Lending::LetGoOn() {
  if (std::exchange(gone_on_frees_, movable().frees()) == movable().frees()) return;
  for (const Fence& fence : OnLentRoom()) {
    const schemas::PartRecord& part = ledger().Find(fence)->parts.front();
    if (part.loan && part.loan->state == LoanState::kPaused) LookAtPaused(fence);
  }
}

void Lending::NoteWhenDue() {
  if (due_by_ == plan().revision() && due_of_ == lives_changed()) {
    const auto over = [this](const auto& one) {
      const HoldRecord* hold = ledger().Find(one.first);
      return hold == nullptr || !MayGoOn(*hold);
    };
    std::erase_if(due_, over);
    return;
  }
  due_by_ = plan().revision();
  due_of_ = lives_changed();
  due_.clear();
  for (const Fence& fence : OnLentRoom()) due_[fence] = DueAt(fence);
}

void Lending::LookAt(const Fence& fence) {
  const HoldRecord& hold = *ledger().Find(fence);
  const schemas::PartRecord& part = hold.parts.front();
  if (part.loan && part.loan->state == LoanState::kPaused) return LookAtPaused(fence);
  const bool usable = OnUsableNodes(PlaceNow(part));
  if (part.loan && usable && HasRoomToEnd(fence)) return Keep(fence);
  const Instant until = NeededUntil(fence);
  if (plan().EndOf(RoomOf(fence), part.index) >= until) return;
  if (part.loan && hold.start - options().facts.turnover < until) {
    return Recall(fence, LoanEvent::kOwnStart, "");
  }
  if (!usable) return Recall(fence, LoanEvent::kNodesDue, "");
  if (plan().RoomUntil(RoomOf(fence), part.index, until) >= until) return Roll(fence, until);
  const std::optional<Instant> due = OthersMakeRoom(fence, until);
  if (!due) return;
  std::string job = DueAfter(fence, *due);
  if (MayBePaused(hold) && TryPause(fence, until, job)) return;
  Recall(fence, LoanEvent::kNodesDue, std::move(job));
  BookUntilGone(fence);
}

// Booked for longer than its grace takes, unless nobody looked for a while: then what is in the way
// is no job, or it would have been recalled before. A rule may wait; a job that is planned now
// finds the nodes taken until the processes are gone.
void Lending::BookUntilGone(const Fence& fence) {
  const HoldRecord& hold = *ledger().Find(fence);
  const schemas::PartRecord& part = hold.parts.front();
  const bool recalled = part.loan ? part.loan->state == LoanState::kRecalled : IsRecalled(part);
  Instant gone = now_floor() + TakenBackIn(*hold.order.contract) - kLoanLook;
  if (part.loan) gone = std::min(gone, hold.start - options().facts.turnover);
  if (recalled && plan().EndOf(RoomOf(fence), part.index) < gone) Roll(fence, gone);
}

// Whoever is in the way of its room moves, if it keeps its start. Otherwise nothing has changed,
// and this is when somebody is due.
std::optional<Instant> Lending::OthersMakeRoom(const Fence& fence, Instant until) {
  SitePlanner trial = plan();
  auto room = MakeRoom(trial, {RoomOf(fence), ledger().Find(fence)->parts.front().index}, until);
  if (const auto* blocked = std::get_if<InTheWay>(&room)) return blocked->at;
  planner() = std::move(trial);
  for (const auto& [other, booked] : std::get<Moves>(room)) Follow(other, booked);
  return std::nullopt;
}

// L9, if whoever is due keeps its start with all that it holds but its cores in the way.
bool Lending::TryPause(const Fence& fence, Instant until, const std::string& job) {
  const uint32_t index = ledger().Find(fence)->parts.front().index;
  SitePlanner without = plan();
  BookWithoutCores(without, fence, plan().EndOf(RoomOf(fence), index));
  if (without.RoomUntil(RoomOf(fence), index, until) < until) return false;
  without.Lengthen(RoomOf(fence), index, until);
  PauseLoan(fence, job, std::move(without));
  return true;
}

// It goes on if there is room again for all of it. Otherwise what it holds is booked for longer; up
// to its own start, if that is here: from then on its own booking holds it.
void Lending::LookAtPaused(const Fence& fence) {
  const HoldRecord& hold = *ledger().Find(fence);
  const schemas::PartRecord& part = hold.parts.front();
  if (!OnUsableNodes(part.loan->place)) return Recall(fence, LoanEvent::kNodesDue, "");
  if (GoesOn(fence)) return;
  const Instant own = hold.start - options().facts.turnover;
  Instant until = now_floor() + TakenBackIn(*hold.order.contract);
  if (own < until) {
    if (!OwnStartIsHere(hold)) return Recall(fence, LoanEvent::kOwnStart, "");
    until = own;
  }
  if (plan().EndOf(RoomOf(fence), part.index) >= until) return;
  if (plan().RoomUntil(RoomOf(fence), part.index, until) >= until) return Roll(fence, until);
  const std::optional<Instant> due = OthersMakeRoom(fence, until);
  if (due) Recall(fence, LoanEvent::kNodesDue, DueAfter(fence, *due));
}

// L10: if there is room to its end, its own booking left out, it is kept at once (L2). Otherwise it
// needs room for as long as a loan is first booked, before its own start.
bool Lending::GoesOn(const Fence& fence) {
  const HoldRecord& hold = *ledger().Find(fence);
  const schemas::PartRecord& part = hold.parts.front();
  const Fence room = RoomOf(fence);
  const Instant first = now_floor() + BookedFirst(*hold.order.contract);
  SitePlanner trial = plan();
  BookWhole(trial, fence, now_floor());
  const Instant free_until = trial.RoomUntil(room, part.index, std::max(first, EndIfKept(hold)));
  const bool long_enough = std::min(free_until, hold.start - options().facts.turnover) >= first;
  bool to_its_end = free_until >= EndIfKept(hold);
  if (!to_its_end && !long_enough) {
    trial.Free(fence);
    to_its_end = trial.RoomUntil(room, part.index, EndIfKept(hold)) >= EndIfKept(hold);
  }
  to_its_end = to_its_end && !IsKeptForOthers(fence);
  if (!to_its_end && !long_enough) return false;
  if (!ResumeLoan(fence, to_its_end ? now_floor() + Span{1} : first)) return false;
  if (to_its_end) Keep(fence);
  return true;
}

// The job that begins on the loan's nodes once its booking has ended; empty if none does, as when a
// limit is in the way.
std::string Lending::DueAfter(const Fence& fence, Instant at) const {
  const uint32_t index = ledger().Find(fence)->parts.front().index;
  const Instant end = plan().EndOf(RoomOf(fence), index);
  for (const Fence& other : plan().Beside(RoomOf(fence), index, at, at + Span{1})) {
    const HoldRecord* hold = ledger().Find(other);
    if (hold != nullptr && hold->start - options().facts.turnover >= end)
      return LabelOf(hold->order);
  }
  return "";
}

bool Lending::OnUsableNodes(const schemas::PartPlace& place) const {
  return std::none_of(place.chunks.begin(), place.chunks.end(),
                      [&](const auto& chunk) { return !MayUse(chunk.node); });
}

// Without its own booking, which moves to where it runs.
bool Lending::HasRoomToEnd(const Fence& fence) const {
  const HoldRecord& hold = *ledger().Find(fence);
  const schemas::PartRecord& part = hold.parts.front();
  if (part.loan->state != LoanState::kRunning || !part.loan->started_at) return false;
  if (IsKeptForOthers(fence)) return false;
  const Instant end = EndIfKept(hold);
  const Fence& room = RoomOf(fence);
  if (plan().EndOf(room, part.index) >= end) {
    // After a restart a loan is booked again beside whoever is booked there.
    SitePlanner trial = plan();
    BookWhole(trial, fence, now_floor());
    trial.Free(fence);
    return trial.RoomUntil(room, part.index, std::max(end, now_floor() + Span{1})) >= end;
  }
  const Instant until = plan().RoomUntil(room, part.index, end);
  if (until >= end) return true;
  const std::vector<Fence> there = plan().Beside(room, part.index, until, until + Span{1});
  if (std::find(there.begin(), there.end(), fence) == there.end()) return false;
  SitePlanner trial = plan();
  trial.Free(fence);
  return trial.RoomUntil(room, part.index, end) >= end;
}

Backfilling::Came Lending::TryLend(const Fence& fence) {
  using Came = Backfilling::Came;
  const HoldRecord& hold = *ledger().Find(fence);
  const Instant own = hold.start - options().facts.turnover;
  if (own < now_floor() + BookedFirst(*hold.order.contract)) return Came::kPassed;
  const Instant admitted = Admitted(hold, verifier::EarliestMove(hold, now()));
  if (admitted > now_floor()) {
    lends_again_ = std::min(*lends_again_, ToMoment(admitted));
    return Came::kPassed;
  }
  const auto& again = Memory(fence).lent_again;
  if (again && now() < *again) return Came::kPassed;
  return Lend(fence) ? Came::kPassed : Came::kStays;  // a loan frees nothing
}

// Nodes that were freed are clean one turnover later: then the pass is made once more; and when the
// next may start that was passed by now, as one that came in this second.
void Lending::LendRoom() {
  Backfilling& lendable = movable().lendable();
  if (lendable.size() == 0 || !movable().singles().IsThroughNow()) return;
  if (lends_again_ && now() >= *lends_again_) {
    lends_again_.reset();
    lendable.LookNow();
  }
  if (!lendable.IsDue(turn().boot)) return;
  const bool freed = lent_frees_ != movable().frees();
  lent_frees_ = movable().frees();
  lends_again_ = After(now(), freed ? options().facts.turnover + Span{1} : kLendLook);
  lendable.Begin(turn().boot, plan().FreeNow(now_floor()));
  while (const auto next = lendable.Next()) {
    const uint64_t before = plan().looks();
    const Backfilling::Came came = TryLend(next->fence);
    lendable.Answer(came, plan().looks() - before);
  }
  lendable.End(plan().revision(), !linked() || values().heartbeat > BootSpan{0});
}

std::optional<BootInstant> Lending::NextOfLoans() const {
  std::optional<BootInstant> next;
  const auto by = [&next](BootInstant at) { next = std::min(next.value_or(at), at); };
  const Backfilling& lendable = movable().lendable();
  if (lendable.size() > 0 && movable().singles().IsThroughNow()) {
    if (const auto at = lendable.NextDue()) by(*at);
    if (lends_again_) by(plan_clock().When(*lends_again_));
  }
  for (const auto& [fence, at] : due_) {
    if (at < kFarFuture) by(plan_clock().When(ToMoment(at)));
    if (looked_.frees != movable().frees()) by(plan_clock().When(After(looked_.at, kLoanLook)));
  }
  return next;
}

}  // namespace muster::site
