// Each system is a plan like the site's, of a smaller machine.
#include "site/planning/nested_plans.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/units.h"

namespace muster::site {
namespace {

using schemas::PartDemand;
using schemas::ProposalEntry;
using schemas::ReasonCode;
using schemas::VerdictEntry;
using schemas::VerdictKind;

std::string NameOf(RequestId id) { return "R" + ToText(id); }

VerdictEntry Refused(VerdictKind kind, const std::string& site, RequestId id, std::string text,
                     std::optional<Instant> until = {}) {
  return {.kind = kind,
          .reason = schemas::Reason{.code = ReasonCode::kReservation,
                                    .subject = {.site = site, .job = NameOf(id)},
                                    .until = until,
                                    .text = std::move(text)}};
}

// How long the part may be booked on the slowest of the reservation's nodes.
Span Longest(const PartDemand& part, const Reserved& reserved) {
  int64_t speed = kMostSpeed;
  for (const Node& node : reserved.nodes) speed = std::min(speed, node.speed);
  const bool timed = part.by_clock || reserved.nodes.empty();
  return AtSpeed(part.duration, timed ? kFullSpeed : speed) + part.tail;
}

Span LengthOf(const std::vector<PartDemand>& parts, const Reserved& reserved) {
  Span first{kFarFuture.seconds};
  Span last{0};
  for (const PartDemand& part : parts) {
    first = std::min(first, part.offset);
    last = std::max(last, part.offset + Longest(part, reserved));
  }
  return last - first;
}

// An exclusive part may only be on nodes that the reservation holds whole: of its other nodes, jobs
// outside of it may use the rest. In the reservation's system the nodes that it holds whole have a
// property that no user can name.
constexpr char kWhole[] = "whole";
std::string HeldIn(RequestId id) { return "held in " + NameOf(id); }
std::vector<PartDemand> OnWholeNodes(std::vector<PartDemand> parts, RequestId id) {
  for (PartDemand& part : parts) {
    if (!part.exclusive) continue;
    for (schemas::Chunk& chunk : part.chunks) chunk.properties[HeldIn(id)] = kWhole;
  }
  return parts;
}

Options Bare(const Options& options) {
  Options out;
  out.name = options.name;
  out.driver = options.driver;
  out.facts.turnover = options.facts.turnover;
  out.facts.start_slack = options.facts.start_slack;
  out.facts.booked_in = options.facts.booked_in;
  out.facts.even = options.facts.even;
  out.horizon = options.horizon;
  out.plan_looks = options.plan_looks;
  out.nodes = options.nodes;
  out.switches = options.switches;
  out.units = options.units;
  out.choice = options.choice;
  out.policy = options.policy;
  return out;
}

Options With(Options options, std::vector<Node> nodes) {
  options.nodes = std::move(nodes);
  return options;
}

}  // namespace

NestedPlans::NestedPlans(const Options& options) : base_(Bare(options)) {}

const NestedPlans::System* NestedPlans::Find(RequestId id) const {
  const auto it = open_.find(id);
  return it == open_.end() ? nullptr : &it->second;
}

void NestedPlans::Open(const Reserved& reserved) {
  Close(reserved.id, HolderOf(reserved.id).value_or(Fence{}));
  std::vector<Node> nodes = reserved.nodes;
  std::vector<uint32_t> places;
  bool has_whole_nodes = false;
  for (Node& node : nodes) {
    const auto at = std::find_if(base_.nodes.begin(), base_.nodes.end(),
                                 [&](const Node& other) { return other.name == node.name; });
    places.push_back(static_cast<uint32_t>(at - base_.nodes.begin()));
    if (!at->resources.FitsIn(node.resources)) continue;
    node.properties[HeldIn(reserved.id)] = kWhole;
    has_whole_nodes = true;
  }
  System system{
      reserved, SystemPlan(With(base_, std::move(nodes))), {}, std::move(places), has_whole_nodes};
  for (const Node& node : reserved.nodes) {
    if (unusable_.contains(node.name)) system.plan.SetUsable(node.name, false);
    const auto limit = time_limits_.find(node.name);
    if (limit != time_limits_.end()) system.plan.LimitTime(node.name, limit->second);
  }
  open_.emplace(reserved.id, std::move(system));
  ++changes_;
}

void NestedPlans::Share(RequestId id, const std::vector<std::string>& allow) {
  const auto it = open_.find(id);
  if (it == open_.end()) return;
  it->second.reserved.allow = allow;
  ++changes_;
}

void NestedPlans::Close(RequestId id, const Fence& fence) {
  const auto it = open_.find(id);
  if (it == open_.end() || it->second.reserved.fence != fence) return;
  for (const auto& [inside, parts] : it->second.booked) inside_.erase(inside);
  open_.erase(it);
  ++changes_;
}

std::optional<Fence> NestedPlans::HolderOf(RequestId id) const {
  const System* system = Find(id);
  return system ? std::optional(system->reserved.fence) : std::nullopt;
}

const SystemPlan* NestedPlans::Of(const Fence& fence) const {
  const auto it = inside_.find(fence);
  return it == inside_.end() ? nullptr : &open_.at(it->second).plan;
}
SystemPlan* NestedPlans::Of(const Fence& fence) {
  return const_cast<SystemPlan*>(std::as_const(*this).Of(fence));
}

Instant NestedPlans::EndOf(const Fence& fence) const {
  return open_.at(inside_.at(fence)).reserved.span.end;
}

std::optional<VerdictEntry> NestedPlans::Refusal(RequestId id, const std::vector<PartDemand>& parts,
                                                 const Credentials& who) const {
  const System* system = Find(id);
  if (!system) {
    return Refused(VerdictKind::kNever, base_.name, id,
                   "reservation " + NameOf(id) + " is not at " + base_.name);
  }
  const Reserved& reserved = system->reserved;
  if (who.user != reserved.owner && !CoversOneOf(reserved.allow, who)) {
    return Refused(VerdictKind::kNever, base_.name, id,
                   "reservation " + NameOf(id) + " is not open to " + who.user);
  }
  const Span length = reserved.span.end - reserved.span.begin;
  if (LengthOf(parts, reserved) > length) {
    return Refused(VerdictKind::kNever, base_.name, id,
                   "reservation " + NameOf(id) + " lasts " + DurationText(length) + " only",
                   reserved.span.end);
  }
  const bool alone = std::any_of(parts.begin(), parts.end(),
                                 [](const PartDemand& part) { return part.exclusive; });
  if (alone && !system->has_whole_nodes) {
    return Refused(VerdictKind::kNever, base_.name, id,
                   "reservation " + NameOf(id) + " has no node alone, so nothing inside can");
  }
  return std::nullopt;
}

IntervalSet NestedPlans::Within(const System& system, const std::vector<PartDemand>& parts,
                                const IntervalSet& allowed) {
  Instant first = Instant{INT64_MIN / 4};
  Instant last = kFarFuture;
  for (const PartDemand& part : parts) {
    first = std::max(first, system.reserved.span.begin - part.offset);
    last = std::min(last, system.reserved.span.end - part.offset - Longest(part, system.reserved));
  }
  if (last < first) return {};
  return allowed.Intersect(IntervalSet({{first, last + Span{1}}}));
}

verifier::BookAnswer NestedPlans::Book(const Fence& fence, verifier::Demand demand, Instant now,
                                       std::optional<Fence> beside) {
  const RequestId id = *demand.inside;
  if (auto refusal = Refusal(id, demand.parts, demand.who)) return *refusal;
  System& system = open_.at(id);
  demand.inside.reset();
  demand.parts = OnWholeNodes(std::move(demand.parts), id);
  demand.allowed = Within(system, demand.parts, demand.allowed);
  if (demand.allowed.empty()) {
    return Refused(VerdictKind::kCountered, base_.name, id,
                   "reservation " + NameOf(id) + " leaves no such start", system.reserved.span.end);
  }
  if (beside && !system.booked.contains(*beside)) beside.reset();
  auto answer = system.plan.Book(fence, demand, now, beside);
  if (auto* refusal = std::get_if<VerdictEntry>(&answer)) {
    refusal->starts = Within(system, demand.parts, refusal->starts);
    if (!refusal->starts.empty()) refusal->start = refusal->starts.intervals().front().begin;
    return answer;
  }
  system.booked[fence] = demand.parts;
  inside_[fence] = id;
  ++changes_;
  return answer;
}

void NestedPlans::Restore(const Fence& fence, verifier::Demand demand,
                          const verifier::Booked& booked) {
  const auto it = open_.find(*demand.inside);
  if (it == open_.end()) return;  // the reservation is gone, and the core closes this booking
  inside_[fence] = it->first;
  demand.parts = OnWholeNodes(std::move(demand.parts), it->first);
  demand.inside.reset();
  it->second.plan.Restore(fence, demand, booked);
  it->second.booked[fence] = demand.parts;
  ++changes_;
}

void NestedPlans::Free(const Fence& fence) {
  const auto it = inside_.find(fence);
  if (it == inside_.end()) return;
  System& system = open_.at(it->second);
  system.plan.Free(fence);
  system.booked.erase(fence);
  inside_.erase(it);
  ++changes_;
}

verifier::BookAnswer NestedPlans::Rebook(const Fence& fence, const IntervalSet& allowed,
                                         Instant now) {
  System& system = open_.at(inside_.at(fence));
  const IntervalSet starts = Within(system, system.booked.at(fence), allowed);
  if (starts.empty()) {
    return Refused(VerdictKind::kCountered, base_.name, system.reserved.id,
                   "reservation " + NameOf(system.reserved.id) + " leaves no such start");
  }
  ++changes_;
  return system.plan.Rebook(fence, starts, now);
}

std::vector<VerdictEntry> NestedPlans::Verify(RequestId id, std::vector<ProposalEntry> entries,
                                              Instant now) const {
  const System* system = Find(id);
  std::vector<VerdictEntry> out(entries.size());
  std::vector<size_t> asked;
  std::vector<ProposalEntry> questions;
  for (size_t i = 0; i < entries.size(); ++i) {
    ProposalEntry& entry = entries[i];
    if (auto refusal = Refusal(id, entry.parts, CredentialsOf(entry))) {
      out[i] = *refusal;
      continue;
    }
    entry.inside.reset();
    entry.parts = OnWholeNodes(std::move(entry.parts), id);
    entry.allowed = Within(*system, entry.parts, entry.allowed);
    if (entry.allowed.empty()) {
      out[i] =
          Refused(VerdictKind::kBlocked, base_.name, id,
                  "reservation " + NameOf(id) + " leaves no such start", system->reserved.span.end);
      continue;
    }
    asked.push_back(i);
    questions.push_back(std::move(entry));
  }
  if (questions.empty()) return out;
  std::vector<VerdictEntry> verdicts = system->plan.Verify(questions, now, /*federated=*/true);
  for (size_t k = 0; k < asked.size(); ++k) out[asked[k]] = std::move(verdicts[k]);
  return out;
}

std::vector<plan::Obstacle> NestedPlans::Obstacles(ProposalEntry entry, Instant start) const {
  const RequestId id = *entry.inside;
  const System* system = Find(id);
  if (!system) return {};
  entry.inside.reset();
  entry.parts = OnWholeNodes(std::move(entry.parts), id);
  std::vector<plan::Obstacle> out = system->plan.Obstacles(entry, start);
  for (plan::Obstacle& obstacle : out) obstacle.node = system->nodes[obstacle.node];
  return out;
}

std::vector<plan::Window> NestedPlans::Windows(ProposalEntry entry, Instant until, Instant now,
                                               size_t limit) const {
  const RequestId id = *entry.inside;
  const System* system = Find(id);
  if (!system || Refusal(id, entry.parts, CredentialsOf(entry))) return {};
  entry.inside.reset();
  entry.parts = OnWholeNodes(std::move(entry.parts), id);
  entry.allowed = Within(*system, entry.parts, entry.allowed);
  if (entry.allowed.empty()) return {};
  std::vector<plan::Window> out =
      system->plan.Windows(entry, until, now, limit, /*federated=*/true);
  for (plan::Window& window : out) {
    for (uint32_t& node : window.nodes) node = system->nodes[node];
    if (window.ended_by) window.ended_by->node = system->nodes[window.ended_by->node];
  }
  return out;
}

void NestedPlans::SetUsable(const std::string& node, bool usable) {
  if (usable) {
    unusable_.erase(node);
  } else {
    unusable_.insert(node);
  }
  for (auto& [id, system] : open_) system.plan.SetUsable(node, usable);
}

void NestedPlans::LimitTime(const std::string& node, const plan::TimeLimit& limit) {
  time_limits_[node] = limit;
  for (auto& [id, system] : open_) system.plan.LimitTime(node, limit);
}

void NestedPlans::OnlyOn(const std::set<std::string>& nodes) {
  for (auto& [id, system] : open_) system.plan.OnlyOn(nodes);
}

void NestedPlans::Forget(Instant now) {
  for (auto& [id, system] : open_) system.plan.Forget(now);
}

}  // namespace muster::site
