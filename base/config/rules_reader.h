// Reads the rules of a site: [[limit]], [[freepool]], [[reservation]], [[default]], [[force]]. Only
// for the sources of this folder.
#pragma once

#include <optional>

#include "base/config/document.h"
#include "base/config/site_config.h"
#include "base/config/site_values.h"

namespace muster::config {

// REQUIRES that the zone and nodes of `config` have been read.
void ReadRules(Document& document, Section& root, const Declared& declared,
               const std::optional<AsOf>& as_of, SiteConfig& config);

}  // namespace muster::config
