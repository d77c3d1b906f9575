// FFIH*: FFIH that also fills the gaps which bookings and windows left in its levels. CCS Sect. 3.2
// (FFIH*); scheduling.md section 1, rule R2.
#include "meta/search/packing/making.h"

namespace muster::packing {

Layout PackFfihStar(const Problem& problem) {
  return FirstFit(problem, ShortestFirst(problem.entries), /*gaps=*/true);
}

}  // namespace muster::packing
