// Reads the resources of a site: [[nodes]], [[switch]], [jobwide]. Only for the sources of this
// folder.
#pragma once

#include <vector>

#include "base/config/document.h"
#include "base/config/site_config.h"
#include "base/config/site_values.h"

namespace muster::config {

// Reads nodes, their ranges, job-wide resources and switches into `config`. Returns the names they
// declare. `found`: the driver's machine, to which [[nodes]] only adds; null: [[nodes]] says what
// the nodes are.
Declared ReadNodes(Document& document, Section& root, SiteConfig& config, const Found* found);

}  // namespace muster::config
