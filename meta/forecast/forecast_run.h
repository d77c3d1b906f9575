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

// Goes through one sampled future of a plan, and those who come in it.
class FutureWalk {
 public:
  // With `all`, those behind the first ones are in it.
  FutureWalk(const ForecastLayer& f, const Known& known, const SitePlan& plan, bool all,
             const ForecastRun& run, uint32_t sample);
  // One event; how many jobs were looked at. REQUIRES: it is not done.
  size_t Next(const ForecastLayer& f, const Known& known, const SitePlan& plan,
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
ForecastRun BeginRun(const ForecastLayer& f, const Known& known, const Turn& t);
// Goes on with the run until about `most` work was done, counted in jobs looked at, or it is done.
// Returns the work.
size_t GoOn(const ForecastLayer& f, const Known& known, const Turn& t, size_t most,
            ForecastRun& run);

inline ForecastStage After(ForecastStage stage) {
  return static_cast<ForecastStage>(static_cast<uint8_t>(stage) + 1);
}
// What was said of the stages up to this one is known.
inline bool Knows(const ForecastRun& run, ForecastStage stage) { return run.stage > stage; }

}  // namespace muster::meta
