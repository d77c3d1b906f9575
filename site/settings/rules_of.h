// What site.toml says of rules, as the plan's rules take it.
#pragma once

#include <cstdint>
#include <string>

#include "base/config/site_config.h"
#include "site/plan/rules/rule_set.h"
#include "site/plan/shape.h"

namespace muster::site {

// Nodes are places in config.nodes.
rules::RuleSet RulesOf(const config::SiteConfig& config);

// The policy of choosing nodes.
plan::Policy PolicyOf(const config::PlanningConfig& planning);

// What one verdict may cost, as looks at nodes: cores have no clock to keep a budget of time by.
uint64_t LooksOf(const config::PlanningConfig& planning);

// A validity for people: "Mon-Fri 08-18", "daily 08:30-09:15"; as it is written where it is no time
// of every day or week; "" if it always holds.
std::string WhenText(const Validity& validity);

}  // namespace muster::site
