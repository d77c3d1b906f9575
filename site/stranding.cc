// Places of a part stand in the order of its chunks, each as often as the chunk counts.
#include "site/stranding.h"

#include <algorithm>

#include "base/condition.h"

namespace muster::site {
namespace {

// The rule of a node, if it has one.
const rules::NodeRule* RuleOf(const Options& options, size_t node) {
  const rules::RuleSet& rules = options.rules;
  if (node >= rules.rule_of_node.size()) return nullptr;
  const uint32_t rule = rules.rule_of_node[node];
  return rule < rules.node_rules.size() ? &rules.node_rules[rule] : nullptr;
}

// The chunk that the set at this place of a part belongs to; none if the part was resized since.
const schemas::Chunk* ChunkAt(const schemas::PartDemand& demand, size_t place) {
  for (const schemas::Chunk& chunk : demand.chunks) {
    if (place < chunk.count) return &chunk;
    place -= chunk.count;
  }
  return nullptr;
}

}  // namespace

Strandings::Strandings(const Options& options) : options_(options) {
  for (size_t n = 0; n < options.nodes.size(); ++n) nodes_.emplace(options.nodes[n].name, n);
}

std::optional<Stranding> Strandings::Of(const schemas::HoldRecord& hold) const {
  const std::map<std::string, std::string> none;
  const size_t parts = std::min(hold.parts.size(), hold.order.parts.size());
  for (size_t p = 0; p < parts; ++p) {
    const schemas::PartDemand& demand = hold.order.parts[p];
    const std::vector<schemas::ChunkPlace>& places = hold.parts[p].place.chunks;
    for (size_t i = 0; i < places.size(); ++i) {
      const std::string& name = places[i].node;
      const auto node = nodes_.find(name);
      if (node == nodes_.end()) return Stranding{name, true, name + " is gone"};
      if (places[i].resources.empty()) continue;  // it hosts no chunk
      const rules::NodeRule* rule = RuleOf(options_, node->second);
      // Inside a reservation its nodes are for whoever may be there.
      if (rule == nullptr || rule->only.empty() || hold.order.inside) continue;
      const schemas::Chunk* chunk = ChunkAt(demand, i);
      const Facts facts{.user = hold.order.requester.user,
                        .groups = hold.order.requester.groups,
                        .duration = demand.duration,
                        .amounts = places[i].resources,
                        .properties = chunk != nullptr ? chunk->properties : none};
      if (Holds(rule->only, facts)) continue;
      return Stranding{name, false, name + " takes only " + rule->only_text};
    }
  }
  return std::nullopt;
}

}  // namespace muster::site
