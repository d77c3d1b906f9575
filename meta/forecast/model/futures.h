// Possible futures of one site: the same plan again and again, each time with other run times drawn
// from what was learned. Draws are keyed by (seed, request, sample), so that figures move because
// something happened and not because dice were thrown again. scheduling.md section 6 (Forward).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "meta/forecast/model/backfilling.h"
#include "meta/forecast/model/run_times.h"

namespace muster::forecast {

inline constexpr size_t kSamples = 32;  // futures behind one forecast

// One job of a plan, by its number there.
struct Runner {
  uint64_t request = 0;  // whose draws it has
  uint64_t kin = 0;      // KinOf its shape: kin that have not started yet often come out alike
  RunTime run_time;
  Span elapsed;          // it runs since then; 0 while it waits
  int64_t speed = 1000;  // of its site: what was learned is of 1000
};

// The same for the same user, processors and time asked for.
uint64_t KinOf(const Shape& shape);

// Uniform in [0, 1): how long this request runs in this future, as a quantile.
double DrawOf(uint64_t seed, const Runner& runner, uint32_t sample);

// The plan with the run times of one future. REQUIRES: runner i is job i of `plan`, all are there.
Backfilling FutureOf(const Backfilling& plan, std::span<const Runner> runners, uint64_t seed,
                     uint32_t sample);

}  // namespace muster::forecast
