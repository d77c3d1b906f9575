// The meta's own record: how its promises and forecasts came out, counted by day and site, durable.
// What counts is said by meta/forecast/scoring.h. cli.md section 3 (calibration).
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

// Value type. Invariant: what differs from the store is due. Once something was counted, no day is
// on record that is more than kRecordDays before the day of that.
class Outcomes {
 public:
  // What something counts for: the day of `now` in UTC, all, and each of these sites, of which no
  // more than kRecordSites are told apart in a day.
  struct Of {
    Instant now;
    std::vector<std::string> sites;
  };

  // As the store has it.
  void Restore(schemas::OutcomeRecord record);
  // A promise was kept, or broken by this cause.
  void CountPromise(const Of& of, std::optional<schemas::CauseCode> broken_by);
  // An interval of that width was judged; `waited`: until then.
  void CountInterval(const Of& of, bool held, Span width, Span waited);
  // A start, so far from the expected one.
  void CountStart(const Of& of, Span from_expected);

  // By day since 1970.
  const std::map<int64_t, schemas::OutcomeRecord>& all() const { return days_.all(); }
  // Appends what this turn has to write.
  void TakeWrites(std::vector<schemas::Write<schemas::MetaRecord>>& to);

 private:
  template <typename Count>
  void CountToday(const Of& of, const Count& count);

  schemas::Kept<int64_t, schemas::OutcomeRecord> days_;
};

// Of all days on record: sites by name, then all. `confidence`: what intervals are to hold.
schemas::CalibrationView CalibrationOf(const Outcomes& outcomes, Instant now, double confidence);

}  // namespace muster::meta
