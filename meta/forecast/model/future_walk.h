// Goes through one possible future of a site's plan, event by event: jobs run for their drawn
// times, and the arrivals of a past week come again. scheduling.md section 6 (Forward).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/time.h"
#include "meta/forecast/model/arrivals.h"
#include "meta/forecast/model/backfilling.h"

namespace muster::forecast {

class FutureWalk {
 public:
  static constexpr size_t kMostComing = 4096;  // arrivals in one future
  // Books an arrival in the plan, at the plan's present time.
  using Book = std::function<void(const Arrivals::Past&, Backfilling&)>;

  // `future`: a plan with the run times of this future (FutureOf). `sample`: its number.
  FutureWalk(Backfilling future, const Arrivals& arrivals, uint64_t seed, uint32_t sample);

  // True if all jobs that were in the plan have started.
  bool Done() const { return done_; }
  // Goes on to the next event. Returns its work: the jobs looked at, and each kWalkedPerJob steps
  // of the plan, which take as long, as one. REQUIRES: !Done().
  static constexpr size_t kWalkedPerJob = 32;
  size_t Next(const Arrivals& arrivals, const Book& book);
  // Goes on until this job has started, and returns its start.
  Instant Until(Backfilling::Job job, const Arrivals& arrivals, const Book& book);
  const Backfilling& future() const { return future_; }

 private:
  void LookAhead();
  void Comes(const Arrivals& arrivals);

  Backfilling future_;
  Backfilling::Job jobs_;         // jobs that were in the plan
  Backfilling::Job started_ = 0;  // all before this one have started
  // The last arrival that came, and by how much the past is shifted; none if nothing comes.
  std::optional<Arrivals::Key> came_;
  Span shift_;
  size_t coming_ = 0;           // arrivals so far
  Instant comes_ = kFarFuture;  // the next arrival, as of when the record was last looked at
  Instant next_;
  bool done_ = false;
};

}  // namespace muster::forecast
