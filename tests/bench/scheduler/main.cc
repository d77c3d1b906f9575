// bench_scheduler: how fast the scheduler of the meta is, each figure beside a simple reference
// measured in the same run (rows.h).
#include <vector>

#include "tests/bench/scheduler/bench.h"

namespace muster::bench {
namespace {

std::vector<Row> AllRows() {
  std::vector<Row> all;
  for (const auto& rows : {ForecastRows(), ForecastCostRows(), PackRows(), ReplayRows()})
    all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  return muster::bench::MeasureRows(muster::bench::AllRows(), argc, argv);
}
