// Conversions between the protocol's structs and the plan's own types; the planning itself is
// site/plan.
#include "site/planning/planner.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "site/plan/overlay.h"
#include "site/plan/plan.h"
#include "site/plan/rules/standing.h"
#include "site/plan/rules/upkeep.h"
#include "site/planning/capabilities.h"
#include "site/planning/nested_plans.h"

namespace muster::site {
namespace {

// The past is dropped once this much of it has gathered, and this much of it always stays.
constexpr Span kPastKept{60};
// Bookings of standing reservations: no meta has this epoch.
constexpr Epoch kStanding{UINT64_MAX - 1};

ResourceSet Sum(ResourceSet a, const ResourceSet& b) { return a += b; }

// What rules make of the resources of a node.
ResourceSet DimensionsOf(const Options& options, size_t node, const ResourceSet& has) {
  return rules::WithUnreserved(options.rules, rules::WithOthers(options.rules, node, has));
}

std::shared_ptr<const machine::Machine> MachineOf(const Options& options) {
  std::vector<machine::Node> nodes;
  for (const Node& node : options.nodes) {
    const size_t place = nodes.size();
    const ResourceSet has = DimensionsOf(options, place, Sum(node.resources, node.lost));
    nodes.push_back({node.name, has, node.properties, rules::WeightOf(options.rules, place)});
  }
  return std::make_shared<const machine::Machine>(std::move(nodes), schemas::kNodeClasses,
                                                  options.switches, options.units);
}

plan::Place PlaceOf(schemas::Place place) {
  switch (place) {
    case schemas::Place::kPack:
      return plan::Place::kPack;
    case schemas::Place::kScatter:
      return plan::Place::kScatter;
    case schemas::Place::kFree:
      break;
  }
  return plan::Place::kFree;
}

// With `whole`, nodes are had alone: they are units of a partition.
plan::Order OrderOf(const std::vector<schemas::PartDemand>& parts, std::string label,
                    plan::Consumer who, bool element, bool whole) {
  plan::Order order{{}, std::move(label), std::move(who), element};
  for (const schemas::PartDemand& demand : parts) {
    // A sum beyond what an order may have is refused as such, and must not overflow before.
    const bool sane = demand.duration > Span{0} && demand.duration < Span{kFarFuture.seconds} &&
                      demand.tail >= Span{0} && demand.tail < Span{kFarFuture.seconds};
    plan::Part part{{},
                    PlaceOf(demand.place),
                    demand.exclusive || whole,
                    demand.offset,
                    sane ? demand.duration + demand.tail : Span{0},
                    demand.jobwide,
                    demand.group,
                    sane ? demand.tail : Span{0}};
    for (const schemas::Chunk& chunk : demand.chunks) {
      part.chunks.push_back({chunk.count, chunk.resources, chunk.properties});
    }
    order.parts.push_back(std::move(part));
  }
  return order;
}

// Epoch 0 is that of the site's own users.
plan::Order OrderOf(const Fence& fence, const verifier::Demand& demand, bool whole) {
  plan::Order order =
      OrderOf(demand.parts, demand.label, {demand.user, demand.groups, fence.epoch.value != 0},
              demand.element, whole);
  order.grows = demand.grows;
  for (size_t p = 0; p < order.parts.size(); ++p) {
    const auto asked = demand.asked.find(demand.parts[p].index);
    if (asked != demand.asked.end()) order.parts[p].tail = order.parts[p].length - asked->second;
  }
  return order;
}

schemas::ReasonCode CodeOf(plan::Why::Code code) {
  switch (code) {
    case plan::Why::Code::kBooking:
      return schemas::ReasonCode::kJob;
    case plan::Why::Code::kNode:
      return schemas::ReasonCode::kNode;
    case plan::Why::Code::kProperty:
      return schemas::ReasonCode::kProperty;
    case plan::Why::Code::kPolicy:
      return schemas::ReasonCode::kPolicy;
    case plan::Why::Code::kHorizon:
      return schemas::ReasonCode::kHorizon;
    case plan::Why::Code::kLimit:
      return schemas::ReasonCode::kLimit;
    case plan::Why::Code::kFreepool:
      return schemas::ReasonCode::kFreepool;
    case plan::Why::Code::kReservation:
      return schemas::ReasonCode::kReservation;
    case plan::Why::Code::kTopology:
      return schemas::ReasonCode::kTopology;
  }
  return schemas::ReasonCode::kJob;
}

schemas::Reason ReasonOf(const plan::Why& why, const std::string& site) {
  return {CodeOf(why.code),
          {site, why.node, why.label},
          rules::Shown(why.resource),
          why.until,
          rules::ShownIn(why.text)};
}

void FillRefusal(schemas::VerdictEntry& entry, const plan::Refused& refused,
                 const std::string& site) {
  switch (refused.kind) {
    case plan::Refused::Kind::kLater:
      // Not within what is allowed and planned, as things are.
      entry.kind = refused.feasible.starts.empty() ? schemas::VerdictKind::kBlocked
                                                   : schemas::VerdictKind::kCountered;
      break;
    case plan::Refused::Kind::kNever:
      entry.kind = schemas::VerdictKind::kNever;
      break;
    case plan::Refused::Kind::kBlocked:
      entry.kind = schemas::VerdictKind::kBlocked;
      break;
  }
  entry.starts = refused.feasible.starts;
  entry.complete_until = refused.feasible.complete_until;
  if (!entry.starts.empty()) entry.start = entry.starts.intervals().front().begin;
  entry.reason = ReasonOf(refused.why, site);
  for (const plan::Chunk& chunk : refused.largest) {
    entry.largest.push_back({chunk.count, rules::ShownLeast(chunk.resources), chunk.properties});
  }
}

// Of feasible starts, in one verdict.
size_t IntervalsOf(const schemas::ProposalEntry& entry) {
  if (!entry.want_starts) return 1;
  if (entry.intervals == 0) return schemas::kStartIntervals;
  return std::min<size_t>(entry.intervals, schemas::kSearchIntervals);
}

}  // namespace

struct SitePlanner::State {
  // What only the protocol's structs need of a booking.
  std::map<Fence, std::vector<uint32_t>> part_indices;
  std::string name;
  std::string driver;
  std::vector<std::string> capabilities;
  Span turnover;
  Span start_slack;
  std::shared_ptr<const machine::Machine> machine;
  rules::Upkeep rules;
  plan::Plan plan;
  NestedPlans nested;
  uint64_t looks;                     // of one verdict
  Span ahead;                         // standing reservations are booked so far at least
  Instant standing_known{INT64_MIN};  // and are booked further from then on

