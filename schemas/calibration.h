// The product's own record: which promises were kept and why others were not, and how well
// forecasts held. Counted by day and site, shown for the last days. cli.md section 3 (calibration),
// scheduling.md section 6 (Calibration).
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

inline constexpr int64_t kRecordDays = 30;    // kept, and shown, before today
inline constexpr size_t kRecordSites = 1000;  // of one day told apart; others count for all only
inline constexpr int32_t kWidthSteps = 4;     // an octave of width against wait
inline constexpr int32_t kWidthOctaves = 20;  // beyond, either way, they are not told apart
inline constexpr int64_t kNearSeconds = 60;   // of the expected start
inline constexpr int64_t kWithinSeconds = 600;

// Broken promises of one cause.
struct LateCount {
  CauseCode code = CauseCode::kNone;
  uint64_t count = 0;
  static constexpr auto Fields() {
    return FieldList(Field("code", &LateCount::code), Field("count", &LateCount::count));
  }
  bool operator==(const LateCount&) const = default;
};
// Intervals that were about 2 ^ (step / kWidthSteps) times as wide as the wait.
struct WidthCount {
  int32_t step = 0;
  uint64_t count = 0;
  static constexpr auto Fields() {
    return FieldList(Field("step", &WidthCount::step), Field("count", &WidthCount::count));
  }
  bool operator==(const WidthCount&) const = default;
};
// What came out at one site; a request on several sites counts at each, and once for all.
struct OutcomeCounts {
  std::string site;             // "": all
  uint64_t promises = 0;        // first promises that were due, not those that users took back
  uint64_t kept = 0;            // it started by then
  std::vector<LateCount> late;  // the others, by cause, ascending
  uint64_t intervals = 0;       // first intervals wider than a minute that held or were missed
  uint64_t held = 0;
  std::vector<WidthCount> widths;  // of those, ascending
  uint64_t starts = 0;             // of requests that were told when to expect it
  uint64_t near = 0;               // within kNearSeconds of that
  uint64_t within = 0;             // within kWithinSeconds
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
  int64_t day = 0;                   // since 1970, UTC
  std::vector<OutcomeCounts> sites;  // by name, all first
  static constexpr auto Fields() {
    return FieldList(Field("day", &OutcomeRecord::day), Field("sites", &OutcomeRecord::sites));
  }
  bool operator==(const OutcomeRecord&) const = default;
};

// The same over all days, as people see it. A share of nothing is absent.
struct CalibrationRow {
  std::string site;  // "": all
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
  std::vector<CalibrationRow> rows;  // sites by name, then all
  static constexpr auto Fields() {
    using C = CalibrationView;
    return FieldList(Field("from", &C::from), Field("to", &C::to), Field("rows", &C::rows));
  }
  bool operator==(const CalibrationView&) const = default;
};

}  // namespace muster::schemas
