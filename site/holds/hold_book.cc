// See hold_book.h.
#include "site/holds/hold_book.h"

#include <algorithm>
#include <utility>

#include "site/holds/displaced_by_reload.h"
#include "site/holds/hold_facts.h"
#include "site/planning/capabilities.h"
#include "site/planning/conversions.h"
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
  for (const PartRecord& record : hold.parts) {
    const schemas::PartDemand& part = DemandOf(hold, record.index);
    const Span runs = part.duration - record.saved + record.place.slower;
    end = std::max(end, hold.start + part.offset + runs + part.tail);
  }
  return {hold.start, end};
}

// What the site has in all.
policy::Largest LargestOf(const Options& options) {
  policy::Largest out;
  for (const Node& node : options.nodes) {
    out.procs += node.resources.Get("ncpus");
    out.mem += node.resources.Get("mem");
  }
  return out;
}

constexpr size_t kDisplacedMost = 32;  // holds that a hold whose nodes are lost may try to displace

}  // namespace

HoldBook::HoldBook(Options told, verifier::Ledger ledger, Now now)
    : OutsideWork(WithLost(std::move(told), ledger.sizes()), now),
      ledger_(std::move(ledger)),
      order_(options().priority, LargestOf(options())),
      shares_(options().fairshare, options().rules.zone),
      movable_(policy_, options().rules != rules::RuleSet(),
               options().units.geometry != nullptr || options().node_set.has_value()) {}

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
  IndexMove(fence);
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
    shares_.Count(hold, part, ledger_.EditUse());
    Report(fence, schemas::UsageChanged{.index = index, .usage = part.usage, .final = true});
  }
  if (step.effects.report) Report(fence, ChangeOf(part, at));
  IndexMove(fence);
  Touch(fence);
}

bool HoldBook::IsDown(const std::string& node) const {
  const auto record = ledger().drained().find(node);
  return record != ledger().drained().end() && record->second.who == Own({}).who;
}

bool HoldBook::MayUse(const std::string& node) const {
  const driver::OutsideNode* told = Told(node);
  return !ledger().drained().contains(node) && (told == nullptr || told->usable);
}

bool HoldBook::MayUseAll(const std::vector<schemas::PartPlace>& places) const {
  return std::all_of(places.begin(), places.end(), [this](const schemas::PartPlace& place) {
    return std::all_of(place.chunks.begin(), place.chunks.end(),
                       [this](const auto& chunk) { return MayUse(chunk.node); });
  });
}

void HoldBook::PutInUse(const std::string& node) { planner().SetUsable(node, MayUse(node)); }

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

void HoldBook::IndexMove(const Fence& fence) {
  const HoldRecord* hold = ledger_.Find(fence);
  if (hold && HasOnlyLentRoom(*hold) && !hold->parts.front().only_lent->recalled_at &&
      verifier::MayHaveProcesses(hold->parts.front().state)) {
    lives_changed_ += on_lent_room_.insert(fence).second ? 1 : 0;
  } else {
    lives_changed_ += on_lent_room_.erase(fence);
  }
  std::optional<Span> lent_for;
  if (hold && MayBeLent(*hold)) {
    lent_for = BookedFirst(*hold->order.contract);
    // Where some wait for lent work, its room depends on how long it may stay.
    const Span stays = MayStay(LeftOf(*hold, hold->parts.front().index));
    if (!RecallsForAll(options())) lent_for = std::max(*lent_for, stays);
  }
  if (asking_.contains(fence)) return movable_.Index(fence, nullptr, 0, std::nullopt);
  movable_.Index(fence, hold, hold ? order_.PointsOf(*hold) : 0, lent_for);
}

void HoldBook::SetAsking(const Fence& fence, bool asks) {
  if (asks) {
    asking_.insert(fence);
  } else {
    asking_.erase(fence);
  }
  IndexMove(fence);
}

Span HoldBook::TakenBackIn(const schemas::Contract& contract) const {
  return site::TakenBackIn(contract, options().facts.turnover);
}

