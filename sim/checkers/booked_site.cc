// A hold is booked as planned until its parts start, then as they run. A job inside of a
// reservation counts in the reservation's newest hold.
#include "sim/checkers/booked_site.h"

#include <algorithm>
#include <utility>

#include "sim/checkers/lent_room.h"
#include "sim/checkers/pauses.h"
#include "sim/checkers/set_choices.h"

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartDemand;
using schemas::PartRecord;
using schemas::PartState;

constexpr char kNowhere[] = "a reservation that is gone";

// When a part's booking ends, in whole seconds. Before its start: as planned, after its tail. While
// it runs: after its run time, but with kCovered a turnover less (protocol.md section 4), and not
// before the planned end. After its end: at its end. A reservation ends as planned, however late it
// was opened.
Instant EndOf(const PartDemand& demand, const PartRecord& part, const HoldRecord& hold,
              Span turnover, RunsEnd ends) {
  if (part.state == PartState::kEnded && part.ended_at) return part.ended_at->Floor();
  const Span length =
      demand.duration - part.saved + part.place.slower + part.extended + PausedFor(part.paused);
  const Instant planned = hold.start + demand.offset + length;
  if (const auto lent = EndOfLentRoom(hold, planned, turnover)) return *lent;
  if (part.started_at && hold.order.reserves) return planned;
  if (part.started_at && ends == RunsEnd::kWhole) {
    return std::max(planned, part.started_at->Ceiling() + length);
  }
  if (part.started_at) return std::max(planned, part.started_at->Floor() + length - turnover);
  return planned + demand.tail;
}

// The part as the plan checker takes it. On a machine with a geometry a part has its units
// exclusively; units that host no chunk come without resources, and G2 checks them.
BookedPart PartOf(const PartDemand& demand, const PartRecord& part, const HoldRecord& hold,
                  Span turnover, RunsEnd ends, bool shaped) {
  BookedPart out{
      .name = ToText(hold.order.fence) + "." + std::to_string(part.index),
      .span = {hold.start + demand.offset - turnover, EndOf(demand, part, hold, turnover, ends)},
      .duration = demand.duration,
      .spread = static_cast<Spread>(demand.place),
      .exclusive = demand.exclusive || shaped,
      .resized = !part.counts.empty(),
      .jobwide = demand.jobwide};
  for (size_t c = 0; c < demand.chunks.size(); ++c) {
    const schemas::Chunk& chunk = demand.chunks[c];
    const int64_t count =
        c < part.counts.size() ? static_cast<int64_t>(part.counts[c]) : int64_t{chunk.count};
    out.wanted.push_back({count, chunk.resources, chunk.properties});
  }
  for (const schemas::ChunkPlace& place : part.place.chunks) {
    const bool hosts = !shaped || !place.resources.entries().empty();
    if (!hosts) out.bare.push_back(place.node);
    if (hosts) out.placed.push_back({place.node, place.resources});
  }
  return out;
}

// True if a running part was given more chunk sets.
bool Grew(const HoldRecord& before, const HoldRecord& after) {
  for (size_t i = 0; i < after.parts.size(); ++i) {
    const size_t sets = before.parts[i].place.chunks.size();
    if (!after.parts[i].counts.empty() && after.parts[i].place.chunks.size() > sets) return true;
  }
  return false;
}

ItemsFacts ItemsOf(const Quota& quota) { return {quota.items, quota.percent}; }

}  // namespace

BookedSite::BookedSite(const site::Options& site, PlanFacts facts, RunsEnd ends)
    : options_(site),
      checker_(std::move(facts)),
      turnover_(site.facts.turnover),
      ends_(ends),
      shaped_(site.units.geometry != nullptr) {}

void BookedSite::Put(Moment at, const SiteWrites& writes) {
  for (const auto& write : writes) {
    if (!write.value) continue;
    const auto* hold = std::get_if<HoldRecord>(&*write.value);
    if (hold != nullptr) Put(at, *hold);
  }
  for (const auto& [fence, inside] : inside_) Follow(fence, inside);
}

std::optional<Fence> BookedSite::HoldOf(RequestId reservation) const {
  const auto live = reservations_.find(reservation);
  if (live == reservations_.end() || live->second.empty()) return std::nullopt;
  return *live->second.rbegin();
}

