// First Fit Decreasing Height, for batch requests: the longest entry first, so that shorter ones
// fill its level. CCS Sect. 3.2 (FFDH), Fig. 5; scheduling.md section 1.
#include "meta/search/packing/making.h"

namespace muster::packing {

Layout PackFfdh(const Problem& problem) {
  return FirstFit(problem, LongestFirst(problem.entries), /*gaps=*/false);
}

}  // namespace muster::packing
