// The rows of bench_scheduler: how fast the scheduler of the meta is.
#pragma once

#include "tests/bench/rows.h"

namespace muster::bench {

// Each group of rows in a file of its own, in the order of printing.
std::vector<Row> ForecastRows();      // forecast_rows.cc: update
std::vector<Row> ForecastCostRows();  // forecast_cost_rows.cc: forecast, submission
std::vector<Row> PackRows();          // pack_rows.cc: pack
std::vector<Row> ReplayRows();        // replay_rows.cc: replay, lublin

}  // namespace muster::bench
