// Converts the rules of site.toml into the form that the planner uses.
#pragma once

#include <cstdint>
#include <string>

#include "base/config/site_config.h"
#include "site/plan/rules/rule_set.h"
#include "site/plan/shape.h"

namespace muster::site {

// In the result nodes are indexes into config.nodes.
rules::RuleSet RulesOf(const config::SiteConfig& config);

// The policy by which the planner chooses nodes.
plan::Policy PolicyOf(const config::PlanningConfig& planning);

// The planning budget of one verdict, in looks at nodes: cores have no clock to limit it in time.
uint64_t LooksOf(const config::PlanningConfig& planning);

// A validity as text for people: "Mon-Fri 08-18", "daily 08:30-09:15". Its text as configured if it
// is no daily or weekly time; "" if it always holds.
std::string WhenText(const Validity& validity);

}  // namespace muster::site
