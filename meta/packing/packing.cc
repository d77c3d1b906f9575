// Which algorithm is which function.
#include "meta/packing/packing.h"

#include "base/check.h"
#include "meta/packing/making.h"

namespace muster::packing {

Layout PackInLevels(Algorithm algorithm, const Problem& problem) {
  switch (algorithm) {
    case Algorithm::kFcfs:
      return PackFcfs(problem);
    case Algorithm::kFcfsStar:
      return PackFcfsStar(problem);
    case Algorithm::kFfdh:
      return PackFfdh(problem);
    case Algorithm::kFfdhStar:
      return PackFfdhStar(problem);
    case Algorithm::kFfih:
      return PackFfih(problem);
    case Algorithm::kFfihStar:
      return PackFfihStar(problem);
  }
  MUSTER_CHECK(false);
  return {};
}

Schedule Pack(Algorithm algorithm, const Problem& problem) {
  return PackInLevels(algorithm, problem).schedule;
}

}  // namespace muster::packing
