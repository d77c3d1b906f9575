// Drawn arrivals resemble past ones: in rate, in hours of the week, and in what the last asked for.
#include "meta/forecast/model/arrivals.h"

#include <gtest/gtest.h>

namespace muster::forecast {
namespace {

constexpr int64_t kHour = 3600;
constexpr int64_t kWeek = 7 * 24 * kHour;

Newcomer Of(const std::string& user) { return {{user, 4, Span{600}}, {}}; }

// Four arrivals a week, all between hours 10 and 11 of its second day.
Arrivals FourWeeks() {
  Arrivals out;
  for (int64_t week = 0; week < 4; ++week) {
    for (int64_t i = 0; i < 4; ++i) {
      out.Learn("high", Instant{week * kWeek + 34 * kHour + i * 60}, Of("ana"));
    }
  }
  return out;
}

TEST(Arrivals, ComeAtTheHoursOfTheWeekAtWhichTheyCame) {
  const Arrivals seen = FourWeeks();
  const Instant now{34 * kHour + 4 * kWeek};
  const double busy = seen.RateAt("high", now, now);
  const double quiet = seen.RateAt("high", now + Span{5 * kHour}, now);
  EXPECT_NEAR(busy, 16.0 / 5, 0.05);  // 16 in four weeks; the mean of all hours is a fifth week
  EXPECT_LT(quiet, 0.01);
  EXPECT_EQ(seen.RateAt("low", now, now), 0);
}

TEST(Arrivals, DrawsHaveTheRateAndTheSpan) {
  const Arrivals seen = FourWeeks();
  const Instant now{4 * kWeek};
  size_t all = 0;
  for (uint32_t sample = 0; sample < 400; ++sample) {
    for (const Arrival& one : seen.Draw({"high"}, 7, sample, now, now + Span{kWeek})) {
      EXPECT_GE(one.at, now);
      EXPECT_LT(one.at, now + Span{kWeek});
      EXPECT_EQ(one.who.shape.user, "ana");
      ++all;
    }
  }
  double expected = 0;
  for (int64_t hour = 0; hour < 7 * 24; ++hour) {
    expected += seen.RateAt("high", now + Span{hour * kHour}, now);
  }
  EXPECT_NEAR(static_cast<double>(all) / 400, expected, 0.3);
}

TEST(Arrivals, AFutureIsTheSameWhenItIsDrawnAgain) {
  const Arrivals seen = FourWeeks();
  const Instant now{4 * kWeek};
  const auto whole = seen.Draw({"high"}, 7, 3, now, now + Span{kWeek});
  const auto later = seen.Draw({"high"}, 7, 3, now + Span{60}, now + Span{kWeek});
  ASSERT_EQ(whole.size(), later.size());
  for (size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(whole[i].at, later[i].at);
    EXPECT_EQ(whole[i].draw, later[i].draw);
  }
}

TEST(Arrivals, OfAFewNothingIsSaidAndOfManyTheLastAreKept) {
  Arrivals few;
  for (uint32_t i = 0; i + 1 < Arrivals::kLeast; ++i) few.Learn("high", Instant{i}, Of("ana"));
  EXPECT_TRUE(few.Draw({"high"}, 1, 0, Instant{60}, Instant{kWeek}).empty());
  Arrivals many;
  for (int64_t i = 0; i < 2000; ++i) many.Learn("high", Instant{i}, Of(i < 1000 ? "old" : "new"));
  const auto drawn = many.Draw({"high"}, 1, 0, Instant{2000}, Instant{2000 + kWeek});
  EXPECT_EQ(drawn.size(), Arrivals::kMost);
  for (const Arrival& one : drawn) EXPECT_EQ(one.who.shape.user, "new");
}

}  // namespace
}  // namespace muster::forecast
