// See hold_book.h.
#include "site/holds/hold_book.h"

#include <algorithm>
#include <utility>

#include "site/holds/displaced_by_reload.h"
#include "site/holds/hold_facts.h"
#include "verifier/deadline.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartRecord;
using schemas::PartState;
using verifier::Booked;

namespace {

Interval SpanOf(const HoldRecord& hold) {
  Instant end = hold.start;
  for (const schemas::PartDemand& part : hold.order.parts) {
    end = std::max(end, hold.start + part.offset + part.duration + part.tail);
  }
  return {hold.start, end};
}

constexpr size_t kDisplacedMost = 32;  // holds that a hold whose nodes are lost may try to displace

}  // namespace

HoldBook::HoldBook(Options told, verifier::Ledger ledger, Now now)
    : Planning(WithLost(std::move(told), ledger.sizes()), now),
      ledger_(std::move(ledger)),
      movable_(policy_, options().rules != rules::RuleSet(), options().units.geometry != nullptr) {}

const schemas::ProtocolValues& HoldBook::values() const {
  static const schemas::ProtocolValues kDefaults;
  return ledger().identity().values ? *ledger().identity().values : kDefaults;
}

schemas::Cause HoldBook::Own(schemas::CauseCode code, std::string node) const {
  return {.code = code,
          .subject = {.site = options().name, .node = std::move(node)},
          .who = "site:" + options().name};
}

verifier::HoldGuards HoldBook::GuardsOf(const HoldRecord& hold) const {
  verifier::HoldGuards guards;
  guards.one_member = OneMember(hold);
  guards.started = HasStarted(hold);
  guards.lease_alive = !hold.lease || turn().boot < hold.lease->boot;
  guards.before_deadline = !hold.deadline || turn().boot < hold.deadline->boot;
  guards.start_passed = now_floor() > hold.start + PermitWait(hold);
  return guards;
}

void HoldBook::ArmDeadline(HoldRecord& hold) const {
  const Moment deadline = ToMoment(hold.start + hold.order.deadline_after);
  hold.deadline = verifier::ArmDeadline(BootSpan{deadline.milliseconds - now().milliseconds},
                                        deadline, turn().boot, options().boot_id);
}

void HoldBook::TouchAll() {
  for (const auto& [fence, _] : live_) touched_.insert(fence);
}

void HoldBook::TouchDue() {
  for (const Fence& fence : timers_.Due(turn().boot, now())) touched_.insert(fence);
}

void HoldBook::TouchWaiting() { touched_.insert(waiting().begin(), waiting().end()); }

std::optional<Fence> HoldBook::TakeTouched() {
  if (touched_.empty()) return std::nullopt;
  return touched_.extract(touched_.begin()).value();
}

void HoldBook::Report(const Fence& fence, decltype(schemas::Change::what) what) {
  if (verifier::IsLocal(fence)) {
    const HoldRecord& hold = *ledger_.Find(fence);
    HoldNews news{.fence = fence, .what = what, .start = hold.start, .plan = plan().revision()};
    news.started = HasStarted(hold);
    news.all_run = true;
    for (const PartRecord& part : hold.parts) {
      news.all_run = news.all_run && part.started_at.has_value();
      news.extended = std::max(news.extended, part.extended);
    }
    news_.push_back(std::move(news));
  }
  ledger_.Report(fence, std::move(what));
}

void HoldBook::ReportHold(const Fence& fence) {
  Report(fence, HoldChangedOf(*ledger().Find(fence)));
  movable_.Index(fence, ledger_.Find(fence));
}

void HoldBook::SetPart(const Fence& fence, uint32_t index, const verifier::PartStep& step,
                       Moment at) {
  HoldRecord& hold = ledger_.Edit(fence);
  PartRecord& part = PartOf(hold, index);
  const PartState before = part.state;
  const bool several = !OneMember(hold);
  if (several && before == PartState::kReady) --ready_of_several_;
  if (several && step.next == PartState::kReady) ++ready_of_several_;
  const bool was = verifier::MayHaveProcesses(before) && !Reserves(hold);
  const bool is = verifier::MayHaveProcesses(step.next) && !Reserves(hold);
  if (!was && is) {
    Enter({fence, index}, part.token, part.place, DemandOf(hold, index).exclusive);
  } else if (was && !is) {
    Leave({fence, index}, part.token);
    TouchWaiting();
  }
  part.state = step.next;
  Live& memory = Memory(fence);
  memory.changing_since.erase(index);
  if (step.next == PartState::kStarting || step.next == PartState::kEnding) {
    memory.changing_since[index] = now();
  } else {
    MayBeBack();
  }
  if (step.next == PartState::kRunning && !part.started_at) part.started_at = at;
  if (step.next == PartState::kEnded) part.ended_at = at;
  if (step.effects.started_yes) hold.started = schemas::Started::kYes;
  if (step.effects.started_unknown && hold.started == schemas::Started::kNo) {
    hold.started = schemas::Started::kUnknown;
  }
  if (step.effects.final_usage) {
    part.usage_final = true;
    Report(fence, schemas::UsageChanged{.index = index, .usage = part.usage, .final = true});
  }
  if (step.effects.report) {
    Report(fence, schemas::PartChanged{.index = index,
                                       .state = part.state,
                                       .at = at,
                                       .booking = BookingOf(part),
                                       .end = part.end});
  }
  movable_.Index(fence, ledger_.Find(fence));
  Touch(fence);
}

