// Futures in which the past comes again.
#include "meta/forecast/model/future_walk.h"

#include <gtest/gtest.h>

namespace muster::forecast::future_walk_test {
namespace {

constexpr int64_t kWeek = 7 * 86'400;
constexpr Instant kNow{4 * kWeek};

void Book(const Arrivals::Past& past, Backfilling& future) {
  const Newcomer::Piece& piece = past.who.pieces[0];
  const std::vector<int64_t> amounts = {piece.amounts.Get("ncpus")};
  future.Arrive(amounts, piece.length, *past.ran, 0);
}

// In each past week one job of `processors` for 900 s came, 50 s after this time of the week.
Arrivals Weekly(int64_t processors) {
  Arrivals out;
  for (int64_t week = 0; week < 4; ++week) {
    const auto job = static_cast<Arrivals::Job>(week + 1);
    Newcomer who{"normal", {{"here", {{"ncpus", processors}}, Span{0}, Span{900}}}};
    out.Learn(job, Instant{week * kWeek + 50}, std::move(who));
    out.Ended(job, Span{900});
  }
  return out;
}

// A machine of four processors.
struct Machine {
  Backfilling plan{kNow, std::vector<Backfilling::Step>{{Instant{0}, {4}}}};
  Backfilling::Job Add(int64_t processors, int64_t start, int64_t length, int64_t runs) {
    const std::vector<int64_t> amounts = {processors};
    return plan.AddAt(amounts, kNow + Span{start}, Span{length}, Span{runs}, false);
  }
};

TEST(FutureWalk, WithoutAPastItIsThePlanWithItsRunTimes) {
  Machine m;
  m.Add(4, -10, 110, 60);
  const Backfilling::Job waits = m.Add(4, 100, 500, 500);
  const Arrivals none;
  FutureWalk walk(m.plan, none, 1, 0);
  EXPECT_EQ(walk.Until(waits, none, Book), kNow + Span{50});
  EXPECT_TRUE(walk.Done());
}

TEST(FutureWalk, WhoComesAgainTakesRoomIntoWhichOthersWouldHaveMovedUp) {
  Machine m;
  m.Add(2, -10, 2010, 2010);
  m.Add(1, -10, 1010, 210);                                   // gives its processor back at 200 s
  const Backfilling::Job waits = m.Add(2, 1000, 1500, 1500);  // one more is free all the time
  const Arrivals nobody;
  FutureWalk quiet(m.plan, nobody, 1, 0);
  EXPECT_EQ(quiet.Until(waits, nobody, Book), kNow + Span{200});
  const Arrivals weekly = Weekly(1);
  FutureWalk busy(m.plan, weekly, 1, 0);
  EXPECT_EQ(busy.Until(waits, weekly, Book), kNow + Span{950});
}

TEST(FutureWalk, WhoComesAgainDelaysNoBooking) {
  Machine m;
  m.Add(4, -10, 110, 110);
  const Backfilling::Job waits = m.Add(4, 100, 500, 500);
  const Arrivals weekly = Weekly(4);
  FutureWalk walk(m.plan, weekly, 1, 0);
  EXPECT_EQ(walk.Until(waits, weekly, Book), kNow + Span{100});
}

TEST(FutureWalk, EndsWhenThoseOfThePlanHaveStarted) {
  Machine m;
  m.Add(4, -10, 110, 60);
  m.Add(4, 100, 500, 500);
  const Arrivals weekly = Weekly(4);
  FutureWalk walk(m.plan, weekly, 1, 0);
  size_t steps = 0;
  while (!walk.Done()) {
    EXPECT_GT(walk.Next(weekly, Book), 0u);
    ASSERT_LT(++steps, 100u);
  }
}

}  // namespace
}  // namespace muster::forecast::future_walk_test
