// Builds the machine description of a site's core from [machine] of site.toml.
#pragma once

#include "base/config/site_config.h"
#include "site/machine/known_set.h"
#include "site/machine/machine.h"

namespace muster::site {

// Units are the nodes in the order of the file. Flat machines and trees have no geometry.
machine::Units UnitsOf(const config::SiteConfig& config);
machine::Choice ChoiceOf(const config::MachineConfig& machine);

}  // namespace muster::site
