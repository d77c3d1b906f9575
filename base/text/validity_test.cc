// Validities: what they mean hour by hour, in zones that change their clocks, and what refusals
// point at.
#include "base/text/validity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text/calendar.h"

namespace muster::text::validity_test {
namespace {

constexpr int64_t kDay = 86400;

Instant Utc(std::string_view text) {
  const auto moment = FromRfc3339(text);
  EXPECT_TRUE(moment.has_value()) << text;
  return moment.value_or(Moment{}).Floor();
}

// The last Sunday of a month, 01:00 UTC: when the clocks of the European Union change.
Instant LastSunday(int64_t year, int32_t month) {
  const Instant last = FromCivil({year, month + 1, 0, 1, 0, 0});
  const int64_t weekday = (last.seconds / kDay + 4) % 7;
  return last - Span{weekday * kDay};
}

Zone Berlin() {
  std::vector<Zone::Change> changes;
  for (int64_t year = 2000; year < 2040; ++year) {
    changes.push_back({LastSunday(year, 3), Span{7200}});
    changes.push_back({LastSunday(year, 10), Span{3600}});
  }
  return Zone(Span{3600}, std::move(changes));
}

Validity Parsed(std::string_view text) {
  const auto validity = ParseValidity(text);
  EXPECT_TRUE(validity.ok()) << text << "\n"
                             << (validity.ok() ? "" : Render(validity.diagnostic()));
  return validity.ok() ? *validity : Validity{};
}

// "BEGIN/END BEGIN/END" without seconds, in UTC.
std::string Shown(const Expansion& expansion) {
  std::string out;
  for (const Interval& interval : expansion.intervals.intervals()) {
    const auto text = [](Instant at) { return ToRfc3339(at).substr(0, 16) + "Z"; };
    out += (out.empty() ? "" : " ") + text(interval.begin) + "/" + text(interval.end);
  }
  return out;
}

std::string Within(std::string_view validity, std::string_view from, std::string_view until,
                   const Zone& zone = Berlin()) {
  return Shown(Intervals(Parsed(validity), zone, Utc(from), Utc(until)));
}

std::string Refusal(std::string_view text) {
  const auto validity = ParseValidity(text);
  if (validity.ok()) return "accepted";
  const Diagnostic& wrong = validity.diagnostic();
  EXPECT_EQ(wrong.code, "validity");
  EXPECT_FALSE(wrong.help.empty());
  return std::to_string(wrong.where->column) + "+" + std::to_string(wrong.where->length) + " " +
         wrong.message;
}

TEST(ValidityTest, AlwaysIsAllOfTheTimeAskedFor) {
  EXPECT_EQ(Within("always", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
            "2026-01-01T00:00Z/2026-01-02T00:00Z");
  EXPECT_EQ(EndOf(Parsed("always"), Berlin()), kFarFuture);
}

// OpenCCS Example 1: 01.08.17-31.08.17 is all of August.
TEST(ValidityTest, ADateAloneIsTheWholeDayInTheSitesZone) {
  EXPECT_EQ(Within("from 2017-08-01 to 2017-08-31", "2017-01-01T00:00:00Z", "2018-01-01T00:00:00Z"),
            "2017-07-31T22:00Z/2017-08-31T22:00Z");
  EXPECT_EQ(Within("until 2026-12-31", "2026-12-31T12:00:00Z", "2027-01-03T00:00:00Z"),
            "2026-12-31T12:00Z/2026-12-31T23:00Z");
  EXPECT_EQ(Within("until 2026-12-31", "2027-01-01T00:00:00Z", "2027-01-03T00:00:00Z"), "");
  EXPECT_EQ(EndOf(Parsed("until 2026-12-31"), Berlin()), Utc("2026-12-31T23:00:00Z"));
}

TEST(ValidityTest, ADateWithATimeIsExactlyThen) {
  EXPECT_EQ(Within("from 2026-07-01T09:00 to 2026-07-01T10:30:00", "2026-01-01T00:00:00Z",
                   "2027-01-01T00:00:00Z"),
            "2026-07-01T07:00Z/2026-07-01T08:30Z");
  EXPECT_EQ(Within("from 2026-07-01T09:00Z to 2026-07-01T10:00Z", "2026-01-01T00:00:00Z",
                   "2027-01-01T00:00:00Z"),
            "2026-07-01T09:00Z/2026-07-01T10:00Z");
}

// OpenCCS Sect. 5.4: every Monday and Friday from 7am to 11am, 1.1.2018 to 31.12.2025.
TEST(ValidityTest, ThePapersExampleHasAllItsMondaysAndFridays) {
  const Validity validity = Parsed("cron 0 7 * * Mon,Fri for 4h");
  for (const Zone& zone : {Zone(), Berlin()}) {
    const Instant from = zone.FromLocal({2018, 1, 1, 0, 0, 0});
    const Instant until = zone.FromLocal({2026, 1, 1, 0, 0, 0});
    const Expansion all = Intervals(validity, zone, from, until);
    ASSERT_EQ(all.intervals.intervals().size(), 835u);  // 418 Mondays and 417 Fridays
    const Interval& first = all.intervals.intervals().front();
    const Interval& last = all.intervals.intervals().back();
    EXPECT_EQ(zone.Local(first.begin), (Civil{2018, 1, 1, 7, 0, 0}));
    EXPECT_EQ(zone.Local(first.end), (Civil{2018, 1, 1, 11, 0, 0}));
    EXPECT_EQ(zone.Local(last.begin), (Civil{2025, 12, 29, 7, 0, 0}));
    EXPECT_EQ(zone.Local(last.end), (Civil{2025, 12, 29, 11, 0, 0}));
    EXPECT_EQ(all.complete_until, until);
  }
}

TEST(ValidityTest, BothFieldsOfTheDayMustHold) {
  EXPECT_EQ(Within("cron 0 8 1-7 */2 Mon for 10h", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"),
            "2026-01-05T07:00Z/2026-01-05T17:00Z 2026-03-02T07:00Z/2026-03-02T17:00Z "
            "2026-05-04T06:00Z/2026-05-04T16:00Z 2026-07-06T06:00Z/2026-07-06T16:00Z "
            "2026-09-07T06:00Z/2026-09-07T16:00Z 2026-11-02T07:00Z/2026-11-02T17:00Z");
}

// Berlin, 29 March 2026: 02:00 becomes 03:00, at 01:00 UTC.
TEST(ValidityTest, ATimeThatIsLeftOutBeginsAtTheChange) {
  const std::string_view from = "2026-03-28T12:00:00Z";
  const std::string_view until = "2026-03-30T12:00:00Z";
  EXPECT_EQ(Within("cron 30 2 * * * for 1h", from, until),
            "2026-03-29T01:00Z/2026-03-29T02:00Z 2026-03-30T00:30Z/2026-03-30T01:30Z");
  EXPECT_EQ(Within("cron 0 1 * * Sun for 4h", from, until), "2026-03-29T00:00Z/2026-03-29T04:00Z");
  EXPECT_EQ(Within("cron 0 2,3 * * Sun for 1h", from, until),
            "2026-03-29T01:00Z/2026-03-29T02:00Z");
}

// Berlin, 25 October 2026: 03:00 becomes 02:00, at 01:00 UTC.
TEST(ValidityTest, ATimeThatIsShownTwiceBeginsAtTheFirst) {
  const std::string_view from = "2026-10-24T12:00:00Z";
  const std::string_view until = "2026-10-26T12:00:00Z";
  EXPECT_EQ(Within("cron 30 2 * * * for 1h", from, until),
            "2026-10-25T00:30Z/2026-10-25T01:30Z 2026-10-26T01:30Z/2026-10-26T02:30Z");
  EXPECT_EQ(Within("cron 0 1 * * Sun for 4h", from, until), "2026-10-24T23:00Z/2026-10-25T03:00Z");
  EXPECT_EQ(Within("cron 0 3 * * Sun for 1h", from, until), "2026-10-25T02:00Z/2026-10-25T03:00Z");
}

TEST(ValidityTest, EveryHourMeansTheRepeatedOneToo) {
  EXPECT_EQ(Within("cron 0 * * * * for 1h", "2026-10-24T00:00:00Z", "2026-10-27T00:00:00Z"),
            "2026-10-24T00:00Z/2026-10-27T00:00Z");
  EXPECT_EQ(Within("cron 30 * * * Sun for 1m", "2026-10-25T00:00:00Z", "2026-10-25T03:00:00Z"),
            "2026-10-25T00:30Z/2026-10-25T00:31Z 2026-10-25T01:30Z/2026-10-25T01:31Z "
            "2026-10-25T02:30Z/2026-10-25T02:31Z");
}

TEST(ValidityTest, WhatBeganBeforeAndLastsIsInIt) {
  EXPECT_EQ(
      Within("cron 0 0 1 1 * for 40d", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z", Zone()),
      "2026-02-01T00:00Z/2026-02-10T00:00Z");
  EXPECT_EQ(Within("cron 0 0 * * * for 2d", "2026-02-01T00:00:00Z", "2026-02-05T00:00:00Z", Zone()),
            "2026-02-01T00:00Z/2026-02-05T00:00Z");
}

TEST(ValidityTest, StopsAtItsLimitAndSaysHowFarItKnows) {
  const Instant from = Utc("2026-01-01T00:00:00Z");
  const Expansion three =
      Intervals(Parsed("cron 0 8 * * * for 1h"), Zone(), from, from + Span{90 * kDay}, 3);
  EXPECT_EQ(three.intervals.intervals().size(), 3u);
  EXPECT_EQ(ToRfc3339(three.complete_until), "2026-01-04T08:00:00Z");
  EXPECT_EQ(Intervals(Parsed("always"), Zone(), from, from).complete_until, from);
}

TEST(ValidityTest, The29thOfFebruaryComesEveryFourYears) {
  EXPECT_EQ(
      Within("cron 0 0 29 Feb * for 1d", "2024-01-01T00:00:00Z", "2030-01-01T00:00:00Z", Zone()),
      "2024-02-29T00:00Z/2024-03-01T00:00Z 2028-02-29T00:00Z/2028-03-01T00:00Z");
}

TEST(ValidityTest, NamesRangesStepsAndListsAreTheirNumbers) {
  EXPECT_EQ(Parsed("cron 0 8 * jan-Mar mon-FRI for 10h"), Parsed("cron 0 8 * 1-3 1-5 for 10h"));
  EXPECT_EQ(Parsed("cron */15 * * * * for 1m"), Parsed("cron 0,15,30,45 0-23 * * * for 1m"));
  EXPECT_EQ(Parsed("cron 0 8-18/5 * * * for 1m"), Parsed("cron 0 8,13,18 * * * for 60s"));
  EXPECT_EQ(Parsed("cron 0 0 * * 0 for 1m"), Parsed("cron 0 0 * * 7 for 1m"));
  EXPECT_EQ(Parsed("cron 0 0 * * Sat-Sun for 1m"), Parsed("cron 0 0 * * 0,6 for 1m"));
  EXPECT_EQ(Parsed("cron 0 0 * * Sun-Tue for 1m"), Parsed("cron 0 0 * * 0,1,2 for 1m"));
}

TEST(ValidityTest, IsPrintedInTheShortestForm) {
  for (const char* text :
       {"always", "until 2026-12-31", "until 2026-12-31T09:00", "until 2026-12-31T09:00:30Z",
        "from 2026-12-01 to 2027-03-01", "cron 0 8 * * Mon-Fri for 10h",
        "cron 0 8 1-7 */2 Mon for 10h", "cron */15 0,12 * Jan,Feb,Apr-Jun Sun,Tue-Thu for 1m30s",
        "cron 5 * 31 * * for 366d"}) {
    EXPECT_EQ(ValidityText(Parsed(text)), text);
  }
}

TEST(ValidityTest, RefusalSaysWhatIsWrongWhere) {
  EXPECT_EQ(Refusal(""), "1+1 a validity is missing");
  EXPECT_EQ(Refusal("sometimes"), "1+9 'sometimes' begins no validity");
  EXPECT_EQ(Refusal("always 1"), "8+1 nothing may follow here, but '1' does");
  EXPECT_EQ(Refusal("until"), "6+1 a date is missing");
  EXPECT_EQ(Refusal("until 31.12.2026"), "7+10 '31.12.2026' is not a date");
  EXPECT_EQ(Refusal("until 2026-02-30"), "7+10 '2026-02-30': there is no such date or time of day");
  EXPECT_EQ(Refusal("until 2026-02-03T24:00"),
            "7+16 '2026-02-03T24:00': there is no such date or time of day");
  EXPECT_EQ(Refusal("from 2026-02-03"), "16+1 expected 'to' and a date, not the end");
  EXPECT_EQ(Refusal("from 2026-02-03 to 2026-02-02"), "20+10 it ends before it begins");
  EXPECT_EQ(Refusal("from 2026-02-03T09:00 to 2026-02-03T09:00"), "26+16 it ends before it begins");
  EXPECT_EQ(Refusal("from 2026-02-03T09:00Z to 2026-02-04"),
            "27+10 one date is of UTC and one of the site's zone");
  EXPECT_EQ(Refusal("cron 0 8 * * for 10h"), "14+3 the weekday is missing before 'for'");
  EXPECT_EQ(Refusal("cron 0 8 * * *"), "15+1 expected 'for' and how long, not the end");
  EXPECT_EQ(Refusal("cron 60 8 * * * for 1h"), "6+2 '60' is no minute: 0 to 59");
  EXPECT_EQ(Refusal("cron 0 8 0 * * for 1h"), "10+1 '0' is no day: 1 to 31");
  EXPECT_EQ(Refusal("cron 0 8 * Mai * for 1h"), "12+3 'Mai' is no month: 1 to 12, Jan to Dec");
  EXPECT_EQ(Refusal("cron 0 8 * * Fri-Mon for 1h"), "14+7 the range Fri-Mon falls");
  EXPECT_EQ(Refusal("cron 0 8/2 * * * for 1h"),
            "8+3 '8/2': after '*' or a range, '/' and a number from 1 on");
  EXPECT_EQ(Refusal("cron */0 8 * * * for 1h"),
            "6+3 '*/0': after '*' or a range, '/' and a number from 1 on");
  EXPECT_EQ(Refusal("cron 0,,5 8 * * * for 1h"), "8+1 an item of the list is missing");
  EXPECT_EQ(Refusal("cron 0 8 * * * for 10"), "20+2 ten what?");
  EXPECT_EQ(Refusal("cron 0 8 * * * for 0s"),
            "20+2 each time lasts longer than nothing and at most 366d, not 0s");
  EXPECT_EQ(Refusal("cron 0 8 * * * for 367d"),
            "20+4 each time lasts longer than nothing and at most 366d, not 367d");
}

TEST(ValidityTest, RefusesTimesThatNeverCome) {
  EXPECT_EQ(Refusal("cron 0 8 31 Feb * for 1h"),
            "10+6 this time never comes: no month of Feb has a day 31");
  EXPECT_EQ(Refusal("cron 0 8 31 2,4,6,9,11 Mon for 1h"),
            "10+13 this time never comes: no month of 2,4,6,9,11 has a day 31");
  EXPECT_EQ(Refusal("cron 0 8 29 Feb Mon for 1h"), "accepted");
}

// Any number in [low, high), whatever the size of the case.
template <class T>
rc::Gen<T> Between(T low, T high) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high));
}

rc::Gen<CronTimes> AnyTimes() {
  return rc::gen::exec([] {
    const auto bits = [](int first, int last) {
      uint64_t set = 0;
      for (const int n :
           *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(Between(first, last + 1)))) {
        set |= uint64_t{1} << n;
      }
      return set;
    };
    const auto all = [] { return *Between(0, 4) > 0; };  // so that something happens
    CronTimes times;
    times.minutes = *Between(0, 8) == 0 ? CronTimes::kAllMinutes : bits(0, 59);
    times.hours = *Between(0, 2) == 0 ? CronTimes::kAllHours : static_cast<uint32_t>(bits(0, 23));
    times.days = all() ? CronTimes::kAllDays : static_cast<uint32_t>(bits(1, 31));
    times.months = all() ? CronTimes::kAllMonths : static_cast<uint32_t>(bits(1, 12));
    times.weekdays = all() ? CronTimes::kAllWeekdays : static_cast<uint32_t>(bits(0, 6));
    return times;
  });
}

bool Matches(const CronTimes& times, Instant shown) {
  const Civil c = ToCivil(shown);
  const int64_t weekday = (shown.seconds / kDay + 4) % 7;
  return (times.minutes >> c.minute & 1) != 0 && (times.hours >> c.hour & 1) != 0 &&
         (times.days >> c.day & 1) != 0 && (times.months >> c.month & 1) != 0 &&
         (times.weekdays >> weekday & 1) != 0;
}

// A naive walk by minutes: a time begins when clocks first show it or a later one.
IntervalSet ByMinutes(const Validity& validity, const Zone& zone, Instant from, Instant until) {
  std::vector<Interval> found;
  const Span early = validity.length + Span{10 * kDay};
  Instant latest = from - early + zone.OffsetAt(from - early) - Span{60};
  for (Instant at = from - early; at < until; at = at + Span{60}) {
    const Instant shown = at + zone.OffsetAt(at);
    bool begins = validity.times.hours == CronTimes::kAllHours && shown <= latest &&
                  Matches(validity.times, shown);
    for (; latest < shown; latest = latest + Span{60}) {
      begins = begins || Matches(validity.times, latest + Span{60});
    }
    if (begins) {
      found.push_back({std::max(at, from), std::min(at + validity.length, until)});
    }
  }
  return IntervalSet(std::move(found));
}

RC_GTEST_PROP(ValidityProperty, ExpandsToWhatAWalkByMinutesFinds, ()) {
  const Instant from{*Between<int64_t>(25'000'000, 30'000'000) * 60};
  const Instant until = from + Span{*Between<int64_t>(1, 20 * 1440) * 60};
  const auto offset = [] { return Span{*Between<int64_t>(-14 * 4, 14 * 4 + 1) * 900}; };
  std::vector<Zone::Change> changes;
  Instant change = from - Span{12 * kDay};
  while (*Between(0, 5) != 0) {
    change = change + Span{*Between<int64_t>(1, 10 * 1440) * 60};
    changes.push_back({change, offset()});
  }
  const Zone zone(offset(), std::move(changes));
  Validity validity{.kind = Validity::Kind::kCron, .times = *AnyTimes()};
  RC_PRE(CanMatch(validity.times));
  validity.length = Span{*Between<int64_t>(1, 9000) * 60};
  const Expansion all = Intervals(validity, zone, from, until);
  RC_ASSERT(all.intervals == ByMinutes(validity, zone, from, until));
  RC_ASSERT(all.complete_until == until);
  const auto limit = *Between<size_t>(1, 20);
  const Expansion some = Intervals(validity, zone, from, until, limit);
  RC_ASSERT(some.intervals == all.intervals.FirstIntervals(limit));
  RC_ASSERT(some.complete_until <= until);
  RC_ASSERT(all.intervals.Intersect(IntervalSet({{from, some.complete_until}})) == some.intervals);
}

RC_GTEST_PROP(ValidityProperty, ParsingThePrintedTextGivesTheSameValidity, ()) {
  Validity validity{.kind = Validity::Kind::kCron, .times = *AnyTimes()};
  RC_PRE(CanMatch(validity.times));
  validity.length = Span{*Between<int64_t>(1, Validity::kLongestOccurrence.seconds + 1)};
  const auto read = ParseValidity(ValidityText(validity));
  RC_ASSERT(read.ok());
  RC_ASSERT(*read == validity);
}

RC_GTEST_PROP(ValidityProperty, AnyBytesAreReadOrRefusedWithinTheText, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::oneOf(
      rc::gen::elementOf(std::vector<std::string>{"cron ", "until ", "from ", " to ", " for ", "* ",
                                                  "*/2", "1", "0 ", "-", ",", "Mon ", "10h",
                                                  "2026-01-01", "T09:00", "Z"}),
      rc::gen::arbitrary<std::string>()));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  const auto read = ParseValidity(text);
  if (read.ok()) {
    const auto again = ParseValidity(ValidityText(*read));
    RC_ASSERT(again.ok());
    RC_ASSERT(*again == *read);
  } else {
    RC_ASSERT(read.diagnostic().where->column >= 1u);
    RC_ASSERT(read.diagnostic().where->column <= text.size() + 1);
  }
}

}  // namespace
}  // namespace muster::text::validity_test
