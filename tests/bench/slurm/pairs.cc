// Rows of pairs, as JSON lines.
#include "tests/bench/slurm/pairs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace muster::bench {

double Quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = std::ceil(share * static_cast<double>(values.size())) - 1;
  return values[static_cast<size_t>(std::max(place, 0.0))];
}

Pairs Alternate(int times, const std::function<double()>& value,
                const std::function<double()>& reference) {
  Pairs pairs;
  for (int i = 0; i < times; ++i) {
    pairs.references.push_back(reference());
    pairs.values.push_back(value());
  }
  return pairs;
}

void PrintRatio(const std::string& bench, double value, const std::string& unit, double reference,
                Bounds of_ratio) {
  std::printf(
      "{\"bench\":\"%s\",\"value\":%.4g,\"unit\":\"%s\",\"reference\":%.4g,\"ratio\":%.4g,"
      "\"at_least\":%g,\"aim\":%g,\"bounded\":\"ratio\"}\n",
      bench.c_str(), value, unit.c_str(), reference, value / reference, of_ratio.at_least,
      of_ratio.aim);
  std::fflush(stdout);
}

void PrintMedians(const std::string& bench, const std::string& unit, const Pairs& pairs,
                  Bounds of_ratio) {
  PrintRatio(bench, Quantile(pairs.values, 0.5), unit, Quantile(pairs.references, 0.5), of_ratio);
}

}  // namespace muster::bench
