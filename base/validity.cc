// Expands validities. Local ("shown") time is represented as an Instant by FromCivil. On days far
// from any zone change, one offset applies to a whole day's pattern; only near a change is each
// time looked up separately.
#include "base/validity.h"

#include <absl/time/civil_time.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "base/check.h"

namespace muster {
namespace {

// A zone change has no effect on days that are further away from it than this, since no offset
// exceeds kMostOffset.
constexpr int64_t kNearDays = 2;
constexpr Span kNear{kNearDays * kDaySeconds};

bool Has(uint64_t set, int64_t member) { return (set >> member & 1) != 0; }

// Consecutive times of day, in seconds, that are at most one occurrence length apart. They form a
// single interval, which begins at the first and ends one length after the last.
struct Run {
  int64_t first;
  int64_t last;
};

std::vector<int64_t> TimesOfDay(const CronTimes& times) {
  std::vector<int64_t> out;
  for (int64_t hour = 0; hour < 24; ++hour) {
    if (!Has(times.hours, hour)) continue;
    for (uint64_t rest = times.minutes; rest != 0; rest &= rest - 1) {
      out.push_back(hour * 3600 + std::countr_zero(rest) * 60);
    }
  }
  return out;
}

std::vector<Run> RunsOf(const std::vector<int64_t>& times, Span length) {
  std::vector<Run> runs;
  for (const int64_t time : times) {
    if (!runs.empty() && time - runs.back().last <= length.seconds) {
      runs.back().last = time;
    } else {
      runs.push_back({time, time});
    }
  }
  return runs;
}

// Iterates over the days of one cron validity in order.
class CronWalk {
 public:
  CronWalk(const Validity& validity, const Zone& zone)
      : times_(validity.times),
        length_(validity.length),
        zone_(zone),
        of_day_(TimesOfDay(times_)),
        runs_(RunsOf(of_day_, length_)) {}

  // Occurrences within [from, until), clipped, in day order. Stops when there are more than `most`
  // and no later day can contribute an earlier one.
  std::vector<Interval> Between(Instant from, Instant until, size_t most) {
    from_ = from;
    until_ = until;
    const int64_t first_day = DayOf(from - length_) - kNearDays;
    const int64_t last_day = DayOf(until) + kNearDays;
    int64_t days_left = 2 * kNearDays;
    for (int64_t day = first_day; day <= last_day; ++day) {
      if (found_.size() > most && days_left-- == 0) break;
      if (!IsDay(day)) continue;
      TakeDay(day);
      if (!in_order_) found_ = IntervalSet(std::move(found_)).intervals();
      in_order_ = true;
    }
    return std::move(found_);
  }

 private:
  // Days since 1970-01-01.
  static int64_t DayOf(Instant instant) {
    return absl::CivilDay(absl::CivilSecond() + instant.seconds) - absl::CivilDay();
  }

  bool IsDay(int64_t day) const {
    const int64_t weekday = (day % 7 + 11) % 7;  // day 0 was a Thursday
    if (!Has(times_.weekdays, weekday)) return false;
    if (times_.days == CronTimes::kAllDays && times_.months == CronTimes::kAllMonths) return true;
    const Civil civil = ToCivil(Instant{day * kDaySeconds});
    return Has(times_.days, civil.day) && Has(times_.months, civil.month);
  }

  void TakeDay(int64_t day) {
    const Instant shown{day * kDaySeconds};
    if (shown < steady_from_ || shown >= steady_until_) FindSteady(shown);
    if (shown >= steady_from_ && shown < steady_until_) {
      for (const Run& run : runs_) {
        Keep(shown + Span{run.first} - offset_, Span{run.last - run.first} + length_);
      }
      return;
    }
    for (const int64_t time : of_day_) Keep(zone_.FirstShowing(shown + Span{time}), length_);
    if (times_.hours == CronTimes::kAllHours) TakeRepeated(shown);
  }

