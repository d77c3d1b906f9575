// What the users of one site would have waited had the site been alone: its jobs come as they came,
// are booked at once at their earliest fit, run as long as they ran, and move up as the site moves
// them. Cut into slices. scheduling.md section 16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"
#include "meta/forecast/model/backfilling.h"

namespace muster::forecast {

class AloneRun {
 public:
  struct Job {
    Instant came;  // could have been placed from then on
    std::vector<int64_t> amounts;
    Span booked;  // with the turnover before it
    Span runs;    // at most `booked`, with the turnover
    // It started then, wherever others wanted it to: it is booked there and not compared.
    std::optional<Instant> at;
    std::optional<Span> waited;  // as it was; the job is compared
  };
  struct Outcome {
    uint64_t jobs = 0;   // compared
    uint64_t never = 0;  // were to be compared, but never fit
    Span waited;         // sum
    Span waited_most;
    Span alone;  // sum
    Span alone_most;
  };

  // `terrain`: ascending; before its first step it is the same. `turnover`: from the begin of a
  // booking to the start of its job. REQUIRES: at least one step, and one job, in the order in
  // which they came.
  AloneRun(std::vector<Backfilling::Step> terrain, std::vector<Job> jobs, Span turnover);

  // All have started.
  bool Done() const { return next_ == jobs_.size() && plan_.waiting() == 0; }
  // Goes on to the next job that comes, once all have come to the next start or end. Returns the
  // number of jobs looked at. REQUIRES: !Done().
  size_t Next();
  // REQUIRES: Done().
  Outcome Result() const;

 private:
  void Come(size_t job);

  std::vector<Job> jobs_;  // in the order in which they came
  Span turnover_;
  Backfilling plan_;
  size_t next_ = 0;                                            // of jobs_
  std::vector<std::pair<size_t, Backfilling::Job>> compared_;  // of jobs_, and in the plan
  uint64_t never_ = 0;
};

}  // namespace muster::forecast
