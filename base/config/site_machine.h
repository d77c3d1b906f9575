// Reading [machine]: what the nodes are to each other. Only for the sources of this folder.
#pragma once

#include "base/config/document.h"
#include "base/config/site_config.h"
#include "base/config/site_values.h"

namespace muster::config {

// Into config.machine; of a tree with sizes also its switches, and for a tree the policy that goes
// with it, unless another is read afterwards. REQUIRES: config's nodes are read.
void ReadMachine(Section section, const Declared& declared, SiteConfig& config);

}  // namespace muster::config
