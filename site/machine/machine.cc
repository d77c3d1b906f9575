// Makes dense tables once, so that mapping looks amounts up by two indices.
#include "site/machine/machine.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/check.h"

namespace muster::machine {

Machine::Machine(std::vector<Node> nodes, size_t max_classes, const std::vector<Switch>& switches,
                 const Units& units)
    : nodes_(std::move(nodes)) {
  MUSTER_CHECK(max_classes > 0);
  std::set<std::string> names;
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    MUSTER_CHECK(by_name_.emplace(nodes_[n].name, n).second);
    const int64_t speed = nodes_[n].speed;
    MUSTER_CHECK(speed >= kLeastSpeed && speed <= kMostSpeed);
    if (n == 0) one_speed_ = speed;
    if (one_speed_ != speed) one_speed_.reset();
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
  switches_ = Switches(switches, by_name_);
  if (units.geometry != nullptr) Locate(units);
  RankNodes();
  MakeClasses(max_classes);
}

void Machine::Locate(const Units& units) {
  geometry_ = units.geometry;
  waste_percent_ = units.waste_percent;
  MUSTER_CHECK(units.nodes.size() == geometry_->unit_count());
  unit_of_.resize(nodes_.size());
  size_t located = 0;
  for (uint32_t unit = 0; unit < units.nodes.size(); ++unit) {
    node_of_.push_back(FindNode(units.nodes[unit]));
    if (!node_of_.back().has_value()) continue;
    unit_of_[*node_of_.back()] = unit;
    ++located;
  }
  MUSTER_CHECK(located == nodes_.size());
}

// W_node = max(r / r_system) * cores + prio_node * cores. A share is at most 1, so priorities
// decide first, and the common factor makes no difference. Shares are compared without division.
void Machine::RankNodes() {
  __extension__ using Wide = unsigned __int128;
  struct Share {
    uint64_t part = 0;
    uint64_t whole = 1;
  };
  const auto less = [](const Share& a, const Share& b) {
    return Wide{a.part} * b.whole < Wide{b.part} * a.whole;
  };
  std::vector<Share> greatest(nodes_.size());
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    for (uint32_t r = 0; r < resources_.size(); ++r) {
      if (totals_[r] == 0) continue;
      const Share share{static_cast<uint64_t>(Amount(n, r)), static_cast<uint64_t>(totals_[r])};
      if (less(greatest[n], share)) greatest[n] = share;
    }
    cheap_first_.push_back(n);
  }
  std::stable_sort(cheap_first_.begin(), cheap_first_.end(), [&](uint32_t a, uint32_t b) {
    if (nodes_[a].priority != nodes_[b].priority) return nodes_[a].priority < nodes_[b].priority;
    return less(greatest[a], greatest[b]);
  });
}

void Machine::MakeClasses(size_t max_classes) {
  using Likeness = std::tuple<ResourceSet, std::map<std::string, std::string>, int64_t>;
  std::map<Likeness, uint32_t> known;
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    const uint32_t fresh = static_cast<uint32_t>(std::min(classes_.size(), max_classes - 1));
    const auto [it, is_new] =
        known.emplace(Likeness(node.resources, node.properties, node.speed), fresh);
    const uint32_t at = it->second;
    if (at == classes_.size()) {
      classes_.push_back({{}, node.resources, node.properties, false, node.speed});
    } else if (is_new) {
      NodeClass& mixed = classes_[at];
      mixed.mixed = true;
      mixed.speed = std::min(mixed.speed, node.speed);
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

bool Machine::HasProperty(uint32_t node, const std::string& name, const std::string& value) const {
  const auto it = nodes_[node].properties.find(name);
  if (it != nodes_[node].properties.end() && it->second == value) return true;
  if (name != "switch" && name != "sw") return false;
  const std::optional<uint32_t> index = switches_.Find(value);
  return index.has_value() && switches_.IsBelow(node, *index);
}

bool Machine::HasProperties(uint32_t node, const std::map<std::string, std::string>& wanted) const {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& property) {
    return HasProperty(node, property.first, property.second);
  });
}

}  // namespace muster::machine
