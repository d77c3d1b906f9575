// Chunk sets are compared with what was asked for one by one, in the order of the request.
#include "sim/plan_checker/one_order.h"

#include <algorithm>
#include <set>

namespace muster::sim {
namespace {

class OneOrder {
 public:
  OneOrder(const BookedOrder& order, const NodesByName& nodes) : order_(order), nodes_(nodes) {}

  std::vector<Violation> Check() {
    for (const BookedPart& part : order_.parts) {
      Sets(part);
      Places(part);
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
                      .properties = chunk.properties};
    if (!node.only.empty() && !Holds(node.only, facts)) {
      Wrong(Breach::kCondition, part, "is on " + set.node + ", which is for others only");
    }
  }

  void Places(const BookedPart& part) {
    std::set<std::string> nodes;
    std::set<std::string> switches;
    for (const PlacedSet& set : part.placed) {
      nodes.insert(set.node);
      const auto it = nodes_.find(set.node);
      if (it != nodes_.end()) switches.insert(it->second->below);
    }
    if (part.spread == Spread::kPack && nodes.size() > 1) {
      Wrong(Breach::kPlacement, part,
            "is to be packed and is on " + std::to_string(nodes.size()) + " nodes");
    }
    if (part.spread == Spread::kScatter && nodes.size() < part.placed.size()) {
      Wrong(Breach::kPlacement, part, "is to be scattered and has two chunk sets on one node");
    }
    const bool one = switches.size() == 1 && !switches.contains("");
    if (part.one_switch && !switches.empty() && !one) {
      Wrong(Breach::kTopology, part,
            "is to be below one switch and is below " + std::to_string(switches.size()));
    }
  }

  const BookedOrder& order_;
  const NodesByName& nodes_;
  std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> CheckOneOrder(const BookedOrder& order, const NodesByName& nodes) {
  return OneOrder(order, nodes).Check();
}

bool Allows(const std::vector<std::string>& allow, const std::string& user,
            const std::vector<std::string>& groups) {
  return std::any_of(allow.begin(), allow.end(), [&](const std::string& who) {
    if (!who.starts_with("@")) return who == user;
    return std::find(groups.begin(), groups.end(), who.substr(1)) != groups.end();
  });
}

}  // namespace muster::sim
