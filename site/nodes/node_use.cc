// See node_use.h. A part's amounts are summed per node, since several of its chunks may share one.
#include "site/nodes/node_use.h"

#include <set>

#include "base/check.h"

namespace muster::site {
namespace {

std::map<std::string, ResourceSet> PerNode(const schemas::PartPlace& place) {
  std::map<std::string, ResourceSet> sums;
  for (const schemas::ChunkPlace& chunk : place.chunks) sums[chunk.node] += chunk.resources;
  return sums;
}

}  // namespace

NodeUse::NodeUse(const std::vector<Node>& nodes, bool whole) : whole_(whole) {
  for (const Node& node : nodes) nodes_[node.name].has = node.resources;
}

void NodeUse::Enter(const PartKey& part, const schemas::PartPlace& place, bool exclusive) {
  exclusive |= whole_;
  const bool added = parts_.emplace(part, Entered{place, exclusive}).second;
  MUSTER_CHECK(added);
  for (const auto& [name, amounts] : PerNode(place)) {
    Use& use = nodes_[name];  // a node that left the configuration may still have processes
    use.used += amounts;
    use.exclusive += exclusive ? 1 : 0;
    use.parts[part] = 1;
  }
}

void NodeUse::Leave(const PartKey& part) {
  const auto it = parts_.find(part);
  MUSTER_CHECK(it != parts_.end());
  for (const auto& [name, amounts] : PerNode(it->second.place)) {
    Use& use = nodes_[name];
    use.used -= amounts;
    use.exclusive -= it->second.exclusive ? 1 : 0;
    use.parts.erase(part);
  }
  parts_.erase(it);
}

bool NodeUse::Clean(const schemas::PartPlace& place, bool exclusive) const {
  exclusive |= whole_;
  for (const auto& [name, amounts] : PerNode(place)) {
    const auto it = nodes_.find(name);
    if (it == nodes_.end()) return false;
    const Use& use = it->second;
    if (use.exclusive > 0 || (exclusive && !use.parts.empty())) return false;
    // Checks only resources that the part uses: others may be overused after the node became
    // smaller.
    for (const auto& [resource, amount] : amounts.entries()) {
      if (use.used.Get(resource) + amount > use.has.Get(resource)) return false;
    }
  }
  return true;
}

bool NodeUse::CleanBut(const PartKey& part, const schemas::PartPlace& place, bool exclusive) const {
  NodeUse without = *this;
  without.Leave(part);
  return without.Clean(place, exclusive);
}

bool NodeUse::Exists(const schemas::PartPlace& place) const {
  for (const auto& [name, amounts] : PerNode(place)) {
    const auto it = nodes_.find(name);
    if (it == nodes_.end() || !amounts.FitsIn(it->second.has)) return false;
  }
  return true;
}

std::vector<PartKey> NodeUse::On(const schemas::PartPlace& place) const {
  std::set<PartKey> parts;
  for (const schemas::ChunkPlace& chunk : place.chunks) {
    const auto it = nodes_.find(chunk.node);
    if (it == nodes_.end()) continue;
    for (const auto& [part, one] : it->second.parts) parts.insert(part);
  }
  return {parts.begin(), parts.end()};
}

}  // namespace muster::site
