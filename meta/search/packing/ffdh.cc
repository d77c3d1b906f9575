// First Fit Decreasing Height: the longest first, so that levels are filled by what is shorter; for
// batch requests. CCS Sect. 3.2 (FFDH), Fig. 5; scheduling.md section 1.
#include "meta/search/packing/making.h"

namespace muster::packing {

Layout PackFfdh(const Problem& problem) {
  return FirstFit(problem, LongestFirst(problem.entries), /*gaps=*/false);
}

}  // namespace muster::packing
