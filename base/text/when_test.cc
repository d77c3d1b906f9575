// Calendar, zones and typed times.
#include "base/text/when.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace muster::text::when_test {
namespace {

Instant Utc(std::string_view text) {
  const auto moment = FromRfc3339(text);
  EXPECT_TRUE(moment.has_value()) << text;
  return moment.value_or(Moment{}).Floor();
}

// Summer time of 2026: +2 h from 29 March 01:00Z, +1 h again from 25 October 01:00Z.
Zone Berlin() {
  return Zone(Span{3600}, {{Utc("2026-03-29T01:00:00Z"), Span{7200}},
                           {Utc("2026-10-25T01:00:00Z"), Span{3600}}});
}

std::string Next(std::string_view text, std::string_view now, const Zone& zone = Zone()) {
  const auto at = ParseWhen(text, Utc(now), zone);
  return at.ok() ? ToRfc3339(at.value()) : "error: " + at.diagnostic().message;
}

TEST(CalendarTest, KnowsLeapYearsAndDaysBeforeTheEpoch) {
  EXPECT_EQ(FromCivil({2000, 2, 29, 0, 0, 0}).seconds, 951782400);
  EXPECT_EQ(FromCivil({1969, 12, 31, 23, 59, 59}).seconds, -1);
  EXPECT_EQ(ToCivil(Instant{-1}), (Civil{1969, 12, 31, 23, 59, 59}));
  EXPECT_FALSE(FromRfc3339("2100-02-29T00:00:00Z").has_value());
}

TEST(CalendarTest, CivilAndBackIsTheSameInstant) {
  Random random(3);
  for (int i = 0; i < 20000; ++i) {
    const Instant instant{random.Between(-(1LL << 36), 1LL << 36)};
    EXPECT_EQ(FromCivil(ToCivil(instant)), instant);
  }
}

TEST(CalendarTest, PrintedMomentsAreReadBack) {
  EXPECT_EQ(ToRfc3339(Moment{1}), "1970-01-01T00:00:00.001Z");
  Random random(4);
  for (int i = 0; i < 5000; ++i) {
    const Moment moment{random.Between(0, 4102444800000)};
    EXPECT_EQ(FromRfc3339(ToRfc3339(moment)), moment);
    EXPECT_EQ(FromRfc3339(ToRfc3339(moment.Floor())), ToMoment(moment.Floor()));
  }
  EXPECT_FALSE(FromRfc3339("2026-11-20T21:16:21").has_value());
  EXPECT_FALSE(FromRfc3339("2026-11-20 21:16:21Z").has_value());
  EXPECT_FALSE(FromRfc3339("2026-11-20T21:16:21.Z").has_value());
}

TEST(ZoneTest, ChangesHoldFromTheirInstantOn) {
  const Zone zone = Berlin();
  EXPECT_EQ(zone.Local(Utc("2026-03-29T00:59:59Z")), (Civil{2026, 3, 29, 1, 59, 59}));
  EXPECT_EQ(zone.Local(Utc("2026-03-29T01:00:00Z")), (Civil{2026, 3, 29, 3, 0, 0}));
}

TEST(ZoneTest, RepeatedHourIsTheFirstOfTheTwoAndALeftOutOneMovesOn) {
  const Zone zone = Berlin();
  EXPECT_EQ(ToRfc3339(zone.FromLocal({2026, 10, 25, 2, 30, 0})), "2026-10-25T00:30:00Z");
  EXPECT_EQ(ToRfc3339(zone.FromLocal({2026, 3, 29, 2, 30, 0})), "2026-03-29T01:30:00Z");
}

TEST(WhenTest, TimeOfDayIsTheNextOne) {
  EXPECT_EQ(Next("22:30", "2026-11-20T21:14:00Z"), "2026-11-20T22:30:00Z");
  EXPECT_EQ(Next("22:30", "2026-11-20T22:30:00Z"), "2026-11-21T22:30:00Z");
  EXPECT_EQ(Next("00:05:30", "2026-12-31T22:30:00Z"), "2027-01-01T00:05:30Z");
  EXPECT_EQ(Next("22:30", "2026-11-20T21:14:00Z", Zone::Fixed(Span{3600})), "2026-11-20T21:30:00Z");
}

TEST(WhenTest, TomorrowsTimeOfDayUsesTomorrowsOffset) {
  EXPECT_EQ(Next("12:00", "2026-10-24T11:00:00Z", Berlin()), "2026-10-25T11:00:00Z");
}

TEST(WhenTest, DatesAreLocalUnlessTheyEndInZ) {
  const Zone zone = Zone::Fixed(Span{3600});
  EXPECT_EQ(Next("2026-11-21T09:00", "2026-11-20T21:14:00Z", zone), "2026-11-21T08:00:00Z");
  EXPECT_EQ(Next("2026-11-21T09:00Z", "2026-11-20T21:14:00Z", zone), "2026-11-21T09:00:00Z");
  EXPECT_EQ(Next("2026-11-21T09:00:30Z", "2026-11-20T21:14:00Z", zone), "2026-11-21T09:00:30Z");
}

TEST(WhenTest, NowAndASpanFromNow) {
  EXPECT_EQ(Next("now", "2026-11-20T21:14:00Z"), "2026-11-20T21:14:00Z");
  EXPECT_EQ(Next("now+2h", "2026-11-20T21:14:00Z"), "2026-11-20T23:14:00Z");
  EXPECT_EQ(Next("now-2h", "2026-11-20T21:14:00Z"), "error: 'now-2h': only times to come");
  EXPECT_NE(Next("now+30", "2026-11-20T21:14:00Z").find("error:"), std::string::npos);
}

TEST(WhenTest, RefusesThePastAndWhatDoesNotExist) {
  const std::string now = "2026-11-20T21:14:00Z";
  EXPECT_EQ(Next("2026-11-20T09:00", now),
            "error: '2026-11-20T09:00' is in the past; it is now 2026-11-20T21:14:00");
  EXPECT_EQ(Next("2027-02-30T09:00", now),
            "error: '2027-02-30T09:00': there is no such date or time of day");
  EXPECT_EQ(Next("24:00", now), "error: '24:00': there is no such time of day");
  EXPECT_EQ(Next("2026-11-21", now), "error: '2026-11-21': at what time of that day?");
  for (const char* text : {"", "9:00", "22", "tomorrow", "2026-11-21T9:00", "22:30Z", "nowhere"}) {
    EXPECT_EQ(Next(text, now).find("error:"), 0u) << text;
  }
}

TEST(WhenTest, PrintedTimesAreReadBack) {
  Random random(5);
  const Instant now = Utc("2026-11-20T21:14:00Z");
  for (int i = 0; i < 2000; ++i) {
    const Instant at = now + Span{random.Between(1, 400LL * 86400)};
    const Zone zone = Zone::Fixed(Span{random.Between(-12, 14) * 3600});
    const auto read = ParseWhen(WhenText(at, zone), now, zone);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read.value(), at);
  }
}

}  // namespace
}  // namespace muster::text::when_test
