// The meta's durable record of how its promises and forecasts came out, counted by day and site.
// meta/forecast/scoring.h says what is counted. cli.md section 3 (calibration).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "schemas/calibration.h"
#include "schemas/kept.h"
#include "schemas/meta_records.h"

namespace muster::meta {

// A value type. Invariant: what differs from the store is due to be written. After each count no
// day on record is more than kRecordDays older than the day of that count.
class Outcomes {
 public:
  // Which counters an outcome adds to: those of the UTC day of `now`, for all sites together and
  // for each of `sites`. Once a day has rows of kRecordSites sites, further sites count only in the
  // row for all.
  struct Of {
    Instant now;
    std::vector<std::string> sites;
  };

  // Takes a record from the store.
  void Restore(schemas::OutcomeRecord record);
  // Counts a promise as kept, or as broken by this cause.
  void CountPromise(const Of& of, std::optional<schemas::CauseCode> broken_by);
  // Counts a judged interval of this width. `waited`: the wait until it was judged. `voice`:
  // forecast::VoiceOf its user and day.
  void CountInterval(const Of& of, bool held, Span width, Span waited, uint64_t voice);
  // Counts a start by how far it is from what was said.
  struct Start {
    Span expected;  // wait, said first
    Span waited;
    struct Ahead {
      uint32_t before_s = 0;  // one of schemas::kAheadSeconds
      bool held = false;
      Span from_expected;
    };
    std::vector<Ahead> ahead;  // of the figures that stood so long before the start
  };
  void CountStart(const Of& of, const Start& start);
  // Counts the run time of an ended request against its prediction at submission. Work is in
  // processor-seconds.
  struct Run {
    double bits = 0;
    double expected_work = 0;
    double done_work = 0;
  };
  void CountRun(const Of& of, const Run& run);

  // Records by day since 1970-01-01.
  const std::map<int64_t, schemas::OutcomeRecord>& all() const { return days_.all(); }
  // Appends this turn's writes.
  void TakeWrites(std::vector<schemas::Write<schemas::MetaRecord>>& to);

 private:
  template <typename Count>
  void CountToday(const Of& of, const Count& count);

  schemas::Kept<int64_t, schemas::OutcomeRecord> days_;
};

// Sums over all days on record: a row for each site, by name, then one for all sites. `confidence`:
// the share of intervals that should hold.
schemas::CalibrationView CalibrationOf(const Outcomes& outcomes, Instant now, double confidence);

}  // namespace muster::meta
