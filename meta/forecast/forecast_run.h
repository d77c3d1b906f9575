// One forecast run. It starts from everything booked at each site, adds the requests without a
// place in the blocks in which they will be extracted, and then simulates the sampled futures of
// each site. A run is cut into slices, so that no turn of the meta takes long. scheduling.md
// sections 5 (bound, Forward run) and 6 (Forward).
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
#include "meta/forecast/known.h"
#include "meta/forecast/model/arrivals.h"
#include "meta/forecast/model/backfilling.h"
#include "meta/forecast/model/run_times.h"
#include "meta/forecast/site_plan.h"
#include "meta/search/packing/blocks.h"
#include "meta/search/verified_run.h"

namespace muster::meta {

struct ForecastLayer;
struct ForecastRun;
struct Turn;

// Simulates one sampled future of a site's plan, including the requests that arrive in it.
class FutureWalk {
 public:
  // `all`: the future includes the jobs behind the first ones (SitePlan::whole).
  FutureWalk(const ForecastLayer& f, const Known& known, const SitePlan& plan, bool all,
             const ForecastRun& run, uint32_t sample);
  // Simulates one event and returns the number of jobs looked at. REQUIRES: !Done().
  size_t Next(const ForecastLayer& f, const Known& known, const SitePlan& plan,
              const ForecastRun& run);
  // True if no job of the future waits any more.
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

// Stages of a run. The figures of a stage are published when it is complete: first the bounds, then
// what is expected for the first jobs of each plan, then for the jobs behind them.
enum class ForecastStage : uint8_t { kLayingOut, kFirst, kBehind, kDone };

struct ForecastRun {
  Instant began;
  forecast::RunTimes::Running running;
  std::vector<SitePlan> sites;
  std::optional<packing::Blocks> blocks;  // lays out waiting requests; reset when done
  ForecastStage stage = ForecastStage::kLayingOut;
  size_t site = 0;                                // site of the next future
  uint32_t sample = 0;                            // number of the next future, from 0
  std::optional<FutureWalk> walk;                 // the future being simulated
  std::map<RequestId, std::vector<Span>> starts;  // by sample, relative to `began`
  std::map<RequestId, Instant> planned;           // start if everything runs for its requested time
  std::vector<LaidOut> laid_out;                  // waiting requests, as their sites will be asked
  std::set<RequestId> behind;  // requests with a part that is not in its site's `plan`
};

// Futures per site that include the jobs behind the first ones. Each takes longer to simulate, and
// a start far in the future needs less detail.
inline constexpr uint32_t kSamplesBehind = 8;

// Starts a run with the sites' plans as of this turn. Requests without a place are not in them yet.
ForecastRun BeginRun(const ForecastLayer& f, const Known& known, const Turn& t);
// Continues the run until it is done or about `most` jobs were looked at. Returns the number of
// jobs looked at.
size_t GoOn(const ForecastLayer& f, const Known& known, const Turn& t, size_t most,
            ForecastRun& run);

inline ForecastStage After(ForecastStage stage) {
  return static_cast<ForecastStage>(static_cast<uint8_t>(stage) + 1);
}
// True if the figures of this stage and those before it are complete.
inline bool Knows(const ForecastRun& run, ForecastStage stage) { return run.stage > stage; }

}  // namespace muster::meta
