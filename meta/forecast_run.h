// One run of forecasts: what every site has booked, those who wait laid out behind that, and then
// the sampled futures of each site. A run is made in slices, so that no turn of the meta lasts
// long. scheduling.md sections 5 (bound, Forward run) and 6 (Forward).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/forecast/arrivals.h"
#include "meta/forecast/backfilling.h"
#include "meta/forecast/futures.h"
#include "meta/forecast/run_times.h"
#include "meta/packing/fcfs_star.h"
#include "meta/room/queues.h"
#include "meta/verified_run.h"

namespace muster::meta {

struct Federation;
struct Forecasts;
struct Request;
struct Turn;

// A job of a site's plan, and whose start it tells.
struct Follows {
  RequestId request;
  Span lead;  // the request starts so long after the job's booking: turnover, offset of the part
};

// One site's plan as sampled futures start from it.
struct SitePlan {
  std::string site;
  forecast::Backfilling plan;
  std::vector<forecast::Runner> runners;  // by job
  std::vector<Follows> follows;           // by job
  size_t running = 0;                     // of them
  bool full = false;                      // others come behind these
  // Of those without a promise: the least priority, and the latest planned start.
  std::optional<int32_t> least;
  Instant latest;
};

struct ForecastRun {
  Instant began;
  forecast::RunTimes::Running running;
  std::vector<SitePlan> sites;
  // Those who wait are laid out by rank, behind all bookings; none once all are.
  std::optional<packing::FcfsStar> packing;
  std::optional<room::Rank> packed;             // the last of them that was looked at
  size_t site = 0;                              // the next future is of this one
  uint32_t sample = 0;                          // and that is its number
  std::optional<forecast::Backfilling> future;  // under way
  std::vector<forecast::Arrival> coming;        // in that
  size_t next_coming = 0;
  std::map<RequestId, std::vector<Span>> starts;  // after `began`, by sample
  std::map<RequestId, Instant> planned;           // with the times asked for
  std::vector<LaidOut> laid_out;                  // those who wait, by rank
  std::set<RequestId> behind;                     // no future holds all of their parts
};

// The sites' plans as of this turn; who waits is not in them yet.
ForecastRun BeginRun(const Federation& f, const Forecasts& forecasts, const Turn& t);
// Goes on with the run until about `most` work was done, counted in jobs looked at, or it is done.
// Returns the work.
size_t GoOn(const Federation& f, const Forecasts& forecasts, const Turn& t, size_t most,
            ForecastRun& run);
bool Done(const ForecastRun& run);

// It runs, or is past that.
bool HasStarted(const Request& request);
// What its run time is learned by.
forecast::Shape KindOf(const Request& request);

}  // namespace muster::meta