  explicit State(const Options& options)
      : name(options.name),
        driver(options.driver),
        capabilities(CapabilitiesOf(options)),
        turnover(options.turnover),
        start_slack(options.start_slack),
        machine(MachineOf(options)),
        rules(options.rules, machine, options.turnover, options.horizon),
        plan(machine,
             {options.turnover, options.horizon, options.policy, options.choice,
              options.federation_horizon},
             rules.First()),
        nested(options),
        looks(options.plan_looks.value_or(plan::kPlanLooks)),
        ahead(options.horizon + rules::kLongestJudged) {
    for (uint32_t n = 0; n < options.nodes.size(); ++n) {
      const Node& node = options.nodes[n];
      if (node.lost.empty()) continue;
      const ResourceSet had = DimensionsOf(options, n, Sum(node.resources, node.lost));
      const ResourceSet has = DimensionsOf(options, n, node.resources);
      for (const auto& [name, amount] : had.entries()) {
        const int64_t lost = amount - has.Get(name);
        if (lost > 0) plan.SetDefect(n, *machine->FindResource(name), lost);
      }
    }
  }

  // Place of a part, by its index, in its booking.
  size_t PlaceIn(const Fence& fence, uint32_t part) const {
    const std::vector<uint32_t>& indices = part_indices.at(fence);
    const auto at = std::find(indices.begin(), indices.end(), part);
    MUSTER_CHECK(at != indices.end());
    return static_cast<size_t>(at - indices.begin());
  }

