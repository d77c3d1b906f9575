// One run of forecasts: what every site has booked, those who wait laid out behind that, block by
// block as they will be extracted, and then the sampled futures of each site. A run is made in
// slices, so that no turn of the meta lasts long. scheduling.md sections 5 (bound, Forward run) and
// 6 (Forward).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/interval.h"
#include "base/resources.h"
#include "base/time.h"
#include "meta/forecast/model/arrivals.h"
#include "meta/forecast/model/backfilling.h"
#include "meta/forecast/model/futures.h"
#include "meta/forecast/model/run_times.h"
#include "meta/search/packing/blocks.h"
#include "meta/search/verified_run.h"
#include "schemas/request.h"

namespace muster::meta {

struct ForecastLayer;
struct ForecastRun;
struct Forecasts;
class Request;
class Site;
struct Turn;

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

// Goes through one sampled future of a plan, and those who come in it.
class FutureWalk {
 public:
  // With `all`, those behind the first ones are in it.
  FutureWalk(const ForecastLayer& f, const Forecasts& forecasts, const SitePlan& plan, bool all,
             const ForecastRun& run, uint32_t sample);
  // One event; how many jobs were looked at. REQUIRES: it is not done.
  size_t Next(const ForecastLayer& f, const Forecasts& forecasts, const SitePlan& plan,
              const ForecastRun& run);
  // All of the plan have started.
  bool Done() const { return done_; }
  const forecast::Backfilling& future() const { return future_; }

 private:
  void LookAhead();

  forecast::Backfilling future_;
  std::vector<forecast::Arrival> coming_;
  size_t next_coming_ = 0;
  Instant next_;
  bool done_ = false;
};

// What a run is at. Its figures are told as soon as they are known: bounds, then what those who
// come first expect, then what those expect who come behind them.
enum class ForecastStage : uint8_t { kLayingOut, kFirst, kBehind, kDone };

struct ForecastRun {
  Instant began;
  forecast::RunTimes::Running running;
  std::vector<SitePlan> sites;
  std::optional<packing::Blocks> blocks;  // those who wait are laid out; none once all are
  ForecastStage stage = ForecastStage::kLayingOut;
  size_t site = 0;                                // the next future is of this one
  uint32_t sample = 0;                            // and that is its number
  std::optional<FutureWalk> walk;                 // under way
  std::map<RequestId, std::vector<Span>> starts;  // after `began`, by sample
  std::map<RequestId, Instant> planned;           // with the times asked for
  std::vector<LaidOut> laid_out;                  // those who wait, as their sites will be asked
  std::set<RequestId> behind;                     // some part of them is not in a `plan`
};

// Futures of a plan with those in it who come behind the first ones: they take longer each, and say
// less the farther off a start is.
inline constexpr uint32_t kSamplesBehind = 8;

// The sites' plans as of this turn; who waits is not in them yet.
ForecastRun BeginRun(const ForecastLayer& f, const Forecasts& forecasts, const Turn& t);
// Goes on with the run until about `most` work was done, counted in jobs looked at, or it is done.
// Returns the work.
size_t GoOn(const ForecastLayer& f, const Forecasts& forecasts, const Turn& t, size_t most,
            ForecastRun& run);

inline ForecastStage After(ForecastStage stage) {
  return static_cast<ForecastStage>(static_cast<uint8_t>(stage) + 1);
}
// What was said of the stages up to this one is known.
inline bool Knows(const ForecastRun& run, ForecastStage stage) { return run.stage > stage; }

// It runs, or is past that.
bool HasStarted(const Request& request);
// What its run time is learned by.
forecast::Shape KindOf(const Request& request);
forecast::Shape KindOf(const schemas::RequestSpec& spec, const std::string& user);
// By index of the resources of its shadow.
std::vector<int64_t> AmountsAt(const Site& site, const ResourceSet& amounts);

}  // namespace muster::meta
