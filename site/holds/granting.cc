// What is asked of the driver before it is recorded: walls for new holds, and for moves to earlier
// starts. protocol.md section 3.1, rows A1 to A8. Nothing of it is on record: after a restart the
// driver removes every wall that no record needs.
#include <algorithm>
#include <string>
#include <utility>

#include "site/holds/hold_facts.h"
#include "site/holds/orders.h"
#include "site/planning/admission.h"

namespace muster::site {

using schemas::Answer;
using schemas::AnswerKind;
using schemas::CauseCode;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::ReasonCode;
using schemas::VerdictEntry;
using schemas::VerdictKind;
using verifier::HoldEvent;

namespace {

constexpr int kTriesToAsk = 2;  // for one order, each at another place

std::vector<schemas::PartPlace> PlacesOf(const std::vector<schemas::PartRecord>& parts) {
  std::vector<schemas::PartPlace> out;
  for (const schemas::PartRecord& part : parts) out.push_back(part.place);
  return out;
}

VerdictEntry Contended(const std::string& why) {
  return {.kind = VerdictKind::kCountered,
          .reason = schemas::Reason{.code = ReasonCode::kContended, .text = why}};
}

}  // namespace

bool Orders::IsAsked(const Fence& fence) const {
  const auto it = asked_.find(fence);
  return it != asked_.end() && it->second.out;
}

std::optional<Fence> Orders::AskedAs(RequestId request) const {
  for (const auto& [fence, asked] : asked_) {
    if (verifier::IsLocal(fence) && asked.order.request == request) return fence;
  }
  return std::nullopt;
}

std::vector<Fence> Orders::AskedFor() const {
  std::vector<Fence> out;
  for (const auto& [fence, _] : asked_) out.push_back(fence);
  return out;
}

void Orders::FreePlanned(const Fence& fence, const Planned& planned) {
  planner().Free(fence);
  for (const schemas::PartRecord& part : planned.parts) GiveBackPort(part.rendezvous);
}

// A4, and whoever does not take what was granted.
void Orders::Unask(const Fence& fence) {
  const auto it = asked_.find(fence);
  if (it == asked_.end()) return;
  if (!it->second.refusal) {
    FreePlanned(fence, it->second.planned);
    SomethingIsFree();
  }
  WantNone(fence);
  LeaveWalls(fence);
  asked_.erase(it);
}

// A1, A8.
std::optional<VerdictEntry> Orders::Ask(const schemas::HoldOrder& order, Planned& planned) {
  std::vector<driver::PutWall> walls =
      WallsOf(order.fence, order.fence, order, planned.booked.start, PlacesOf(planned.parts));
  if (walls.empty()) return std::nullopt;
  if (walls.size() > WallsLeft()) {
    FreePlanned(order.fence, planned);
    return Blocked(ReasonCode::kLimit, "walls",
                   "the cluster keeps " + std::to_string(options().facts.most_walls) +
                       " walls for the federation");
  }
  const bool fresh =
      verifier::IsLocal(order.fence) && order.fence.number > ledger().identity().last_local;
  if (fresh) records().NextLocal();
  TakeOverWalls(order.fence);
  Want(order.fence, std::move(walls));
  asked_[order.fence] = {.order = order, .planned = std::move(planned), .since = turn().boot};
  return Contended("the site asks its machine to keep the nodes free");
}

// For an order that comes again, which it does only at the site's own users.
std::optional<VerdictEntry> Orders::TakeAsked(const schemas::HoldOrder& order) {
  Asked& asked = asked_.at(order.fence);
  if (asked.out || asked.order.request != order.request)
    return Contended("the site asks its machine to keep the nodes free");
  if (asked.refusal) {
    VerdictEntry refusal = *std::move(asked.refusal);
    LeaveWalls(order.fence);
    asked_.erase(order.fence);
    return refusal;
  }
  if (asked.order.parts != order.parts || asked.planned.booked.start < now_floor() ||
      !order.allowed.Contains(asked.planned.booked.start) || plan().ShortOn(order.fence)) {
    Unask(order.fence);
    return Contended("the start that was kept free is not to be had any more");
  }
  Planned planned = std::move(asked.planned);
  LeaveWalls(order.fence);
  asked_.erase(order.fence);
  Record(order, std::move(planned));
  return std::nullopt;
}

// A2.
void Orders::GrantAsked(const Fence& fence) {
  Asked& asked = asked_.at(fence);
  if (!asked.out || !WallsStand(fence)) return;
  const HoldRecord* old = asked.planned.beside ? ledger().Find(*asked.planned.beside) : nullptr;
  const bool improves =
      !asked.order.improves || old == nullptr || asked.planned.booked.start < old->start;
  const bool stale =
      asked.planned.beside && (old == nullptr || !IsLive(*old) || MayRun(*old) || !improves);
  if (asked.planned.booked.start < now_floor() || stale) {
    return RefuseAsked(fence, "its start has passed, or what it would replace has started", true);
  }
  if (!MayUseAll(asked.planned.booked.places)) {
    return RefuseAsked(fence, "one of its nodes was taken out of use", true);
  }
  if (plan().ShortOn(fence)) {  // somebody who is there began late, or lasts longer
    return RefuseAsked(fence, "one of its nodes is taken for longer than was known", true);
  }
  asked.out = false;
  if (verifier::IsLocal(fence)) return planner().Announce();  // it is tried again
  const schemas::HoldOrder order = asked.order;
  Planned planned = std::move(asked.planned);
  LeaveWalls(fence);
  asked_.erase(fence);
  verifier::HoldGuards guards;
  guards.fence_below_floor = fence < ledger().identity().floor;
  guards.one_member = order.members.size() == 1;
  guards.feasible = true;
  const auto step = NextHold(HoldState::kNone, EventOf(order.stage), guards);
  if (step.effects.stale) {
    FreePlanned(fence, planned);
    WantNone(fence);
    answers_.push_back({.fence = fence, .kind = AnswerKind::kStale});
    return;
  }
  Record(order, std::move(planned));
  Enter(order, step);
  Touch(fence);
}

// A3, A5. Where somebody came in between, it is planned once more; else the answer is what is
// feasible now.
void Orders::RefuseAsked(const Fence& fence, const std::string& why, bool again) {
  Asked& asked = asked_.at(fence);
  if (!asked.out) return;
  FreePlanned(fence, asked.planned);
  SomethingIsFree();
  WantNone(fence);
  const schemas::HoldOrder order = asked.order;
  const int tries = asked.tries;
  asked_.erase(fence);
  LeaveWalls(fence);
  VerdictEntry refusal = Contended(why);
  if (const auto blind = WhyBlind()) {
    refusal.reason = *blind;
    return AnswerAsked(order, std::move(refusal));
  }
  auto anew = PlanNew(order, WhyDated(order));
  if (auto* refused = std::get_if<VerdictEntry>(&anew)) {
    refusal = std::move(*refused);
  } else {
    auto& planned = std::get<Planned>(anew);
    if (again && tries < kTriesToAsk) {
      auto asks = Ask(order, planned);
      if (asked_.contains(fence)) {
        asked_.at(fence).tries = tries + 1;
        return;
      }
      if (asks) {
        refusal = std::move(*asks);
      } else {  // where it needs no wall it is granted at once
        asked_[fence] = {.order = order, .planned = std::move(planned), .since = turn().boot};
        TakeOverWalls(fence);
        return GrantAsked(fence);
      }
    } else {
      refusal.start = planned.booked.start;
      refusal.starts = IntervalSet::Only(planned.booked.start);
      FreePlanned(fence, planned);
    }
  }
  AnswerAsked(order, std::move(refusal));
}

// The site's own users take it with their next call.
void Orders::AnswerAsked(const schemas::HoldOrder& order, VerdictEntry refusal) {
  const Fence& fence = order.fence;
  if (!verifier::IsLocal(fence)) {
    answers_.push_back(
        {.fence = fence, .kind = AnswerKind::kCountered, .verdict = std::move(refusal)});
    return;
  }
  TakeOverWalls(fence);
  asked_[fence] = {.order = order, .since = turn().boot, .refusal = refusal, .out = false};
  planner().Announce();
}

void Orders::On(const driver::WallStands& event) {
  const auto fence = TakeStood(event);
  if (!fence) return;
  if (asked_.contains(*fence)) return GrantAsked(*fence);
  if (WallsStand(*fence)) {
    MoveIfAsked(*fence);
    AnswerLonger(*fence, "");
  }
  if (ledger().Find(*fence) != nullptr) Touch(*fence);
}

void Orders::On(const driver::WallRefused& event) {
  const auto fence = TakeRefused(event);
  if (!fence) return;
  LeaveRefused(*fence, event);
  SettleShunned();
}

void Orders::LeaveRefused(const Fence& fence, const driver::WallRefused& event) {
  if (asked_.contains(fence)) return RefuseAsked(fence, event.why, event.again);
  if (StayWhereItIs(fence) || AnswerLonger(fence, event.why)) return;
  const HoldRecord* hold = ledger().Find(fence);
  if (hold == nullptr || !IsLive(*hold) || HasStarted(*hold)) return;
  // What stands may be more than it needs now. What is not seen is asked for again once it is.
  if (HasItsWalls(*hold) || WhyBlind()) return;
  schemas::Cause cause = Own(CauseCode::kLocal);
  if (hold->state < HoldState::kPrepared) {
    const auto step = NextHold(hold->state, HoldEvent::kLeaseEnds, {});
    return Close(fence, step.closed_as, std::move(cause));
  }
  MoveForCause(fence, std::move(cause), true);  // A7
  Touch(fence);
}

// It is put again; if that is refused, the hold moves.
void Orders::On(const driver::WallLost& event) {
  const auto fence = TakeLost(event);
  if (!fence) return;
  Note("the wall of " + ToText(*fence) + " is lost: " + event.why);
  if (asked_.contains(*fence)) return RefuseAsked(*fence, event.why, true);
  StayWhereItIs(*fence);
  KeepWallsOf(*fence);
}

std::optional<BootInstant> Orders::NextOfAsked() const {
  std::optional<BootInstant> next = NextOfMoves();
  if (const auto longer = NextOfLonger()) next = std::min(next.value_or(*longer), *longer);
  for (const auto& [fence, asked] : asked_) {
    const BootInstant due = asked.since + values().answer_wait;
    next = std::min(next.value_or(due), due);
  }
  if (const auto until = NextForgotten()) {
    const BootInstant due = plan_clock().When(ToMoment(*until));
    next = std::min(next.value_or(due), due);
  }
  return next;
}

void Orders::GiveUpAsked() {
  if (ForgetShunned()) SomethingIsFree();
  GiveUpMoves();
  GiveUpLonger();
  for (const Fence& fence : AskedFor()) {
    const Asked& asked = asked_.at(fence);
    if (turn().boot < asked.since + values().answer_wait) continue;
    if (!asked.out) {
      Unask(fence);
    } else {
      RefuseAsked(fence, "the site's machine did not answer in time", false);
    }
  }
}

}  // namespace muster::site
