// Turns a trace into jobs of a federation, by the SWF rules of scheduling.md section 10. Jobs left
// out or changed are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/status.h"
#include "sim/replay/federation_replay.h"
#include "sim/replay/swf.h"

namespace muster::sim {

// How the home site of a job is chosen, for R5 and for comparisons.
struct HomeRule {
  bool by_partition = true;  // home site index is SWF partition / 100 - 1, if there is such a site
  std::optional<size_t> site;  // otherwise the home of all jobs
};

struct WorkloadRules {
  bool exact = false;          // the requested time is the real run time
  Span from;                   // jobs submitted at least this long after the first submission
  std::optional<Span> until;   // jobs submitted less than this long after the first submission
  std::optional<size_t> jobs;  // only this many jobs, from the first on
  HomeRule home;
  bool alone = false;  // a job may run only at its home site
  // By home, per 1,000: so many of its jobs are kept, evenly over time. Others keep all.
  std::map<size_t, uint32_t> keep;
  uint32_t co_allocated = 0;  // per 1,000: jobs split over two or three sites
  // processors of the trace's machine: each job then asks for the same share of the processors of
  // all sites together; 0: no scaling
  int64_t scaled_from = 0;
  std::optional<double> load;  // offered load to reach, by scaling the time between submissions
  bool backlog = false;        // all jobs are submitted when the first one is; not with `load`
  uint64_t seed = 1;
};

struct WorkloadCounts {
  SwfCounts trace;
  size_t outside = 0;   // outside of `from`, `until` or `jobs`
  size_t thinned = 0;   // left out by `keep`
  size_t homeless = 0;  // with `alone`: jobs without a home, left out
  size_t too_wide = 0;  // wider than every machine, or with `alone` than its home: left out
  size_t split_in_two = 0;
  size_t split_in_three = 0;
  double interval_scale = 1;  // factor on the time between submissions
  size_t without_set = 0;     // wider than each group of their set: they ask for none
};

struct FederationWorkload {
  std::vector<FederationJob> jobs;  // sorted by submission
  WorkloadCounts counts;
};

// Errors: `co_allocated` is above 0 and there are fewer than two sites.
absl::StatusOr<FederationWorkload> MakeWorkload(const SwfTrace& trace,
                                                const std::vector<ReplaySite>& sites,
                                                const WorkloadRules& rules);

}  // namespace muster::sim
