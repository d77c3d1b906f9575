// How rows beside a real cluster are measured and printed: a figure and its reference in turn, so
// that both meet the same machine, and the medians of both.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "tests/bench/rows.h"

namespace muster::bench {

using SteadyClock = std::chrono::steady_clock;

inline double SecondsSince(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

// The value below which this share of all is; 0.5 is the median. REQUIRES: there are some.
double Quantile(std::vector<double> values, double share);

struct Pairs {
  std::vector<double> values, references;
};
// Calls both in turn, `times` each.
Pairs Alternate(int times, const std::function<double()>& value,
                const std::function<double()>& reference);

// One JSON line as rows.h has it. The bounds are those of the ratio, and the line says so.
void PrintRatio(const std::string& bench, double value, const std::string& unit, double reference,
                Bounds of_ratio);
// The medians of pairs.
void PrintMedians(const std::string& bench, const std::string& unit, const Pairs& pairs,
                  Bounds of_ratio);

}  // namespace muster::bench
