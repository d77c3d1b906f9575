// The federation's own track record: which promises were kept, why others were broken, and how
// accurate the forecasts were. Counted per day and site; the last kRecordDays are shown. cli.md
// section 3 (calibration), scheduling.md section 6 (Calibration).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "schemas/fields.h"
#include "schemas/reasons.h"

namespace muster::schemas {

inline constexpr int64_t kRecordDays = 30;  // full days kept and shown, besides today
// Sites counted separately per day; further sites count only in the total.
inline constexpr size_t kRecordSites = 1000;
inline constexpr int32_t kWidthSteps = 4;     // buckets per doubling of width / wait
inline constexpr int32_t kWidthOctaves = 20;  // ratios beyond 2^20 or below 2^-20 are clamped
// `near` and `within` of OutcomeCounts: a start at most so far from the expected start.
inline constexpr int64_t kNearSeconds = 60;
inline constexpr int64_t kWithinSeconds = 600;

// Number of promises broken for one cause.
struct LateCount {
  CauseCode code = CauseCode::kNone;
  uint64_t count = 0;
  static constexpr auto Fields() {
    return FieldList(Field("code", &LateCount::code), Field("count", &LateCount::count));
  }
  bool operator==(const LateCount&) const = default;
};
// Number of intervals whose width was about 2 ^ (step / kWidthSteps) times the wait.
struct WidthCount {
  int32_t step = 0;
  uint64_t count = 0;
  static constexpr auto Fields() {
    return FieldList(Field("step", &WidthCount::step), Field("count", &WidthCount::count));
  }
  bool operator==(const WidthCount&) const = default;
};
// Outcomes at one site. A request on several sites counts once at each of them, and once in the
// total.
struct OutcomeCounts {
  std::string site;             // "": total of all sites
  uint64_t promises = 0;        // first promises that fell due, without those that users gave back
  uint64_t kept = 0;            // promises whose job started in time
  std::vector<LateCount> late;  // broken promises, by cause, ascending
  uint64_t intervals = 0;  // first forecast intervals wider than one minute whose outcome is known
  uint64_t held = 0;       // intervals that contained the start
  std::vector<WidthCount> widths;  // widths of the intervals; ascending by step
  uint64_t starts = 0;             // starts of requests whose expected start was known
  uint64_t near = 0;               // starts at most kNearSeconds from the expected start
  uint64_t within = 0;             // starts at most kWithinSeconds from the expected start
  static constexpr auto Fields() {
    using O = OutcomeCounts;
    return FieldList(Field("site", &O::site), Field("promises", &O::promises),
                     Field("kept", &O::kept), Field("late", &O::late),
                     Field("intervals", &O::intervals), Field("held", &O::held),
                     Field("widths", &O::widths), Field("starts", &O::starts),
                     Field("near", &O::near), Field("within", &O::within));
  }
  bool operator==(const OutcomeCounts&) const = default;
};
// Key "outcomes/DAY" of the meta's store.
struct OutcomeRecord {
  int64_t day = 0;                   // days since 1970-01-01, UTC
  std::vector<OutcomeCounts> sites;  // the total first, then sites by name
  static constexpr auto Fields() {
    return FieldList(Field("day", &OutcomeRecord::day), Field("sites", &OutcomeRecord::sites));
  }
  bool operator==(const OutcomeRecord&) const = default;
};

// One row of `muster calibration`: the counts summed over all days on record. A ratio is absent
// when its denominator is zero.
struct CalibrationRow {
  std::string site;  // "": total of all sites
  uint64_t promises = 0;
  uint64_t kept = 0;
  std::optional<double> kept_ratio;
  std::vector<LateCount> late;
  double confidence_ratio = 0;
  std::optional<double> coverage_ratio;
  std::optional<double> width_over_wait_ratio;  // median
  std::optional<double> within_60_s_ratio;
  std::optional<double> within_600_s_ratio;
  static constexpr auto Fields() {
    using C = CalibrationRow;
    return FieldList(Field("site", &C::site), Field("promises", &C::promises),
                     Field("kept", &C::kept), Field("kept_ratio", &C::kept_ratio),
                     Field("late", &C::late), Field("confidence_ratio", &C::confidence_ratio),
                     Field("coverage_ratio", &C::coverage_ratio),
                     Field("width_over_wait_ratio", &C::width_over_wait_ratio),
                     Field("within_60_s_ratio", &C::within_60_s_ratio),
                     Field("within_600_s_ratio", &C::within_600_s_ratio));
  }
  bool operator==(const CalibrationRow&) const = default;
};
struct CalibrationView {
  Instant from;
  Instant to;
  std::vector<CalibrationRow> rows;  // sites by name, then the total
  static constexpr auto Fields() {
    using C = CalibrationView;
    return FieldList(Field("from", &C::from), Field("to", &C::to), Field("rows", &C::rows));
  }
  bool operator==(const CalibrationView&) const = default;
};

}  // namespace muster::schemas
