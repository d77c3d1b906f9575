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
#include "meta/forecast/model/future_walk.h"
#include "meta/forecast/model/run_time.h"
#include "meta/forecast/site_plan.h"
#include "meta/search/packing/blocks.h"
#include "meta/search/verified_run.h"

namespace muster::meta {

struct ForecastLayer;
struct ForecastRun;
struct Turn;

// Stages of a run. The figures of a stage are published when it is complete: first the bounds, then
// what is expected.
enum class ForecastStage : uint8_t { kLayingOut, kFutures, kDone };

struct ForecastRun {
  Instant began;
  std::map<forecast::Shape, forecast::RunTime> run_times;  // as of `began`
  std::vector<SitePlan> sites;
  std::optional<packing::Blocks> blocks;  // lays out waiting requests; reset when done
  ForecastStage stage = ForecastStage::kLayingOut;
  size_t site = 0;                                // site of the next future
  uint32_t sample = 0;                            // number of the next future, from 0
  std::optional<forecast::FutureWalk> walk;       // the future being simulated
  std::map<RequestId, std::vector<Span>> starts;  // by sample, relative to `began`
  std::map<RequestId, Instant> planned;           // start if everything runs for its requested time
  std::vector<LaidOut> laid_out;                  // waiting requests, as their sites will be asked
  // Requests with a part that is not followed, each with the index of such a part's site.
  std::map<RequestId, size_t> behind;
};

// Waiting jobs followed at a site on which very many run.
inline constexpr size_t kLeastFollowed = 100;

// Starts a run with the sites' plans as of this turn. Requests without a place are not in them yet.
ForecastRun BeginRun(const ForecastLayer& f, const Known& known, const Turn& t);
// Continues the run until it is done or about `most` jobs were looked at. Returns the number of
// jobs looked at.
size_t GoOn(const ForecastLayer& f, const Known& known, const Turn& t, size_t most,
            ForecastRun& run);

// The run time of a request of this shape, as of the begin of the run.
const forecast::RunTime& RunTimeOf(const Known& known, const forecast::Shape& shape,
                                   ForecastRun& run);
// Books a past arrival again, at this site and at the present time of this future.
forecast::FutureWalk::Book BookAt(const ForecastLayer& f, const SitePlan& plan);
// Sampled starts of a request that is planned to start behind all jobs followed at this site,
// relative to the begin of the run: as much earlier than planned as the last one followed. The
// planned start alone while no future is complete. `planned` is relative to the begin, too.
std::vector<Span> SamplesBehind(const ForecastRun& run, const SitePlan& plan, Span planned);

inline ForecastStage After(ForecastStage stage) {
  return static_cast<ForecastStage>(static_cast<uint8_t>(stage) + 1);
}
// True if the figures of this stage and those before it are complete.
inline bool Knows(const ForecastRun& run, ForecastStage stage) { return run.stage > stage; }

}  // namespace muster::meta
