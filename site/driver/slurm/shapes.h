// What is asked of Slurm for a wall and for a part, and whether a wall is as asked. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "site/driver/driver.h"
#include "site/driver/slurm/cluster.h"
#include "site/driver/slurm/options.h"

namespace muster::driver::slurm {

// How early parts are handed over to a scheduler with these SchedulerParameters, so that it has
// started them by their second: 2 s to 30 s.
Span StartAheadOf(const std::string& scheduler_parameters);

// What is known of the cluster when a wall or a job is shaped.
struct Ground {
  const Look* look = nullptr;
  std::set<std::string> commons;        // nodes that need no wall
  std::vector<std::string> partitions;  // of the options
  std::set<std::string> commons_reservations;
  std::set<std::string> commons_partitions;
};

// The reservation for a wall, without its users; without nodes if all of them are in the commons
// and it keeps no licences.
// Errors: a node that the cluster does not have; a part that lies half in the commons.
absl::StatusOr<WantedReservation> WallOf(const PutWall& put, const Ground& ground, Instant now);
// Whether what stands is what was asked. A wall that has begun may have begun at any time.
bool IsAsAsked(const Reservation& there, const WantedReservation& wanted, Instant now);

// Whether what stands has begun, and differs from what is wanted in its end alone.
bool HasOnlyAnotherEnd(const Reservation& there, const WantedReservation& wanted);

// The longest part that a job with this limit of Slurm's can be: the wait for its second and the
// grace behind it are in the limit, too. 0: no part at all.
Span LongestPart(Span limit, Span start_ahead);

// Where a part's job goes: nodes, partition and reservation. `wall`: of the part.
absl::StatusOr<Submission> JobOf(const StartPart& part, const Ground& ground);

// Slurm's limit in whole minutes for a part that is handed over now: long enough for the wait, the
// walltime and the grace behind it. `started`: of a job that runs, by Slurm.
int64_t MinutesFor(Span walltime, BootSpan grace, Instant begins, Instant handed_over);
// The same, but not into the next reservation of others on these nodes, where at least a minute is
// left before it: Slurm would not start the job. Raised once it runs.
int64_t MinutesAtFirst(int64_t minutes, const std::vector<WantedNode>& nodes,
                       const std::string& wall, const Look& look, Instant now);

}  // namespace muster::driver::slurm
