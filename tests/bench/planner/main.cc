// bench_planner: how fast the planner of a site is, each figure beside a simple reference measured
// in the same run (rows.h).
#include <vector>

#include "tests/bench/planner/bench.h"

namespace muster::bench {
namespace {

std::vector<Row> AllRows() {
  std::vector<Row> all;
  for (const auto& rows : {MemoryRows(), VectorRows(), PlanRows(), SiteRows()})
    all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  return muster::bench::MeasureRows(muster::bench::AllRows(), argc, argv);
}