Span HoldBook::BookedFirst(const schemas::Contract& contract) const {
  return site::BookedFirst(contract, options().facts.turnover);
}

std::optional<schemas::Reason> HoldBook::WhyNotLent(const Credentials& who) const {
  if (options().facts.most_walls > 0) {
    return schemas::Reason{.code = schemas::ReasonCode::kPolicy,
                           .subject = {.site = options().name},
                           .text = "a site that needs walls lends nothing"};
  }
  if (CoversOneOf(options().lends_to, who)) return std::nullopt;
  const std::string to = who.qos.empty() ? who.user : "QoS " + who.qos;
  return schemas::Reason{.code = schemas::ReasonCode::kPolicy,
                         .subject = {.site = options().name},
                         .text = "the site lends no room to " + to};
}

bool HoldBook::MayBeLent(const HoldRecord& hold) const {
  const schemas::HoldOrder& order = hold.order;
  if (!order.contract || order.only_lent || hold.state != HoldState::kPermitted ||
      IsStopping(hold)) {
    return false;
  }
  if (!OneMember(hold) || hold.parts.size() != 1 || order.inside || order.reserves) return false;
  const PartRecord& part = hold.parts.front();
  if (!WaitsToStart(part.state) || part.loan || part.recalls >= order.contract->max_recalls) {
    return false;
  }
  if (order.parts.front().offset > Span{0}) return false;
  return !WhyNotLent(CredentialsOf(order));
}

std::tuple<int64_t, SitePolicy::Rank, Fence> HoldBook::PlaceOf(const Fence& fence) const {
  const HoldRecord& hold = *ledger_.Find(fence);
  return {-order_.PointsOf(hold), policy_.EarlierRankOf(hold.order), fence};
}

std::vector<Fence> HoldBook::MovesInOrder(bool alone) const {
  std::vector<Fence> out = movable_.singles().InOrder();
  if (alone) return out;
  const auto middle = static_cast<std::ptrdiff_t>(out.size());
  out.insert(out.end(), movable_.joint().begin(), movable_.joint().end());
  const auto before = [this](const Fence& a, const Fence& b) { return PlaceOf(a) < PlaceOf(b); };
  std::sort(out.begin() + middle, out.end(), before);
  std::inplace_merge(out.begin(), out.begin() + middle, out.end(), before);
  return out;
}

std::optional<schemas::Reason> HoldBook::WhyBarred(const Credentials& who,
                                                   const HoldRecord* stays) const {
  const auto barred = shares_.Barred(who);
  if (!barred || (stays && !stays->dated)) return std::nullopt;
  return schemas::Reason{.code = schemas::ReasonCode::kShare,
                         .subject = {.site = options().name},
                         .until = stays ? std::min(*stays->dated, barred->until) : barred->until,
                         .text = "the share of " + barred->who + " is used up"};
}

Dating HoldBook::Date(std::vector<schemas::ProposalEntry> entries) const {
  std::vector<std::optional<schemas::Reason>> barred(entries.size());
  const auto blind = WhyBlind();
  for (size_t i = 0; i < entries.size(); ++i) {
    if (blind) {
      barred[i] = blind;
      continue;
    }
    if (entries[i].only_lent) {
      barred[i] = WhyNotLent(CredentialsOf(entries[i]));
      if (barred[i]) continue;
    }
    if (entries[i].inside || !shares_.NextEnd()) continue;
    const HoldRecord* stays = nullptr;
    for (const Fence& fence : entries[i].ignoring) {
      const HoldRecord* hold = ledger_.Find(fence);
      const bool bound = hold && hold->state >= HoldState::kPrepared && IsLive(*hold);
      if (bound && (!stays || hold->dated < stays->dated)) stays = hold;
    }
    barred[i] = WhyBarred(CredentialsOf(entries[i]), stays);
  }
  return {std::move(entries), std::move(barred)};
}

