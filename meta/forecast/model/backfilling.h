// The plan of one site as it will unfold: what runs, what is booked, and what moves up when
// something ends early. The rule is the sites': nothing booked gets later, and after an early end
// whatever can start earlier does, in order. With the times requests asked for it gives bounds,
// with sampled ones a possible future. scheduling.md sections 5 (Backfill, Forward run) and 6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"

namespace muster::forecast {

class Backfilling {
 public:
  using Job = uint32_t;  // in the order they were added: that is the order in which they move up
  struct Step {
    Instant from;
    std::vector<int64_t> free;  // by resource
  };

  // From `now` on, with what is free then; the last step lasts for ever.
  // REQUIRES: at least one step, ascending, the first not after `now`.
  Backfilling(Instant now, std::span<const Step> terrain);

  Instant now() const { return now_; }
  size_t waiting() const { return waiting_.size(); }

  // Earliest start from `from` on, which is not before now; none if never. Books nothing.
  std::optional<Instant> EarliestFit(std::span<const int64_t> amounts, Instant from,
                                     Span length) const;
  // Books it at its earliest fit, from `not_before` on; none if it fits never. It starts when time
  // comes to its start, and ends `runs` later, at most `booked`.
  std::optional<Job> Add(std::span<const int64_t> amounts, Span booked, Span runs,
                         Instant not_before);
  // Books it at `start`, fitting or not; it may have started before now. One that is `fixed` never
  // moves.
  Job AddAt(std::span<const int64_t> amounts, Instant start, Span booked, Span runs, bool fixed);
  // It has no promise: who comes with a greater priority is booked before it. A job yields to
  // nobody unless this is said. REQUIRES: it waits.
  void Yields(Job job, int32_t priority) { jobs_[job].priority = priority; }
  // It moves up before that one. REQUIRES: both wait.
  void Precede(Job job, Job before);
  // Somebody comes now, and is booked at the earliest fit beside those that do not yield to it; of
  // those that do, the first kMostYielding are booked anew behind it, in their order. Nothing
  // happens if it fits never.
  static constexpr size_t kMostYielding = 64;
  void Arrive(std::span<const int64_t> amounts, Span booked, Span runs, int32_t priority);
  // The same from now on, without what has ended. Its jobs count from 0: running_jobs(), then
  // waiting_jobs(), in their orders here.
  Backfilling Rest() const;
  // What it runs is known better now. REQUIRES: it has not ended.
  void SetRuns(Job job, Span runs);

  // When something starts or ends next; kFarFuture if nothing will.
  Instant NextEvent() const;
  // Brings time to `until`: everything that starts and ends up to then has. Within a second first
  // all ends, then one pass of moving up if any was early, then starts.
  void RunTo(Instant until);
  // Until `job` has started: when it does.
  Instant RunUntilStarted(Job job);

  bool Started(Job job) const { return jobs_[job].started; }
  bool Ended(Job job) const { return jobs_[job].ended; }
  // Planned, or real once it has started.
  Instant StartOf(Job job) const { return jobs_[job].start; }
  const std::vector<Job>& waiting_jobs() const { return waiting_; }
  const std::vector<Job>& running_jobs() const { return running_; }

 private:
  struct Bare {};  // its steps, none of its jobs
  Backfilling(const Backfilling& other, Bare);

  struct Booked {
    Instant start;
    Span booked;
    Span runs;
    bool started = false;
    bool ended = false;
    bool fixed = false;
    int32_t priority = std::numeric_limits<int32_t>::max();
  };
  std::span<const int64_t> AmountsOf(Job job) const {
    return {amounts_.data() + job * resources_, resources_};
  }
  size_t StepAt(Instant t) const;
  size_t Split(Instant at);
  void Change(std::span<const int64_t> amounts, Instant begin, Instant end, int64_t sign);
  std::optional<Instant> EarlierFit(Job job, Instant until) const;
  void RefreshMost(Instant until);
  void MoveUp();
  void Turn(Instant at);
  void Forget();

  Instant now_;
  size_t resources_;
  std::vector<Instant> from_;  // steps
  std::vector<int64_t> free_;  // resources_ a step
  std::vector<Booked> jobs_;
  std::vector<int64_t> amounts_;  // resources_ a job
  std::vector<Job> waiting_;      // in order
  std::vector<Job> running_;
  Instant vacated_;            // room was given back up to here since the last look at it
  std::vector<int64_t> most_;  // scratch: the most that is free up to vacated_
};

}  // namespace muster::forecast
