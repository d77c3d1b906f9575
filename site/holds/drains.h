// An operator's word: nodes out of use and back. protocol.md section 2b (steer), sections 3.1 (H14
// to H16) and 5 (soft and hard drain).
#pragma once

#include <string>
#include <vector>

#include "site/holds/rebooking.h"

namespace muster::site {

// No state of its own: which nodes are drained is on record.
class Drains : public Rebooking {
 public:
  using Rebooking::Rebooking;

  // All of the nodes or none. The result has no order's number.
  schemas::Steered Carry(const schemas::Steer& steer);
  // On a copy: what of its promises that would move.
  schemas::MovesView TryMoves(const schemas::Steer& steer) const;

 protected:
  struct Displaced {
    size_t moved = 0;
    size_t lost = 0;
  };
  // What is booked there and has not started; the cause gets the node of each.
  Displaced MoveFrom(const std::vector<std::string>& nodes, const schemas::Cause& cause);
  // A HELD hold is bound to nothing yet: it leaves nodes that were drained when it is bound.
  void LeaveDrained(const Fence& fence);

 private:
  std::string Drain(const schemas::Steer& steer);
  std::string Resume(const schemas::Steer& steer);
};

}  // namespace muster::site
