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
  // Counts a judged interval of this width. `waited`: the wait until it was judged.
  void CountInterval(const Of& of, bool held, Span width, Span waited);
  // Counts a start by its distance from the expected start.
  void CountStart(const Of& of, Span from_expected);

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
