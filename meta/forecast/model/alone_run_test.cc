// The run of a site alone in small cases that can be worked out by hand.
#include "meta/forecast/model/alone_run.h"

#include <gtest/gtest.h>

namespace muster::forecast {
namespace {

AloneRun::Outcome WaitsOf(std::vector<Backfilling::Step> terrain, std::vector<AloneRun::Job> jobs,
                          Span turnover = {}) {
  AloneRun run(std::move(terrain), std::move(jobs), turnover);
  while (!run.Done()) run.Next();
  return run.Result();
}

using Steps = std::vector<Backfilling::Step>;

Steps Free(int64_t amount) { return {Backfilling::Step{Instant{0}, {amount}}}; }

AloneRun::Job Compared(int64_t came, int64_t amount, int64_t booked, int64_t runs, int64_t waited) {
  return {.came = Instant{came},
          .amounts = {amount},
          .booked = Span{booked},
          .runs = Span{runs},
          .at = {},
          .waited = Span{waited}};
}

TEST(AloneRun, AJobMovesUpWhenAnotherEndsEarly) {
  const AloneRun::Outcome out =
      WaitsOf(Free(4), {Compared(0, 4, 100, 50, 7), Compared(10, 4, 100, 30, 200)});
  EXPECT_EQ(out.jobs, 2u);
  EXPECT_EQ(out.waited, Span{207});
  EXPECT_EQ(out.waited_most, Span{200});
  EXPECT_EQ(out.alone, Span{40});  // from 10 to 50
  EXPECT_EQ(out.alone_most, Span{40});
}

TEST(AloneRun, AJobThatIsNotComparedIsInTheWayAllTheSame) {
  AloneRun::Job still_runs = Compared(0, 4, 100, 100, 0);
  still_runs.waited.reset();
  const AloneRun::Outcome out = WaitsOf(Free(4), {still_runs, Compared(10, 1, 10, 10, 0)});
  EXPECT_EQ(out.jobs, 1u);
  EXPECT_EQ(out.alone, Span{90});
}

TEST(AloneRun, WhatStartedWhenItAskedIsBookedThereAndNeverMoves) {
  AloneRun::Job fixed = Compared(0, 4, 50, 50, 0);
  fixed.waited.reset();
  fixed.at = Instant{20};
  // 15 s fit before it, 30 s do not.
  const AloneRun::Outcome out =
      WaitsOf(Free(4), {fixed, Compared(1, 4, 15, 15, 0), Compared(2, 4, 30, 30, 0)});
  EXPECT_EQ(out.alone_most, Span{68});  // from 2 to 70
  EXPECT_EQ(out.alone, Span{68});
}

TEST(AloneRun, LocalJobsAreWhereTheyWere) {
  Steps steps = Free(4);
  steps.push_back(Backfilling::Step{Instant{30}, {1}});
  steps.push_back(Backfilling::Step{Instant{90}, {4}});
  const AloneRun::Outcome out = WaitsOf(steps, {Compared(10, 2, 40, 40, 0)});
  EXPECT_EQ(out.alone, Span{80});  // from 10 to 90
}

TEST(AloneRun, AJobThatTheSiteCannotRunIsCountedApart) {
  const AloneRun::Outcome out =
      WaitsOf(Free(4), {Compared(0, 5, 10, 10, 3), Compared(0, 1, 10, 10, 4)});
  EXPECT_EQ(out.never, 1u);
  EXPECT_EQ(out.jobs, 1u);
  EXPECT_EQ(out.waited, Span{4});
}

TEST(AloneRun, AWaitEndsBehindTheTurnover) {
  const AloneRun::Outcome out = WaitsOf(Free(4), {Compared(0, 4, 12, 12, 2)}, Span{2});
  EXPECT_EQ(out.alone, Span{2});
}

TEST(AloneRun, BeforeTheFirstStepItWasAsInIt) {
  const Steps steps = {Backfilling::Step{Instant{500}, {4}}};
  const AloneRun::Outcome out = WaitsOf(steps, {Compared(0, 4, 10, 10, 0)});
  EXPECT_EQ(out.alone, Span{0});
}

}  // namespace
}  // namespace muster::forecast