// With the ceilings it changes what may be booked, as a rule does.
void HoldBook::JudgeShares() {
  if (!shares_.Judge(ledger_.holds(), ledger_.use(), now())) return;
  planner().Announce();
  SomethingIsFree();
}

void HoldBook::RankAnew() {
  if (!order_.IsDue(now())) return;
  order_.Begin(now(), shares_.At(ledger_.holds(), ledger_.use(), now()));
  for (const Fence& fence : movable_.singles().InOrder()) {
    movable_.singles().Reorder(fence, order_.PointsOf(*ledger_.Find(fence)));
  }
  for (const Fence& fence : movable_.lendable().InOrder()) {
    movable_.lendable().Reorder(fence, order_.PointsOf(*ledger_.Find(fence)));
  }
}

std::optional<BootInstant> HoldBook::NextOfPolicy() const {
  std::optional<Moment> next;
  if (const auto end = shares_.NextEnd()) next = ToMoment(*end);
  const bool moves = movable_.singles().size() + movable_.joint().size() > 0;
  if (const auto tick = order_.Next(); tick && moves) next = std::min(next.value_or(*tick), *tick);
  if (!next) return std::nullopt;
  return turn().boot + BootSpan{std::max<int64_t>(next->milliseconds - now().milliseconds, 0)};
}

void HoldBook::SomethingIsFree() { movable_.SomethingIsFree(plan().revision()); }

verifier::Demand HoldBook::DemandNow(const HoldRecord& hold) const {
  verifier::Demand demand = DemandOf(hold.order);
  const auto it = live().find(hold.order.fence);
  for (size_t i = 0; i < demand.parts.size() && i < hold.parts.size(); ++i) {
    schemas::PartDemand& part = demand.parts[i];
    const PartRecord& record = hold.parts[i];
    const Instant start = hold.start + part.offset;
    demand.asked[part.index] = part.duration - record.saved;
    part.duration = schemas::BookedFor(options().facts.booked_in, RunTime(hold, record.index));
    // A reservation ends at its planned end, however late it was opened.
    if (record.started_at && !Reserves(hold)) {
      // As it is booked since its start: a tail was given back then; without one its end stays
      // where it was unless it began late.
      const Instant ends =
          part.tail > Span{0}
              ? record.started_at->Ceiling() + part.duration
              : std::max(start + part.duration,
                         record.started_at->Floor() + part.duration - options().facts.turnover);
      part.duration = ends - start;
      part.tail = {};
    }
    if (record.only_lent) {
      const schemas::Contract& contract = *hold.order.contract;
      const Instant full = start + part.duration;
      demand.stays = MayStay(part.duration - record.place.slower);
      part.duration = BookedFirst(contract);
      part.tail = {};
      demand.lent = true;
      if (record.started_at) {
        const Instant taken_back = now_floor() + TakenBackIn(contract);
        part.duration = std::max(part.duration, std::min(full, taken_back) - start);
      }
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
    const Span gone = std::max(Span{0}, now_floor() + options().facts.turnover - start);
    if (!record.counts.empty() && !record.ended_at) {
      part.offset = part.offset + gone;
      part.duration = part.duration - gone;
    }
    // What has not begun may be planned anew on nodes of any speed; what runs lasts as long as it
    // was booked, and what is lent is booked by the clock.
    if (HasNotBegun(record) && !record.only_lent)
      part.duration = part.duration - record.place.slower;
    part.duration = std::max(part.duration, Span{1});
  }
  return demand;
}

void HoldBook::RestoreBooking(const HoldRecord& hold) { RestoreIn(planner(), hold); }

void HoldBook::RestoreIn(SitePlanner& where, const HoldRecord& hold) const {
  Booked booked{.start = hold.start};
  for (const PartRecord& part : hold.parts) {
    booked.places.push_back(part.place);
    if (!HasNotBegun(part)) booked.places.back().slower = {};
  }
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
  if (options().facts.most_walls > 0) return false;
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
    IndexMove(fence);
  }
  movable_.singles().Freed(plan().revision());  // the restart may have interrupted a pass
}

}  // namespace muster::site
