// The plan is a step function in flat arrays. A pass of moving up tries no start after the end of
// the room that was given back: no job fits there that did not fit before.
#include "meta/forecast/model/backfilling.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
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

// Rounds the end of a job that has started, unless it runs to its booked end, which leaves no room.
void Backfilling::RoundEnd(Booked& booked) const {
  if (booked.runs >= booked.booked) return;
  const int64_t ahead = (booked.start + booked.runs - rounded_from_).seconds;
  const int64_t most = std::min(ahead, kRunsOver * booked.runs.seconds) / kGrains;
  if (most < 2) return;
  const auto grain = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(most)));
  const Span rounded{(ahead + grain / 2) / grain * grain};
  booked.runs =
      std::clamp(rounded_from_ + rounded - booked.start, Span{1}, std::max(Span{1}, booked.booked));
}

size_t Backfilling::StepAt(Instant t) const {
  if (t == now_) return Present();
  const auto after = std::upper_bound(from_.begin(), from_.end(), t);
  return after == from_.begin() ? 0 : static_cast<size_t>(after - from_.begin()) - 1;
}

void Backfilling::Resize(size_t steps) {
  from_.resize(steps);
  free_.resize(steps * resources_);
}

// The step in which the present lies. Steps change from the present on only, so it is found near
// where it was.
size_t Backfilling::Present() const {
  present_ = std::min(present_, from_.size() - 1);
  while (present_ > 0 && from_[present_] > now_) --present_;
  while (present_ + 1 < from_.size() && from_[present_ + 1] <= now_) ++present_;
  return present_;
}

// The first step from `i` on in which the amounts fit (do not fit, if `fits` is false), or the
// first that begins at or after `before`, whichever comes first; the number of steps if there is
// none.
size_t Backfilling::Where(bool fits, size_t i, Instant before,
                          std::span<const int64_t> amounts) const {
  const size_t steps = from_.size();
  const size_t first = i;
  if (resources_ == 1) {
    const int64_t amount = amounts[0];
    while (i < steps && from_[i] < before && (free_[i] >= amount) != fits) ++i;
    walked_ += i - std::min(i, first);
    return i;
  }
  const auto all = [&](size_t step) {
    const int64_t* free = free_.data() + step * resources_;
    return std::equal(amounts.begin(), amounts.end(), free, std::less_equal());
  };
  while (i < steps && from_[i] < before && all(i) != fits) ++i;
  walked_ += i - std::min(i, first);
  return i;
}

// The first step at or after `at`, which is not before step `from`.
size_t Backfilling::StepFrom(Instant at, size_t from) const {
  for (size_t i = from; i < std::min(from + 2, from_.size()); ++i) {
    if (from_[i] >= at) return i;
  }
  const auto begin = from_.begin() + static_cast<std::ptrdiff_t>(from);
  return static_cast<size_t>(std::lower_bound(begin, from_.end(), at) - from_.begin());
}

// The first edge lies in `step`; the edges ascend. At an edge a step is inserted if what is free
// changes there now, and erased if it no longer does. Later steps shift by the number inserted so
// far, which is often 0 after the last edge.
void Backfilling::Change(std::span<const int64_t> amounts, size_t step,
                         std::span<const Edge> edges) {
  const size_t n = resources_;
  struct Cut {
    size_t step;             // the first one at or after the edge
    bool was;                // this step begins at the edge
    bool is;                 // a step is to begin there
    std::ptrdiff_t further;  // by how many places the steps after the edge move
  };
  std::array<Cut, kMostEdges> cuts;
  edge_free_.resize(kMostEdges * n);
  std::ptrdiff_t further = 0;
  int64_t before = 0;
  for (size_t k = 0; k < edges.size(); ++k) {
    const auto [at, times] = edges[k];
    step = StepFrom(at, step);
    const bool was = step < from_.size() && from_[step] == at;
    bool is = step == 0;
    for (size_t r = 0; r < n; ++r) {
      const int64_t last = step == 0 ? 0 : free_[(step - 1) * n + r];
      const int64_t free = (was ? free_[step * n + r] : last) + times * amounts[r];
      edge_free_[k * n + r] = free;
      is = is || free != last + before * amounts[r];
    }
    further += static_cast<std::ptrdiff_t>(is) - static_cast<std::ptrdiff_t>(was);
    cuts[k] = {step, was, is, further};
    before = times;
  }
  const size_t size = from_.size();
  if (further > 0) Resize(size + static_cast<size_t>(further));
  // Changes and moves the steps between an edge and the next one. What moves to the right makes
  // room from the right, what moves to the left from the left.
  const auto move = [&](size_t k) {
    const size_t begin = cuts[k].step + cuts[k].was;
    const size_t end = k + 1 < edges.size() ? cuts[k + 1].step : size;
    const auto to = static_cast<size_t>(static_cast<std::ptrdiff_t>(begin) + cuts[k].further);
    if (to == begin || begin == end) return;
    std::memmove(&from_[to], &from_[begin], (end - begin) * sizeof(Instant));
    std::memmove(&free_[to * n], &free_[begin * n], (end - begin) * n * sizeof(int64_t));
  };
  for (size_t k = 0; k + 1 < edges.size(); ++k) {
    if (edges[k].times == 0) continue;
    for (size_t i = cuts[k].step + cuts[k].was; i < cuts[k + 1].step; ++i) {
      for (size_t r = 0; r < n; ++r) free_[i * n + r] += edges[k].times * amounts[r];
    }
  }
  for (size_t k = edges.size(); k-- > 0;) {
    if (cuts[k].further > 0) move(k);
  }
  for (size_t k = 0; k < edges.size(); ++k) {
    if (cuts[k].further < 0) move(k);
  }
  if (further < 0) Resize(size - static_cast<size_t>(-further));
  for (size_t k = 0; k < edges.size(); ++k) {
    if (!cuts[k].is) continue;
    // Its own step lies just before those after it.
    const auto to = static_cast<size_t>(static_cast<std::ptrdiff_t>(cuts[k].step + cuts[k].was) +
                                        cuts[k].further) -
                    1;
    from_[to] = edges[k].at;
    std::copy_n(&edge_free_[k * n], n, &free_[to * n]);
  }
}

