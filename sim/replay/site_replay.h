// One site alone under a workload, in virtual time: the real core on simulated machines, its users
// submitting to it directly, the checkers looking at every change of its plan. The link is ideal:
// there is none (scheduling.md section 10).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/replay/site_workload.h"
#include "site/options.h"

namespace muster::sim {

struct ReplayResult {
  size_t submitted = 0;
  std::map<std::string, size_t> refused;  // by code
  size_t started = 0;
  size_t ended = 0;
  std::map<std::string, size_t> outcomes;  // of those that ended
  size_t turns = 0;
  size_t plan_changes = 0;  // bookings made, moved, cut or given back
  size_t checks = 0;        // of the plan, one after every batch that changed it
  size_t most_booked = 0;   // bookings at one time
  // Starts against the first promise: later ones need a cause, and there are none without one.
  size_t kept = 0;
  std::map<std::string, size_t> late;  // by cause
  size_t earlier = 0;                  // started before its first promise
  int64_t earlier_sum_s = 0;
  int64_t earlier_most_s = 0;
  size_t backfilled = 0;  // moves to an earlier start
  int64_t waited_sum_s = 0;
  int64_t waited_most_s = 0;
  double utilisation = 0;  // processors used by the jobs that ran, from first arrival to last end
  BootSpan lasted;         // virtual
  std::vector<std::string> violations;
};

// Runs until every job has ended. `site` has nodes, name and rules; its users are made from the
// jobs. REQUIRES: a positive number of nodes.
ReplayResult ReplaySite(site::Options site, const SiteWorkload& workload);

}  // namespace muster::sim
