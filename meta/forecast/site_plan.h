// The plan of one site as sampled futures start from it: what runs, then those who wait.
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

// A job of a site's plan, and whose start it tells.
struct Follows {
  RequestId request;
  Span lead;  // the request starts so long after the job's booking: turnover, offset of the part
};

// One site's plan as sampled futures start from it.
struct SitePlan {
  SitePlan(std::string name, forecast::Backfilling empty)
      : site(std::move(name)), plan(std::move(empty)) {}

  std::string site;
  forecast::Backfilling plan;                  // of what runs and those who wait first
  std::optional<forecast::Backfilling> whole;  // of all; none if that is the same
  std::vector<forecast::Runner> runners;       // by job of all: those of `plan` come first
  std::vector<Follows> follows;                // by job of all
  size_t running = 0;                          // of them
  // Of those without a promise: the least priority, and the latest planned start.
  std::optional<int32_t> least;
  Instant latest;

  // Jobs of `plan`.
  size_t first() const { return first_; }
  // Its place in the plan, with whose start it tells; behind the first ones once they are enough.
  forecast::Backfilling::Job Add(std::span<const int64_t> amounts, Interval booked, bool fixed,
                                 forecast::Runner runner, Follows of);
  // It has no promise, as Backfilling::Yields.
  void Yields(forecast::Backfilling::Job job, int32_t priority);
  // It moves up before that one, which waits too.
  void Precede(forecast::Backfilling::Job job, forecast::Backfilling::Job before);
  // Whoever is added from now on comes behind the first ones.
  void Fill() {
    if (!whole) whole = plan;
  }
  // Forgets whoever comes behind the first ones.
  void KeepFirst();

 private:
  size_t first_ = 0;
};

// By index of the resources of its shadow.
std::vector<int64_t> AmountsAt(const Site& site, const ResourceSet& amounts);

}  // namespace muster::meta
