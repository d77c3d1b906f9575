// Relies on the checks of the configuration reader.
#include "site/settings/units_of.h"

#include <algorithm>
#include <bit>

#include "site/machine/layout.h"

namespace muster::site {

machine::Units UnitsOf(const config::SiteConfig& config) {
  const config::MachineConfig& from = config.machine;
  machine::Layout layout{machine::Kind::kMesh, from.size, {}, from.waste_percent};
  if (from.kind == "torus") {
    layout.kind = machine::Kind::kTorus;
  } else if (from.kind == "hypercube") {
    layout.kind = machine::Kind::kHypercube;
    layout.sides = {static_cast<uint32_t>(std::countr_zero(from.size.front()))};
  } else if (from.kind != "mesh") {
    return {};
  }
  machine::Units units;
  for (const config::NodeConfig& node : config.nodes) units.nodes.push_back(node.name);
  for (const std::string& name : from.links) {
    const auto at = std::find(units.nodes.begin(), units.nodes.end(), name);
    layout.links.push_back(static_cast<uint32_t>(at - units.nodes.begin()));
  }
  if (from.links_at_border) layout.links = machine::BorderOf(from.size[0], from.size[1]);
  units.geometry = machine::MakeGeometry(layout);
  units.waste_percent = layout.waste_percent;
  return units;
}

machine::Choice ChoiceOf(const config::MachineConfig& machine) {
  if (machine.choice == "first-fit") return machine::Choice::kFirstFit;
  if (machine.choice == "least-damage") return machine::Choice::kLeastDamage;
  return machine::Choice::kKnownSet;
}

}  // namespace muster::site
