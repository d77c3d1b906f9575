// bench_planner: how fast the planner of a site is, each figure beside a simple reference measured
// in the same run. One JSON line a figure on stdout: {"bench","value","unit","reference","ratio",
// "at_least","aim"}; ratio = value / reference. Arguments are names of rows, or beginnings of
// names; --curves measures the rows that have no bounds, too.
#include <cstdio>
#include <string>
#include <vector>

#include "tests/bench/planner/bench.h"

namespace muster::bench {
namespace {

std::vector<Row> AllRows() {
  std::vector<Row> all;
  for (const auto& rows : {VectorRows(), PlanRows(), SiteRows()})
    all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

void Print(const Row& row) {
  const double value = row.value();
  const double reference = row.reference();
  std::printf("{\"bench\":\"%s\",\"value\":%.4g,\"unit\":\"%s\",\"reference\":%.4g,\"ratio\":%.4g",
              row.name.c_str(), value, row.unit.c_str(), reference, value / reference);
  if (row.bounds.has_value()) {
    std::printf(",\"at_least\":%g,\"aim\":%g", row.bounds->at_least, row.bounds->aim);
  }
  std::printf("}\n");
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  std::vector<std::string> wanted(argv + 1, argv + argc);
  const bool curves = std::erase(wanted, "--curves") > 0;
  const std::vector<Row> rows = AllRows();
  std::vector<bool> chosen(rows.size(), false);
  for (size_t r = 0; wanted.empty() && r < rows.size(); ++r) {
    chosen[r] = curves || rows[r].bounds.has_value();
  }
  for (const std::string& name : wanted) {
    bool known = false;
    for (size_t r = 0; r < rows.size(); ++r) {
      if (rows[r].name != name && !rows[r].name.starts_with(name + "_")) continue;
      known = true;
      if (rows[r].name == name || curves || rows[r].bounds.has_value()) chosen[r] = true;
    }
    if (known) continue;
    std::fprintf(stderr, "bench: error[usage]: no row '%s'\n  help:", name.c_str());
    for (const Row& row : rows) std::fprintf(stderr, " %s", row.name.c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  for (size_t r = 0; r < rows.size(); ++r) {
    if (chosen[r]) Print(rows[r]);
  }
  return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) { return muster::bench::Main(argc, argv); }
