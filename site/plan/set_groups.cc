// Integers throughout: every daemon finds the same groups.
#include "site/plan/set_groups.h"

#include <algorithm>
#include <numeric>

namespace muster::plan {
namespace {

__extension__ using Wide = __int128;

bool Alike(int64_t least, int64_t most, const std::optional<Tolerance>& tolerance) {
  if (!tolerance) return least == most;
  if (!tolerance->relative) return most - least <= tolerance->most;
  return Wide{most} * 100 <= Wide{least} * (100 + tolerance->most);
}

}  // namespace

// The last value that is alike never goes back as the first one goes on. So a range is maximal if
// it reaches further than the one before it.
std::vector<ValueRange> GroupsOf(std::span<const int64_t> values,
                                 const std::optional<Tolerance>& tolerance) {
  std::vector<ValueRange> out;
  for (size_t first = 0; first < values.size(); ++first) {
    size_t last = out.empty() ? first : std::max(first, out.back().last);
    while (last + 1 < values.size() && Alike(values[first], values[last + 1], tolerance)) ++last;
    if (out.empty() || last > out.back().last) out.push_back({first, last});
  }
  return out;
}

int64_t LossOf(std::span<const int64_t> speeds) {
  if (speeds.empty()) return 0;
  constexpr int64_t kWhole = 1'000'000;
  const int64_t least = *std::min_element(speeds.begin(), speeds.end());
  const int64_t sum = std::accumulate(speeds.begin(), speeds.end(), int64_t{0});
  const Wide kept = Wide{kWhole} * static_cast<int64_t>(speeds.size()) * least;
  return kWhole - static_cast<int64_t>((kept + sum / 2) / sum);
}

}  // namespace muster::plan
