// The command line and the output of benchmarks that are made of rows.
#include "tests/bench/rows.h"

#include <cstdio>

namespace muster::bench {
namespace {

void Print(const Row& row) {
  const double value = row.value();
  std::printf("{\"bench\":\"%s\",\"value\":%.4g,\"unit\":\"%s\"", row.name.c_str(), value,
              row.unit.c_str());
  if (row.reference) {
    const double reference = row.reference();
    std::printf(",\"reference\":%.4g,\"ratio\":%.4g", reference, value / reference);
  }
  if (row.bounds.has_value()) {
    std::printf(",\"at_least\":%g,\"aim\":%g", row.bounds->at_least, row.bounds->aim);
  }
  std::printf("}\n");
  std::fflush(stdout);
}

}  // namespace

int MeasureRows(const std::vector<Row>& rows, int argc, char** argv) {
  std::vector<std::string> wanted(argv + 1, argv + argc);
  const bool curves = std::erase(wanted, "--curves") > 0;
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

}  // namespace muster::bench
