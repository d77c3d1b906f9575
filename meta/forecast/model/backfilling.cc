// The plan is a step function in flat arrays. A pass of moving up tries no start after the end of
// the room that was given back: no job fits there that did not fit before.
#include "meta/forecast/model/backfilling.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace muster::forecast {

Backfilling::Backfilling(Instant now, std::span<const Step> terrain)
    : now_(now), resources_(terrain.front().free.size()), vacated_(now) {
  for (const Step& step : terrain) {
    from_.push_back(step.from);
    free_.insert(free_.end(), step.free.begin(), step.free.end());
  }
  most_.resize(resources_);
}

Backfilling::Backfilling(const Backfilling& other, Bare)
    : now_(other.now_),
      resources_(other.resources_),
      from_(other.from_),
      free_(other.free_),
      vacated_(other.vacated_),
      most_(other.most_) {}

size_t Backfilling::StepAt(Instant t) const {
  const auto after = std::upper_bound(from_.begin(), from_.end(), t);
  return after == from_.begin() ? 0 : static_cast<size_t>(after - from_.begin()) - 1;
}

size_t Backfilling::Split(Instant at) {
  const size_t i = StepAt(at);
  if (from_[i] >= at) return i;
  from_.insert(from_.begin() + static_cast<std::ptrdiff_t>(i) + 1, at);
  const auto begin = static_cast<std::ptrdiff_t>(i * resources_);
  const auto width = static_cast<std::ptrdiff_t>(resources_);
  free_.insert(free_.begin() + begin + width, resources_, 0);
  std::copy_n(free_.begin() + begin, width, free_.begin() + begin + width);
  return i + 1;
}

void Backfilling::Change(std::span<const int64_t> amounts, Instant begin, Instant end,
                         int64_t sign) {
  if (begin >= end) return;
  const size_t first = Split(begin);
  const size_t last = Split(end);
  for (size_t i = first; i < last; ++i) {
    for (size_t r = 0; r < resources_; ++r) free_[i * resources_ + r] += sign * amounts[r];
  }
  // Merge equal steps, the later edge first so that the earlier index stays valid.
  for (const size_t edge : {last, first}) {
    if (edge == 0 || edge >= from_.size()) continue;
    const auto at = static_cast<std::ptrdiff_t>(edge * resources_);
    const auto width = static_cast<std::ptrdiff_t>(resources_);
    if (!std::equal(free_.begin() + at, free_.begin() + at + width, free_.begin() + at - width)) {
      continue;
    }
    from_.erase(from_.begin() + static_cast<std::ptrdiff_t>(edge));
    free_.erase(free_.begin() + at, free_.begin() + at + width);
  }
}

std::optional<Instant> Backfilling::EarliestFit(std::span<const int64_t> amounts, Instant from,
                                                Span length) const {
  Instant since = kFarFuture;
  for (size_t i = StepAt(from); i < from_.size(); ++i) {
    bool fits = true;
    for (size_t r = 0; r < resources_ && fits; ++r) fits = free_[i * resources_ + r] >= amounts[r];
    if (!fits) {
      since = kFarFuture;
      continue;
    }
    if (since == kFarFuture) since = std::max(from_[i], from);
    const Instant end = i + 1 < from_.size() ? from_[i + 1] : kFarFuture;
    if (end >= kFarFuture || end - since >= length) return since;
  }
  return std::nullopt;
}

std::optional<Backfilling::Job> Backfilling::Add(std::span<const int64_t> amounts, Span booked,
                                                 Span runs, Instant not_before) {
  const std::optional<Instant> start = EarliestFit(amounts, std::max(now_, not_before), booked);
  if (!start) return std::nullopt;
  return AddAt(amounts, *start, booked, runs, false);
}

Backfilling::Job Backfilling::AddAt(std::span<const int64_t> amounts, Instant start, Span booked,
                                    Span runs, bool fixed) {
  const auto job = static_cast<Job>(jobs_.size());
  jobs_.push_back({start, booked, std::min(runs, booked), start < now_, false, fixed});
  amounts_.insert(amounts_.end(), amounts.begin(), amounts.end());
  Change(AmountsOf(job), std::max(now_, start), start + booked, -1);
  (start < now_ ? running_ : waiting_).push_back(job);
  return job;
}