void BookedSite::Put(Moment at, const HoldRecord& hold) {
  const Fence& fence = hold.order.fence;
  if (hold.order.replaces) replaces_[fence] = *hold.order.replaces;
  const bool gone = hold.state == HoldState::kClosed || hold.state == HoldState::kNone;
  if (hold.order.reserves) {
    std::set<Fence>& live = reservations_[hold.order.request];
    gone ? void(live.erase(fence)) : void(live.insert(fence));
  }
  if (gone) {
    begins_.erase(fence);
    inside_.erase(fence);
    orders_.erase(fence);
    holds_.erase(fence);
    return checker_.Remove(ToText(fence));
  }
  const bool grew = holds_.contains(fence) && Grew(holds_.at(fence), hold);
  holds_[fence] = hold;
  const auto [begins, fresh] = begins_.try_emplace(fence);
  // A part that began late was planned in time. Its overrun is not the plan's fault (CheckCapacity
  // looks at that), so the part stays booked as planned.
  begins->second.late = begins->second.late || BeganLate(hold);
  const bool late = !fresh && begins->second.late;
  if (fresh || (!late && begins->second.start != hold.start)) {
    begins->second = {hold.start, hold.start <= at.Floor() + kAtOnce};
  }
  // Added chunk sets start at once, whenever the other sets did.
  begins->second.at_once = begins->second.at_once || grew;
  BookedOrder order{.name = ToText(fence),
                    .chain = ToText(First(fence)),
                    .user = hold.order.requester.user,
                    .groups = hold.order.requester.groups,
                    .account = hold.order.account,
                    .qos = hold.order.qos,
                    .queue = hold.order.queue,
                    .interactive = hold.order.request_class == schemas::RequestClass::kInteractive,
                    .element = hold.order.request.is_element(),
                    .at_once = begins->second.at_once,
                    .federated = fence.epoch != Epoch{0},
                    .reserves = hold.order.reserves.has_value()};
  if (hold.order.reserves) order.allow = hold.order.reserves->allow;
  for (size_t i = 0; i < hold.parts.size(); ++i) {
    BookedPart part = PartOf(hold.order.parts[i], hold.parts[i], hold, turnover_, ends_, shaped_);
    part.one_switch = OneSwitch(hold.order, i);
    if (late) {
      const Instant start = begins->second.start + hold.order.parts[i].offset;
      const PartRecord& its = hold.parts[i];
      const Span runs = hold.order.parts[i].duration - its.saved + its.place.slower + its.extended +
                        PausedFor(its.paused);
      part.span = {start - turnover_, std::min(part.span.end, start + runs)};
    }
    order.parts.push_back(std::move(part));
  }
  if (hold.order.inside) {
    order.inside = kNowhere;
    const bool started =
        std::any_of(hold.parts.begin(), hold.parts.end(),
                    [](const PartRecord& part) { return part.state >= PartState::kStarting; });
    inside_[fence] = {*hold.order.inside, started};
  }
  Enter(fence, std::move(order));
}

// Whether the part is to be below one switch: by its own set, or by that which the site chooses.
bool BookedSite::OneSwitch(const schemas::HoldOrder& order, size_t part) const {
  const std::optional<NodeSet> set =
      SetAt(options_, order.parts[part].set, order.reserves || order.inside);
  return set && set->IsOneSwitch();
}

void BookedSite::Enter(const Fence& fence, BookedOrder order) {
  checker_.Put(order);
  orders_[fence] = std::move(order);
}

// Links a job to the newest hold of its reservation, if that is another one now. A started job may
// outlive the reservation.
void BookedSite::Follow(const Fence& fence, const Inside& inside) {
  const std::optional<Fence> hold = HoldOf(inside.reservation);
  const bool outlives = !hold && inside.started;
  const std::string name = hold ? ToText(*hold) : outlives ? "" : kNowhere;
  BookedOrder order = orders_.at(fence);
  if (order.inside == name) return;
  order.outlives = outlives;
  order.inside = name;
  Enter(fence, std::move(order));
}

// The first hold of the replacement chain that ends with `fence`.
Fence BookedSite::First(Fence fence) const {
  for (auto it = replaces_.find(fence); it != replaces_.end(); it = replaces_.find(fence)) {
    fence = it->second;
  }
  return fence;
}

PlanFacts FactsOf(const site::Options& site) {
  PlanFacts out;
  for (const site::Node& node : site.nodes) {
    NodeFacts& facts = out.nodes.emplace_back();
    facts.name = node.name;
    facts.has = node.resources;
    facts.properties = node.properties;
    facts.speed = node.speed;
  }
  for (const machine::Switch& one : site.switches) {
    for (const std::string& below : one.switches) out.above[below] = one.name;
    for (NodeFacts& node : out.nodes) {
      const bool here = std::find(one.nodes.begin(), one.nodes.end(), node.name) != one.nodes.end();
      if (here) node.below = one.name;
    }
  }
  const rules::RuleSet& rules = site.rules;
  for (size_t n = 0; n < rules.rule_of_node.size() && n < out.nodes.size(); ++n) {
    if (rules.rule_of_node[n] >= rules.node_rules.size()) continue;
    const rules::NodeRule& rule = rules.node_rules[rules.rule_of_node[n]];
    out.nodes[n].only = rule.only;
    out.nodes[n].kept = rule.keep;
    out.nodes[n].kept_for = rule.keep_for;
  }
  out.jobwide = rules.jobwide;
  out.zone = rules.zone;
  out.federation_percent = rules.federation_percent;
  for (const rules::Limit& limit : rules.limits) {
    LimitFacts& facts = out.limits.emplace_back();
    facts = {.who = limit.who,
             .resource = limit.resource,
             .duration = limit.duration,
             .area = limit.area,
             .valid = limit.valid,
             .soft = limit.soft,
             .each = limit.each};
    if (!limit.items.unlimited()) facts.items = ItemsOf(limit.items);
  }
  for (const rules::Pool& pool : rules.pools) {
    out.pools.push_back({pool.name, pool.resource, ItemsOf(pool.keep), pool.open_to, pool.valid});
  }
  return out;
}

}  // namespace muster::sim
