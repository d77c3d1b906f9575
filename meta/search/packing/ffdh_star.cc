// FFDH*: FFDH that also fills the gaps between the tops of a level's requests and its end. CCS
// Sect. 3.2 (FFDH*), Fig. 7; scheduling.md section 1, rule R2.
#include "meta/search/packing/making.h"

namespace muster::packing {

Layout PackFfdhStar(const Problem& problem) {
  return FirstFit(problem, LongestFirst(problem.entries), /*gaps=*/true);
}

}  // namespace muster::packing
