// Views that only the site can give: nodes, free windows, why not earlier. protocol.md section 2b
// (inspect, view), cli.md section 3 (nodes, slots, explain).
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schemas/limits.h"
#include "site/holds/hold_facts.h"
#include "site/planning/admission.h"
#include "site/queries/queries.h"
#include "site/queries/relaxations.h"

namespace muster::site {

using schemas::NodeRow;
using schemas::NodeState;
using schemas::Reason;
using schemas::ReasonCode;

namespace {

// "1 gpu", "4 cpus", "2gb mem": counted resources lose the leading n of their names, bytes get the
// largest unit of which they are a whole multiple.
std::string AmountText(const std::string& resource, int64_t amount) {
  if (resource == "mem") {
    constexpr const char* kUnits[] = {"b", "kb", "mb", "gb", "tb"};
    size_t unit = 0;
    for (; unit + 1 < std::size(kUnits) && amount > 0 && amount % 1024 == 0; ++unit) amount /= 1024;
    return std::to_string(amount) + kUnits[unit] + " mem";
  }
  std::string name = resource;
  const bool counted = name.size() > 2 && name.front() == 'n' && name.back() == 's';
  if (counted) name = name.substr(1, name.size() - (amount == 1 ? 2 : 1));
  return std::to_string(amount) + " " + name;
}

// Sorts blockers: first the binding one; then those that end no later than the binding one (or, if
// that has no end, than the start), the last to end first; then those that end later, the first to
// end first; last those without an end, which are nodes out of use.
void SortBlockers(std::vector<Reason>& blockers, const schemas::VerdictEntry& verdict) {
  const std::optional<Reason>& binding = verdict.reason;
  const Instant wait = binding && binding->until ? *binding->until : verdict.start;
  const auto rank = [&](const Reason& r) -> std::pair<int, int64_t> {
    if (!r.until) return {3, 0};
    if (binding && r.subject == binding->subject) return {0, 0};
    if (*r.until <= wait) return {1, -r.until->seconds};
    return {2, r.until->seconds};
  };
  std::stable_sort(blockers.begin(), blockers.end(),
                   [&](const Reason& a, const Reason& b) { return rank(a) < rank(b); });
}

// Reasons that are not visible as a booking on a node.
bool IsRule(ReasonCode code) {
  return code == ReasonCode::kLimit || code == ReasonCode::kFreepool ||
         code == ReasonCode::kTopology || code == ReasonCode::kProperty ||
         code == ReasonCode::kPolicy || code == ReasonCode::kHorizon || code == ReasonCode::kShare;
}

}  // namespace

// The jobs on a node, each once.
std::vector<std::string> Queries::JobsOn(const std::string& node,
                                         const plan::NodeNow& planned) const {
  std::set<std::pair<Fence, uint32_t>> there;
  std::vector<std::string> jobs;
  for (const auto& [fence, at] : planned.there) {
    const schemas::HoldRecord* hold = ledger().Find(fence);
    if (hold != nullptr) there.emplace(fence, hold->order.parts[at].index);
    const auto key = SitePlanner::OutsideOf(fence);
    if (key && !muster::site::OutsideWork::IsShunned(*key))
      jobs.push_back(outside().at(*key).label);
  }
  for (const PartKey& part : PartsOn({.chunks = {{.node = node}}})) there.insert(part);
  for (const auto& [fence, index] : there) {
    jobs.push_back(ShownAs(ledger().Find(fence)->order, index));
  }
  return jobs;
}

schemas::NodesView Queries::NodesShown() const {
  schemas::NodesView view;
  std::map<uint32_t, std::string> closed_now;  // nodes outside of their validity, with its text
  for (const auto& standing : plan().StandingIn(now_floor(), now_floor() + Span{1})) {
    if (!standing.outside) continue;
    for (const uint32_t node : standing.nodes) closed_now[node] = standing.shown;
  }
  std::vector<plan::NodeNow> nodes = plan().NodesNow(kViewRows, now_floor());
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    const Node& node = options().nodes[n];
    plan::NodeNow& planned = nodes[n];
    NodeRow& row = view.nodes.emplace_back();
    row.name = node.name;
    row.total = node.resources;
    row.lost = node.lost;
    if (node.speed != kFullSpeed) row.speed = node.speed;
    row.jobs = JobsOn(node.name, planned);
    row.used = std::move(planned.used);
    row.free_at = planned.free_at;
    row.free_until = planned.free_until;
    const auto drained = ledger().drained().find(node.name);
    if (drained != ledger().drained().end()) {
      // kDrained tells a user that nothing runs there, and that nothing booked will start there.
      const bool empty = row.jobs.empty() && !planned.booked;
      row.state = IsDown(node.name) ? NodeState::kDown
                  : empty           ? NodeState::kDrained
                                    : NodeState::kDraining;
      row.reason = drained->second.reason;
    } else if (!plan().Usable(n)) {
      row.state = NodeState::kDown;
      if (const auto* told = Told(node.name)) row.reason = told->why;
    } else if (const auto closed = closed_now.find(n); closed != closed_now.end()) {
      row.state = row.jobs.empty() ? NodeState::kDrained : NodeState::kDraining;
      row.reason = closed->second;
    }
  }
  return view;
}

