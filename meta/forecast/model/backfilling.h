// Simulates the plan of one site: running jobs, booked jobs, and the jobs that move up when another
// ends early. The rule is that of the sites: no booking gets later, and after an early end every
// job that can start earlier does, in order. If jobs run for their requested times, their starts
// are bounds; with sampled run times they are one possible future. scheduling.md sections 5
// (Backfilling, Forward run) and 6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/time.h"

namespace muster::forecast {

class Backfilling {
 public:
  // Numbered as added. Jobs move up in this order, unless Precede or Arrive changes it.
  using Job = uint32_t;
  struct Step {
    Instant from;
    std::vector<int64_t> free;  // by resource
  };

  // Starts at `now` with the free amounts of `terrain`; its last step has no end. REQUIRES: at
  // least one step, ascending, the first not after `now`; at least one resource.
  Backfilling(Instant now, std::span<const Step> terrain);

  Instant now() const { return now_; }
  size_t waiting() const { return waiting_.size(); }
  // How many steps of the plan were looked at since the last call.
  size_t TakeWalked() { return std::exchange(walked_, 0); }

  // Earliest start at or after both `from` and now; none if there is none. Books nothing.
  std::optional<Instant> EarliestFit(std::span<const int64_t> amounts, Instant from,
                                     Span length) const;
  // Books a job at its earliest fit at or after `not_before`; none if it never fits. The job starts
  // when time reaches its start, and ends after `runs`, at most `booked`.
  std::optional<Job> Add(std::span<const int64_t> amounts, Span booked, Span runs,
                         Instant not_before);
  // Books a job at `start` whether or not it fits. The job may have started before now. A `fixed`
  // job never moves.
  Job AddAt(std::span<const int64_t> amounts, Instant start, Span booked, Span runs, bool fixed);
  // The job has no promise: an arrival of a higher priority is booked before it. Other jobs yield
  // to nobody. REQUIRES: the job waits.
  void Yields(Job job, int32_t priority) { jobs_[job].priority = priority; }
  // `job` moves up before `before`. REQUIRES: both wait.
  void Precede(Job job, Job before);
  // A request arrives now. The first kMostYielding waiting jobs that yield to it give up their
  // bookings. The request is booked at its earliest fit beside all other jobs. Then those that
  // yielded are booked again, in their order. If the request never fits, nothing changes.
  static constexpr size_t kMostYielding = 64;
  void Arrive(std::span<const int64_t> amounts, Span booked, Span runs, int32_t priority);
  // A copy from now on without the ended jobs. Jobs are renumbered from 0: running_jobs(), then
  // waiting_jobs(), in their present orders.
  Backfilling Rest() const;
  // Corrects the run time of a job. REQUIRES: it has not ended.
  void SetRuns(Job job, Span runs);
  // From now on ends are rounded by at most 1/(2 kGrains) of their distance from now, and of
  // kRunsOver times their run time. So ends that lie far ahead fall together, and fewer passes of
  // moving up are made. REQUIRES: run times are set afterwards.
  static constexpr int64_t kGrains = 32;
  static constexpr int64_t kRunsOver = 4;
  void RoundEnds() { rounded_from_ = now_; }

  // Time of the next start or end; kFarFuture if there is none.
  Instant NextEvent() const;
  // Advances time to `until`. Within a second all ends come first, then one pass of moving up if an
  // end was early, then the starts.
  void RunTo(Instant until);
  // Advances time until `job` has started. Returns its start.
  Instant RunUntilStarted(Job job);

  bool Started(Job job) const { return jobs_[job].started; }
  bool Ended(Job job) const { return jobs_[job].ended; }
  // The planned start, or the real one once the job has started.
  Instant StartOf(Job job) const { return jobs_[job].start; }
  const std::vector<Job>& waiting_jobs() const { return waiting_; }
  const std::vector<Job>& running_jobs() const { return running_; }

 private:
  struct Bare {};  // selects the constructor that copies the steps but no jobs
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
  void RoundEnd(Booked& booked) const;
  size_t Present() const;
  size_t StepAt(Instant t) const;
  size_t Where(bool fits, size_t i, Instant before, std::span<const int64_t> amounts) const;
  // From `at` until the next edge the amounts are added so many times to what is free.
  struct Edge {
    Instant at;
    int64_t times;  // 0 at the last edge
  };
  static constexpr size_t kMostEdges = 4;
  // A start, and the step in which it lies.
  struct Place {
    Instant start;
    size_t step;
  };
  void Resize(size_t steps);
  size_t StepFrom(Instant at, size_t from) const;
  void Change(std::span<const int64_t> amounts, size_t step, std::span<const Edge> edges);
  void Change(std::span<const int64_t> amounts, Instant begin, Instant end, int64_t times);
  std::optional<Place> EarlierFit(Job job, Instant until) const;
  void RaiseMost(Instant from, Instant until);
  void MoveUp();
  void Turn(Instant at);
  void Forget();

  Instant now_;
  Instant rounded_from_ = kFarFuture;
  size_t resources_;
  std::vector<Instant> from_;  // begins of the steps
  std::vector<int64_t> free_;  // resources_ a step
  std::vector<Booked> jobs_;
  std::vector<int64_t> amounts_;  // resources_ a job
  std::vector<Job> waiting_;      // in the order of moving up
  std::vector<Job> running_;
  mutable size_t walked_ = 0;
  mutable size_t present_ = 0;                 // Present, if nothing changed since
  mutable std::optional<Instant> next_event_;  // what NextEvent returns, if nothing changed since
  // Latest end of the room given back since the last pass of moving up.
  Instant vacated_;
  // Scratch of MoveUp: by resource, at least the most that is free at some time before that end.
  std::vector<int64_t> most_;
  std::vector<int64_t> edge_free_;  // scratch of Change: what is free at the edges
};

}  // namespace muster::forecast
