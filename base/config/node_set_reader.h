// Reads [nodeset], the node set that a site chooses for jobs. Only for the sources of this folder.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/config/document.h"
#include "base/config/node_set_config.h"

namespace muster::config {

// By attribute ("speed", "switch", properties), the values that the site's nodes have.
using NodeValues = std::map<std::string, std::set<std::string>>;

NodeSetConfig ReadNodeSet(Section section, const NodeValues& values);

}  // namespace muster::config
