// Dense tables made once, so that mapping looks amounts up by two indices.
#include "site/machine/machine.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"

namespace muster::machine {

Machine::Machine(std::vector<Node> nodes, size_t max_classes) : nodes_(std::move(nodes)) {
  MUSTER_CHECK(max_classes > 0);
  std::set<std::string> names;
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    MUSTER_CHECK(by_name_.emplace(nodes_[n].name, n).second);
    for (const ResourceSet::Entry& e : nodes_[n].resources.entries()) {
      MUSTER_CHECK(e.second >= 0);
      names.insert(e.first);
    }
  }
  resources_.assign(names.begin(), names.end());
  totals_.assign(resources_.size(), 0);
  amounts_.reserve(nodes_.size() * resources_.size());
  for (const Node& node : nodes_) {
    for (size_t r = 0; r < resources_.size(); ++r) {
      const int64_t amount = node.resources.Get(resources_[r]);
      amounts_.push_back(amount);
      totals_[r] += amount;
    }
  }
  MakeClasses(max_classes);
}

void Machine::MakeClasses(size_t max_classes) {
  using Likeness = std::pair<ResourceSet, std::map<std::string, std::string>>;
  std::map<Likeness, uint32_t> known;
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    const uint32_t fresh = static_cast<uint32_t>(std::min(classes_.size(), max_classes - 1));
    const auto [it, is_new] = known.emplace(Likeness(node.resources, node.properties), fresh);
    const uint32_t at = it->second;
    if (at == classes_.size()) {
      classes_.push_back({{}, node.resources, node.properties, false});
    } else if (is_new) {
      NodeClass& mixed = classes_[at];
      mixed.mixed = true;
      mixed.properties.insert(node.properties.begin(), node.properties.end());
      for (const ResourceSet::Entry& e : node.resources.entries()) {
        mixed.per_node.Set(e.first, std::max(e.second, mixed.per_node.Get(e.first)));
      }
    }
    classes_[at].nodes.push_back(n);
    class_of_.push_back(at);
  }
}

std::optional<uint32_t> Machine::FindNode(std::string_view name) const {
  const auto it = by_name_.find(name);
  if (it == by_name_.end()) return std::nullopt;
  return it->second;
}

std::optional<uint32_t> Machine::FindResource(std::string_view name) const {
  const auto it = std::lower_bound(resources_.begin(), resources_.end(), name);
  if (it == resources_.end() || *it != name) return std::nullopt;
  return static_cast<uint32_t>(it - resources_.begin());
}

bool Machine::HasProperties(uint32_t node, const std::map<std::string, std::string>& wanted) const {
  const std::map<std::string, std::string>& has = nodes_[node].properties;
  return std::all_of(wanted.begin(), wanted.end(), [&has](const auto& property) {
    const auto it = has.find(property.first);
    return it != has.end() && it->second == property.second;
  });
}

}  // namespace muster::machine
