// Makes machine, rules and plan from the options, and books standing reservations as time goes on.
#include "site/planning/system_state.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "schemas/limits.h"
#include "site/plan/rules/keeps.h"
#include "site/plan/rules/standing.h"
#include "site/planning/capabilities.h"
#include "site/planning/conversions.h"
#include "site/planning/lent_room.h"

namespace muster::site {
namespace {

// The past is dropped once this much of it has gathered, and this much of it always stays.
constexpr Span kPastKept{60};

ResourceSet Sum(ResourceSet a, const ResourceSet& b) { return a += b; }

// The resources of a node with the dimensions that rules add.
ResourceSet DimensionsOf(const Options& options, size_t node, const ResourceSet& has) {
  return rules::WithUnreserved(options.rules, rules::WithOthers(options.rules, node, has));
}

std::shared_ptr<const machine::Machine> MachineOf(const Options& options) {
  std::vector<machine::Node> nodes;
  for (const Node& node : options.nodes) {
    const size_t place = nodes.size();
    const ResourceSet has = DimensionsOf(options, place, Sum(node.resources, node.lost));
    nodes.push_back(
        {node.name, has, node.properties, rules::WeightOf(options.rules, place), node.speed});
  }
  return std::make_shared<const machine::Machine>(std::move(nodes), schemas::kNodeClasses,
                                                  options.switches, options.units);
}

}  // namespace

SystemState::SystemState(const Options& options)
    : name(options.name),
      driver(options.driver),
      capabilities(CapabilitiesOf(options)),
      turnover(options.facts.turnover),
      start_slack(options.facts.start_slack),
      firm(options.facts.firm),
      machine(MachineOf(options)),
      rules(options.rules, machine, options.facts.turnover, options.horizon),
      plan(machine,
           {options.facts.turnover, options.horizon, options.policy, options.choice,
            options.federation_horizon},
           rules.First()),
      habits{machine->geometry() != nullptr, options.node_set, options.node_set_forced,
             options.facts.booked_in, options.facts.even},
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

size_t SystemState::PlaceIn(const Fence& fence, uint32_t part) const {
  const std::vector<uint32_t>& indices = part_indices.at(fence);
  const auto at = std::find(indices.begin(), indices.end(), part);
  MUSTER_CHECK(at != indices.end());
  return static_cast<size_t>(at - indices.begin());
}

plan::Question SystemState::QuestionOf(const schemas::ProposalEntry& entry, bool federated) const {
  plan::Consumer who{CredentialsOf(entry), federated, entry.only_lent.has_value()};
  std::vector<schemas::PartDemand> parts = entry.parts;
  for (schemas::PartDemand& part : parts) {
    if (entry.only_lent) part.duration = BookedFirst(*entry.only_lent, turnover);
  }
  plan::Question question{OrderOf(parts, "", std::move(who), entry.element, habits),
                          entry.asked,
                          entry.allowed,
                          IntervalsOf(entry),
                          entry.want_starts,
                          entry.ignoring,
                          entry.alternative};
  if (entry.only_lent) question.order.stays = MayStay(entry.parts.front().duration);
  for (size_t i = 0; i < parts.size() && entry.only_lent; ++i) {  // rules judge its whole length
    question.order.parts[i].tail = question.order.parts[i].length - entry.parts[i].duration;
  }
  rules.Prepare(question.order);
  return question;
}

verifier::Booked SystemState::BookedOf(const std::vector<uint32_t>& indices,
                                       const plan::Order& order, const plan::Placed& placed) const {
  verifier::Booked booked{placed.start, {}};
  for (size_t p = 0; p < indices.size(); ++p) {
    schemas::PartPlace& place = booked.places.emplace_back();
    place.index = indices[p];
    if (p < placed.chosen.size()) {
      place.slower = placed.chosen[p].slower;
      place.group = placed.chosen[p].group;
    }
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

schemas::VerdictEntry SystemState::EntryOf(const plan::Refused& refused) const {
  schemas::VerdictEntry entry;
  FillRefusal(entry, refused, name);
  return entry;
}

void SystemState::Renew(Instant now) {
  rules.Renew(plan, now);
  if (rules.rules().standing.empty() || now < standing_known) return;
  BookStanding(now);
}

// Books twice as far ahead as is needed, so that this is seldom done. Existing bookings stay.
void SystemState::BookStanding(Instant now) {
  const rules::RuleSet& set = rules.rules();
  const Instant until = now + ahead + ahead;
  standing_known = now + ahead;
  for (size_t i = 0; i < set.standing.size(); ++i) {
    const rules::Standing& standing = set.standing[i];
    const std::optional<uint32_t> dimension = machine->FindResource(rules::DimensionOf(standing));
    MUSTER_CHECK(dimension.has_value());
    for (const auto& [when, endless] : rules::SetAside(standing, set.zone, now, until)) {
      // The fence names the interval by its end, which stays the same as time goes on; 0: no end.
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

void SystemState::Forget(Instant now) {
  Renew(now);
  const Instant until = now - turnover - kPastKept;
  if (plan.occupancy().forgotten() + kPastKept < until) plan.ForgetBefore(until);
}

}  // namespace muster::site
