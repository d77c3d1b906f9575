// Reads accounts and qualities of service. Only for the sources of this folder.
#pragma once

#include <optional>
#include <vector>

#include "base/config/listed.h"
#include "base/config/named.h"
#include "base/config/priority_config.h"
#include "base/config/qos_config.h"

namespace muster::config {

// Reads all [[account]]s of the root, and adds their names to `named`.
std::vector<AccountConfig> ReadAccounts(Section& root, Listed& listed, Named& named);
// Reads all [[qos]] of the root, and adds their names to `named`. `threshold`: of the scheduler.
std::vector<QosConfig> ReadQos(Section& root, Listed& listed, const std::optional<Span>& threshold,
                               Named& named);

}  // namespace muster::config
