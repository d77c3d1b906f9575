// Plans: after every write of a site, what its ledger says is booked, as a whole, keeps every rule
// of planning: the independent checker of sim/plan_checker on the ledgers of all sites.
#include "sim/checkers/plans.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartDemand;
using schemas::PartRecord;
using schemas::PartState;

// Soft limits leave alone what starts so soon after it was booked.
constexpr Span kAtOnce{60};
constexpr char kNowhere[] = "a reservation that is gone";

// The second a part's booking ends: as planned until it starts; its run time after that, less what
// the next booking's turnover covers (protocol.md section 4); its end once it is gone.
// A reservation ends as planned, however late it was opened.
Instant EndOf(const PartDemand& demand, const PartRecord& part, const HoldRecord& hold,
              Span turnover) {
  if (part.state == PartState::kEnded && part.ended_at) return part.ended_at->Floor();
  const Span length = demand.duration + part.extended;
  const Instant planned = hold.start + demand.offset + length;
  if (part.started_at && hold.order.reserves) return planned;
  if (part.started_at) return std::max(planned, part.started_at->Floor() + length - turnover);
  return planned + demand.tail;
}

// On a machine with a geometry a part has its units alone; of those that host no chunk, which come
// without resources, G2 tells.
BookedPart PartOf(const PartDemand& demand, const PartRecord& part, const HoldRecord& hold,
                  Span turnover, bool shaped) {
  BookedPart out{
      .name = ToText(hold.order.fence) + "." + std::to_string(part.index),
      .span = {hold.start + demand.offset - turnover, EndOf(demand, part, hold, turnover)},
      .duration = demand.duration,
      .spread = static_cast<Spread>(demand.place),
      .exclusive = demand.exclusive || shaped,
      .one_switch = demand.group == "switch",
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
    if (hosts) out.placed.push_back({place.node, place.resources});
  }
  return out;
}

ItemsFacts ItemsOf(const Quota& quota) { return {quota.items, quota.percent}; }

class PlansCheck : public Checker {
 public:
  explicit PlansCheck(const CheckedWorld& world) {
    for (const site::Options& site : world.sites) {
      sites_.emplace(site.name, Site{PlanChecker(FactsOf(site)),
                                     site.turnover,
                                     site.units.geometry != nullptr,
                                     {},
                                     {},
                                     {},
                                     {}});
    }
  }
  std::string Name() const override { return "plan"; }

  void OnSiteWrites(Moment at, const std::string& name, const SiteWrites& writes) override {
    Site& site = sites_.at(name);
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      if (hold != nullptr) Put(at, site, *hold);
    }
    for (auto& [fence, order] : site.inside) Follow(site, order);
    for (const Violation& v : site.checker.Check(at.Floor())) Violated(at, name + ": " + v.text);
  }

 private:
  struct Begin {
    Instant start;
    bool at_once = false;  // as it was booked
    bool late = false;     // and stays so, whatever causes come to it
  };
  struct Inside {
    RequestId reservation;
    bool started = false;
    BookedOrder order;
  };
  struct Site {
    PlanChecker checker;
    Span turnover;
    bool shaped = false;
    std::map<Fence, Fence> replaces;
    std::map<RequestId, std::set<Fence>> reservations;  // their live holds
    std::map<Fence, Inside> inside;
    std::map<Fence, Begin> begins;
  };

  void Put(Moment at, Site& site, const HoldRecord& hold) {
    const Fence& fence = hold.order.fence;
    if (hold.order.replaces) site.replaces[fence] = *hold.order.replaces;
    const bool gone = hold.state == HoldState::kClosed || hold.state == HoldState::kNone;
    if (hold.order.reserves) {
      std::set<Fence>& live = site.reservations[hold.order.request];
      gone ? void(live.erase(fence)) : void(live.insert(fence));
    }
    if (gone) {
      site.begins.erase(fence);
      site.inside.erase(fence);
      return site.checker.Remove(ToText(fence));
    }
    const auto [begins, fresh] = site.begins.try_emplace(fence);
    // What its driver was slow with was planned as it was before: how much longer it is there is no
    // matter of the plan (CheckCapacity looks at that).
    begins->second.late = begins->second.late || BeganLate(hold);
    const bool late = !fresh && begins->second.late;
    if (fresh || (!late && begins->second.start != hold.start)) {
      begins->second = {hold.start, hold.start <= at.Floor() + kAtOnce};
    }
    BookedOrder order{.name = ToText(fence),
                      .chain = ToText(First(site, fence)),
                      .user = hold.order.requester.user,
                      .groups = hold.order.requester.groups,
                      .element = hold.order.request.is_element(),
                      .at_once = begins->second.at_once,
                      .federated = fence.epoch != Epoch{0},
                      .reserves = hold.order.reserves.has_value()};
    if (hold.order.reserves) order.allow = hold.order.reserves->allow;
    for (size_t i = 0; i < hold.parts.size(); ++i) {
      BookedPart part =
          PartOf(hold.order.parts[i], hold.parts[i], hold, site.turnover, site.shaped);
      if (late) {
        const Instant start = begins->second.start + hold.order.parts[i].offset;
        const Span runs = hold.order.parts[i].duration + hold.parts[i].extended;
        part.span = {start - site.turnover, std::min(part.span.end, start + runs)};
      }
      order.parts.push_back(std::move(part));
    }
    if (hold.order.inside) {
      order.inside = kNowhere;
      const bool started =
          std::any_of(hold.parts.begin(), hold.parts.end(),
                      [](const PartRecord& part) { return part.state >= PartState::kStarting; });
      site.inside[fence] = {*hold.order.inside, started, order};
    }
    site.checker.Put(std::move(order));
  }

  // What is inside of a reservation is so in the hold that it has, which may be another one by now:
  // the newest. What has started may outlive it.
  static void Follow(Site& site, Inside& inside) {
    const std::set<Fence>& live = site.reservations[inside.reservation];
    std::string name = live.empty() ? kNowhere : ToText(*live.rbegin());
    inside.order.outlives = live.empty() && inside.started;
    if (inside.order.outlives) name.clear();
    if (inside.order.inside == name) return;
    inside.order.inside = name;
    site.checker.Put(inside.order);
  }

  // The first of the chain that this one ends.
  static Fence First(const Site& site, Fence fence) {
    for (auto it = site.replaces.find(fence); it != site.replaces.end();
         it = site.replaces.find(fence)) {
      fence = it->second;
    }
    return fence;
  }

  std::map<std::string, Site> sites_;
};

}  // namespace

PlanFacts FactsOf(const site::Options& site) {
  PlanFacts out;
  for (const site::Node& node : site.nodes) {
    out.nodes.push_back({.name = node.name, .has = node.resources, .properties = node.properties});
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
             .soft = limit.soft};
    if (!limit.items.unlimited()) facts.items = ItemsOf(limit.items);
  }
  for (const rules::Pool& pool : rules.pools) {
    out.pools.push_back({pool.name, pool.resource, ItemsOf(pool.keep), pool.open_to, pool.valid});
  }
  return out;
}

std::unique_ptr<Checker> CheckPlans(const CheckedWorld& world) {
  return std::make_unique<PlansCheck>(world);
}

}  // namespace muster::sim
