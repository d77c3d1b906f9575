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
    return part.loan->state == LoanState::kStarting || part.loan->state == LoanState::kRunning;
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
  const Span turnover = options().turnover;
  const Span takes = TakenBackIn(*hold.order.contract) - kLoanLook;
  const Instant until = now_floor() + takes + kLooksAhead;
  Instant first = plan().RoomUntil(RoomOf(fence), index, until);
  for (const Fence& other : plan().Beside(RoomOf(fence), index, now_floor(), until)) {
    const HoldRecord* due = ledger().Find(other);
    if (due == nullptr || due->start <= now_floor()) continue;
    first = std::min(first, due->start - turnover);
  }
  if (!HasOnlyLentRoom(hold)) first = std::min(first, hold.start - turnover);
  return first - takes;
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
    if (LooksAgain(fence) <= now_floor()) LookAt(fence);
  }
}

// In the order of moving earlier, so that of two loans on a node the one that goes first stays.
void Lending::LookAtLoans() {
  NoteWhenDue();
  const bool freed =
      !due_.empty() && looked_.frees != movable().frees() && now() >= After(looked_.at, kLoanLook);
  if (!freed && !IsDue()) return;
  looked_ = {movable().frees(), now()};
  for (const Fence& fence : OnLentRoom()) LookAt(fence);
  NoteWhenDue();
  for (auto& [fence, at] : due_) at = std::max(at, now_floor() + Span{1});
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
  const schemas::Contract& contract = *hold.order.contract;
  const bool usable = OnUsableNodes(PlaceNow(part));
  if (part.loan && usable && HasRoomToEnd(fence)) return Keep(fence);
  Instant until = now_floor() + TakenBackIn(contract);
  if (!part.loan) until = std::min(until, WalltimeOf(hold));
  if (plan().EndOf(RoomOf(fence), part.index) >= until) return;
  if (part.loan && hold.start - options().turnover < until) {
    return Recall(fence, LoanEvent::kOwnStart, "");
  }
  if (!usable) return Recall(fence, LoanEvent::kNodesDue, "");
  if (plan().RoomUntil(RoomOf(fence), part.index, until) >= until) return Roll(fence, until);
  SitePlanner trial = plan();
  auto room = MakeRoom(trial, {RoomOf(fence), part.index}, until);
  if (const auto* moves = std::get_if<Moves>(&room)) {
    planner() = std::move(trial);
    for (const auto& [other, booked] : *moves) Follow(other, booked);
    return;
  }
  Recall(fence, LoanEvent::kNodesDue, DueAfter(fence, std::get<InTheWay>(room).at));
  BookUntilGone(fence);
}

// Booked for longer than its grace takes, unless nobody looked for a while: then what is in the way
// is no job, or it would have been recalled before. A rule may wait; a job that is planned now finds
// the nodes taken until the processes are gone.
void Lending::BookUntilGone(const Fence& fence) {
  const HoldRecord& hold = *ledger().Find(fence);
  const schemas::PartRecord& part = hold.parts.front();
  const bool recalled =
      part.loan ? part.loan->state == LoanState::kRecalled : IsRecalled(part);
  Instant gone = now_floor() + TakenBackIn(*hold.order.contract) - kLoanLook;
  if (part.loan) gone = std::min(gone, hold.start - options().turnover);
  if (recalled && plan().EndOf(RoomOf(fence), part.index) < gone) Roll(fence, gone);
}

// The job that begins on the loan's nodes once its booking has ended; empty if none does, as when a
// limit is in the way.
std::string Lending::DueAfter(const Fence& fence, Instant at) const {
  const uint32_t index = ledger().Find(fence)->parts.front().index;
  const Instant end = plan().EndOf(RoomOf(fence), index);
  for (const Fence& other : plan().Beside(RoomOf(fence), index, at, at + Span{1})) {
    const HoldRecord* hold = ledger().Find(other);
    if (hold != nullptr && hold->start - options().turnover >= end) return LabelOf(hold->order);
  }
  return "";
}

bool Lending::OnUsableNodes(const schemas::PartPlace& place) const {
  return std::none_of(place.chunks.begin(), place.chunks.end(),
                      [&](const auto& chunk) { return ledger().drained().contains(chunk.node); });
}

// Without its own booking, which moves to where it runs.
bool Lending::HasRoomToEnd(const Fence& fence) const {
  const HoldRecord& hold = *ledger().Find(fence);
  const schemas::PartRecord& part = hold.parts.front();
  if (part.loan->state != LoanState::kRunning || !part.loan->started_at) return false;
  if (IsKeptForOthers(fence)) return false;
  const Instant end = EndIfKept(hold);
  const Fence& room = RoomOf(fence);
  if (plan().EndOf(room, part.index) >= end) return true;
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
  const Instant own = hold.start - options().turnover;
  if (own < now_floor() + BookedFirst(*hold.order.contract)) return Came::kPassed;
  if (Admitted(hold, verifier::EarliestMove(hold, now())) > now_floor()) return Came::kPassed;
  const auto& again = Memory(fence).lent_again;
  if (again && now() < *again) return Came::kPassed;
  return Lend(fence) ? Came::kPassed : Came::kStays;  // a loan frees nothing
}

// Nodes that were freed are clean one turnover later: then the pass is made once more.
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
  lends_again_ = After(now(), freed ? options().turnover + Span{1} : kLendLook);
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
