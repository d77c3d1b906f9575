// How the users of each home fared beside being alone: once a window of balances, a day at most,
// the jobs that ended in the last one are run again as if their home had been alone. What others
// had booked there is left out; local jobs and broken nodes are as they were. scheduling.md
// section 16.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/interval.h"
#include "base/time.h"
#include "meta/forecast/known.h"
#include "meta/forecast/layer.h"
#include "meta/forecast/model/alone_run.h"
#include "meta/forecast/model/terrain_log.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// In memory only, but for the results (ForecastLayer::fares): after a restart what was free at a
// site is known from then on, and counts for the time before.
class Faring {
 public:
  // After the begin of a window, so that the last ends of the one before are known.
  static constexpr Span kSettles{30};
  static constexpr size_t kLookedPerTurn = 2'000;  // requests on record

  // Goes on by a slice. Nothing if balances are not counted.
  void GoOn(ForecastLayer& f, const Known& known, Turn& t);

 private:
  struct Heard {
    PlanRevision plan;
    forecast::TerrainLog terrain;
  };
  // The jobs of one home, by when they came and by id, and how many cannot be compared.
  struct HomeJobs {
    std::map<std::pair<Instant, RequestId>, forecast::AloneRun::Job> jobs;
    uint64_t left_out = 0;
  };
  // One pass over all that is on record, then over the homes.
  struct Pass {
    Interval window;
    Instant begin;                    // what ended before does not count
    std::optional<RequestId> looked;  // the last one
    bool looking = true;
    bool all_over = true;  // all that were looked at ended before `begin`
    std::map<std::string, HomeJobs> homes;
    std::optional<forecast::AloneRun> run;  // of the first of `homes`
  };

  void Hear(const ForecastLayer& f, const Turn& t);
  void Begin(const ForecastLayer& f, const Turn& t);
  bool IsOver(const ForecastLayer& f, const Request& request) const;
  bool Look(const ForecastLayer& f, const Known& known, const Turn& t);
  void LookAt(const ForecastLayer& f, const Known& known, const Turn& t, const Request& request);
  void RunAlone(ForecastLayer& f);
  void Conclude(ForecastLayer& f);

  // All up to this request ended before `over_before_`: no later window counts them.
  std::optional<RequestId> over_;
  Instant over_before_;
  std::map<std::string, Heard> heard_;
  std::optional<Instant> entered_;  // the window that a pass was last begun for ended then
  std::optional<Pass> pass_;
  BootInstant next_slice_;
};

}  // namespace muster::meta
