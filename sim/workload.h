// Random workloads for the virtual world, drawn by seed: mixed requests of one user, most of one
// part, some co-allocated.
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
  BootSpan over = Seconds(120);  // arrivals are spread over this time
  uint32_t co_allocated = 300;   // per 1,000: two or three parts, each at its own site
  uint32_t cancelled = 100;      // per 1,000
  uint32_t parked = 60;          // per 1,000: parked for a while
  uint32_t after = 120;          // per 1,000: depend on an earlier one
  uint32_t arrays = 60;          // per 1,000: arrays of some elements, few at once
  uint32_t reserved = 0;         // per 1,000: reservations open to others
  uint32_t inside = 400;   // per 1,000, once there is a reservation: run inside of the last one
  uint32_t jobwide = 0;    // per 1,000: ask for a job-wide licence
  uint32_t malleable = 0;  // per 1,000: may have fewer or more chunk sets while they run
  uint32_t noticed = 0;    // per 1,000: get a signal before their end
  uint32_t grouped = 0;    // per 1,000: must be below one switch
  uint32_t sets = 0;       // per 1,000 parts: ask for nodes of alike speed or of one rack
  // per 1,000: interactive, most with a start notice of 0 to 30 s
  uint32_t interactive = 0;
  int64_t longest_s = 90;  // longest duration in seconds; the shortest is 3 s
  int64_t cpus_per_node = 4;
  std::vector<std::string> queues = {"normal"};
  uint32_t firm = 0;  // per 1,000: must be promised at submission
};

std::vector<PlannedRequest> DrawWorkload(const WorkloadOptions& options, Random& random);
// Gives half of the chunks up to 5 GiB of memory, of nodes with 8 GiB.
void AddMemory(Random& random, std::vector<PlannedRequest>& requests);

}  // namespace muster::sim