bool HoldBook::IsDown(const std::string& node) const {
  const auto record = ledger().drained().find(node);
  return record != ledger().drained().end() && record->second.who == Own({}).who;
}

bool HoldBook::TimedOut(const PartKey& part) const {
  const auto it = live().find(part.first);
  return it != live().end() && it->second.timed_out.contains(part.second);
}

void HoldBook::ForgetLive(const HoldRecord& hold) {
  const Fence& fence = hold.order.fence;
  for (const PartRecord& part : hold.parts) {
    if (part.state == PartState::kReady && !OneMember(hold)) --ready_of_several_;
  }
  timers_.Clear(fence);
  live_.erase(fence);
  WaitNoMore(fence);
}

void HoldBook::SomethingIsFree() { movable_.SomethingIsFree(plan().revision()); }

verifier::Demand HoldBook::DemandNow(const HoldRecord& hold) const {
  verifier::Demand demand = DemandOf(hold.order);
  const auto it = live().find(hold.order.fence);
  for (size_t i = 0; i < demand.parts.size() && i < hold.parts.size(); ++i) {
    schemas::PartDemand& part = demand.parts[i];
    const PartRecord& record = hold.parts[i];
    const Instant start = hold.start + part.offset;
    demand.asked[part.index] = part.duration;
    part.duration = RunTime(hold, record.index);
    // A reservation ends at its planned end, however late it was opened.
    if (record.started_at && !Reserves(hold)) {
      part.duration = record.started_at->Ceiling() + part.duration - start;
      part.tail = {};
    }
    for (size_t c = 0; c < record.counts.size(); ++c) {
      part.chunks[c].count = static_cast<uint32_t>(record.counts[c]);
    }
    if (record.ended_at) {
      part.duration = record.ended_at->Floor() - start;
      part.tail = {};
    }
    if (it != live().end() && it->second.booked_until.contains(part.index)) {
      part.duration = std::max(part.duration, it->second.booked_until.at(part.index) - start);
    }
    // A resized part is booked from now on only: its present sets say nothing about the nodes it
    // used before.
    const Span gone = std::max(Span{0}, now_floor() + options().turnover - start);
    if (!record.counts.empty() && !record.ended_at) {
      part.offset = part.offset + gone;
      part.duration = part.duration - gone;
    }
    part.duration = std::max(part.duration, Span{1});
  }
  return demand;
}

void HoldBook::RestoreBooking(const HoldRecord& hold) { RestoreIn(planner(), hold); }

void HoldBook::RestoreIn(SitePlanner& where, const HoldRecord& hold) const {
  Booked booked{.start = hold.start};
  for (const PartRecord& part : hold.parts) booked.places.push_back(part.place);
  verifier::Demand demand = DemandNow(hold);
  // A part that still runs after its reservation has ended is booked on its own nodes.
  if (demand.inside && !where.HolderOf(*demand.inside)) demand.inside.reset();
  where.Restore(hold.order.fence, demand, booked);
  // The hold that it would replace is older, so it is already in the plan.
  const bool beside = hold.state < HoldState::kCommitted && hold.order.replaces.has_value();
  if (beside) where.Join(hold.order.fence, *hold.order.replaces);
}

bool HoldBook::ReservationIsOpen(const HoldRecord& hold) const {
  if (!hold.order.inside) return true;
  const std::optional<Fence> holder = plan().HolderOf(*hold.order.inside);
  if (!holder) return false;
  const auto& parts = ledger().Find(*holder)->parts;
  return std::any_of(parts.begin(), parts.end(),
                     [](const PartRecord& part) { return part.state == PartState::kRunning; });
}

bool HoldBook::MayMove(const Fence& fence) const {
  const HoldRecord* hold = ledger().Find(fence);
  if (hold == nullptr || hold->state < HoldState::kPrepared || HasStarted(*hold)) return false;
  if (hold->order.replaces || hold->order.reserves || hold->order.inside) return false;
  return std::none_of(live().begin(), live().end(), [&](const auto& other) {
    return ledger().Find(other.first)->order.replaces == fence;
  });
}

std::vector<Fence> HoldBook::LessUrgent(const Fence& fence) const {
  const HoldRecord& hold = *ledger().Find(fence);
  const Interval span = SpanOf(hold);
  std::vector<Fence> out;
  movable_.singles().LeastUrgentFirst([&](const Fence& other) {
    const HoldRecord& yields = *ledger().Find(other);
    if (!policy_.MayDisplace(yields.order, hold.order)) return false;
    const Interval its = SpanOf(yields);
    if (its.begin < span.end && span.begin < its.end && MayMove(other)) out.push_back(other);
    return out.size() < kDisplacedMost;
  });
  return out;
}

void HoldBook::RebuildParts() {
  for (const auto& [fence, hold] : ledger_.holds()) {
    if (!IsLive(hold)) continue;
    for (const PartRecord& part : hold.parts) {
      KeepPort(part.rendezvous);
      if (part.state == PartState::kReady && !OneMember(hold)) ++ready_of_several_;
      if (!verifier::MayHaveProcesses(part.state) || Reserves(hold)) continue;
      Enter({fence, part.index}, part.token, part.place, DemandOf(hold, part.index).exclusive);
      if (part.state != PartState::kRunning) Memory(fence).changing_since[part.index] = now();
    }
    movable_.Index(fence, &hold);
  }
  movable_.singles().Freed(plan().revision());  // the restart may have interrupted a pass
}

}  // namespace muster::site
