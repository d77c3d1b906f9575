// Bootstrap over voices: a draw takes as many of them as there are, some twice, some not at all.
#include "meta/forecast/model/coverage.h"

#include <algorithm>
#include <vector>

#include "base/random.h"

namespace muster::forecast {
namespace {

void Add(Covered& to, const Covered& one) {
  to.intervals += one.intervals;
  to.held += one.held;
}

double RatioOf(const Covered& of) {
  if (of.intervals == 0) return 0;
  return static_cast<double>(of.held) / static_cast<double>(of.intervals);
}

}  // namespace

Coverage CoverageOf(std::span<const Covered> voices) {
  Covered all;
  for (const Covered& one : voices) Add(all, one);
  Coverage out{.voices = voices.size(), .ratio = RatioOf(all)};
  if (voices.empty()) return out;
  Random random(1);
  std::vector<double> ratios;
  const size_t draws =
      std::clamp(Coverage::kDrawn / voices.size(), Coverage::kLeastDraws, Coverage::kMostDraws);
  for (size_t draw = 0; draw < draws; ++draw) {
    Covered drawn;
    for (size_t i = 0; i < voices.size(); ++i) Add(drawn, voices[random.Below(voices.size())]);
    ratios.push_back(RatioOf(drawn));
  }
  std::sort(ratios.begin(), ratios.end());
  out.low = ratios[ratios.size() / 20];
  out.high = ratios[ratios.size() - 1 - ratios.size() / 20];
  return out;
}

}  // namespace muster::forecast