  verifier::Booked BookedOf(const std::vector<uint32_t>& indices, const plan::Order& order,
                            const plan::Placed& placed) const;
  schemas::VerdictEntry EntryOf(const plan::Refused& refused) const {
    schemas::VerdictEntry entry;
    FillRefusal(entry, refused, name);
    return entry;
  }
  bool WholeNodes() const { return machine->geometry() != nullptr; }
  plan::Question QuestionOf(const schemas::ProposalEntry& entry, bool federated) const {
    plan::Consumer who{entry.user, entry.groups, federated};
    plan::Question question{OrderOf(entry.parts, "", std::move(who), entry.element, WholeNodes()),
                            entry.asked,
                            entry.allowed,
                            IntervalsOf(entry),
                            entry.want_starts,
                            entry.ignoring,
                            entry.alternative};
    rules.Prepare(question.order);
    return question;
  }
  void Renew(Instant now) {
    rules.Renew(plan, now);
    if (rules.rules().standing.empty() || now < standing_known) return;
    BookStanding(now);
  }
  void BookStanding(Instant now);

  // Brings what depends on time and on nodes in service up to now; no answer depends on when that
  // is done.
  void Forget(Instant now) {
    Renew(now);
    const Instant until = now - turnover - kPastKept;
    if (plan.occupancy().forgotten() + kPastKept < until) plan.ForgetBefore(until);
  }
};

// Twice as far as is needed, so that it is seldom done. What is booked already stays.
void SitePlanner::State::BookStanding(Instant now) {
  const rules::RuleSet& set = rules.rules();
  const Instant until = now + ahead + ahead;
  standing_known = now + ahead;
  for (size_t i = 0; i < set.standing.size(); ++i) {
    const rules::Standing& standing = set.standing[i];
    const std::optional<uint32_t> dimension = machine->FindResource(rules::DimensionOf(standing));
    MUSTER_CHECK(dimension.has_value());
    for (const auto& [when, endless] : rules::SetAside(standing, set.zone, now, until)) {
      // By its end, which stays the same while time goes on; 0 is no end.
      const auto end = endless ? 0 : static_cast<uint64_t>(when.end.seconds);
      const Fence fence{kStanding, (i << 40) + end};
      if (plan.Has(fence) || when.end - when.begin <= turnover) continue;
      plan::Order order{.label = rules::ShownAs(standing), .standing = true};
      order.parts.push_back({.length = when.end - when.begin - turnover});
      std::vector<plan::NodeUse> uses;
      for (const uint32_t node : standing.nodes) {
        plan::NodeUse& use =
            uses.emplace_back(plan::NodeUse{node, plan::Amounts(plan.occupancy().dimensions())});
        use.amounts[*dimension] = rules::kUnreserved;
      }
      plan.Restore(fence, std::move(order), when.begin + turnover, {std::move(uses)});
    }
  }
}

verifier::Booked SitePlanner::State::BookedOf(const std::vector<uint32_t>& indices,
                                              const plan::Order& order,
                                              const plan::Placed& placed) const {
  verifier::Booked booked{placed.start, {}};
  for (size_t p = 0; p < indices.size(); ++p) {
    schemas::PartPlace& place = booked.places.emplace_back();
    place.index = indices[p];
    for (const plan::Assignment& a : placed.mapping[p]) {
      if (a.count == 0) {
        place.chunks.push_back({plan.machine().node(a.node).name, {}});
        continue;
      }
      const schemas::ChunkPlace one{plan.machine().node(a.node).name,
                                    rules::Shown(order.parts[p].chunks[a.chunk].resources)};
      place.chunks.insert(place.chunks.end(), a.count, one);
    }
  }
  return booked;
}

struct SitePlanner::Run {
  plan::Plan::Draft draft;
};

SitePlanner::SitePlanner(const Options& options) : state_(std::make_unique<State>(options)) {}
SitePlanner::SitePlanner(const SitePlanner& other)
    : verifier::Planner(other), state_(std::make_unique<State>(*other.state_)) {}
SitePlanner::SitePlanner(SitePlanner&&) noexcept = default;
SitePlanner& SitePlanner::operator=(const SitePlanner& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
SitePlanner& SitePlanner::operator=(SitePlanner&&) noexcept = default;
SitePlanner::~SitePlanner() = default;

PlanRevision SitePlanner::revision() const {
  return {state_->plan.revision() + state_->nested.changes()};
}

void SitePlanner::OpenSystem(const Reserved& reserved) { state_->nested.Open(reserved); }
void SitePlanner::ShareSystem(RequestId id, const std::vector<std::string>& allow) {
  state_->nested.Share(id, allow);
}
void SitePlanner::CloseSystem(RequestId id, const Fence& holder) {
  state_->nested.Close(id, holder);
}
std::optional<Fence> SitePlanner::HolderOf(RequestId id) const {
  return state_->nested.HolderOf(id);
}

verifier::BookAnswer SitePlanner::Book(const Fence& fence, const verifier::Demand& demand,
                                       Instant now, std::optional<Fence> beside) {
  state_->Forget(now);
  if (demand.inside) return state_->nested.Book(fence, demand, now, beside);
  plan::Order order = OrderOf(fence, demand, state_->WholeNodes());
  state_->rules.Prepare(order);
  const plan::Answer answer =
      state_->plan.Book(fence, order, demand.allowed, now, beside, schemas::kStartIntervals);
  if (const auto* refused = std::get_if<plan::Refused>(&answer)) return state_->EntryOf(*refused);
  std::vector<uint32_t>& indices = state_->part_indices[fence];
  for (const schemas::PartDemand& part : demand.parts) indices.push_back(part.index);
  return state_->BookedOf(indices, order, std::get<plan::Placed>(answer));
}

void SitePlanner::Restore(const Fence& fence, const verifier::Demand& demand,
                          const verifier::Booked& booked) {
  MUSTER_CHECK(booked.places.size() == demand.parts.size());
  if (demand.inside) return state_->nested.Restore(fence, demand, booked);
  plan::Order order = OrderOf(fence, demand, state_->WholeNodes());
  state_->rules.Prepare(order);
  const machine::Machine& machine = state_->plan.machine();
  const plan::Occupancy& occupancy = state_->plan.occupancy();
  std::vector<std::vector<plan::NodeUse>> uses;
  for (size_t p = 0; p < booked.places.size(); ++p) {
    std::map<uint32_t, plan::Amounts> by_node;
    for (const schemas::ChunkPlace& place : booked.places[p].chunks) {
      // What is not there any more blocks nothing.
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
  state_->plan.Restore(fence, std::move(order), booked.start, std::move(uses));
}

void SitePlanner::Join(const Fence& fence, const Fence& beside) {
  if (SitePlanner* inside = state_->nested.Of(fence)) return inside->Join(fence, beside);
  state_->plan.Join(fence, beside);
}

void SitePlanner::Free(const Fence& fence) {
  state_->nested.Free(fence);
  state_->plan.Free(fence);
  state_->part_indices.erase(fence);
}

void SitePlanner::FreePartFrom(const Fence& fence, uint32_t part, Instant from) {
  if (SitePlanner* inside = state_->nested.Of(fence)) {
    state_->nested.Changed();
    return inside->FreePartFrom(fence, part, from);
  }
  const auto it = state_->part_indices.find(fence);
  if (it == state_->part_indices.end()) return;
  const auto at = std::find(it->second.begin(), it->second.end(), part);
  if (at == it->second.end()) return;
  state_->plan.FreePartFrom(fence, static_cast<size_t>(at - it->second.begin()), from);
}

verifier::BookAnswer SitePlanner::Rebook(const Fence& fence, const IntervalSet& allowed,
                                         Instant now) {
  state_->Forget(now);
  if (state_->nested.Of(fence) != nullptr) return state_->nested.Rebook(fence, allowed, now);
  const plan::Answer answer = state_->plan.Rebook(fence, allowed, now, schemas::kStartIntervals);
  if (const auto* refused = std::get_if<plan::Refused>(&answer)) return state_->EntryOf(*refused);
  return state_->BookedOf(state_->part_indices.at(fence), state_->plan.OrderOf(fence),
                          std::get<plan::Placed>(answer));
}

std::optional<verifier::Booked> SitePlanner::RebookEarlier(const Fence& fence,
                                                           const IntervalSet& allowed,
                                                           Instant now) {
  state_->Forget(now);
  if (state_->nested.Of(fence) != nullptr) {
    const verifier::BookAnswer answer = state_->nested.Rebook(fence, allowed, now);
    const auto* booked = std::get_if<verifier::Booked>(&answer);
    return booked != nullptr ? std::optional(*booked) : std::nullopt;
  }
  const plan::Answer answer = state_->plan.Rebook(fence, allowed, now, 0);
  const auto* placed = std::get_if<plan::Placed>(&answer);
  if (placed == nullptr) return std::nullopt;
  return state_->BookedOf(state_->part_indices.at(fence), state_->plan.OrderOf(fence), *placed);
}

ResourceSet SitePlanner::FreeNow(Instant now) const { return state_->plan.FreeNow(now); }
uint64_t SitePlanner::looks() const { return state_->plan.occupancy().looks(); }

IntervalSet SitePlanner::OtherStarts(const Fence& fence, const IntervalSet& allowed, Instant now) {
  state_->Forget(now);
  if (SitePlanner* inside = state_->nested.Of(fence)) {
    return inside->OtherStarts(fence, allowed, now);
  }
  return state_->plan.OtherStarts(fence, allowed, now, schemas::kStartIntervals);
}

std::vector<schemas::VerdictEntry> SitePlanner::Verify(
    const std::vector<schemas::ProposalEntry>& entries, Instant now) const {
  return Answer(entries, now, true, nullptr);
}

std::vector<schemas::VerdictEntry> SitePlanner::Verify(
    const std::vector<schemas::ProposalEntry>& entries, Instant now, bool federated) const {
  return Answer(entries, now, federated, nullptr);
}

std::vector<schemas::VerdictEntry> SitePlanner::Continue(
    const std::vector<schemas::ProposalEntry>& entries, Instant now,
    std::shared_ptr<Run>& run) const {
  if (!run) run = std::make_shared<Run>();
  return Answer(entries, now, true, run.get());
}

std::vector<schemas::VerdictEntry> SitePlanner::Answer(
    const std::vector<schemas::ProposalEntry>& entries, Instant now, bool federated,
    Run* run) const {
  if (std::any_of(entries.begin(), entries.end(),
                  [](const auto& entry) { return entry.inside.has_value(); })) {
    return AnswerApart(entries, now, federated, run);
  }
  state_->Renew(now);
  std::vector<plan::Question> questions;
  questions.reserve(entries.size());
  for (const schemas::ProposalEntry& entry : entries) {
    questions.push_back(state_->QuestionOf(entry, federated));
  }
  std::vector<schemas::VerdictEntry> out;
  out.reserve(entries.size());
  plan::Plan& plan = state_->plan;  // it keeps the partitions that it chooses for the next Book
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
  out.resize(entries.size());  // the planning budget is spent: unanswered
  return out;
}

// Entries of different nested take nothing from each other: each system answers its own.
std::vector<schemas::VerdictEntry> SitePlanner::AnswerApart(
    const std::vector<schemas::ProposalEntry>& entries, Instant now, bool federated,
    Run* run) const {
  std::map<std::optional<RequestId>, std::vector<size_t>> places;
  for (size_t i = 0; i < entries.size(); ++i) places[entries[i].inside].push_back(i);
  std::vector<schemas::VerdictEntry> out(entries.size());
  for (const auto& [inside, at] : places) {
    std::vector<schemas::ProposalEntry> own;
    for (const size_t i : at) own.push_back(entries[i]);
    std::vector<schemas::VerdictEntry> verdicts =
        inside ? state_->nested.Verify(*inside, std::move(own), now)
               : Answer(own, now, federated, run);
    for (size_t k = 0; k < at.size(); ++k) out[at[k]] = std::move(verdicts[k]);
  }
  return out;
}

Instant SitePlanner::EndOf(const Fence& fence, uint32_t part) const {
  if (const SitePlanner* inside = state_->nested.Of(fence)) return inside->EndOf(fence, part);
  return state_->plan.EndOf(fence, state_->PlaceIn(fence, part));
}

Instant SitePlanner::RoomUntil(const Fence& fence, uint32_t part, Instant until) const {
  if (const SitePlanner* inside = state_->nested.Of(fence)) {
    return std::min(inside->RoomUntil(fence, part, until), state_->nested.EndOf(fence));
  }
  return state_->plan.RoomUntil(fence, state_->PlaceIn(fence, part), until);
}

std::vector<Fence> SitePlanner::Beside(const Fence& fence, uint32_t part, Instant begin,
                                       Instant end) const {
  if (const SitePlanner* inside = state_->nested.Of(fence)) {
    return inside->Beside(fence, part, begin, end);
  }
  return state_->plan.Beside(fence, state_->PlaceIn(fence, part), begin, end);
}

void SitePlanner::Lengthen(const Fence& fence, uint32_t part, Instant end) {
  if (SitePlanner* inside = state_->nested.Of(fence)) {
    state_->nested.Changed();
    return inside->Lengthen(fence, part, end);
  }
  state_->plan.Lengthen(fence, state_->PlaceIn(fence, part), end);
}

bool SitePlanner::Knows(const std::string& node) const {
  return state_->plan.machine().FindNode(node).has_value();
}

bool SitePlanner::SetUsable(const std::string& node, bool usable) {
  const std::optional<uint32_t> index = state_->plan.machine().FindNode(node);
  if (!index.has_value() || state_->plan.IsUsable(*index) == usable) return index.has_value();
  state_->plan.SetUsable(*index, usable);
  state_->nested.SetUsable(node, usable);
  state_->rules.ServiceChanged();
  return true;
}

void SitePlanner::OnlyOn(const std::set<std::string>& nodes) {
  for (uint32_t n = 0; n < state_->machine->node_count(); ++n) {
    state_->plan.SetUsable(n, nodes.contains(state_->machine->node(n).name));
  }
  state_->nested.OnlyOn(nodes);
}

void SitePlanner::SetGone(const std::string& node, bool gone) {
  const std::optional<uint32_t> index = state_->plan.machine().FindNode(node);
  if (!index.has_value()) return;
  state_->plan.SetGone(*index, gone);
  if (gone) state_->plan.GiveUp(*index);
}

bool SitePlanner::Usable(uint32_t node) const { return state_->plan.IsUsable(node); }

std::vector<plan::Obstacle> SitePlanner::Obstacles(const schemas::ProposalEntry& entry,
                                                   Instant start) const {
  if (entry.inside) return state_->nested.Obstacles(entry, start);
  return state_->plan.Obstacles(state_->QuestionOf(entry, true), start);
}

std::vector<plan::Window> SitePlanner::Windows(const schemas::ProposalEntry& entry, Instant until,
                                               Instant now, size_t limit, bool federated) const {
  if (entry.inside) return state_->nested.Windows(entry, until, now, limit);
  state_->Renew(now);
  return state_->plan.Windows(state_->QuestionOf(entry, federated), until, now, limit);
}

std::vector<plan::NodeNow> SitePlanner::NodesNow(size_t most, Instant now) const {
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

std::string SitePlanner::Resource(uint32_t dimension) const {
  return rules::Shown(state_->plan.machine().resource(dimension));
}

schemas::Capacity SitePlanner::Capacity(Instant now) const {
  const plan::Plan& plan = state_->plan;
  const machine::Machine& machine = plan.machine();
  schemas::Capacity out;
  out.plan = revision();
  out.driver = state_->driver;
  out.capabilities = state_->capabilities;
  out.turnover = state_->turnover;
  out.start_slack = state_->start_slack;
  for (const rules::RequestValues& values : state_->rules.rules().defaults) {
    if (values.duration) out.durations.push_back({values.who, *values.duration});
  }
  for (const rules::RequestValues& values : state_->rules.rules().forced) {
    if (values.duration) out.forced.push_back({values.who, *values.duration});
  }
  for (uint32_t c = 0; c < machine.classes().size(); ++c) {
    const machine::NodeClass& alike = machine.classes()[c];
    out.classes.push_back({static_cast<uint32_t>(alike.nodes.size()), plan.UsableIn(c),
                           rules::Shown(alike.per_node), alike.properties, alike.mixed});
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

std::optional<std::string> SitePlanner::StandingOf(const Fence& fence) const {
  if (fence.epoch != kStanding) return std::nullopt;
  return rules::ShownAs(state_->rules.rules().standing[fence.number >> 40]);
}

std::vector<SitePlanner::SetAside> SitePlanner::StandingIn(Instant from, Instant until) const {
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

std::vector<schemas::LimitRow> SitePlanner::Limits(const std::string& user,
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

void SitePlanner::Forget(Instant now) {
  state_->Forget(now);
  state_->nested.Forget(now);
}

}  // namespace muster::site
