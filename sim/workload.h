// Seeded workloads for the virtual world: mixed requests of one user, most on one site, some
// co-allocated.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "sim/client.h"

namespace muster::sim {

struct WorkloadOptions {
  size_t requests = 50;
  BootInstant begins{2000};
  BootSpan over = Seconds(120);  // arrivals are spread over this
  uint32_t co_allocated = 300;   // of 1,000: two or three parts, each on its own site
  uint32_t cancelled = 100;      // of 1,000
  uint32_t parked = 60;          // of 1,000: held for a while
  uint32_t after = 120;          // of 1,000: come after an earlier one
  uint32_t arrays = 60;          // of 1,000: some elements, few at once
  uint32_t reserved = 0;         // of 1,000: run nothing and are open to others
  uint32_t inside = 400;         // of 1,000, once there is a reservation: in the last one
  uint32_t jobwide = 0;          // of 1,000: a licence, job-wide
  uint32_t malleable = 0;        // of 1,000: fewer or more chunk sets while they run
  uint32_t noticed = 0;          // of 1,000: a signal before their end
  uint32_t grouped = 0;          // of 1,000: below one switch
  uint32_t interactive = 0;      // of 1,000: some with less notice of a start than usual, or none
  int64_t longest_s = 90;        // durations are 3 s to this
  int64_t cpus_per_node = 4;
  std::vector<std::string> queues = {"normal"};
  uint32_t firm = 0;  // of 1,000: to be promised at submission
};

std::vector<PlannedRequest> DrawWorkload(const WorkloadOptions& options, Random& random);

}  // namespace muster::sim
