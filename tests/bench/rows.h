// The rows of benchmarks. A row measures one figure and, on the same machine and with the same
// input, a simple reference that the benchmark contains, so that the ratio of both survives a noisy
// or another machine.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace muster::bench {

// `at_least`: the value that a figure has to reach. `aim`: a value near the machine's limit.
struct Bounds {
  double at_least = 0;
  double aim = 0;
};

struct Row {
  std::string name;
  std::string unit;
  std::optional<Bounds> bounds;  // none: a point of a curve, measured only with --curves
  std::function<double()> value;
  std::function<double()> reference;  // null: nothing simple does the same
};

// Measures the rows that the arguments name, each by its name or its beginning ("plan" for
// "plan_1k", "plan_10k"), or all rows without arguments, and prints one JSON line each:
// {"bench","value","unit","reference","ratio","at_least","aim"}. ratio = value / reference; a row
// without a reference prints neither of them.
// --curves measures the rows that have no bounds, too. Returns the exit status of the program.
int MeasureRows(const std::vector<Row>& rows, int argc, char** argv);

// Seconds that `work` takes: the least of `times` runs, since other load only ever adds. `prepare`
// runs before each and does not count.
template <typename Prepare, typename Work>
double BestSeconds(int times, Prepare prepare, Work work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < times; ++i) {
    prepare();
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    best = std::min(best, taken.count());
  }
  return best;
}

// Keeps what only a measurement computes from being optimised away.
template <typename T>
void Keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

}  // namespace muster::bench
