// The federation's own track record: which promises were kept, why others were broken, and how
// accurate the forecasts were. Counted per day and site; the last kRecordDays are shown. cli.md
// section 3 (calibration), scheduling.md section 6 (Calibration).
#pragma once

#include <array>
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
// How long before its start the figures of a request are judged: a day, six hours, an hour, and ten
// minutes.
inline constexpr std::array<uint32_t, 4> kAheadSeconds = {86'400, 21'600, 3600, 600};
// Classes of expected waits: each begins here and ends where the next one does, the last after a
// day.
inline constexpr std::array<uint32_t, 3> kSaidFrom = {600, 3600, 21'600};
inline constexpr uint32_t kSaidTo = 86'400;
// Users whose intervals of one day are counted apart; the intervals of others count only in sums.
inline constexpr size_t kRecordVoices = 1000;

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
// The figures that stood so long before their starts.
struct AheadCount {
  uint32_t before_s = 0;
  uint64_t starts = 0;   // starts of requests that had a figure then
  uint64_t held = 0;     // of these, starts within the interval that stood
  uint64_t error_s = 0;  // sum of the distances from the expected start that stood
  static constexpr auto Fields() {
    using A = AheadCount;
    return FieldList(Field("before_s", &A::before_s), Field("starts", &A::starts),
                     Field("held", &A::held), Field("error_s", &A::error_s));
  }
  bool operator==(const AheadCount&) const = default;
};
// The first expected waits of one class.
struct SaidCount {
  uint32_t from_s = 0;
  uint64_t starts = 0;
  uint64_t error_s = 0;  // sum of the distances from the expected start
  static constexpr auto Fields() {
    using S = SaidCount;
    return FieldList(Field("from_s", &S::from_s), Field("starts", &S::starts),
                     Field("error_s", &S::error_s));
  }
  bool operator==(const SaidCount&) const = default;
};
// Intervals of what one user submitted on one day.
struct VoiceCount {
  uint64_t voice = 0;
  uint64_t intervals = 0;
  uint64_t held = 0;
  static constexpr auto Fields() {
    using V = VoiceCount;
    return FieldList(Field("voice", &V::voice), Field("intervals", &V::intervals),
                     Field("held", &V::held));
  }
  bool operator==(const VoiceCount&) const = default;
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
  std::vector<AheadCount> ahead;   // by time before the start, ascending
  std::vector<SaidCount> said;     // by class, ascending
  uint64_t runs = 0;               // ended requests whose run time had been predicted
  uint64_t millibits = 0;          // sum of what their outcomes took, in thousandths of a bit
  uint64_t expected_work = 0;      // processor-seconds, as predicted at submission
  uint64_t done_work = 0;
  std::vector<VoiceCount> voices;  // of the total; ascending by voice
  static constexpr auto Fields() {
    using O = OutcomeCounts;
    return FieldList(Field("site", &O::site), Field("promises", &O::promises),
                     Field("kept", &O::kept), Field("late", &O::late),
                     Field("intervals", &O::intervals), Field("held", &O::held),
                     Field("widths", &O::widths), Field("starts", &O::starts),
                     Field("near", &O::near), Field("within", &O::within),
                     Field("ahead", &O::ahead), Field("said", &O::said), Field("runs", &O::runs),
                     Field("millibits", &O::millibits), Field("expected_work", &O::expected_work),
                     Field("done_work", &O::done_work), Field("voices", &O::voices));
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

struct AheadRow {
  uint32_t before_s = 0;
  uint64_t starts = 0;
  double held_ratio = 0;
  double mean_error_s = 0;
  static constexpr auto Fields() {
    using A = AheadRow;
    return FieldList(Field("before_s", &A::before_s), Field("starts", &A::starts),
                     Field("held_ratio", &A::held_ratio), Field("mean_error_s", &A::mean_error_s));
  }
  bool operator==(const AheadRow&) const = default;
};
struct SaidRow {
  uint32_t from_s = 0;
  uint32_t to_s = 0;
  uint64_t starts = 0;
  double mean_error_s = 0;
  static constexpr auto Fields() {
    using S = SaidRow;
    return FieldList(Field("from_s", &S::from_s), Field("to_s", &S::to_s),
                     Field("starts", &S::starts), Field("mean_error_s", &S::mean_error_s));
  }
  bool operator==(const SaidRow&) const = default;
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
  std::vector<AheadRow> ahead;               // longest before the start first
  std::vector<SaidRow> said;                 // shortest waits first
  std::optional<double> bits_at_submission;  // that the run time of one request takes
  std::optional<double> work_ratio;          // work expected at submission over work done
  // Of the total only: users times days, and 5 % and 95 % quantile of the coverage over redraws of
  // these.
  uint64_t user_days = 0;
  std::optional<double> coverage_low_ratio;
  std::optional<double> coverage_high_ratio;
  static constexpr auto Fields() {
    using C = CalibrationRow;
    return FieldList(Field("site", &C::site), Field("promises", &C::promises),
                     Field("kept", &C::kept), Field("kept_ratio", &C::kept_ratio),
                     Field("late", &C::late), Field("confidence_ratio", &C::confidence_ratio),
                     Field("coverage_ratio", &C::coverage_ratio),
                     Field("width_over_wait_ratio", &C::width_over_wait_ratio),
                     Field("within_60_s_ratio", &C::within_60_s_ratio),
                     Field("within_600_s_ratio", &C::within_600_s_ratio), Field("ahead", &C::ahead),
                     Field("said", &C::said), Field("bits_at_submission", &C::bits_at_submission),
                     Field("work_ratio", &C::work_ratio), Field("user_days", &C::user_days),
                     Field("coverage_low_ratio", &C::coverage_low_ratio),
                     Field("coverage_high_ratio", &C::coverage_high_ratio));
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
