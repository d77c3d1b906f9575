// How long the requests of a snapshot ran, or may run: as on record, else drawn from what was
// learned, as forecasts draw. scheduling.md sections 6 (Predictor) and 19.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/forecast/model/run_model.h"
#include "schemas/meta_records.h"
#include "sim/whatif/snapshot.h"

namespace muster::sim {

// What is on record of the runs of one request. Times are those of its sites' clocks.
struct RecordedRun {
  const schemas::RequestRecord* request = nullptr;
  std::optional<Moment> started;  // the earliest start of a part
  std::optional<Moment> ended;    // the latest end, once all have ended
  std::map<uint32_t, Span> ran;   // by part, from 1; only of parts that have ended
  std::optional<Moment> gone;     // when it ended or was cancelled; none while it is open
  bool cancelled = false;         // by its user, before or while it ran
};

// An index over a snapshot, which outlives it.
class PastRuns {
 public:
  PastRuns(const MetaSnapshot& meta, uint64_t seed);

  // By id; requests with arrays among them, which run nothing themselves.
  const std::map<RequestId, RecordedRun>& all() const { return runs_; }

  // How long the request runs in all if it has run for `elapsed` and has not ended: the same draw
  // for equal requests and seeds, whatever else happens. `request` need not be in the snapshot.
  Span Drawn(RequestId request, const schemas::RequestSpec& spec, const std::string& user,
             Span elapsed) const;

 private:
  std::map<RequestId, RecordedRun> runs_;
  forecast::RunModel model_;
  Instant now_;
  uint64_t seed_;
};

}  // namespace muster::sim
