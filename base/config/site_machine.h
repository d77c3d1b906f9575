// Reads [machine], the topology of the nodes. Only for the sources of this folder.
#pragma once

#include "base/config/document.h"
#include "base/config/site_config.h"
#include "base/config/site_values.h"

namespace muster::config {

// Reads [machine] into config.machine. For a tree, also sets the planning policy that suits it (a
// policy read later overrides this), and the switches if sizes are given. REQUIRES that the nodes
// of `config` have been read.
void ReadMachine(Section section, const Declared& declared, SiteConfig& config);

}  // namespace muster::config
