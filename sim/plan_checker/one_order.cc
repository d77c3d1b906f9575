// Compares chunk sets with the request one by one, in the order of the request.
#include "sim/plan_checker/one_order.h"

#include <algorithm>
#include <optional>
#include <set>

namespace muster::sim {
namespace {

class OneOrder {
 public:
  OneOrder(const BookedOrder& order, const NodesByName& nodes,
           const std::map<std::string, std::string>& above)
      : order_(order), nodes_(nodes), above_(above) {}

  std::vector<Violation> Check() {
    for (const BookedPart& part : order_.parts) {
      Sets(part);
      Places(part);
      if (part.one_switch) Topology(part);
    }
    return std::move(found_);
  }

 private:
  void Wrong(Breach breach, const BookedPart& part, const std::string& what) {
    found_.push_back({breach, part.name + " " + what});
  }

  void Sets(const BookedPart& part) {
    size_t at = 0;
    for (const WantedChunk& chunk : part.wanted) {
      for (int64_t n = 0; n < chunk.count; ++n, ++at) {
        if (at == part.placed.size()) {
          return Wrong(Breach::kSplit, part,
                       "has " + std::to_string(at) + " chunk sets, which is too few");
        }
        Set(part, chunk, part.placed[at]);
      }
    }
    if (at < part.placed.size()) {
      Wrong(Breach::kSplit, part,
            "has " + std::to_string(part.placed.size()) + " chunk sets instead of " +
                std::to_string(at));
    }
  }

  void Set(const BookedPart& part, const WantedChunk& chunk, const PlacedSet& set) {
    if (set.resources != chunk.resources) {
      Wrong(Breach::kSplit, part,
            "has " + ToText(set.resources) + " on " + set.node + " for a chunk of " +
                ToText(chunk.resources));
    }
    const auto it = nodes_.find(set.node);
    if (it == nodes_.end())
      return Wrong(Breach::kNode, part, "is on " + set.node + ", which is not there");
    const NodeFacts& node = *it->second;
    for (const auto& [name, value] : chunk.properties) {
      const auto has = node.properties.find(name);
      if (has != node.properties.end() && has->second == value) continue;
      Wrong(Breach::kProperty, part, "is on " + set.node + ", which is not " + name + "=" + value);
    }
    const Facts facts{.user = order_.user,
                      .groups = order_.groups,
                      .duration = part.duration,
                      .amounts = chunk.resources,
                      .properties = chunk.properties,
                      .account = order_.account,
                      .qos = order_.qos,
                      .queue = order_.queue,
                      .interactive = order_.interactive};
    if (!node.only.empty() && !Holds(node.only, facts)) {
      Wrong(Breach::kCondition, part, "is on " + set.node + ", which is for others only");
    }
  }

  void Places(const BookedPart& part) {
    std::set<std::string> nodes;
    for (const PlacedSet& set : part.placed) nodes.insert(set.node);
    if (part.spread == Spread::kPack && nodes.size() > 1) {
      Wrong(Breach::kPlacement, part,
            "is to be packed and is on " + std::to_string(nodes.size()) + " nodes");
    }
    if (part.spread == Spread::kScatter && nodes.size() < part.placed.size()) {
      Wrong(Breach::kPlacement, part, "is to be scattered and has two chunk sets on one node");
    }
  }

  // All switches above the node, the nearest first.
  std::vector<std::string> SwitchesOf(const NodeFacts& node) const {
    std::vector<std::string> out;
    for (std::string at = node.below; !at.empty();) {
      out.push_back(at);
      const auto it = above_.find(at);
      at = it == above_.end() ? "" : it->second;
    }
    return out;
  }

  // The lowest switch above all nodes of the part; "" if there is none.
  std::string Common(const BookedPart& part) const {
    std::optional<std::vector<std::string>> common;
    for (const PlacedSet& set : part.placed) {
      const auto it = nodes_.find(set.node);
      if (it == nodes_.end()) continue;
      const std::vector<std::string> of_node = SwitchesOf(*it->second);
      if (!common) common = of_node;
      std::erase_if(*common, [&](const std::string& name) {
        return std::find(of_node.begin(), of_node.end(), name) == of_node.end();
      });
    }
    return !common || common->empty() ? "" : common->front();
  }

