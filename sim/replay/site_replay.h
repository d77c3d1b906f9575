// Replays a workload at a single site in virtual time: the site's users submit to its real core,
// which runs on a simulated machine. Checkers look at every change of the plan. There is no meta
// and no link (scheduling.md section 10).
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
  std::map<std::string, size_t> refused;  // by error code
  size_t started = 0;
  size_t ended = 0;
  std::map<std::string, size_t> outcomes;  // outcomes of the ended jobs
  size_t turns = 0;
  size_t plan_changes = 0;  // bookings made, moved, shortened or released
  size_t checks = 0;        // checks of the plan, one after every batch that changed it
  size_t most_booked = 0;   // largest number of simultaneous bookings
  // Starts compared with the first promise. A start after it needs a cause.
  size_t kept = 0;
  std::map<std::string, size_t> late;  // later starts, by cause
  size_t earlier = 0;                  // started before its first promise
  int64_t earlier_sum_s = 0;
  int64_t earlier_most_s = 0;
  size_t backfilled = 0;  // moves to an earlier start
  int64_t waited_sum_s = 0;
  int64_t waited_most_s = 0;
  double utilisation = 0;  // used share of all processors, from the first arrival to the last end
  BootSpan lasted;         // virtual time
  std::vector<std::string> violations;
};

// Runs until every job has ended. `site` has name, nodes and rules; its users are taken from the
// jobs. REQUIRES: at least one node.
ReplayResult ReplayAtSite(site::Options site, const SiteWorkload& workload);

}  // namespace muster::sim
