// Keeps orders that wait for lent work apart from it, while one of either kind is planned: what is
// lent counts until the end for which it may stay, instead of the end of its booking. So nothing is
// recalled for those who wait. What is lent to a job and what is booked for it, known by its label,
// are in nobody's way of each other. scheduling.md section 18. Only for the sources of Plan.
#pragma once

#include <utility>
#include <vector>

#include "site/plan/plan.h"

namespace muster::plan {

// Adds to `occupancy` what `order` has to keep clear of beyond the bookings, and removes it in the
// end. An order that is neither lent nor waits, or that meets none of the other kind, changes
// nothing.
class Plan::Apart {
 public:
  Apart(const Plan& plan, const Order& order, Occupancy& occupancy);
  ~Apart();
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;

  static bool IsNeeded(const Plan& plan, const Order& order);

 private:
  void NoteLent(const Plan& plan, const Order& order);
  void NoteWaiting(const Plan& plan, const Order& order);
  void Note(const Booking& booking, size_t part, const Interval& when);

  Occupancy& occupancy_;
  std::vector<Use> uses_;
  std::vector<std::pair<Account, rusv::Slot>> counts_;
};

}  // namespace muster::plan
