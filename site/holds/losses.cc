// A node that is lost: the driver did not say in time that a part runs, or that its processes are
// gone (OpenCCS Sect. 5.4, Timeouts). It is set down, on record; what was booked there and has not
// started is planned again (H14 to H16), and only then may what is less urgent be displaced
// (Replanning). It is back when no part is in doubt there any more, or when an operator says so.
#include <algorithm>
#include <utility>

#include "base/units.h"
#include "site/planning/environment.h"
#include "site/state.h"

namespace muster::site {

using schemas::CauseCode;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartRecord;
using schemas::PartState;
using verifier::Booked;

namespace {

constexpr size_t kDisplacedMost = 32;  // tried for one hold that lost its nodes

bool IsChanging(const PartRecord& part) {
  return part.state == PartState::kStarting || part.state == PartState::kEnding;
}

// The node on which its command runs, and its shepherd.
const std::string* FirstNode(const PartRecord& part) {
  return part.place.chunks.empty() ? nullptr : &part.place.chunks.front().node;
}

Interval SpanOf(const HoldRecord& hold) {
  Instant end = hold.start;
  for (const schemas::PartDemand& part : hold.order.parts) {
    end = std::max(end, hold.start + part.offset + part.duration + part.tail);
  }
  return {hold.start, end};
}

}  // namespace

bool Core::State::IsDown(const std::string& node) const {
  const auto record = ledger.drained().find(node);
  return record != ledger.drained().end() && record->second.who == Own({}).who;
}

bool Core::State::TimedOut(const PartKey& part) const {
  const auto it = live.find(part.first);
  return it != live.end() && it->second.timed_out.contains(part.second);
}

std::optional<Moment> Core::State::NextTimeOut(const HoldRecord& hold) const {
  std::optional<Moment> next;
  const auto it = live.find(hold.order.fence);
  if (it == live.end()) return next;
  for (const auto& [index, since] : it->second.changing_since) {
    if (it->second.timed_out.contains(index)) continue;
    const bool starting = PartOf(hold, index).state == PartState::kStarting;
    const Span limit = starting ? options.allocate_timeout : options.release_timeout;
    const Moment at{since.milliseconds + ToBootSpan(limit).milliseconds};
    if (!next || at < *next) next = at;
  }
  return next;
}

void Core::State::TimeOuts(const Fence& fence) {
  for (;;) {
    const HoldRecord& hold = *ledger.Find(fence);
    const auto next = NextTimeOut(hold);
    if (!next || now() < *next) return;
    for (const PartRecord& part : hold.parts) {
      const Live& memory = live[fence];
      const auto since = memory.changing_since.find(part.index);
      if (since == memory.changing_since.end() || memory.timed_out.contains(part.index)) continue;
      const bool starting = part.state == PartState::kStarting;
      const Span limit = starting ? options.allocate_timeout : options.release_timeout;
      if (now().milliseconds < since->second.milliseconds + ToBootSpan(limit).milliseconds)
        continue;
      live[fence].timed_out.insert(part.index);
      // Only its end, or the proof that it never ran, lets it be tried elsewhere.
      if (starting) effects.driver.push_back(driver::StopPart{.token = part.token});
      const std::string name = PartName(hold.order, part.index);
      const std::string* node = FirstNode(part);
      const std::string after = " after " + DurationText(limit);
      if (node == nullptr) continue;
      NodeLost(*node, starting ? "the start of " + name + " was not confirmed" + after
                               : "processes of " + name + " are not gone" + after);
    }
  }
}

void Core::State::NodeLost(const std::string& node, const std::string& why) {
  // One that an operator took out stays the operator's.
  if (!ledger.drained().contains(node)) {
    ledger.Drain({.name = node, .reason = why, .who = Own({}).who, .at = now()});
    plan.SetUsable(node, false);
  }
  const Displaced displaced = MoveFrom({node}, Own(CauseCode::kNodeLost, node));
  effects.notes.push_back("node " + node + " is down: " + why +
                          "; bookings moved: " + std::to_string(displaced.moved) +
                          ", lost: " + std::to_string(displaced.lost));
}

void Core::State::NodesBack() {
  if (!std::exchange(nodes_may_be_back, false)) return;
  std::set<std::string> in_doubt;
  for (const auto& [token, key] : tokens) {
    const PartRecord& part = PartOf(*ledger.Find(key.first), key.second);
    if (IsChanging(part) && FirstNode(part) != nullptr) in_doubt.insert(*FirstNode(part));
  }
  std::vector<std::string> back;
  for (const auto& [node, record] : ledger.drained()) {
    if (IsDown(node) && !in_doubt.contains(node)) back.push_back(node);
  }
  for (const std::string& node : back) {
    ledger.Resume(node);
    plan.SetUsable(node, true);
    effects.notes.push_back("node " + node + " is back");
  }
  if (!back.empty()) SomethingIsFree();
}

// The most that each node is known to have had.
void Core::State::KeepSizes() {
  std::set<std::string> here;
  for (const Node& node : options.nodes) {
    here.insert(node.name);
    ResourceSet had = node.resources;
    had += node.lost;
    const auto known = ledger.sizes().find(node.name);
    if (known == ledger.sizes().end() || known->second.had != had) ledger.SetSize(node.name, had);
  }
  std::vector<std::string> gone;
  for (const auto& [name, _] : ledger.sizes()) {
    if (!here.contains(name)) gone.push_back(name);
  }
  for (const std::string& name : gone) ledger.ForgetSize(name);
}

schemas::Cause Core::State::LostOf(const Stranding& stranding) const {
  schemas::Cause cause = Own(CauseCode::kNodeLost, stranding.node);
  cause.resource = stranding.resource;
  return cause;
}

// What no longer fits beside the more urgent on nodes that have lost something (H14 to H16). What
// runs there goes on.
void Core::State::LeaveWhatIsLost() {
  const Strandings strandings(options);
  for (const auto& [fence, stranding] : strandings.Crowded(ledger.holds(), now_floor())) {
    const HoldRecord& hold = *ledger.Find(fence);
    if (!IsLive(hold) || HasStarted(hold)) continue;
    effects.notes.push_back(stranding.why + ": " + LabelOf(hold.order) + " leaves it");
    if (hold.state < HoldState::kPrepared) {
      live[fence].drained = LostOf(stranding);
      continue;
    }
    MoveForCause(fence, LostOf(stranding), true);
    touched.insert(fence);
  }
}

// Bound singles of lower priority that are booked at any time of the hold, the least urgent first.
std::vector<Fence> Core::State::LessUrgent(const Fence& fence) const {
  const HoldRecord& hold = *ledger.Find(fence);
  const Interval span = SpanOf(hold);
  std::vector<Fence> out;
  backfilling.LessUrgent(hold.order.priority, [&](const Fence& other) {
    const Interval its = SpanOf(*ledger.Find(other));
    if (its.begin < span.end && span.begin < its.end && MayMove(other)) out.push_back(other);
    return out.size() < kDisplacedMost;
  });
  return out;
}

// The hold at its promised start, at the cost of the less urgent: each of them stays where it can,
// else starts later (H15), else is lost (H16), with the cause. Nothing happens unless that helps.
std::optional<Booked> Core::State::Displace(const Fence& fence, const schemas::Cause& cause) {
  SitePlanner trial = plan;
  const IntervalSet promised = IntervalSet::Only(ledger.Find(fence)->start);
  std::optional<Booked> kept;
  std::vector<Fence> freed;
  for (const Fence& other : LessUrgent(fence)) {
    trial.Free(other);
    freed.push_back(other);
    auto answer = trial.Rebook(fence, promised, now_floor());
    if (auto* booked = std::get_if<Booked>(&answer)) {
      kept = std::move(*booked);
      break;
    }
  }
  if (!kept) return std::nullopt;
  plan = std::move(trial);
  schemas::Cause preempted = Own(CauseCode::kPreempted, cause.subject.node);
  preempted.subject.job = LabelOf(ledger.Find(fence)->order);
  for (auto other = freed.rbegin(); other != freed.rend(); ++other) {
    const HoldRecord& hold = *ledger.Find(*other);
    verifier::Demand demand = DemandNow(hold);
    demand.allowed = IntervalSet::Only(hold.start);
    auto answer = plan.Book(*other, demand, now_floor(), std::nullopt);
    if (const auto* same = std::get_if<Booked>(&answer)) {
      Follow(*other, *same);
      continue;
    }
    const auto& allowed = hold.order.allowed.intervals();
    const Instant last = hold.permit       ? hold.permit->last_start + Span{1}
                         : allowed.empty() ? hold.start
                                           : allowed.back().end;
    const Instant from = std::max(hold.start, now_floor());
    if (from < last) {
      demand.allowed = IntervalSet({{from, last}});
      answer = plan.Book(*other, demand, now_floor(), std::nullopt);
      if (const auto* later = std::get_if<Booked>(&answer)) {
        MoveLater(*other, *later, preempted);
        continue;
      }
    }
    Drop(*other, preempted, std::get<schemas::VerdictEntry>(answer).starts);
  }
  return kept;
}

}  // namespace muster::site
