// A job is booked when it came, and moves up as others end early: what a site does with jobs that
// are promised at their submission.
#include "meta/forecast/model/alone_run.h"

#include <algorithm>

#include "base/check.h"

namespace muster::forecast {
namespace {

constexpr Instant kBefore{-kFarFuture.seconds};

std::vector<Backfilling::Step> FromEverOn(std::vector<Backfilling::Step> terrain) {
  terrain.front().from = kBefore;
  return terrain;
}

}  // namespace

AloneRun::AloneRun(std::vector<Backfilling::Step> terrain, std::vector<Job> jobs, Span turnover)
    : jobs_(std::move(jobs)),
      turnover_(turnover),
      plan_(jobs_.front().came, FromEverOn(std::move(terrain))) {}

void AloneRun::Come(size_t number) {
  const Job& job = jobs_[number];
  if (job.at) {
    plan_.AddAt(job.amounts, std::max(*job.at, plan_.now()), job.booked, job.runs, true);
    return;
  }
  const auto booked = plan_.Add(job.amounts, job.booked, job.runs, job.came);
  if (booked && job.waited) compared_.emplace_back(number, *booked);
  if (!booked && job.waited) ++never_;
}

size_t AloneRun::Next() {
  if (next_ < jobs_.size()) {
    const Instant came = std::max(jobs_[next_].came, plan_.now());
    // One event at a time, as jobs may end while nothing comes for long.
    const Instant event = plan_.NextEvent();
    plan_.RunTo(std::min(came, event));
    if (event > came) Come(next_++);
  } else {
    const Instant event = plan_.NextEvent();
    MUSTER_CHECK(event < kFarFuture);  // a booked job has a start
    plan_.RunTo(event);
  }
  return 1 + plan_.waiting();
}

AloneRun::Outcome AloneRun::Result() const {
  Outcome out{.jobs = compared_.size(), .never = never_};
  for (const auto& [number, booked] : compared_) {
    const Job& job = jobs_[number];
    const Span alone = plan_.StartOf(booked) + turnover_ - job.came;
    out.waited = out.waited + *job.waited;
    out.waited_most = std::max(out.waited_most, *job.waited);
    out.alone = out.alone + alone;
    out.alone_most = std::max(out.alone_most, alone);
  }
  return out;
}

}  // namespace muster::forecast
