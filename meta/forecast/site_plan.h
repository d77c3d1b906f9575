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

// The jobs that are followed through futures: all that run, and the first ones that will start. Of
// those behind them only their planned starts are known.
struct SitePlan {
  SitePlan(std::string name, forecast::Backfilling empty)
      : site(std::move(name)), plan(std::move(empty)) {}

  std::string site;
  forecast::Backfilling plan;
  std::vector<forecast::Runner> runners;  // by job
  std::vector<Follows> follows;           // by job
  size_t running = 0;                     // number of running jobs
  size_t most = 0;                        // most waiting jobs that are followed
  bool full = false;                      // some are not
  // Over the jobs without a promise: lowest priority, latest planned start.
  std::optional<int32_t> least;
  Instant latest;

  // Adds a job with the request it belongs to.
  forecast::Backfilling::Job Add(std::span<const int64_t> amounts, Interval booked, bool fixed,
                                 forecast::Runner runner, Follows of);
  // True if one more waiting job is followed; otherwise the plan is full from now on.
  bool FollowsOneMore();
};

// The site's free amounts over time if the meta had booked nothing; the first step also covers the
// past. REQUIRES: its capacity is known.
std::vector<forecast::Backfilling::Step> TerrainOf(const Site& site);
// The same without what runs there beside muster (Capacity::outside).
std::vector<forecast::Backfilling::Step> TerrainWithoutRuns(const Site& site);
// Amounts in the order of the resources of the site's shadow.
std::vector<int64_t> AmountsAt(const Site& site, const ResourceSet& amounts);

}  // namespace muster::meta
