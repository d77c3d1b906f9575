// First Fit Increasing Height, for interactive requests: the shortest entry first, which keeps the
// mean wait short. CCS Sect. 3.2 (FFIH), Fig. 6; scheduling.md section 1.
#include "meta/search/packing/making.h"

namespace muster::packing {

Layout PackFfih(const Problem& problem) {
  return FirstFit(problem, ShortestFirst(problem.entries), /*gaps=*/false);
}

}  // namespace muster::packing
