// What the rows of bench_planner are made of. A row measures one figure of the planner and, on the
// same machine and with the same input, a simple reference that the benchmark contains (for
// vectors: flat_profile.h), so that the ratio of both survives a noisy or another machine.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace muster::bench {

// What a figure has to reach, and what is near the machine's limit.
struct Bounds {
  double at_least = 0;
  double aim = 0;
};

struct Row {
  std::string name;
  std::string unit;
  std::optional<Bounds> bounds;  // none: a point of a curve, measured only with --curves
  std::function<double()> value;
  std::function<double()> reference;
};

// Each group of rows in a file of its own, in the order of printing.
std::vector<Row> VectorRows();  // vector_rows.cc: fit, addrem, loop
std::vector<Row> PlanRows();    // plan_rows.cc: plan, array, backfill, memory, mapped
std::vector<Row> SiteRows();    // site_rows.cc: restart, verdict

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
