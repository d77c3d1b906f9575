// FFDH* also fills the gaps between the ends of a level's entries and the end of the level. CCS
// Sect. 3.2 (FFDH*), Fig. 7; scheduling.md section 1, rule R2.
#include "meta/search/packing/making.h"

namespace muster::packing {

Layout PackFfdhStar(const Problem& problem) {
  return FirstFit(problem, LongestFirst(problem.entries), /*gaps=*/true);
}

}  // namespace muster::packing
