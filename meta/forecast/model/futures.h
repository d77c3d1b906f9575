// Possible futures of one site: copies of its plan, each with run times drawn from the learned
// distributions. Draws are keyed by (seed, request, sample), so that figures change only when
// something happened. scheduling.md section 6 (Forward).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "meta/forecast/model/backfilling.h"
#include "meta/forecast/model/run_time.h"

namespace muster::forecast {

inline constexpr size_t kSamples = 32;  // futures behind one forecast

// Facts about one job of a plan, at the job's index.
struct Runner {
  uint64_t request = 0;  // seeds the draws that this job shares with no other
  // KinOf its shape. Waiting jobs that are kin share their draw in most futures, because such jobs
  // often run for a similar time.
  uint64_t kin = 0;
  RunTime run_time;
  Span elapsed;          // how long it has run; 0 while it waits
  int64_t speed = 1000;  // of its site, in thousandths of the speed that run times are learned at
};

// A hash that is equal for the same user, processors and requested time.
uint64_t KinOf(const Shape& shape);

// The quantile, in [0, 1), at which this job's run time is drawn in this future.
double DrawOf(uint64_t seed, const Runner& runner, uint32_t sample);

// The plan with the run times of one future. REQUIRES: runners[i] describes job i of `plan`, for
// every job.
Backfilling FutureOf(const Backfilling& plan, std::span<const Runner> runners, uint64_t seed,
                     uint32_t sample);

}  // namespace muster::forecast
