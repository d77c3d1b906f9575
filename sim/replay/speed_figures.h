// What a replay makes of nodes of several speeds. Maui Sect. IV (node sets): of the speed of a
// machine, what share jobs hold (scheduling efficiency), and what share of that does work (job
// efficiency); their product is the *true system efficiency*, which is throughput.
#pragma once

#include <vector>

#include "sim/replay/federation_replay.h"

namespace muster::sim {

// The window of the first three figures: from the first submission to the instant at which 90 % of
// the work of all jobs that ended is done, so that the few jobs that run last weigh no more than
// others. A job does its work evenly over its time.
struct SpeedFigures {
  double capacity = 0;    // of all sites, in processors of the reference speed
  double throughput = 0;  // work done / (capacity * window)
  double held = 0;        // what jobs held / (capacity * window)
  double efficiency = 0;  // throughput / held; 1 if no process ever waited for another one
  double window = 0;      // seconds
  // mean, seconds: submission to end, of jobs that ended; all, the balanced ones, the others
  double response = 0;
  double response_balanced = 0;
  double response_pooled = 0;
  double slowdown = 0;  // mean response / run time at the reference speed, each at least 10 s
};

// All zero if no job ended.
SpeedFigures MeasureSpeeds(const std::vector<ReplaySite>& sites,
                           const std::vector<FederationJob>& jobs, const FederationResult& result);

}  // namespace muster::sim