void Backfilling::Precede(Job job, Job before) {
  std::erase(waiting_, job);
  waiting_.insert(std::find(waiting_.begin(), waiting_.end(), before), job);
}

void Backfilling::Arrive(std::span<const int64_t> amounts, Span booked, Span runs,
                         int32_t priority) {
  std::vector<Job> yielding;
  for (const Job job : waiting_) {
    const Booked& one = jobs_[job];
    if (one.fixed || one.priority >= priority || one.start <= now_) continue;
    yielding.push_back(job);
    if (yielding.size() == kMostYielding) break;
  }
  const auto book = [this](Job job, int64_t sign) {
    Change(AmountsOf(job), jobs_[job].start, jobs_[job].start + jobs_[job].booked, sign);
  };
  for (const Job job : yielding) book(job, 1);
  const std::optional<Instant> start = EarliestFit(amounts, now_, booked);
  if (start) {
    const Job came = AddAt(amounts, *start, booked, runs, false);
    waiting_.pop_back();
    const auto before = yielding.empty()
                            ? waiting_.end()
                            : std::find(waiting_.begin(), waiting_.end(), yielding.front());
    waiting_.insert(before, came);
  }
  for (const Job job : yielding) {
    if (start) {
      // If the job fits nowhere any more it keeps its start, and the plan is overbooked there.
      jobs_[job].start =
          EarliestFit(AmountsOf(job), now_, jobs_[job].booked).value_or(jobs_[job].start);
    }
    book(job, -1);
  }
}

Backfilling Backfilling::Rest() const {
  Backfilling out = Backfilling(*this, Bare{});
  for (const std::vector<Job>* list : {&running_, &waiting_}) {
    for (const Job job : *list) {
      const auto copy = static_cast<Job>(out.jobs_.size());
      out.jobs_.push_back(jobs_[job]);
      const std::span<const int64_t> amounts = AmountsOf(job);
      out.amounts_.insert(out.amounts_.end(), amounts.begin(), amounts.end());
      (list == &running_ ? out.running_ : out.waiting_).push_back(copy);
    }
  }
  return out;
}

void Backfilling::SetRuns(Job job, Span runs) {
  jobs_[job].runs = std::min(runs, jobs_[job].booked);
}

// The earliest start at or after `from`, and before both `until` and the planned start; none if
// there is none. The job's own booking counts as free, so only the time before it is checked.
std::optional<Instant> Backfilling::EarlierFit(Job job, Instant from, Instant until) const {
  const std::span<const int64_t> amounts = AmountsOf(job);
  const Instant start = jobs_[job].start;
  const Span length = jobs_[job].booked;
  until = std::min(until, start);
  Instant since = kFarFuture;
  for (size_t i = StepAt(from); i < from_.size(); ++i) {
    if (since == kFarFuture && from_[i] >= until) return std::nullopt;
    bool fits = true;
    for (size_t r = 0; r < resources_ && fits; ++r) fits = free_[i * resources_ + r] >= amounts[r];
    if (!fits) {
      since = kFarFuture;
      continue;
    }
    if (since == kFarFuture) since = std::max(from_[i], from);
    const Instant end = i + 1 < from_.size() ? from_[i + 1] : kFarFuture;
    if (end >= start || end - since >= length) return since;
  }
  return std::nullopt;
}

// Takes in what is free within [from, until).
void Backfilling::RaiseMost(Instant from, Instant until) {
  for (size_t i = StepAt(from); i < from_.size() && from_[i] < until; ++i) {
    for (size_t r = 0; r < resources_; ++r) {
      most_[r] = std::max(most_[r], free_[i * resources_ + r]);
    }
  }
}

