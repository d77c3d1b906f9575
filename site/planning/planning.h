// The room of the site's plan: what is booked when, over the machine and its rules.
#pragma once

#include <utility>

#include "site/nodes/nodes.h"
#include "site/planning/planner.h"

namespace muster::site {

// Invariant: the plan is of the options that the site was told.
class Planning : public Nodes {
 public:
  Planning(Options told, Now now) : Nodes(std::move(told), now), plan_(options()) {}

  const SitePlanner& plan() const { return plan_; }

 protected:
  // For who keeps the record of what is booked: record and plan change together.
  SitePlanner& planner() { return plan_; }

 private:
  SitePlanner plan_;
};

}  // namespace muster::site
