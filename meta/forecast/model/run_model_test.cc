// The distributions that outcomes teach, and what bad input does to them.
#include "meta/forecast/model/run_model.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"

namespace muster::forecast::run_model_test {
namespace {

const Shape kSolve{"kim", 8, Span{3600}};
const Shape kOther{"ana", 8, Span{3600}};

// A model, fed with one job after another.
struct Fed {
  RunModel model;
  RunModel::Job next = 1;
  Instant now{1'000'000};

  void Ran(const Shape& shape, Span ran) {
    model.Submit(next, shape, now);
    model.Start(next, now);
    now = now + std::max(Span{1}, ran);
    model.End(next++, ran);
  }
  // Starts so many jobs of this shape.
  void Begin(const Shape& shape, int many) {
    for (int i = 0; i < many; ++i, ++next) {
      model.Submit(next, shape, now);
      model.Start(next, now);
    }
  }
  RunTime Of(const Shape& shape) const { return model.Of(shape, now); }
};

TEST(RunModel, WhatNeverRanMayTakeAnyTimeUpToItsLimit) {
  const RunTime guess = Fed().Of(kSolve);
  EXPECT_LT(guess.Quantile(0.1), Span{60});
  EXPECT_EQ(guess.Quantile(0.999), Span{3600});
}

TEST(RunModel, OneUsersHabitIsBelievedOnceItHasHeld) {
  Fed fed;
  for (int i = 0; i < 200; ++i) fed.Ran(kSolve, Span{600});
  const RunTime now = fed.Of(kSolve);
  EXPECT_EQ(BucketOf(now.Quantile(0.5)), BucketOf(Span{600}));
  EXPECT_GT(now.Quantile(0.2), Span{400});
  EXPECT_LT(now.Quantile(0.8), Span{900});
}

TEST(RunModel, ANewHabitReplacesAnOldOneWithinAFewOutcomes) {
  Fed fed;
  for (int i = 0; i < 100; ++i) fed.Ran(kSolve, Span{600});
  for (int i = 0; i < 8; ++i) fed.Ran(kSolve, Span{60});
  EXPECT_LT(fed.Of(kSolve).Quantile(0.4), Span{120});
}

TEST(RunModel, ARequestThatWasKilledAtItsLimitTeachesTheLimit) {
  Fed fed;
  for (int i = 0; i < 50; ++i) fed.Ran(kSolve, Span{3600});
  EXPECT_EQ(fed.Of(kSolve).Quantile(0.5), Span{3600});
}

TEST(RunModel, KinThatRunAreLongerThanWhatHasEnded) {
  Fed fed;
  for (int i = 0; i < 100; ++i) fed.Ran(kOther, Span{1800});
  for (int i = 0; i < 2; ++i) fed.Ran(kSolve, Span{30});
  fed.Begin(kSolve, 80);
  const double before = fed.Of(kSolve).Mean();
  fed.now = fed.now + Span{300};
  EXPECT_GT(fed.Of(kSolve).Mean(), 1.1 * before);
}

TEST(RunModel, KinThatStoppedAreNotCounted) {
  Fed fed;
  for (int i = 0; i < 10; ++i) fed.Ran(kSolve, Span{30});
  const RunModel::Job first = fed.next;
  fed.Begin(kSolve, 3);
  fed.now = fed.now + Span{300};
  Fed idle = fed;
  for (RunModel::Job job = first; job < fed.next; ++job) idle.model.Stop(job);
  EXPECT_LT(idle.Of(kSolve).Mean(), fed.Of(kSolve).Mean());
  for (RunModel::Job job = first; job < fed.next; ++job) fed.model.Forget(job);
  EXPECT_EQ(idle.Of(kSolve).Mean(), fed.Of(kSolve).Mean());
  EXPECT_EQ(fed.model.live(), 0u);
}

TEST(RunModel, OneGreatBurstIsOneObservation) {
  // A user's jobs ran for long once. 140 of them run now, for hours; shorter ones begin to end.
  Fed fed;
  const Shape burst{"kim", 1, Span{3 * 86'400}};
  for (int i = 0; i < 300; ++i) fed.Ran({"u" + std::to_string(i % 9), 1, Span{86'400}}, Span{3600});
  fed.Begin(burst, 140);
  fed.now = fed.now + Span{13 * 3600};
  for (int i = 0; i < 10; ++i) fed.Ran(burst, Span{300});
  EXPECT_LT(fed.Of(burst).Quantile(0.5), Span{3600}) << "not 140 outcomes of more than 13 hours";
}

TEST(RunModel, WhatWasSaidAtSubmissionIsKept) {
  Fed fed;
  for (int i = 0; i < 40; ++i) fed.Ran(kSolve, Span{600});
  const RunModel::Job job = fed.next++;
  fed.model.Submit(job, kSolve, fed.now);
  const double known = fed.model.AsSubmitted(job)->ChanceOf(Span{600});
  EXPECT_EQ(known, fed.Of(kSolve).ChanceOf(Span{600}));
  // A sure outcome of kin changes what is known now, but not what was known then.
  for (int i = 0; i < 8; ++i, ++fed.next) {
    fed.model.Submit(fed.next, kSolve, fed.now);
    fed.model.End(fed.next, Span{60});
  }
  EXPECT_LT(fed.Of(kSolve).ChanceOf(Span{600}), 0.7 * known);
  EXPECT_EQ(fed.model.AsSubmitted(job)->ChanceOf(Span{600}), known);
}

TEST(RunModel, ExpectsAsMuchWorkAsIsDone) {
  // Few jobs are wide, and these run for long.
  Fed fed;
  Random random(3);
  double expected = 0;
  double done = 0;
  for (int i = 0; i < 8000; ++i) {
    const bool wide = random.Below(10) == 0;
    const Shape shape{"u" + std::to_string(random.Below(20)), wide ? 64 : 1, Span{36'000}};
    const Span ran{wide ? random.Between(20'000, 36'000) : random.Between(1, 20'000)};
    if (i >= 4000) {
      const auto processors = static_cast<double>(shape.processors);
      expected += processors * fed.Of(shape).Mean();
      done += processors * static_cast<double>(ran.seconds);
    }
    fed.Ran(shape, ran);
  }
  EXPECT_NEAR(expected / done, 1, 0.05);
  EXPECT_NEAR(fed.model.WorkRatio(), 1, 0.1) << "from the first outcome on";
}

TEST(RunModel, LikeRequestsThatComeTogetherShareWhatIsKept) {
  Fed fed;
  for (int i = 0; i < 10; ++i) fed.Ran(kSolve, Span{30});
  fed.model.Submit(1000, kSolve, fed.now);
  fed.model.Submit(1001, kSolve, fed.now);
  EXPECT_EQ(fed.model.AsSubmitted(1000)->Mean(), fed.model.AsSubmitted(1001)->Mean());
  // Something that was learned between them parts them.
  fed.Ran(kSolve, Span{3000});
  fed.model.Submit(1002, kSolve, fed.now);
  EXPECT_GT(fed.model.AsSubmitted(1002)->Mean(), fed.model.AsSubmitted(1001)->Mean());
}

TEST(RunModel, ARequestedTimeThatChangesIsTheOneThatCounts) {
  Fed fed;
  fed.model.Submit(1, kSolve, fed.now);
  fed.model.Submit(1, {"kim", 8, Span{60}}, fed.now);
  EXPECT_EQ(fed.model.live(), 1u);
  EXPECT_EQ(fed.model.ShapeOf(1)->asked, Span{60});
  EXPECT_LE(fed.model.AsSubmitted(1)->Quantile(0.99), Span{60});
}

TEST(RunModel, WhatIsNotLiveTeachesNothing) {
  Fed fed;
  fed.Ran(kSolve, Span{600});
  const double before = fed.Of(kSolve).Mean();
  fed.model.Start(77, fed.now);
  fed.model.Stop(77);
  fed.model.End(77, Span{5});
  EXPECT_EQ(fed.Of(kSolve).Mean(), before);
  EXPECT_FALSE(fed.model.AsSubmitted(77).has_value());
}

TEST(RunModel, AUserWithVeryManyOutcomesIsStillOneUser) {
  Fed fed;
  for (int i = 0; i < 20'000; ++i) fed.Ran(kSolve, Span{600});
  EXPECT_EQ(BucketOf(fed.Of(kSolve).Quantile(0.5)), BucketOf(Span{600}));
  EXPECT_GT(fed.Of(kOther).Quantile(0.9), Span{300}) << "others still have a distribution";
}

// Jobs as they come from damaged records: of any length, with clocks that jump.
struct Damaged {
  Random random;
  Fed fed = {};
  explicit Damaged(uint64_t seed) : random(seed) {}
  Shape AnyShape() {
    return {"u" + std::to_string(random.Below(3)), random.Between(-1, 300),
            Span{random.Between(0, 400'000)}};
  }
  void Step() {
    const Span jump{random.Below(20) == 0 ? random.Between(-14 * 86'400, 14 * 86'400) : 0};
    fed.now = fed.now + jump;
    const RunModel::Job job = 1 + random.Below(30);
    switch (random.Below(4)) {
      case 0:
        fed.model.Submit(job, AnyShape(), fed.now);
        break;
      case 1:
        fed.model.Start(job, fed.now, random.Between(1, 5000));
        break;
      case 2:
        fed.model.Stop(job);
        break;
      default:
        fed.model.End(job, Span{random.Between(-100, 500'000)});
    }
  }
};

RC_GTEST_PROP(RunModel, WhateverTheRecordsSayDistributionsAreWhole, ()) {
  Damaged damaged(*rc::gen::arbitrary<uint64_t>());
  for (int i = 0; i < 200; ++i) damaged.Step();
  const Shape shape = damaged.AnyShape();
  const RunTime run = damaged.fed.Of(shape);
  const Span limit = std::max(Span{1}, shape.asked);
  double sum = run.ChanceOf(limit);
  for (size_t b = 0; b <= BucketOf(limit); ++b) {
    const Span begin = BucketBegin(b);
    if (begin < limit && BucketOf(begin) == b) sum += run.ChanceOf(begin);
  }
  RC_ASSERT(sum > 0);
  RC_ASSERT(sum < 1 + 1e-9);
  RC_ASSERT(run.Mean() >= 0.5);
  RC_ASSERT(run.Mean() <= static_cast<double>(limit.seconds) + 1);
  for (const double u : {0.0, 0.3, 0.999}) {
    RC_ASSERT(run.Quantile(u) >= Span{0});
    RC_ASSERT(run.Quantile(u) <= limit);
  }
}

// A random history, and a model that lived through it.
struct Lived {
  Fed fed;
  std::vector<PastRun> past;
  Shape AnyShape(Random& random) const {
    return {"u" + std::to_string(random.Below(4)), random.Between(1, 9),
            Span{600 * random.Between(1, 9)}};
  }
  explicit Lived(uint64_t seed) {
    Random random(seed);
    std::vector<size_t> open;
    for (int i = 0; i < 300; ++i) {
      fed.now = fed.now + Span{random.Between(1, 60)};
      const bool comes = open.empty() || random.Below(3) == 0;
      if (comes) {
        open.push_back(past.size());
        PastRun& one = past.emplace_back();
        one.job = past.size();
        one.shape = AnyShape(random);
        one.submitted = ToMoment(fed.now);
        fed.model.Submit(one.job, one.shape, fed.now);
        continue;
      }
      const size_t at = random.Below(open.size());
      PastRun& one = past[open[at]];
      if (!one.started) {
        one.started = ToMoment(fed.now);
        fed.model.Start(one.job, fed.now);
        continue;
      }
      one.ended = ToMoment(fed.now);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
      if (random.Below(5) == 0) {
        fed.model.Forget(one.job);
      } else {
        one.ran = Span{(one.ended->milliseconds - one.started->milliseconds) / 1000};
        fed.model.End(one.job, *one.ran);
      }
    }
  }
};

RC_GTEST_PROP(RunModel, ARecordInAnyOrderTeachesWhatWasLivedThrough, ()) {
  const auto seed = *rc::gen::arbitrary<uint64_t>();
  Lived lived(seed);
  Random random(seed ^ 1);
  for (size_t i = lived.past.size(); i > 1; --i) {
    std::swap(lived.past[i - 1], lived.past[random.Below(i)]);
  }
  const RunModel recalled = RunModel::Recalled(lived.past);
  RC_ASSERT(recalled.live() == lived.fed.model.live());
  for (int i = 0; i < 10; ++i) {
    const Shape shape = lived.AnyShape(random);
    RC_ASSERT(recalled.Of(shape, lived.fed.now).Mean() == lived.fed.Of(shape).Mean());
  }
}

TEST(RunModel, ARecordWhoseEndLiesBeforeItsStartLeavesNothingRunning) {
  PastRun one{.job = 1,
              .shape = kSolve,
              .submitted = {5000},
              .started = Moment{9000},
              .ended = Moment{7000}};
  EXPECT_EQ(RunModel::Recalled({one}).live(), 0u);
  one.ran = Span{60};
  EXPECT_EQ(RunModel::Recalled({one}).live(), 0u);
}

RC_GTEST_PROP(RunModel, EqualInputsGiveEqualFigures, ()) {
  const auto seed = *rc::gen::arbitrary<uint64_t>();
  Damaged one(seed);
  Damaged other(seed);
  for (int i = 0; i < 200; ++i) {
    one.Step();
    other.Step();
  }
  for (int i = 0; i < 10; ++i) {
    const Shape shape = one.AnyShape();
    RC_ASSERT(one.fed.Of(shape).Mean() == other.fed.Of(shape).Mean());
    other.AnyShape();
  }
}

}  // namespace
}  // namespace muster::forecast::run_model_test
