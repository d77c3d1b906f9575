// An arrival in the second of an event finds the plan as it is after that event.
#include "meta/forecast/model/future_walk.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace muster::forecast {

FutureWalk::FutureWalk(Backfilling future, const Arrivals& arrivals, uint64_t seed, uint32_t sample)
    : future_(std::move(future)),
      jobs_(static_cast<Backfilling::Job>(future_.running_jobs().size() + future_.waiting())) {
  if (const std::optional<Span> shift = arrivals.ShiftOf(seed, sample, future_.now())) {
    shift_ = *shift;
    came_.emplace(future_.now() - shift_, std::numeric_limits<Arrivals::Job>::max());
    Comes(arrivals);
  }
  LookAhead();
}

void FutureWalk::LookAhead() {
  while (started_ < jobs_ && future_.Started(started_)) ++started_;
  next_ = started_ < jobs_ ? future_.NextEvent() : kFarFuture;
  done_ = next_ >= kFarFuture;
}

// Looks for the next arrival.
void FutureWalk::Comes(const Arrivals& arrivals) {
  const auto* past = coming_ < kMostComing ? arrivals.After(*came_) : nullptr;
  comes_ = past ? past->first.first + shift_ : kFarFuture;
}

size_t FutureWalk::Next(const Arrivals& arrivals, const Book& book) {
  if (comes_ <= next_) {
    // The record may have lost it since it was seen.
    const auto* past = arrivals.After(*came_);
    if (past && past->first.first + shift_ <= next_) {
      came_ = past->first;
      ++coming_;
      future_.RunTo(std::max(future_.now(), past->first.first + shift_));
      book(past->second, future_);
    }
    Comes(arrivals);
  } else {
    future_.RunTo(next_);
  }
  LookAhead();
  return 1 + future_.waiting() + future_.running_jobs().size() +
         future_.TakeWalked() / kWalkedPerJob;
}

Instant FutureWalk::Until(Backfilling::Job job, const Arrivals& arrivals, const Book& book) {
  while (!done_ && !future_.Started(job)) Next(arrivals, book);
  return future_.StartOf(job);
}

}  // namespace muster::forecast
