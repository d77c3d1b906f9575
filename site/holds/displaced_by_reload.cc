// The places of a part are listed in the order of its chunks, each chunk repeated `count` times.
#include "site/holds/displaced_by_reload.h"

#include <algorithm>
#include <tuple>

#include "base/condition.h"
#include "site/holds/hold_facts.h"
#include "verifier/fits.h"

namespace muster::site {
namespace {

// The rule of a node; null if it has none.
const rules::NodeRule* RuleOf(const Options& options, size_t node) {
  const rules::RuleSet& rules = options.rules;
  if (node >= rules.rule_of_node.size()) return nullptr;
  const uint32_t rule = rules.rule_of_node[node];
  return rule < rules.node_rules.size() ? &rules.node_rules[rule] : nullptr;
}

// The chunk to which this place of a part belongs; null if the part was resized to more places than
// it demands.
const schemas::Chunk* ChunkAt(const schemas::PartDemand& demand, size_t place) {
  for (const schemas::Chunk& chunk : demand.chunks) {
    if (place < chunk.count) return &chunk;
    place -= chunk.count;
  }
  return nullptr;
}

bool HasBegun(const schemas::HoldRecord& hold) {
  return std::any_of(hold.parts.begin(), hold.parts.end(),
                     [](const auto& part) { return part.state >= schemas::PartState::kStarting; });
}

// A resource of which a node has lost some.
struct Row {
  rusv::Rusv used;  // use of what is left
  int64_t lost = 0;
};

using Rows = std::map<std::pair<size_t, std::string>, Row>;  // by node and resource

}  // namespace

Options WithLost(Options options, const std::map<std::string, schemas::SizeRecord>& sizes) {
  for (Node& node : options.nodes) {
    node.lost = {};
    const auto known = sizes.find(node.name);
    if (known == sizes.end()) continue;
    for (const auto& [resource, had] : known->second.had.entries()) {
      const int64_t lost = had - node.resources.Get(resource);
      if (lost > 0) node.lost.Set(resource, lost);
    }
  }
  return options;
}

DisplacedByReload::DisplacedByReload(const Options& options) : options_(options) {
  for (size_t n = 0; n < options.nodes.size(); ++n) nodes_.emplace(options.nodes[n].name, n);
}

std::optional<Displacement> DisplacedByReload::Of(const schemas::HoldRecord& hold) const {
  const std::map<std::string, std::string> none;
  const size_t parts = std::min(hold.parts.size(), hold.order.parts.size());
  for (size_t p = 0; p < parts; ++p) {
    const schemas::PartDemand& demand = hold.order.parts[p];
    const std::vector<schemas::ChunkPlace>& places = hold.parts[p].place.chunks;
    for (size_t i = 0; i < places.size(); ++i) {
      const std::string& name = places[i].node;
      const auto node = nodes_.find(name);
      if (node == nodes_.end()) return Displacement{name, true, name + " is gone"};
      if (places[i].resources.empty()) continue;  // the part only blocks the node
      const rules::NodeRule* rule = RuleOf(options_, node->second);
      // Inside a reservation the rules of its nodes do not apply: the reservation decides who may
      // run there.
      if (rule == nullptr || rule->only.empty() || hold.order.inside) continue;
      const schemas::Chunk* chunk = ChunkAt(demand, i);
      const Facts facts{
          .user = hold.order.requester.user,
          .groups = hold.order.requester.groups,
          .duration = demand.duration,
          .amounts = places[i].resources,
          .properties = chunk != nullptr ? chunk->properties : none,
          .account = hold.order.account,
          .qos = hold.order.qos,
          .queue = hold.order.queue,
          .interactive = hold.order.request_class == schemas::RequestClass::kInteractive};
      if (Holds(rule->only, facts)) continue;
      return Displacement{name, false, name + " takes only " + rule->only_text};
    }
  }
  return std::nullopt;
}

// What a hold uses from `now` on, by node and resource. A part that has started and is not over
// counts for at least one second.
std::map<std::pair<size_t, std::string>, std::vector<rusv::Slot>> DisplacedByReload::TakenBy(
    const schemas::HoldRecord& hold, Instant now) const {
  std::map<std::pair<size_t, std::string>, std::vector<rusv::Slot>> out;
  const size_t parts = std::min(hold.parts.size(), hold.order.parts.size());
  for (size_t p = 0; p < parts; ++p) {
    const schemas::PartRecord& part = hold.parts[p];
    const schemas::PartDemand& demand = hold.order.parts[p];
    if (part.state == schemas::PartState::kEnded) continue;
    const bool there = part.state >= schemas::PartState::kStarting;
    const Instant start = hold.start + demand.offset;
    const Instant begin = std::max(now, start - options_.facts.turnover);
    const Span runs =
        demand.duration - part.saved + part.place.slower + part.extended + InSeconds(part.paused);
    const Instant end = start + runs + demand.tail;
    if (end <= begin && !there) continue;
    std::map<size_t, ResourceSet> taken;
    for (const schemas::ChunkPlace& chunk : part.place.chunks) {
      const auto node = nodes_.find(chunk.node);
      if (node != nodes_.end()) taken[node->second] += chunk.resources;
    }
    for (const auto& [node, amounts] : taken) {
      for (const auto& [resource, amount] : amounts.entries()) {
        out[{node, resource}].push_back({begin, std::max(end, begin + Span{1}), amount});
      }
    }
  }
  return out;
}

std::string DisplacedByReload::LostText(const Node& node) {
  std::string text = node.name + " has lost ";
  for (const auto& [resource, amount] : node.lost.entries()) {
    text += (text.ends_with("lost ") ? "" : ", ") + verifier::AmountText(resource, amount) +
            (resource == "mem" ? " of memory" : "");
  }
  return text;
}

std::vector<std::string> DisplacedByReload::Lost() const {
  std::vector<std::string> out;
  for (const Node& node : options_.nodes) {
    if (!node.lost.empty()) out.push_back(LostText(node));
  }
  return out;
}

std::vector<std::pair<Fence, Displacement>> DisplacedByReload::Crowded(
    const std::map<Fence, schemas::HoldRecord>& holds, const SitePolicy& policy,
    Instant now) const {
  Rows rows;
  for (size_t n = 0; n < options_.nodes.size(); ++n) {
    for (const auto& [resource, lost] : options_.nodes[n].lost.entries()) {
      rows.emplace(
          std::pair(n, resource),
          Row{.used = rusv::Rusv(options_.nodes[n].resources.Get(resource)), .lost = lost});
    }
  }
  std::vector<std::pair<Fence, Displacement>> out;
  if (rows.empty()) return out;
  std::vector<const schemas::HoldRecord*> ranked;
  for (const auto& [fence, hold] : holds) {
    const bool live =
        hold.state != schemas::HoldState::kNone && hold.state != schemas::HoldState::kClosed;
    // A hold inside a reservation uses only what the reservation already has.
    if (live && !hold.order.inside) ranked.push_back(&hold);
  }
  const auto rank = [&policy](const schemas::HoldRecord* hold) {
    return std::tuple(!HasBegun(*hold), policy.RankOf(hold->order), hold->order.fence);
  };
  std::sort(ranked.begin(), ranked.end(),
            [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  for (const schemas::HoldRecord* hold : ranked) {
    const auto takes = TakenBy(*hold, now);
    const Row* lacks = nullptr;
    for (const auto& [where, slots] : takes) {
      const auto row = rows.find(where);
      if (row == rows.end()) continue;
      for (const rusv::Slot& slot : slots) {
        const int64_t free = row->second.used.FreeIn(slot.start, slot.stop);
        if (free >= slot.items || free + row->second.lost < slot.items || lacks != nullptr)
          continue;
        lacks = &row->second;
        const Node& node = options_.nodes[where.first];
        out.push_back({hold->order.fence,
                       {.node = node.name, .why = LostText(node), .resource = where.second}});
      }
    }
    if (lacks != nullptr && !HasBegun(*hold)) continue;
    for (const auto& [where, slots] : takes) {
      const auto row = rows.find(where);
      for (const rusv::Slot& slot : slots) {
        if (row != rows.end()) row->second.used.Increment(slot);
      }
    }
  }
  return out;
}

Displacement DisplacedByReload::TooLarge(const schemas::PartRecord& part) const {
  std::map<std::string, ResourceSet> taken;
  for (const schemas::ChunkPlace& chunk : part.place.chunks) taken[chunk.node] += chunk.resources;
  for (const auto& [name, amounts] : taken) {
    const auto at = nodes_.find(name);
    if (at == nodes_.end()) return {name, true, name + " is gone"};
    const Node& node = options_.nodes[at->second];
    for (const auto& [resource, amount] : amounts.entries()) {
      if (amount <= node.resources.Get(resource)) continue;
      return {.node = name, .why = LostText(node), .resource = resource};
    }
  }
  return {};
}

}  // namespace muster::site
