// Bounds and futures of one site: exact small plans, and what holds of all of them.
#include "meta/forecast/model/backfilling.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/random.h"

namespace muster::forecast {
namespace {

using Job = Backfilling::Job;

Backfilling Machine(int64_t processors) {
  const std::vector<Backfilling::Step> terrain = {{Instant{0}, {processors}}};
  return Backfilling(Instant{0}, terrain);
}

Job Add(Backfilling& plan, int64_t processors, int64_t booked, int64_t runs) {
  const std::vector<int64_t> amounts = {processors};
  return *plan.Add(amounts, Span{booked}, Span{runs}, plan.now());
}

TEST(Backfilling, EachIsBookedAtItsEarliestFitBehindNobody) {
  Backfilling plan = Machine(10);
  EXPECT_EQ(plan.StartOf(Add(plan, 6, 100, 100)), Instant{0});
  EXPECT_EQ(plan.StartOf(Add(plan, 6, 50, 50)), Instant{100});
  EXPECT_EQ(plan.StartOf(Add(plan, 4, 100, 100)), Instant{0});
  EXPECT_EQ(plan.StartOf(Add(plan, 4, 30, 30)), Instant{100});
}

TEST(Backfilling, WhatCanNeverFitIsNotBooked) {
  Backfilling plan = Machine(10);
  const std::vector<int64_t> amounts = {11};
  EXPECT_FALSE(plan.Add(amounts, Span{1}, Span{1}, Instant{0}));
  EXPECT_EQ(plan.NextEvent(), kFarFuture);
}

TEST(Backfilling, WhoComesIsBookedBeforeThoseThatYieldAndBehindPromises) {
  Backfilling plan = Machine(10);
  Add(plan, 10, 100, 100);
  const Job promised = Add(plan, 10, 50, 50);  // at 100
  const Job first = Add(plan, 10, 30, 30);     // at 150
  const Job second = Add(plan, 10, 20, 20);    // at 180
  const Job urgent = Add(plan, 10, 5, 5);      // at 200
  plan.Yields(first, 0);
  plan.Yields(second, 0);
  plan.Yields(urgent, 2);
  plan.RunTo(Instant{10});
  const std::vector<int64_t> whole = {10};
  plan.Arrive(whole, Span{40}, Span{40}, 1);
  EXPECT_EQ(plan.StartOf(promised), Instant{100});
  EXPECT_EQ(plan.StartOf(urgent), Instant{200});
  EXPECT_EQ(plan.StartOf(urgent + 1), Instant{150}) << "it came";
  // Only 10 s are left before `urgent`, which does not yield: too short for either job.
  EXPECT_EQ(plan.StartOf(first), Instant{205});
  EXPECT_EQ(plan.StartOf(second), Instant{235});
  const Instant last = plan.RunUntilStarted(second);
  EXPECT_EQ(last, Instant{235});
}

TEST(Backfilling, WhoComesAndFitsNeverMovesNobody) {
  Backfilling plan = Machine(10);
  Add(plan, 10, 100, 100);
  const Job waits = Add(plan, 10, 30, 30);
  plan.Yields(waits, 0);
  plan.RunTo(Instant{10});
  const std::vector<int64_t> more = {11};
  plan.Arrive(more, Span{40}, Span{40}, 1);
  EXPECT_EQ(plan.StartOf(waits), Instant{100});
  EXPECT_EQ(plan.RunUntilStarted(waits), Instant{100});
}

TEST(Backfilling, AfterAnEarlyEndWhatCanStartEarlierDoesInOrder) {
  Backfilling plan = Machine(10);
  Add(plan, 10, 100, 20);
  const Job second = Add(plan, 10, 50, 50);
  const Job third = Add(plan, 5, 10, 10);
  EXPECT_EQ(plan.StartOf(second), Instant{100});
  EXPECT_EQ(plan.StartOf(third), Instant{150});
  plan.RunTo(Instant{20});
  EXPECT_TRUE(plan.Started(second));
  EXPECT_EQ(plan.StartOf(second), Instant{20});
  EXPECT_EQ(plan.StartOf(third), Instant{70});
}

TEST(Backfilling, AFixedBookingKeepsItsStart) {
  Backfilling plan = Machine(10);
  Add(plan, 10, 100, 20);
  const std::vector<int64_t> amounts = {10};
  const Job meeting = plan.AddAt(amounts, Instant{100}, Span{50}, Span{50}, true);
  EXPECT_EQ(plan.RunUntilStarted(meeting), Instant{100});
}

TEST(Backfilling, TerrainIsAsFixedAsItIs) {
  const std::vector<Backfilling::Step> terrain = {
      {Instant{0}, {4}}, {Instant{10}, {0}}, {Instant{20}, {8}}};
  Backfilling plan(Instant{5}, terrain);
  const std::vector<int64_t> amounts = {4};
  EXPECT_EQ(plan.StartOf(*plan.Add(amounts, Span{5}, Span{5}, Instant{0})), Instant{5});
  EXPECT_EQ(plan.StartOf(*plan.Add(amounts, Span{5}, Span{5}, Instant{0})), Instant{20});
}

TEST(Backfilling, WhatRunsAlreadyHoldsItsPlaceToItsBookedEnd) {
  const std::vector<Backfilling::Step> terrain = {{Instant{0}, {4}}};
  Backfilling plan(Instant{50}, terrain);
  const std::vector<int64_t> amounts = {4};
  const Job runs = plan.AddAt(amounts, Instant{10}, Span{100}, Span{60}, true);
  EXPECT_TRUE(plan.Started(runs));
  const Job next = *plan.Add(amounts, Span{5}, Span{5}, Instant{0});
  EXPECT_EQ(plan.StartOf(next), Instant{110});
  EXPECT_EQ(plan.RunUntilStarted(next), Instant{70});
}

// Random jobs for a small machine, chosen by a seed.
struct Scene {
  int64_t processors = 8;
  std::vector<std::array<int64_t, 4>> jobs;  // arrives, processors, booked, runs
};
Scene SceneOf(uint64_t seed, bool exact) {
  Random random(seed);
  Scene out;
  int64_t at = 0;
  for (int i = 0; i < 40; ++i) {
    at += static_cast<int64_t>(random.Below(12));
    const int64_t booked = random.Between(1, 60);
    out.jobs.push_back(
        {at, random.Between(1, 8), booked, exact ? booked : random.Between(1, booked)});
  }
  return out;
}

RC_GTEST_PROP(Backfilling, NothingStartsLaterThanItWasFirstBooked, ()) {
  const Scene scene = SceneOf(*rc::gen::arbitrary<uint64_t>(), false);
  Backfilling plan = Machine(scene.processors);
  std::vector<Instant> first;
  for (const auto& [arrives, processors, booked, runs] : scene.jobs) {
    plan.RunTo(Instant{arrives});
    first.push_back(plan.StartOf(Add(plan, processors, booked, runs)));
  }
  plan.RunTo(Instant{1'000'000});
  for (Job job = 0; job < first.size(); ++job) {
    RC_ASSERT(plan.Ended(job));
    RC_ASSERT(plan.StartOf(job) <= first[job]);
    RC_ASSERT(plan.StartOf(job) >= Instant{scene.jobs[job][0]});
  }
}

RC_GTEST_PROP(Backfilling, NoProcessorIsBookedTwice, ()) {
  const Scene scene = SceneOf(*rc::gen::arbitrary<uint64_t>(), false);
  Backfilling plan = Machine(scene.processors);
  for (const auto& [arrives, processors, booked, runs] : scene.jobs) {
    plan.RunTo(Instant{arrives});
    Add(plan, processors, booked, runs);
  }
  plan.RunTo(Instant{1'000'000});
  for (Job at = 0; at < scene.jobs.size(); ++at) {
    int64_t used = 0;
    for (Job job = 0; job < scene.jobs.size(); ++job) {
      const Instant end = plan.StartOf(job) + Span{scene.jobs[job][3]};
      const bool runs = plan.StartOf(job) <= plan.StartOf(at) && plan.StartOf(at) < end;
      if (runs) used += scene.jobs[job][1];
    }
    RC_ASSERT(used <= scene.processors);
  }
}

RC_GTEST_PROP(Backfilling, TheRestRunsOnExactlyAsTheWholeDoes, ()) {
  const Scene scene = SceneOf(*rc::gen::arbitrary<uint64_t>(), false);
  Backfilling plan = Machine(scene.processors);
  for (const auto& [arrives, processors, booked, runs] : scene.jobs) {
    plan.RunTo(Instant{arrives});
    Add(plan, processors, booked, runs);
  }
  Backfilling rest = plan.Rest();
  std::vector<Job> names = plan.running_jobs();
  names.insert(names.end(), plan.waiting_jobs().begin(), plan.waiting_jobs().end());
  // In steps of any length: a run that is resumed ends where an unbroken one does.
  plan.RunTo(Instant{1'000'000});
  for (int64_t t = scene.jobs.back()[0]; rest.NextEvent() < kFarFuture; t += 7) {
    rest.RunTo(Instant{t});
  }
  for (Job job = 0; job < names.size(); ++job) {
    RC_ASSERT(rest.StartOf(job) == plan.StartOf(names[job]));
  }
}

RC_GTEST_PROP(Backfilling, WithExactTimesEveryBoundIsTheStart, ()) {
  const Scene scene = SceneOf(*rc::gen::arbitrary<uint64_t>(), true);
  Backfilling plan = Machine(scene.processors);
  for (const auto& [arrives, processors, booked, runs] : scene.jobs) {
    plan.RunTo(Instant{arrives});
    const Job job = Add(plan, processors, booked, runs);
    Backfilling ahead = plan.Rest();
    RC_ASSERT(plan.StartOf(job) == ahead.RunUntilStarted(static_cast<Job>(
                                       plan.running_jobs().size() + plan.waiting() - 1)));
  }
}

TEST(Backfilling, RoundedEndsLieByLittleElsewhereAndNeverBeyondTheBooking) {
  Backfilling plan = Machine(10);
  std::vector<Job> jobs;
  constexpr std::array<int64_t, 5> kRuns = {50, 1000, 995, 9999, 10'000};
  for (const int64_t runs : kRuns) jobs.push_back(Add(plan, 1, 10'000, runs));
  const Job next = Add(plan, 6, 100, 100);  // needs one more than is free
  plan.RunTo(Instant{1});
  plan.RoundEnds();
  for (size_t i = 0; i < jobs.size(); ++i) plan.SetRuns(jobs[i], Span{kRuns[i]});
  std::vector<Instant> ends(jobs.size());
  while (plan.NextEvent() < kFarFuture) {
    plan.RunTo(plan.NextEvent());
    for (size_t i = 0; i < jobs.size(); ++i) {
      if (plan.Ended(jobs[i]) && ends[i] == Instant{}) ends[i] = plan.now();
    }
  }
  EXPECT_EQ(ends[0], Instant{50}) << "near ones stay";
  EXPECT_EQ(plan.StartOf(next), Instant{50});
  EXPECT_EQ(ends[1], ends[2]) << "far ones fall together";
  EXPECT_EQ(ends[4], Instant{10'000}) << "who runs to its limit leaves nothing";
  for (size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_LE(std::abs((ends[i] - Instant{kRuns[i]}).seconds), kRuns[i] / Backfilling::kGrains);
    EXPECT_LE(ends[i], Instant{10'000});
  }
}

TEST(Backfilling, RoundedEndsDoNotAddUpOverAChainOfShortJobs) {
  for (const auto& [begin, length] :
       {std::pair{18'000, 200}, {86'400, 900}, {86'400, 360}, {86'400, 7}, {3'600, 200}}) {
    Backfilling plan = Machine(1);
    Add(plan, 1, begin, begin);
    std::vector<Job> chain;
    for (int i = 0; i < 40; ++i) chain.push_back(Add(plan, 1, 2 * length, length));
    plan.RunTo(Instant{1});
    plan.RoundEnds();
    for (const Job job : chain) plan.SetRuns(job, Span{length});
    const Instant end = plan.RunUntilStarted(chain.back());
    EXPECT_NEAR(static_cast<double>(end.seconds), begin + 39 * length, 39 * length / 16.0)
        << begin << " " << length;
  }
}

// What is free is what the terrain has without the bookings, however these came and went.
RC_GTEST_PROP(Backfilling, WhatIsFreeIsWhatNobodyHasBooked, ()) {
  Random random(*rc::gen::arbitrary<uint64_t>());
  const std::vector<Backfilling::Step> terrain = {
      {Instant{0}, {8, 30}}, {Instant{100}, {5, 30}}, {Instant{150}, {8, 40}}};
  Backfilling plan(Instant{0}, terrain);
  std::vector<std::vector<int64_t>> amounts;
  std::vector<Span> booked;
  const auto some = [&random] {
    return std::vector<int64_t>{random.Between(0, 5), random.Between(0, 20)};
  };
  for (int i = 0; i < 40; ++i) {
    plan.RunTo(plan.now() + Span{random.Between(0, 12)});
    amounts.push_back(some());
    booked.push_back(Span{random.Between(1, 60)});
    if (random.Chance(300) && plan.waiting() > 0) {
      plan.Yields(plan.waiting_jobs()[random.Below(plan.waiting())], 0);
    }
    if (random.Chance(300)) {
      plan.Arrive(amounts.back(), booked.back(), Span{random.Between(1, 60)}, 1);
    } else {
      RC_ASSERT(plan.Add(amounts.back(), booked.back(), Span{random.Between(1, 60)}, plan.now()));
    }
    Backfilling fresh(plan.now(), terrain);
    for (const auto* list : {&plan.running_jobs(), &plan.waiting_jobs()}) {
      for (const Job job : *list) {
        fresh.AddAt(amounts[job], plan.StartOf(job), booked[job], booked[job], true);
      }
    }
    for (int asked = 0; asked < 8; ++asked) {
      const std::vector<int64_t> want = some();
      const Span length{random.Between(1, 80)};
      const Instant from = plan.now() + Span{random.Between(0, 100)};
      RC_ASSERT(plan.EarliestFit(want, from, length) == fresh.EarliestFit(want, from, length));
    }
  }
}

}  // namespace
}  // namespace muster::forecast