Reason Queries::ReasonOf(const plan::Obstacle& obstacle) const {
  Reason reason{.subject = {.site = options().name, .node = options().nodes[obstacle.node].name}};
  if (!obstacle.fence) {
    reason.code = ReasonCode::kNode;
    const auto drained = ledger().drained().find(reason.subject.node);
    reason.text = "out of use";
    if (drained != ledger().drained().end()) {
      const bool down = IsDown(reason.subject.node);
      reason.text = (down ? "down '" : "drained '") + drained->second.reason + "'";
    } else if (const auto* told = Told(reason.subject.node)) {
      reason.text = "out of use: " + told->why;
    }
    return reason;
  }
  reason.code = ReasonCode::kJob;
  reason.text = "the whole node";
  if (obstacle.dimension) {
    reason.resource = plan().Resource(*obstacle.dimension);
    reason.text = AmountText(reason.resource, obstacle.amount);
  }
  reason.until = obstacle.end + options().facts.turnover;
  if (const auto standing = plan().StandingOf(*obstacle.fence)) {
    reason.code = ReasonCode::kReservation;
    reason.resource.clear();
    reason.text = *standing;
    return reason;
  }
  if (const auto key = SitePlanner::OutsideOf(*obstacle.fence)) {
    reason.subject.job = outside().at(*key).label;
    if (outside().at(*key).reserved) reason.code = ReasonCode::kReservation;
    return reason;
  }
  const schemas::HoldRecord* hold = ledger().Find(*obstacle.fence);
  const bool lent = hold == nullptr;
  if (lent) hold = LentTo(*obstacle.fence);
  if (hold == nullptr) return reason;
  reason.subject.job = LabelOf(hold->order);
  if (Reserves(*hold)) {
    reason.code = ReasonCode::kReservation;
    reason.text += "  reservation " + reason.subject.job + " (" + hold->order.requester.user + ")";
    return reason;
  }
  reason.text += "  job " + reason.subject.job + " (" + hold->order.requester.user +
                 (lent ? ", on lent room)" : ")");
  return reason;
}

schemas::SlotsView Queries::SlotsFor(const schemas::ProposalEntry& entry, Instant until,
                                     bool federated) const {
  schemas::SlotsView view;
  if (FaultOf(entry, options())) return view;
  size_t names = 0;
  const Instant now_at = now_floor();
  for (const plan::Window& window : plan().Windows(Date({entry}).entries().front(), until, now_at,
                                                   schemas::kSlotRows, federated)) {
    names += window.nodes.size();
    if (names > kViewRows) break;
    schemas::SlotRow& row = view.slots.emplace_back();
    row.site = options().name;
    row.start_from = window.from;
    row.start_until = window.last;
    for (const uint32_t node : window.nodes) row.nodes.push_back(options().nodes[node].name);
    if (window.ended_by) {
      row.ended_by = ReasonOf(*window.ended_by);
    } else if (window.last) {
      row.ended_by = Reason{.code = ReasonCode::kPolicy, .text = "not allowed later"};
    }
  }
  return view;
}

// Whether the entry waits only for room below one switch: without grouping it would start earlier.
bool Queries::SoonerUngrouped(const schemas::ProposalEntry& entry,
                              const schemas::VerdictEntry& verdict) const {
  schemas::ProposalEntry anywhere = entry;
  bool grouped = false;
  for (schemas::PartDemand& part : anywhere.parts) {
    grouped = grouped || part.set == kSwitchAttribute;
    part.set.clear();
  }
  if (!grouped || verdict.kind != schemas::VerdictKind::kCountered || verdict.starts.empty()) {
    return false;
  }
  const schemas::VerdictEntry other = plan().Verify({anywhere}, now_floor()).front();
  const bool starts = other.kind == schemas::VerdictKind::kAccepted ||
                      (other.kind == schemas::VerdictKind::kCountered && !other.starts.empty());
  return starts && other.start < verdict.start;
}

schemas::ExplainView Queries::Explain(const schemas::ProposalEntry& asked_for,
                                      Instant before) const {
  schemas::ExplainView view;
  if (const auto fault = FaultOf(asked_for, options())) {
    view.verdict = Never(*fault);
    return view;
  }
  const Dating dated = Date({asked_for});
  const schemas::ProposalEntry& entry = dated.entries().front();
  view.verdict = std::move(dated.Tell(plan().Verify({entry}, now_floor())).front());
  const bool waits = view.verdict.kind == schemas::VerdictKind::kCountered ||
                     view.verdict.kind == schemas::VerdictKind::kBlocked;
  // If the part gives up what this site lacks, it might start here although it is placed elsewhere.
  const bool never = view.verdict.kind == schemas::VerdictKind::kNever;
  if (never && before != Instant{0})
    view.changes = Relaxations(plan(), options().nodes, entry, now_floor(), before);
  if (!waits) return view;
  const Instant from = now_floor();
  const Instant asked = std::clamp(entry.asked, from, from + options().horizon);
  for (const plan::Obstacle& obstacle : plan().Obstacles(entry, asked)) {
    view.blockers.push_back(ReasonOf(obstacle));
  }
  SortBlockers(view.blockers, view.verdict);
  const std::optional<Reason>& binding = view.verdict.reason;
  // With kTopology no node lacks anything: the free nodes are only badly placed.
  if (binding && (IsRule(binding->code) || binding->code == ReasonCode::kTopology)) {
    view.blockers.insert(view.blockers.begin(), *binding);
  }
  if (SoonerUngrouped(entry, view.verdict)) {
    view.blockers.insert(view.blockers.begin(), Reason{.code = ReasonCode::kTopology,
                                                       .subject = {.site = options().name},
                                                       .until = view.verdict.start,
                                                       .text = "all nodes below one switch"});
  }
  // An entry that already starts at least kRelaxationSaves before `before` needs no change.
  const Instant start = view.verdict.starts.empty() ? kFarFuture : view.verdict.start;
  if (before == Instant{0}) before = start;
  if (start > before - kRelaxationSaves)
    view.changes = Relaxations(plan(), options().nodes, entry, now_floor(), before);
  if (view.blockers.size() > schemas::kBlockers) view.blockers.resize(schemas::kBlockers);
  return view;
}

}  // namespace muster::site
