// The plan of one site from which sampled futures start: running jobs, then waiting ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/interval.h"
#include "base/resources.h"
#include "base/time.h"
#include "meta/forecast/model/backfilling.h"
#include "meta/forecast/model/futures.h"

namespace muster::meta {

class Site;

// The request that a job of a site's plan belongs to.
struct Follows {
  RequestId request;
  Span lead;  // from the begin of the job's booking to the start of the request's first part
};

// The first jobs to start are in `plan`; a copy, `whole`, also has those behind them.
struct SitePlan {
  SitePlan(std::string name, forecast::Backfilling empty)
      : site(std::move(name)), plan(std::move(empty)) {}

  std::string site;
  forecast::Backfilling plan;                  // running jobs and the first waiting ones
  std::optional<forecast::Backfilling> whole;  // all jobs; none if `plan` has all
  std::vector<forecast::Runner> runners;       // by job; those of `plan` come first
  std::vector<Follows> follows;                // by job
  size_t running = 0;                          // number of running jobs
  // Over the jobs without a promise: lowest priority, latest planned start.
  std::optional<int32_t> least;
  Instant latest;

  // Number of jobs in `plan`.
  size_t first() const { return first_; }
  // Adds a job with the request it belongs to: to `plan`, or after Fill() to `whole`.
  forecast::Backfilling::Job Add(std::span<const int64_t> amounts, Interval booked, bool fixed,
                                 forecast::Runner runner, Follows of);
  // Marks the job as one without a promise (Backfilling::Yields).
  void Yields(forecast::Backfilling::Job job, int32_t priority);
  // From now on `job` has its turn to move up just before that of `before`. REQUIRES: both wait.
  void Precede(forecast::Backfilling::Job job, forecast::Backfilling::Job before);
  // Jobs added from now on go behind the first ones.
  void Fill() {
    if (!whole) whole = plan;
  }
  // Removes the jobs behind the first ones.
  void KeepFirst();

 private:
  size_t first_ = 0;
};

// Amounts in the order of the resources of the site's shadow.
std::vector<int64_t> AmountsAt(const Site& site, const ResourceSet& amounts);

}  // namespace muster::meta
