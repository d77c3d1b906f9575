// What the independent checker of plans has to know of a site, from the options its core is given.
#pragma once

#include "sim/plan_checker/plan_checker.h"
#include "site/options.h"

namespace muster::sim {

PlanFacts FactsOf(const site::Options& site);

}  // namespace muster::sim
