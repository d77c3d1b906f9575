// The rows of bench_planner: how fast the planner of a site is; for vectors the reference is
// flat_profile.h.
#pragma once

#include "tests/bench/rows.h"

namespace muster::bench {

// Each group of rows in a file of its own, in the order of printing.
std::vector<Row> VectorRows();  // vector_rows.cc: fit, addrem, loop
std::vector<Row> PlanRows();    // plan_rows.cc: plan, array, mapped
// Also there, and to be measured first: what others left of the heap would count as its own.
std::vector<Row> MemoryRows();
std::vector<Row> SiteRows();  // site_rows.cc: restart, verdict, backfill

}  // namespace muster::bench