// A job that needs at least as much, for at least as long, and starts no earlier than one without
// an earlier fit, has none before the start of that one.
Instant Backfilling::NotBefore(Job job) const {
  const std::span<const int64_t> amounts = AmountsOf(job);
  Instant out = now_;
  for (const Job other : failed_) {
    const Booked& one = jobs_[other];
    if (one.start <= out || one.start > jobs_[job].start || one.booked > jobs_[job].booked) {
      continue;
    }
    const std::span<const int64_t> less = AmountsOf(other);
    if (std::equal(less.begin(), less.end(), amounts.begin(), std::less_equal())) out = one.start;
  }
  return out;
}

void Backfilling::NoteFailed(Job job) {
  if (failed_.size() < kFailed) {
    failed_.push_back(job);
  } else {
    failed_[oldest_failed_++ % kFailed] = job;
  }
}

void Backfilling::MoveUp() {
  Instant until = vacated_;
  vacated_ = now_;
  std::fill(most_.begin(), most_.end(), 0);
  RaiseMost(now_, until);
  failed_.clear();
  for (const Job job : waiting_) {
    Booked& booked = jobs_[job];
    if (booked.fixed || booked.start <= now_) continue;
    const std::span<const int64_t> amounts = AmountsOf(job);
    bool may = true;
    for (size_t r = 0; r < resources_ && may; ++r) may = most_[r] >= amounts[r];
    if (!may) continue;
    const Instant from = NotBefore(job);
    if (from >= until) continue;
    const std::optional<Instant> start = EarlierFit(job, from, until);
    if (!start) {
      NoteFailed(job);
      continue;
    }
    failed_.clear();
    // Where the old and the new place overlap nothing changes.
    const Instant end = booked.start + booked.booked;
    const Instant left = std::max(booked.start, *start + booked.booked);
    Change(amounts, *start, std::min(booked.start, *start + booked.booked), -1);
    Change(amounts, left, end, 1);
    booked.start = *start;
    // Jobs before this one in the order were already looked at. They may move into its old place in
    // the next pass.
    vacated_ = std::max(vacated_, end);
    // Only what was given back can have more free than before. Its begin may lie before the old end
    // of the search, and the search now goes on to its end.
    RaiseMost(std::min(left, until), end);
    until = std::max(until, end);
  }
}

Instant Backfilling::NextEvent() const {
  Instant next = kFarFuture;
  for (const Job job : waiting_) next = std::min(next, jobs_[job].start);
  for (const Job job : running_) next = std::min(next, jobs_[job].start + jobs_[job].runs);
  return next;
}

void Backfilling::Turn(Instant at) {
  now_ = std::max(now_, at);
  bool early = false;
  std::erase_if(running_, [&](Job job) {
    Booked& booked = jobs_[job];
    if (booked.start + booked.runs > now_) return false;
    booked.ended = true;
    const Instant end = booked.start + booked.booked;
    if (end > now_) {
      early = true;
      Change(AmountsOf(job), now_, end, 1);
      vacated_ = std::max(vacated_, end);
    }
    return true;
  });
  if (early) MoveUp();
  std::erase_if(waiting_, [&](Job job) {
    if (jobs_[job].start > now_) return false;
    jobs_[job].started = true;
    running_.push_back(job);
    return true;
  });
  Forget();
}

// Drops past steps. Done rarely, since it moves all others.
void Backfilling::Forget() {
  const size_t past = StepAt(now_);
  if (past < 64) return;
  from_.erase(from_.begin(), from_.begin() + static_cast<std::ptrdiff_t>(past));
  free_.erase(free_.begin(), free_.begin() + static_cast<std::ptrdiff_t>(past * resources_));
}

void Backfilling::RunTo(Instant until) {
  for (Instant next = NextEvent(); next <= until; next = NextEvent()) Turn(next);
  now_ = std::max(now_, until);
}

Instant Backfilling::RunUntilStarted(Job job) {
  while (!jobs_[job].started) {
    const Instant next = NextEvent();
    MUSTER_CHECK(next < kFarFuture);  // a booked job has a start
    Turn(next);
  }
  return jobs_[job].start;
}

}  // namespace muster::forecast
