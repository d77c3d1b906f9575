// FFIH* also fills the gaps that bookings and windows left in the levels. CCS Sect. 3.2 (FFIH*);
// scheduling.md section 1, rule R2.
#include "meta/search/packing/making.h"

namespace muster::packing {

Layout PackFfihStar(const Problem& problem) {
  return FirstFit(problem, ShortestFirst(problem.entries), /*gaps=*/true);
}

}  // namespace muster::packing