void Backfilling::Change(std::span<const int64_t> amounts, Instant begin, Instant end,
                         int64_t times) {
  if (begin >= end) return;
  const std::array<Edge, 2> edges = {{{begin, times}, {end, 0}}};
  Change(amounts, StepAt(begin), edges);
}

std::optional<Instant> Backfilling::EarliestFit(std::span<const int64_t> amounts, Instant from,
                                                Span length) const {
  for (size_t i = StepAt(from);;) {
    i = Where(true, i, kFarFuture, amounts);
    if (i >= from_.size() || from_[i] >= kFarFuture) return std::nullopt;
    const Instant start = std::max(from_[i], from);
    i = Where(false, i + 1, start + length, amounts);
    if (i >= from_.size() || from_[i] >= start + length) return start;
  }
}

std::optional<Backfilling::Job> Backfilling::Add(std::span<const int64_t> amounts, Span booked,
                                                 Span runs, Instant not_before) {
  const std::optional<Instant> start = EarliestFit(amounts, std::max(now_, not_before), booked);
  if (!start) return std::nullopt;
  return AddAt(amounts, *start, booked, runs, false);
}

Backfilling::Job Backfilling::AddAt(std::span<const int64_t> amounts, Instant start, Span booked,
                                    Span runs, bool fixed) {
  next_event_.reset();
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
  next_event_.reset();
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
  Booked& booked = jobs_[job];
  booked.runs = std::min(runs, booked.booked);
  if (booked.started) RoundEnd(booked);
  next_event_.reset();
}

// The earliest start from now on, and before both `until` and the planned start; none if there is
// none. The job's own booking counts as free, so only the time before it is checked.
std::optional<Backfilling::Place> Backfilling::EarlierFit(Job job, Instant until) const {
  const std::span<const int64_t> amounts = AmountsOf(job);
  const Instant start = jobs_[job].start;
  const Span length = jobs_[job].booked;
  until = std::min(until, start);
  for (size_t i = Present();;) {
    i = Where(true, i, until, amounts);
    if (i >= from_.size() || from_[i] >= until) return std::nullopt;
    const Place place{std::max(from_[i], now_), i};
    const Instant end = std::min(start, place.start + length);
    i = Where(false, i + 1, end, amounts);
    if (i >= from_.size() || from_[i] >= end) return place;
  }
}

// Takes in what is free within [from, until).
void Backfilling::RaiseMost(Instant from, Instant until) {
  for (size_t i = StepAt(from); i < from_.size() && from_[i] < until; ++i) {
    for (size_t r = 0; r < resources_; ++r) {
      most_[r] = std::max(most_[r], free_[i * resources_ + r]);
    }
  }
}

void Backfilling::MoveUp() {
  Instant until = vacated_;
  vacated_ = now_;
  std::fill(most_.begin(), most_.end(), 0);
  RaiseMost(now_, until);
  for (const Job job : waiting_) {
    Booked& booked = jobs_[job];
    if (booked.fixed || booked.start <= now_ || booked.booked <= Span{0}) continue;
    const std::span<const int64_t> amounts = AmountsOf(job);
    bool may = true;
    for (size_t r = 0; r < resources_ && may; ++r) may = most_[r] >= amounts[r];
    if (!may) continue;
    const std::optional<Place> place = EarlierFit(job, until);
    if (!place) continue;
    // Where the old and the new place overlap nothing changes.
    const Instant end = booked.start + booked.booked;
    const Instant left = std::max(booked.start, place->start + booked.booked);
    const Instant taken = std::min(booked.start, place->start + booked.booked);
    std::array<Edge, kMostEdges> edges = {{{place->start, -1}, {taken, 0}, {left, 1}, {end, 0}}};
    size_t many = kMostEdges;
    if (taken == left) {
      edges = {{{place->start, -1}, {left, 1}, {end, 0}}};
      --many;
    }
    Change(amounts, place->step, std::span(edges).first(many));
    booked.start = place->start;
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
  if (next_event_) return *next_event_;
  Instant next = kFarFuture;
  for (const Job job : waiting_) next = std::min(next, jobs_[job].start);
  for (const Job job : running_) next = std::min(next, jobs_[job].start + jobs_[job].runs);
  next_event_ = next;
  return next;
}

void Backfilling::Turn(Instant at) {
  now_ = std::max(now_, at);
  next_event_.reset();
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
    RoundEnd(jobs_[job]);
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
