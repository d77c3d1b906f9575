// Operator orders that take nodes out of use and back. protocol.md section 2b (steer), sections 3.1
// (H14 to H16) and 5 (soft and hard drain).
#pragma once

#include <string>
#include <vector>

#include "site/holds/rebooking.h"

namespace muster::site {

// Stateless: the ledger records which nodes are drained.
class Drains : public Rebooking {
 public:
  using Rebooking::Rebooking;

  // Drains or resumes all of the named nodes, or none if any is unknown.
  schemas::Steered Carry(const schemas::Steer& steer);
  // Dry run on a copy: the promises that the order would move, the longest delay first; no start
  // left is the longest.
  schemas::MovesView TryMoves(const schemas::Steer& steer) const;

 protected:
  struct Displaced {
    size_t moved = 0;
    size_t lost = 0;
  };
  // Moves the holds that are booked on these nodes and have not started. The cause of each names
  // its node.
  Displaced MoveFrom(const std::vector<std::string>& nodes, const schemas::Cause& cause);
  // Moves a hold off its drained nodes if its Live::drained is set. A HELD hold is not bound yet:
  // it moves when it is prepared or committed.
  void LeaveDrained(const Fence& fence);

 private:
  std::string Drain(const schemas::Steer& steer);
  std::string Resume(const schemas::Steer& steer);
};

}  // namespace muster::site
