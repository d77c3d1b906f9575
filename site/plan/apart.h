// Keeps orders that wait for lent work apart from it, while one of either kind is planned: what is
// lent counts until the end for which it may stay, instead of the end of its booking. So nothing is
// recalled for those who wait. What is lent to a job and what is booked for it, known by its label,
// are in nobody's way of each other. scheduling.md section 18. Only for the sources of Plan.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "site/plan/plan.h"

namespace muster::plan {

// Work with lent room alone that is asked about begins this far ahead at most. Who waits and comes
// later than it may stay from then on is not looked at.
inline constexpr Span kLentSoon{3600};

// Adds to `occupancy` what `order` has to keep clear of beyond the bookings, and removes it in the
// end. An order that is neither lent nor waits, or that meets none of the other kind, changes
// nothing.
class Plan::Apart {
 public:
  // The order is planned for one of these starts. `ignoring`: bookings of the same job.
  Apart(const Plan& plan, const Order& order, const IntervalSet& allowed, Occupancy& occupancy,
        const std::vector<Fence>& ignoring = {});
  ~Apart();
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;

  static bool IsNeeded(const Plan& plan, const Order& order);

 private:
  struct Added {
    std::vector<Use> uses;
    std::vector<std::pair<Account, rusv::Slot>> counts;
    std::vector<std::pair<uint32_t, Occupant>> occupants;  // by node
  };
  // Times before somebody who waits begins, with as much as is used while they are there.
  struct Stretches {
    std::map<std::pair<uint32_t, uint32_t>, std::vector<rusv::Slot>> nodes;  // by dimension, too
    std::map<Account, std::vector<rusv::Slot>> accounts;
  };
  Added LentRest(const Plan& plan) const;
  Stretches BeforeWaiting(const Plan& plan, const Order& order, Instant last) const;
  Added Missing(const Stretches& stretches) const;
  void Put(const Added& what, bool add);
  bool IsSameJob(const Order& other) const { return labels_.contains(other.label); }

  Occupancy& occupancy_;
  std::set<std::string> labels_;  // of the order's job
  std::vector<Added> added_;
};

}  // namespace muster::plan
