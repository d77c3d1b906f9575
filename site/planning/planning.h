// The room `site/planning`: what is booked when on the site's machine, under its rules.
#pragma once

#include <utility>

#include "site/nodes/nodes.h"
#include "site/planning/planner.h"

namespace muster::site {

// Invariant: the plan is made from the site's options.
class Planning : public Nodes {
 public:
  Planning(Options told, Now now) : Nodes(std::move(told), now), plan_(options()) {}

  const SitePlanner& plan() const { return plan_; }

 protected:
  // For the room that keeps the record of bookings: it changes record and plan together.
  SitePlanner& planner() { return plan_; }

 private:
  SitePlanner plan_;
};

}  // namespace muster::site
