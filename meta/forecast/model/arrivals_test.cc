// Past arrivals come again as they came: in whole weeks, in their order, if they have ended.
#include "meta/forecast/model/arrivals.h"

#include <gtest/gtest.h>

#include <set>

namespace muster::forecast::arrivals_test {
namespace {

constexpr int64_t kDay = 86'400;
constexpr int64_t kWeek = 7 * kDay;
constexpr Arrivals::Job kFirst = 1;

// One arrival an hour for so many days, each of which ran for its number of seconds.
Arrivals Hourly(int64_t days) {
  Arrivals out;
  for (int64_t i = 0; i < 24 * days; ++i) {
    const auto job = static_cast<Arrivals::Job>(i + 1);
    out.Learn(job, Instant{i * 3600}, {"normal", {}});
    out.Ended(job, Span{i + 1});
  }
  return out;
}

std::set<int64_t> ShiftsOf(const Arrivals& arrivals, Instant now) {
  std::set<int64_t> out;
  for (uint32_t sample = 0; sample < 200; ++sample) {
    const auto shift = arrivals.ShiftOf(1, sample, now);
    out.insert(shift ? shift->seconds : 0);
  }
  return out;
}

TEST(Arrivals, ComeFromOneToFourWeeksAgo) {
  EXPECT_EQ(ShiftsOf(Hourly(40), Instant{40 * kDay}),
            (std::set<int64_t>{kWeek, 2 * kWeek, 3 * kWeek, 4 * kWeek}));
}

TEST(Arrivals, ComeFromNoFurtherThanTheRecordReaches) {
  EXPECT_EQ(ShiftsOf(Hourly(16), Instant{16 * kDay}), (std::set<int64_t>{kWeek, 2 * kWeek}));
}

TEST(Arrivals, ComeFromDaysAgoInTheFirstWeek) {
  EXPECT_EQ(ShiftsOf(Hourly(3), Instant{3 * kDay}), (std::set<int64_t>{kDay, 2 * kDay, 3 * kDay}));
}

TEST(Arrivals, DoNotComeOnTheFirstDay) {
  EXPECT_EQ(ShiftsOf(Hourly(1), Instant{kDay - 1}), (std::set<int64_t>{0}));
  EXPECT_EQ(ShiftsOf(Arrivals(), Instant{kDay}), (std::set<int64_t>{0}));
}

TEST(Arrivals, OfOneFutureStayTheSame) {
  const Arrivals arrivals = Hourly(40);
  for (uint32_t sample = 0; sample < 32; ++sample) {
    EXPECT_EQ(arrivals.ShiftOf(7, sample, Instant{40 * kDay}),
              arrivals.ShiftOf(7, sample, Instant{40 * kDay + 3600}));
  }
}

TEST(Arrivals, AreGoneThroughInTheirOrder) {
  Arrivals arrivals;
  arrivals.Learn(9, Instant{50}, {"later", {}});
  arrivals.Learn(4, Instant{50}, {"sooner", {}});
  arrivals.Learn(7, Instant{10}, {"first", {}});
  for (const Arrivals::Job job : {9, 4, 7}) arrivals.Ended(job, Span{1});
  std::vector<std::string> order;
  Arrivals::Key key{Instant{0}, kFirst};
  while (const auto* past = arrivals.After(key)) {
    order.push_back(past->second.who.queue);
    key = past->first;
  }
  EXPECT_EQ(order, (std::vector<std::string>{"first", "sooner", "later"}));
}

TEST(Arrivals, ThatAreAliveOrWereCancelledDoNotComeAgain) {
  Arrivals arrivals;
  arrivals.Learn(1, Instant{10}, {"alive", {}});
  arrivals.Learn(2, Instant{20}, {"cancelled", {}});
  arrivals.Learn(3, Instant{30}, {"ended", {}});
  arrivals.Forget(2);
  arrivals.Ended(3, Span{5});
  arrivals.Ended(99, Span{5});
  const auto* past = arrivals.After({Instant{0}, kFirst});
  ASSERT_TRUE(past);
  EXPECT_EQ(past->second.who.queue, "ended");
  EXPECT_EQ(past->second.ran, Span{5});
  EXPECT_FALSE(arrivals.After(past->first));
}

TEST(Arrivals, KeepFiveWeeks) {
  const Arrivals arrivals = Hourly(100);
  EXPECT_LE(arrivals.kept(), static_cast<size_t>(35 * 24 + 1));
  EXPECT_GE(arrivals.kept(), static_cast<size_t>(35 * 24 - 1));
}

TEST(Arrivals, SurviveAClockThatJumpsBackByAWeek) {
  Arrivals arrivals = Hourly(40);
  arrivals.Learn(5000, Instant{33 * kDay}, {"normal", {}});
  arrivals.Ended(5000, Span{60});
  EXPECT_GT(arrivals.kept(), static_cast<size_t>(30 * 24));
  EXPECT_TRUE(arrivals.ShiftOf(1, 0, Instant{33 * kDay}));
}

}  // namespace
}  // namespace muster::forecast::arrivals_test