  void Topology(const BookedPart& part) {
    if (part.placed.empty()) return;
    const std::string common = Common(part);
    if (common.empty()) {
      return Wrong(Breach::kTopology, part, "is to be below one switch and is not");
    }
    // Not checked: a resized part, which no longer has its first placement; several kinds of
    // chunks, for which only a full mapping could tell whether a lower switch holds them; a job
    // inside of a reservation, for which only the reservation's nodes count.
    if (part.resized || part.wanted.size() != 1 || !order_.inside.empty()) return;
    for (const auto& [name, up] : above_) {
      if (name == common || !IsBelow(name, common) || !CouldHold(part, name)) continue;
      Wrong(Breach::kTopology, part,
            "is below " + common + ", and " + name + " below that could hold it");
    }
  }

  bool IsBelow(std::string name, const std::string& other) const {
    for (auto it = above_.find(name); it != above_.end(); it = above_.find(name)) {
      name = it->second;
      if (name == other) return true;
    }
    return false;
  }

  // True if all chunk sets fit below the switch on the empty machine.
  bool CouldHold(const BookedPart& part, const std::string& name) const {
    const WantedChunk& chunk = part.wanted.front();
    int64_t sum = 0;
    int64_t best = 0;
    for (const auto& [node_name, node] : nodes_) {
      const std::vector<std::string> switches = SwitchesOf(*node);
      if (std::find(switches.begin(), switches.end(), name) == switches.end()) continue;
      const int64_t sets = SetsOn(*node, part, chunk);
      sum += part.spread == Spread::kScatter ? std::min<int64_t>(sets, 1) : sets;
      best = std::max(best, sets);
    }
    return (part.spread == Spread::kPack ? best : sum) >= chunk.count;
  }

  int64_t SetsOn(const NodeFacts& node, const BookedPart& part, const WantedChunk& chunk) const {
    for (const auto& [name, value] : chunk.properties) {
      const auto has = node.properties.find(name);
      if (has == node.properties.end() || has->second != value) return 0;
    }
    const Facts facts{.user = order_.user,
                      .groups = order_.groups,
                      .duration = part.duration,
                      .amounts = chunk.resources,
                      .properties = chunk.properties,
                      .account = order_.account,
                      .qos = order_.qos,
                      .queue = order_.queue,
                      .interactive = order_.interactive};
    if (!node.only.empty() && !Holds(node.only, facts)) return 0;
    const bool keeps =
        !node.kept_for.empty() &&
        std::none_of(node.kept_for.begin(), node.kept_for.end(),
                     [&](const auto& name) { return chunk.resources.Get(name) > 0; });
    int64_t sets = chunk.count;
    for (const auto& [name, amount] : chunk.resources.entries()) {
      if (amount == 0) continue;
      const int64_t left = node.has.Get(name) - (keeps ? node.kept.Get(name) : 0);
      sets = std::min(sets, left / amount);
    }
    return std::max<int64_t>(sets, 0);
  }

  const BookedOrder& order_;
  const NodesByName& nodes_;
  const std::map<std::string, std::string>& above_;
  std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> CheckOneOrder(const BookedOrder& order, const NodesByName& nodes,
                                     const std::map<std::string, std::string>& above) {
  return OneOrder(order, nodes, above).Check();
}

bool Allows(const std::vector<std::string>& allow, const BookedOrder& order) {
  std::set<std::string> names{"*", order.user};
  for (const std::string& group : order.groups) names.insert("@" + group);
  const auto add = [&names](const std::string& word, const std::string& name) {
    if (!name.empty()) names.insert({word + " " + name, word + " *"});
  };
  add("account", order.account);
  add("qos", order.qos);
  add("queue", order.queue);
  return std::any_of(allow.begin(), allow.end(),
                     [&names](const std::string& one) { return names.contains(one); });
}

}  // namespace muster::sim
