// Rules of order and shares from the configuration of either daemon.
#pragma once

#include "base/config/fairshare_config.h"
#include "base/config/priority_config.h"
#include "policy/points.h"
#include "policy/shares.h"

namespace muster::policy {

PointsRules PointsRulesOf(const config::PriorityConfig& config);
FairshareRules FairshareRulesOf(const config::FairshareConfig& config);

}  // namespace muster::policy
