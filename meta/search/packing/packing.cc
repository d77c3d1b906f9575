// Maps algorithms to functions.
#include "meta/search/packing/packing.h"

#include <algorithm>

#include "base/check.h"
#include "meta/search/packing/making.h"

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

size_t StartAfter(const Schedule& schedule, Instant last) {
  return static_cast<size_t>(
      std::count_if(schedule.begin(), schedule.end(),
                    [last](const auto& place) { return !place || place->start > last; }));
}

}  // namespace muster::packing
