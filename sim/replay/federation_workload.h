// From a trace to jobs of a federation, by the SWF rules of scheduling.md section 10; what is left
// out or changed is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/status.h"
#include "sim/replay/federation_replay.h"
#include "sim/replay/swf.h"

namespace muster::sim {

// Whose home is where, for R5 and for comparing.
struct HomeRule {
  bool by_partition = true;    // SWF partition / 100 - 1, from 0, where there is such a site
  std::optional<size_t> site;  // else this one for all
};

struct WorkloadRules {
  bool exact = false;          // the request is the run time
  Span from;                   // jobs submitted from here on, after the first submission
  std::optional<Span> until;   // and before this
  std::optional<size_t> jobs;  // at most so many, the first ones
  HomeRule home;
  bool alone = false;          // a job may run at its home only
  uint32_t co_allocated = 0;   // of 1,000: split over two or three sites
  int64_t scaled_from = 0;     // processors of the trace's machine: jobs ask for the same share
  std::optional<double> load;  // offered, after submissions were moved apart or together
  uint64_t seed = 1;
};

struct WorkloadCounts {
  SwfCounts trace;
  size_t outside = 0;   // of `from`, `until` and `jobs`
  size_t homeless = 0;  // with `alone`: no home, left out
  size_t too_wide = 0;  // for every machine, or for its home if alone: refused
  size_t split_in_two = 0;
  size_t split_in_three = 0;
  double interval_scale = 1;  // by which the time between submissions was multiplied
};

struct FederationWorkload {
  std::vector<FederationJob> jobs;  // by submission
  WorkloadCounts counts;
};

// Errors: a job to be co-allocated where there are no two sites.
absl::StatusOr<FederationWorkload> MakeWorkload(const SwfTrace& trace,
                                                const std::vector<ReplaySite>& sites,
                                                const WorkloadRules& rules);

}  // namespace muster::sim
