// Every switch lists all nodes below it, so that no lookup walks down the tree.
#include "site/machine/switches.h"

#include <algorithm>

#include "base/check.h"

namespace muster::machine {

Switches::Switches(const std::vector<Switch>& switches,
                   const std::map<std::string, uint32_t, std::less<>>& nodes)
    : of_node_(switches.empty() ? 0 : nodes.size()) {
  for (const Switch& one : switches) {
    MUSTER_CHECK(!Find(one.name).has_value());
    all_.push_back({one.name, std::nullopt, {}, 0});
  }
  for (uint32_t s = 0; s < all_.size(); ++s) {
    for (const std::string& below : switches[s].switches) {
      const std::optional<uint32_t> index = Find(below);
      if (!index.has_value()) continue;
      MUSTER_CHECK(!all_[*index].above.has_value());
      all_[*index].above = s;
    }
    for (const std::string& below : switches[s].nodes) {
      const auto node = nodes.find(below);
      if (node == nodes.end()) continue;
      MUSTER_CHECK(!of_node_[node->second].has_value());
      of_node_[node->second] = s;
    }
  }
  for (uint32_t s = 0; s < all_.size(); ++s) {
    uint32_t height = 0;
    for (std::optional<uint32_t> up = all_[s].above; up.has_value(); up = all_[*up].above) {
      MUSTER_CHECK(++height < all_.size());  // otherwise a switch is below itself
      all_[*up].height = std::max(all_[*up].height, height);
    }
  }
  for (uint32_t node = 0; node < of_node_.size(); ++node) {
    for (std::optional<uint32_t> up = of_node_[node]; up.has_value(); up = all_[*up].above) {
      all_[*up].nodes.push_back(node);
    }
  }
}

std::optional<uint32_t> Switches::Find(std::string_view name) const {
  const auto it =
      std::find_if(all_.begin(), all_.end(), [name](const One& one) { return one.name == name; });
  if (it == all_.end()) return std::nullopt;
  return static_cast<uint32_t>(it - all_.begin());
}

bool Switches::IsBelow(uint32_t node, uint32_t index) const {
  std::optional<uint32_t> up = Of(node);
  while (up.has_value() && *up != index) up = all_[*up].above;
  return up.has_value();
}

}  // namespace muster::machine
