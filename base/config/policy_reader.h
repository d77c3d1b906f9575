// Reads the tables of policies. Only for the sources of this folder.
#pragma once

#include <optional>

#include "base/config/document.h"
#include "base/config/fairshare_config.h"
#include "base/config/named.h"
#include "base/config/priority_config.h"

namespace muster::config {

// Whose file is read: a site orders by shares of its own, too.
enum class OrderOf { kMeta, kSite };
// Reads [priority]; none if there is no such table.
std::optional<PriorityConfig> ReadPriority(Section section, const Named& named, OrderOf whose);
// Reads [fairshare] and all [[share]] of the root; none if there is neither.
// `has_bank`: there are rates by which to count.
std::optional<FairshareConfig> ReadFairshare(Section& root, const Named& named, bool has_bank);

}  // namespace muster::config
