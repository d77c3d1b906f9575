// Converts demands, entries and answers (conversions.h); site/plan does the planning itself.
#include "site/planning/system_plan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "schemas/limits.h"
#include "site/plan/overlay.h"
#include "site/plan/plan.h"
#include "site/plan/rules/keeps.h"
#include "site/plan/rules/standing.h"
#include "site/planning/conversions.h"
#include "site/planning/system_state.h"

namespace muster::site {

struct SystemPlan::Run {
  plan::Plan::Draft draft;
};

SystemPlan::SystemPlan(const Options& options) : state_(std::make_unique<SystemState>(options)) {}
SystemPlan::SystemPlan(const SystemPlan& other)
    : state_(std::make_unique<SystemState>(*other.state_)) {}
SystemPlan::SystemPlan(SystemPlan&&) noexcept = default;
SystemPlan& SystemPlan::operator=(const SystemPlan& other) {
  if (this != &other) state_ = std::make_unique<SystemState>(*other.state_);
  return *this;
}
SystemPlan& SystemPlan::operator=(SystemPlan&&) noexcept = default;
SystemPlan::~SystemPlan() = default;

uint64_t SystemPlan::revision() const { return state_->plan.revision(); }

verifier::BookAnswer SystemPlan::Book(const Fence& fence, const verifier::Demand& demand,
                                      Instant now, std::optional<Fence> beside) {
  state_->Forget(now);
  plan::Order order = OrderOf(fence, demand, state_->habits);
  state_->rules.Prepare(order);
  const plan::Answer answer =
      state_->plan.Book(fence, order, demand.allowed, now, beside, schemas::kStartIntervals);
  if (const auto* refused = std::get_if<plan::Refused>(&answer)) return state_->EntryOf(*refused);
  std::vector<uint32_t>& indices = state_->part_indices[fence];
  for (const schemas::PartDemand& part : demand.parts) indices.push_back(part.index);
  return state_->BookedOf(indices, order, std::get<plan::Placed>(answer));
}

void SystemPlan::Restore(const Fence& fence, const verifier::Demand& demand,
                         const verifier::Booked& booked) {
  MUSTER_CHECK(booked.places.size() == demand.parts.size());
  plan::Order order = OrderOf(fence, demand, state_->habits);
  state_->rules.Prepare(order);
  const machine::Machine& machine = state_->plan.machine();
  const plan::Occupancy& occupancy = state_->plan.occupancy();
  std::vector<std::vector<plan::NodeUse>> uses;
  std::vector<plan::Chosen> chosen;
  for (size_t p = 0; p < booked.places.size(); ++p) {
    chosen.push_back({booked.places[p].slower, booked.places[p].group});
    std::map<uint32_t, plan::Amounts> by_node;
    for (const schemas::ChunkPlace& place : booked.places[p].chunks) {
      // A node that does not exist any more blocks nothing.
      const std::optional<uint32_t> node = machine.FindNode(place.node);
      if (!node.has_value()) continue;
      plan::Amounts& amounts = by_node[*node];
      if (amounts.empty()) {
        amounts.resize(occupancy.dimensions());
        amounts.back() = order.parts[p].exclusive ? plan::kWholeNode : 1;
      }
      const ResourceSet taken =
          rules::WithOthers(state_->rules.keeps(), place.resources, order.parts[p]);
      for (const ResourceSet::Entry& e : taken.entries()) {
        const std::optional<uint32_t> resource = machine.FindResource(e.first);
        if (resource.has_value()) amounts[*resource] += e.second;
      }
    }
    std::vector<plan::NodeUse>& part = uses.emplace_back();
    for (auto& [node, amounts] : by_node) {
      for (uint32_t r = 0; order.parts[p].exclusive && r < occupancy.share(); ++r) {
        amounts[r] = std::max(amounts[r], occupancy.Capacity(node, r));
      }
      part.push_back({node, std::move(amounts)});
    }
  }
  std::vector<uint32_t>& indices = state_->part_indices[fence];
  for (const schemas::PartDemand& part : demand.parts) indices.push_back(part.index);
  state_->plan.Restore(fence, std::move(order), booked.start, std::move(uses), std::move(chosen));
}

void SystemPlan::Join(const Fence& fence, const Fence& beside) { state_->plan.Join(fence, beside); }

void SystemPlan::Free(const Fence& fence) {
  state_->plan.Free(fence);
  state_->part_indices.erase(fence);
}

void SystemPlan::FreePartFrom(const Fence& fence, uint32_t part, Instant from) {
  const auto it = state_->part_indices.find(fence);
  if (it == state_->part_indices.end()) return;
  const auto at = std::find(it->second.begin(), it->second.end(), part);
  if (at == it->second.end()) return;
  state_->plan.FreePartFrom(fence, static_cast<size_t>(at - it->second.begin()), from);
}

verifier::BookAnswer SystemPlan::Rebook(const Fence& fence, const IntervalSet& allowed,
                                        Instant now) {
  state_->Forget(now);
  const plan::Answer answer =
      state_->plan.Rebook(fence, allowed, now, schemas::kStartIntervals, false);
  if (const auto* refused = std::get_if<plan::Refused>(&answer)) return state_->EntryOf(*refused);
  return state_->BookedOf(state_->part_indices.at(fence), state_->plan.OrderOf(fence),
                          std::get<plan::Placed>(answer));
}

std::optional<verifier::Booked> SystemPlan::RebookEarlier(const Fence& fence,
                                                          const IntervalSet& allowed, Instant now) {
  state_->Forget(now);
  const plan::Answer answer = state_->plan.Rebook(fence, allowed, now, 0);
  const auto* placed = std::get_if<plan::Placed>(&answer);
  if (placed == nullptr) return std::nullopt;
  return state_->BookedOf(state_->part_indices.at(fence), state_->plan.OrderOf(fence), *placed);
}

ResourceSet SystemPlan::FreeNow(Instant now) const { return state_->plan.FreeNow(now); }
uint64_t SystemPlan::looks() const { return state_->plan.occupancy().looks(); }

IntervalSet SystemPlan::OtherStarts(const Fence& fence, const IntervalSet& allowed, Instant now) {
  state_->Forget(now);
  return state_->plan.OtherStarts(fence, allowed, now, schemas::kStartIntervals);
}

std::shared_ptr<SystemPlan::Run> SystemPlan::NewRun() { return std::make_shared<Run>(); }

std::vector<schemas::VerdictEntry> SystemPlan::Verify(
    const std::vector<schemas::ProposalEntry>& entries, Instant now, bool federated,
    Run* run) const {
  state_->Renew(now);
  std::vector<plan::Question> questions;
  questions.reserve(entries.size());
  for (const schemas::ProposalEntry& entry : entries) {
    questions.push_back(state_->QuestionOf(entry, federated));
  }
  std::vector<schemas::VerdictEntry> out;
  out.reserve(entries.size());
  plan::Plan& plan = state_->plan;  // not const: it keeps chosen partitions for the next Book
  const std::vector<plan::Reply> replies =
      run ? plan.Verify(questions, now, state_->looks, run->draft)
          : plan.Verify(questions, now, state_->looks);
  for (const plan::Reply& reply : replies) {
    schemas::VerdictEntry& entry = out.emplace_back();
    if (const auto* refused = std::get_if<plan::Refused>(&reply.answer)) {
      FillRefusal(entry, *refused, state_->name);
      continue;
    }
    const plan::Placed& placed = std::get<plan::Placed>(reply.answer);
    entry.kind =
        reply.why.has_value() ? schemas::VerdictKind::kCountered : schemas::VerdictKind::kAccepted;
    entry.start = placed.start;
    entry.starts = reply.feasible.starts;
    entry.complete_until = reply.feasible.complete_until;
    for (const ResourceSet& taken : placed.taken) entry.taken.push_back(rules::Shown(taken));
    if (reply.why.has_value()) entry.reason = ReasonOf(*reply.why, state_->name);
  }
  out.resize(entries.size());  // entries beyond the planning budget stay unanswered
  return out;
}

Instant SystemPlan::EndOf(const Fence& fence, uint32_t part) const {
  return state_->plan.EndOf(fence, state_->PlaceIn(fence, part));
}

Instant SystemPlan::RoomUntil(const Fence& fence, uint32_t part, Instant until) const {
  return state_->plan.RoomUntil(fence, state_->PlaceIn(fence, part), until);
}

bool SystemPlan::HasRoomFrom(const Fence& fence, uint32_t part, Instant from) const {
  return state_->plan.HasRoomFrom(fence, state_->PlaceIn(fence, part), from);
}

std::vector<Fence> SystemPlan::Beside(const Fence& fence, uint32_t part, Instant begin,
                                      Instant end) const {
  return state_->plan.Beside(fence, state_->PlaceIn(fence, part), begin, end);
}

void SystemPlan::Lengthen(const Fence& fence, uint32_t part, Instant end) {
  state_->plan.Lengthen(fence, state_->PlaceIn(fence, part), end);
}

bool SystemPlan::Knows(const std::string& node) const {
  return state_->plan.machine().FindNode(node).has_value();
}

bool SystemPlan::SetUsable(const std::string& node, bool usable) {
  const std::optional<uint32_t> index = state_->plan.machine().FindNode(node);
  if (!index.has_value() || state_->plan.IsUsable(*index) == usable) return false;
  state_->plan.SetUsable(*index, usable);
  state_->rules.ServiceChanged();
  return true;
}

void SystemPlan::OnlyOn(const std::set<std::string>& nodes) {
  for (uint32_t n = 0; n < state_->machine->node_count(); ++n) {
    state_->plan.SetUsable(n, nodes.contains(state_->machine->node(n).name));
  }
}

void SystemPlan::SetGone(const std::string& node, bool gone) {
  const std::optional<uint32_t> index = state_->plan.machine().FindNode(node);
  if (!index.has_value()) return;
  state_->plan.SetGone(*index, gone);
  if (gone) state_->plan.GiveUp(*index);
}

void SystemPlan::LimitTime(const std::string& node, const plan::TimeLimit& limit) {
  if (const auto index = state_->plan.machine().FindNode(node))
    state_->plan.LimitTime(*index, limit);
}

bool SystemPlan::Usable(uint32_t node) const { return state_->plan.IsUsable(node); }

std::vector<plan::Obstacle> SystemPlan::Obstacles(const schemas::ProposalEntry& entry,
                                                  Instant start) const {
  return state_->plan.Obstacles(state_->QuestionOf(entry, true), start);
}

std::vector<plan::Window> SystemPlan::Windows(const schemas::ProposalEntry& entry, Instant until,
                                              Instant now, size_t limit, bool federated) const {
  state_->Renew(now);
  return state_->plan.Windows(state_->QuestionOf(entry, federated), until, now, limit);
}

std::vector<plan::NodeNow> SystemPlan::NodesNow(size_t most, Instant now) const {
  const rules::RuleSet& set = state_->rules.rules();
  std::vector<std::vector<Interval>> closed(std::min(most, state_->machine->node_count()));
  for (const rules::Standing& standing : set.standing) {
    if (!standing.outside) continue;
    const auto aside = rules::SetAside(standing, set.zone, now, now + state_->ahead);
    for (const uint32_t node : standing.nodes) {
      if (node >= closed.size()) continue;
      for (const auto& [when, endless] : aside) {
        closed[node].push_back({when.begin, endless ? kFarFuture : when.end});
      }
    }
  }
  std::vector<plan::NodeNow> out;
  out.reserve(closed.size());
  for (uint32_t node = 0; node < closed.size(); ++node) {
    out.push_back(state_->plan.Now(node, now, IntervalSet(std::move(closed[node]))));
    out.back().used = rules::Shown(out.back().used);
  }
  return out;
}

std::string SystemPlan::Resource(uint32_t dimension) const {
  return rules::Shown(state_->plan.machine().resource(dimension));
}

schemas::Capacity SystemPlan::Capacity(Instant now) const {
  const plan::Plan& plan = state_->plan;
  const machine::Machine& machine = plan.machine();
  schemas::Capacity out;
  out.plan = {revision()};
  out.driver = state_->driver;
  out.capabilities = state_->capabilities;
  out.turnover = state_->turnover;
  out.start_slack = state_->start_slack;
  out.firm = state_->firm;
  for (const rules::RequestValues& values : state_->rules.rules().defaults) {
    if (values.duration) out.durations.push_back({values.who, *values.duration});
  }
  for (const rules::RequestValues& values : state_->rules.rules().forced) {
    if (values.duration) out.forced.push_back({values.who, *values.duration});
  }
  for (uint32_t c = 0; c < machine.classes().size(); ++c) {
    const machine::NodeClass& alike = machine.classes()[c];
    out.classes.push_back({static_cast<uint32_t>(alike.nodes.size()),
                           plan.UsableIn(c),
                           rules::Shown(alike.per_node),
                           alike.properties,
                           alike.mixed,
                           {}});
    if (alike.speed != kFullSpeed) out.classes.back().speed = alike.speed;
  }
  for (plan::FreeStep& step : plan.ProfileWithoutMeta(now, schemas::kProfileSteps)) {
    for (ResourceSet& free : step.free) free = rules::Shown(free);
    out.profile.push_back({step.from, std::move(step.free)});
  }
  out.free_now = rules::Shown(plan.FreeNow(now));
  for (uint32_t r = 0; r < machine.resource_count(); ++r) {
    if (rules::IsOfOthers(machine.resource(r))) continue;
    out.total.Set(machine.resource(r), plan.occupancy().System(r).avl());
  }
  return out;
}

std::optional<std::string> SystemPlan::StandingOf(const Fence& fence) const {
  if (fence.epoch != kStanding) return std::nullopt;
  return rules::ShownAs(state_->rules.rules().standing[fence.number >> 40]);
}

std::vector<SystemPlan::SetAside> SystemPlan::StandingIn(Instant from, Instant until) const {
  std::vector<SetAside> out;
  const rules::RuleSet& set = state_->rules.rules();
  for (const rules::Standing& standing : set.standing) {
    for (const auto& [when, endless] : rules::SetAside(standing, set.zone, from, until)) {
      out.push_back({standing.name,
                     standing.nodes,
                     {when.begin, std::min(when.end, until)},
                     standing.outside,
                     rules::ShownAs(standing)});
    }
  }
  return out;
}

std::vector<schemas::LimitRow> SystemPlan::Limits(const std::string& user,
                                                  const std::vector<std::string>& groups,
                                                  Instant now) const {
  state_->Renew(now);
  std::vector<schemas::LimitRow> out;
  for (rules::Row& row :
       state_->rules.current().Rows(user, groups, state_->plan.occupancy().accounts(), now)) {
    out.push_back({state_->name, std::move(row.who), std::move(row.what), row.used,
                   std::move(row.limit), std::move(row.when), std::move(row.if_exceeded)});
  }
  return out;
}

void SystemPlan::Forget(Instant now) { state_->Forget(now); }

}  // namespace muster::site