  // A pattern of every hour also includes the hour that a change repeats: adds the times after each
  // nearby change.
  void TakeRepeated(Instant shown) {
    const std::vector<Zone::Change>& changes = zone_.changes();
    for (size_t i = 0; i < changes.size() && changes[i].from <= shown + kNear + kNear; ++i) {
      if (changes[i].from < shown - kNear) continue;
      const Instant end = i + 1 < changes.size() ? changes[i + 1].from : kFarFuture;
      for (const int64_t time : of_day_) {
        const Instant at = shown + Span{time} - changes[i].offset;
        if (at >= changes[i].from && at < end) Keep(at, length_);
      }
    }
  }

  // Determines the range of days around `shown` on which one offset applies and every time occurs
  // once; empty if a change is near.
  void FindSteady(Instant shown) {
    offset_ = zone_.OffsetAt(shown);
    const std::vector<Zone::Change>& changes = zone_.changes();
    const auto next = std::upper_bound(
        changes.begin(), changes.end(), shown,
        [](Instant value, const Zone::Change& change) { return value < change.from; });
    steady_from_ =
        next == changes.begin() ? Instant{-kFarFuture.seconds} : std::prev(next)->from + kNear;
    steady_until_ = next == changes.end() ? kFarFuture : next->from - kNear - Span{kDaySeconds};
  }

  void Keep(Instant begin, Span length) {
    const Interval kept{std::max(begin, from_), std::min(begin + length, until_)};
    if (kept.begin >= kept.end) return;
    if (found_.empty() || kept.begin > found_.back().end) {
      found_.push_back(kept);
    } else if (kept.begin >= found_.back().begin) {
      found_.back().end = std::max(found_.back().end, kept.end);
    } else {  // the clock went back
      found_.push_back(kept);
      in_order_ = false;
    }
  }

  const CronTimes& times_;
  const Span length_;
  const Zone& zone_;
  const std::vector<int64_t> of_day_;
  const std::vector<Run> runs_;
  Instant from_;
  Instant until_;
  std::vector<Interval> found_;  // after each day: ascending and merged
  bool in_order_ = true;
  // On days in [steady_from_, steady_until_) local time is UTC + offset_, and no change is near.
  Instant steady_from_;
  Instant steady_until_;
  Span offset_;
};

Instant BeginOf(const CalendarPoint& point, const Zone& zone) {
  const Instant shown = FromCivil(point.civil);
  return point.utc ? shown : zone.FirstShowing(shown);
}

Instant EndOf(const CalendarPoint& point, const Zone& zone) {
  if (!point.whole_day) return BeginOf(point, zone);
  return zone.FirstShowing(FromCivil(point.civil) + Span{kDaySeconds});
}

}  // namespace

bool CanMatch(const CronTimes& times) {
  constexpr std::array<int, 13> kLastDay = {0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (times.minutes == 0 || times.hours == 0 || times.weekdays == 0) return false;
  for (int64_t month = 1; month <= 12; ++month) {
    if (!Has(times.months, month)) continue;
    for (int64_t day = 1; day <= kLastDay[static_cast<size_t>(month)]; ++day) {
      if (Has(times.days, day)) return true;  // such a date falls on every weekday, in some year
    }
  }
  return false;
}

Expansion Intervals(const Validity& validity, const Zone& zone, Instant from, Instant until,
                    size_t limit) {
  MUSTER_CHECK(limit > 0);
  if (from >= until) return {.intervals = {}, .complete_until = until};
  std::vector<Interval> found;
  switch (validity.kind) {
    case Validity::Kind::kAlways:
      found.push_back({from, until});
      break;
    case Validity::Kind::kBetween: {
      const Instant begin = validity.begin ? BeginOf(*validity.begin, zone) : from;
      found.push_back({std::max(begin, from), std::min(EndOf(validity.end, zone), until)});
      break;
    }
    case Validity::Kind::kCron:
      found = CronWalk(validity, zone).Between(from, until, limit);
      break;
  }
  IntervalSet all(std::move(found));
  if (all.intervals().size() <= limit) return {std::move(all), until};
  return {all.FirstIntervals(limit), all.intervals()[limit].begin};
}

Instant EndOf(const Validity& validity, const Zone& zone) {
  return validity.kind == Validity::Kind::kBetween ? EndOf(validity.end, zone) : kFarFuture;
}

}  // namespace muster
