// Figures of the future: bounds before a promise, forecasts under it, and learning from outcomes.
// scheduling.md sections 5 and 6.
#include "meta/forecast/forecasting.h"

#include "meta/core_fixture.h"
#include "meta/search/verified_run.h"
#include "meta/search/verifying.h"

namespace muster::meta {
namespace {

// An answer may wait for a run of forecasts.
class AskingCore : public MetaCore {
 protected:
  schemas::Rows Answer(decltype(schemas::ClientMessage::body) body) {
    schemas::ClientMessage m{.number = MessageNumber{++number_}};
    m.body = std::move(body);
    const auto told = [&]() -> const schemas::Rows* {
      for (const ClientAnswer& answer : answers_) {
        const auto* rows = std::get_if<schemas::Rows>(&answer.message.body);
        if (answer.message.answers == m.number && rows) return rows;
      }
      return nullptr;
    };
    answers_.clear();
    Turn({ClientSays{"kim", "terminal", m}});
    Settle();
    for (int i = 0; i < 16 && !told(); ++i) Advance(250);
    EXPECT_TRUE(told());
    return told() ? *told() : schemas::Rows{};
  }
  schemas::JobView Job(RequestId id) {
    const schemas::Rows rows =
        Answer(schemas::Get{.kind = schemas::GetKind::kJob, .requests = {id}});
    EXPECT_EQ(rows.jobs.size(), 1u);
    return rows.jobs.empty() ? schemas::JobView{} : rows.jobs[0];
  }
};

class ForecastCore : public AskingCore {
 protected:
  ForecastCore() {
    Start();
    DialAll();
  }

  // The whole of hills, so that nothing else fits beside it.
  static schemas::RequestSpec Whole(int64_t seconds) {
    schemas::RequestSpec spec = Spec({{"hills"}}, 4);
    spec.parts[0].chunks[0].count = 4;
    spec.duration = Span{seconds};
    return spec;
  }
  // Local users have the whole of hills until these end.
  void Local(std::vector<schemas::OutsideRun> runs) {
    FakeSite& hills = Of("hills");
    schemas::Capacity capacity = hills.Machine();
    capacity.plan = {++hills.plan.value};
    for (const schemas::OutsideRun& run : runs) {
      capacity.profile = {{Instant{0}, {{}}}, {run.when.end, {{{"ncpus", 16}}}}};
    }
    capacity.outside = std::move(runs);
    Say(hills, schemas::Heartbeat{.feed = hills.feed, .plan = hills.plan, .capacity = capacity});
  }
  // One of them that begins now.
  schemas::OutsideRun LocalRun(uint64_t key, int64_t limit) const {
    const Instant now = now_.wall.Floor();
    return {key, "ana", {now, now + Span{limit}}, {{"ncpus", 16}}};
  }
  // Runs a job of `asked` seconds that starts at kBegin + `at` and ends after `ran` seconds.
  void RunWhole(int64_t at, int64_t asked, int64_t ran) {
    Of("hills").not_before = Instant{kBegin + at};
    const RequestId id = Submit(Whole(asked));
    const Fence fence = FenceOf(id);
    Run(Of("hills"), fence);
    Advance(ran * 1000);
    End(Of("hills"), fence, 0);
    Advance(1000);
  }
};

TEST_F(ForecastCore, WhatStartsNowIsExpectedNow) {
  const schemas::JobView job = Job(Submit(Whole(600)));
  ASSERT_TRUE(job.figures.expected.has_value());
  EXPECT_LE(job.figures.expected->high, job.figures.starts_by->at);
  EXPECT_EQ(job.figures.expected->low, job.figures.expected->high);
}

TEST_F(ForecastCore, AForecastLiesUnderThePromise) {
  const RequestId first = Submit(Whole(8000));
  Run(Of("hills"), FenceOf(first));
  Of("hills").not_before = Instant{kBegin + 8001};
  const schemas::JobView job = Job(Submit(Whole(8000)));
  ASSERT_TRUE(job.figures.starts_by.has_value());
  EXPECT_TRUE(job.figures.starts_by->firm);
  ASSERT_TRUE(job.figures.expected.has_value());
  const schemas::Expected& expected = *job.figures.expected;
  EXPECT_DOUBLE_EQ(expected.confidence_ratio, 0.9);
  EXPECT_LE(expected.low, expected.start);
  EXPECT_LE(expected.start, expected.high);
  EXPECT_LE(expected.high, job.figures.starts_by->at);
  EXPECT_LT(expected.start, (Instant{kBegin + 8001})) << "few run for as long as they asked";
  EXPECT_FALSE(Job(first).figures.expected.has_value()) << "it runs";
}

TEST_F(ForecastCore, WhatStoodTenMinutesBeforeTheStartIsJudgedWhenItStarts) {
  const RequestId first = Submit(Whole(700));
  Run(Of("hills"), FenceOf(first));
  Of("hills").not_before = Instant{kBegin + 701};
  const RequestId waits = Submit(Whole(700));
  std::vector<Span> widths;
  for (int i = 0; i < 7; ++i) {
    const schemas::JobView job = Job(waits);
    ASSERT_TRUE(job.figures.expected.has_value());
    widths.push_back(job.figures.expected->high - job.figures.expected->low);
    Advance(99'000);
  }
  EXPECT_LT(widths.back(), widths.front()) << "an interval narrows as the start comes near";
  End(Of("hills"), FenceOf(first), 0);
  Run(Of("hills"), FenceOf(waits));
  const schemas::Rows rows = Answer(schemas::Get{.kind = schemas::GetKind::kCalibration});
  ASSERT_TRUE(rows.calibration.has_value());
  const schemas::CalibrationRow& total = rows.calibration->rows.back();
  ASSERT_EQ(total.ahead.size(), 1u) << "it waited for less than an hour";
  EXPECT_EQ(total.ahead[0].before_s, 600u);
  EXPECT_EQ(total.ahead[0].starts, 1u);
  EXPECT_GT(total.ahead[0].mean_error_s, 0);
  ASSERT_TRUE(total.bits_at_submission && total.work_ratio) << "the first one has ended";
}

TEST_F(ForecastCore, JobsBesideMusterAreExpectedToEndAsTheyDidAndPromisedToEndAtTheirLimits) {
  for (uint64_t key = 1; key <= 20; ++key) {
    Local({LocalRun(key, 4000)});
    Advance(100'000);
    Local({});
    Advance(1000);
  }
  const schemas::OutsideRun runs = LocalRun(21, 4000);
  Local({runs});
  Of("hills").not_before = runs.when.end;
  const schemas::JobView job = Job(Submit(Whole(400)));
  EXPECT_EQ(job.figures.starts_by->at, runs.when.end + Span{1});
  ASSERT_TRUE(job.figures.expected.has_value());
  EXPECT_LT(job.figures.expected->start - runs.when.begin, Span{400});
  EXPECT_LT(job.figures.expected->low - runs.when.begin, Span{200});
  // Once it runs for longer than all before it, less is known of its end.
  Advance(1'000'000);
  EXPECT_GT(Job(RequestId{1}).figures.expected->start, now_.wall.Floor() + Span{100});
}

TEST_F(ForecastCore, AQuestionIsToldWhatTheSubmissionThenIs) {
  for (int i = 0; i < 10; ++i) RunWhole(i * 22, 400, 20);
  Of("hills").not_before = Instant{kBegin + 220};
  const RequestId runs = Submit(Whole(400));
  Run(Of("hills"), FenceOf(runs));
  Of("hills").not_before = Instant{kBegin + 621};
  const schemas::Rows rows = Answer(schemas::Ask{.request = Whole(400)});
  ASSERT_EQ(rows.offers.size(), 1u);
  const schemas::Figures& offered = rows.offers[0].figures;
  ASSERT_TRUE(offered.starts_by && offered.expected);
  EXPECT_LT(offered.expected->start, offered.starts_by->at);
  Advance(1000);
  const schemas::JobView job = Job(Submit(Whole(400)));
  ASSERT_TRUE(job.figures.expected.has_value());
  for (const auto figure :
       {&schemas::Expected::start, &schemas::Expected::low, &schemas::Expected::high}) {
    const Span apart = (*job.figures.expected).*figure - (*offered.expected).*figure;
    EXPECT_LE(std::abs(apart.seconds), 5);
  }
}

TEST_F(ForecastCore, HabitsOfAUserMoveWhatIsExpectedAndNotThePromise) {
  // Ten runs that each last a twentieth of the requested time.
  for (int i = 0; i < 10; ++i) RunWhole(i * 22, 400, 20);
  Of("hills").not_before = Instant{kBegin + 220};
  const RequestId runs = Submit(Whole(400));
  Run(Of("hills"), FenceOf(runs));
  Of("hills").not_before = Instant{kBegin + 621};
  const schemas::JobView job = Job(Submit(Whole(400)));
  ASSERT_TRUE(job.figures.starts_by && job.figures.expected);
  EXPECT_EQ(job.figures.starts_by->at, (Instant{kBegin + 622}));
  EXPECT_LT(job.figures.expected->start, (Instant{kBegin + 220 + 60}));
  EXPECT_GT(job.figures.expected->start, (Instant{kBegin + 220 + 5}));
}

// A federation whose site hills moves jobs up by points of its own.
class OrderedCore : public ForecastCore {
 protected:
  OrderedCore() {
    Start();
    Of("hills").capabilities = {"order"};
    DialAll();
  }
};

TEST_F(OrderedCore, AForecastMovesJobsUpAsTheirSiteWould) {
  for (int i = 0; i < 10; ++i) RunWhole(i * 22, 400, 20);
  Of("hills").not_before = Instant{kBegin + 220};
  const RequestId runs = Submit(Whole(400));
  Run(Of("hills"), FenceOf(runs));
  Of("hills").not_before = Instant{kBegin + 621};
  const RequestId first = Submit(Whole(400));
  Of("hills").not_before = Instant{kBegin + 1022};
  const RequestId second = Submit(Whole(100));  // fits before the first one
  Of("hills").moves_first = {FenceOf(second), FenceOf(first)};
  Of("hills").inspected.clear();
  Job(first);  // the run that it needs asks for the order
  EXPECT_EQ(Of("hills").inspected, std::vector{schemas::InspectKind::kOrder});
  Advance(1000);
  const schemas::JobView promised_first = Job(first);
  const schemas::JobView preferred = Job(second);
  ASSERT_TRUE(promised_first.figures.expected && preferred.figures.expected);
  EXPECT_LT(preferred.figures.expected->start, promised_first.figures.expected->start);
  EXPECT_GT(preferred.figures.starts_by->at, promised_first.figures.starts_by->at);
  EXPECT_EQ(Of("hills").inspected.size(), 1u) << "not again within a minute";
}

TEST_F(ForecastCore, AfterARestartTheSameIsExpected) {
  // The user's habit changes, so the order of learning counts.
  int64_t at = 0;
  for (int i = 0; i < 12; ++i) {
    const int64_t ran = i < 6 ? 20 : 90;
    RunWhole(at, 400, ran);
    at += ran + 2;
  }
  Of("hills").not_before = Instant{kBegin + at};
  const RequestId runs = Submit(Whole(400));
  Run(Of("hills"), FenceOf(runs));
  Advance(30'000);
  Of("hills").not_before = Instant{kBegin + at + 401};
  const RequestId waits = Submit(Whole(400));
  const schemas::JobView before = Job(waits);
  Start();
  DialAll();
  const schemas::JobView after = Job(waits);
  ASSERT_TRUE(before.figures.expected && after.figures.expected);
  EXPECT_LT(before.figures.expected->start, (Instant{kBegin + at + 150})) << "habits count";
  EXPECT_EQ(after.figures.expected, before.figures.expected);
}

TEST_F(ForecastCore, WhatSomebodyCutShortTeachesNothingAfterARestartEither) {
  for (int i = 0; i < 6; ++i) {
    Of("hills").not_before = Instant{kBegin + i * 10};
    const RequestId id = Submit(Whole(400));
    Run(Of("hills"), FenceOf(id));
    Advance(5'000);
    Client("kim", schemas::Cancel{{id}});
    Advance(3'000);
    EXPECT_EQ(Record(id).outcome, Outcome::kCancelled);
  }
  const RequestId runs = Submit(Whole(400));
  Run(Of("hills"), FenceOf(runs));
  Of("hills").not_before = Instant{kBegin + 500};
  const RequestId waits = Submit(Whole(400));
  const schemas::JobView before = Job(waits);
  Start();
  DialAll();
  ASSERT_TRUE(before.figures.expected.has_value());
  EXPECT_EQ(Job(waits).figures.expected, before.figures.expected);
}

TEST_F(ForecastCore, WhoWaitsForABlockIsToldABoundThatIsNoPromise) {
  options_.threshold = Span{3600};
  Start();
  DialAll();
  Submit(Whole(8000));
  Of("hills").not_before = Instant{kBegin + 8001};
  Submit(Whole(8000));
  Advance(1000);
  const RequestId waits = Submit(Whole(500));
  Advance(1000);
  const schemas::JobView job = Job(waits);
  EXPECT_EQ(job.state, RequestState::kWaiting);
  ASSERT_TRUE(job.figures.starts_by.has_value());
  EXPECT_FALSE(job.figures.starts_by->firm);
  EXPECT_GE(job.figures.starts_by->at, (Instant{kBegin + 16'000}));
  EXPECT_LE(job.figures.starts_by->at, (Instant{kBegin + 16'010}));
  ASSERT_TRUE(job.figures.expected.has_value());
  EXPECT_LE(job.figures.expected->high, job.figures.starts_by->at);
  EXPECT_TRUE(job.figures.no_promise_reason.has_value());
}

TEST_F(ForecastCore, WhoWaitsBehindManyIsToldABoundInTurnsThatStayShort) {
  options_.threshold = Span{3600};
  options_.forecast_waiting = 50;
  Start();
  DialAll();
  Submit(Whole(8000));
  Of("hills").not_before = Instant{kBegin + 8001};
  Submit(Whole(8000));
  Advance(1000);
  constexpr size_t kMany = 250;
  static_assert(kMany * 500 > kSliceWork, "laying them out takes more than one slice");
  std::vector<RequestId> waits;
  for (size_t i = 0; i < kMany; ++i) waits.push_back(Submit(Whole(500)));
  Advance(30'000);
  const BootInstant asked = now_.boot;
  Job(waits.back());
  EXPECT_GT(now_.boot, asked) << "only a slice of the run fits in a turn";
  EXPECT_LE(now_.boot - asked, kAnswerWait + Milliseconds(250));
  Advance(20'000);
  const schemas::JobView next = Job(waits.front());
  EXPECT_TRUE(next.figures.starts_by && next.figures.expected);
  const schemas::JobView last = Job(waits.back());
  ASSERT_TRUE(last.figures.starts_by.has_value());
  EXPECT_GE(last.figures.starts_by->at,
            (Instant{kBegin + 16'000 + 500 * static_cast<int64_t>(kMany - 1)}));
  ASSERT_TRUE(last.figures.expected) << "fewer futures reach so far, but some do";
  EXPECT_LE(last.figures.expected->start, last.figures.starts_by->at);
  EXPECT_GT(last.figures.expected->high, next.figures.expected->high);
}

TEST_F(ForecastCore, WhoIsPromisedWhileALongRunGoesOnIsToldAFirstGuess) {
  options_.threshold = Span{3600};
  Start();
  DialAll();
  Submit(Whole(8000));
  Of("hills").not_before = Instant{kBegin + 8001};
  Submit(Whole(8000));
  Advance(1000);
  constexpr size_t kMany = 250;
  static_assert(forecast::kSamples * kMany * kMany > 8 * kSliceWork,
                "a run takes longer than an answer waits");
  RequestId first;
  for (size_t i = 0; i < kMany; ++i) first = Submit(Whole(500));
  for (int i = 0; i < 400 && !Job(first).figures.expected; ++i) Advance(1000);
  ASSERT_TRUE(Job(first).figures.expected) << "one run is complete";
  schemas::RequestSpec spec = Whole(500);
  spec.firm = true;
  Of("hills").not_before = Instant{kBegin + 17'000};
  const schemas::JobView job = Job(Submit(spec));
  ASSERT_TRUE(job.figures.starts_by && job.figures.starts_by->firm);
  ASSERT_TRUE(job.figures.expected.has_value());
  EXPECT_LE(job.figures.expected->high, job.figures.starts_by->at);
}

// At hills two jobs run one after the other; later ones wait for their block.
class VerifiedBounds : public ForecastCore {
 protected:
  VerifiedBounds() {
    options_.threshold = Span{3600};
    Start();
    DialAll();
    Submit(Whole(8000));
    Of("hills").not_before = Instant{kBegin + 8001};
    Submit(Whole(8000));
    Advance(1000);
  }
  // An empty bound, which is not verified, while none is known.
  schemas::StartsBy BoundOf(RequestId id) {
    return Job(id).figures.starts_by.value_or(schemas::StartsBy{});
  }
  static constexpr Instant kShadow{kBegin + 16'002};  // earliest start by the shadow
};

TEST_F(VerifiedBounds, AreWhatTheSitesGaveAsLongAsTheirPlansStand) {
  const Instant first = kShadow + Span{300};
  const Instant second = kShadow + Span{1000};
  Of("hills").in_order = {first, second};
  const RequestId a = Submit(Whole(500));
  const RequestId b = Submit(Whole(500));
  Job(a);
  Advance(1000);
  // Like the later promise, the bound includes the site's start slack.
  EXPECT_EQ(BoundOf(a).at, first + Span{1});
  EXPECT_EQ(BoundOf(b).at, second + Span{1});
  EXPECT_TRUE(BoundOf(a).verified && BoundOf(b).verified);
  EXPECT_FALSE(BoundOf(a).firm);
  ASSERT_EQ(Job(a).figures.basis.size(), 1u);
  EXPECT_EQ(Job(a).figures.basis[0].site, "hills");
  // The plan changed. The shadow counts as too early by as much as before.
  Of("hills").plan = PlanRevision{2};
  Advance(1000);
  EXPECT_FALSE(BoundOf(a).verified);
  EXPECT_EQ(BoundOf(a).at, first + Span{1});
  EXPECT_FALSE(Job(a).figures.basis.empty());
}

TEST_F(VerifiedBounds, AreAskedForInOneRunOfProposalsThatContinueEachOther) {
  constexpr size_t kMany = kVerifiedEntries + 20;
  std::vector<RequestId> waits;
  for (size_t i = 0; i < kMany; ++i) {
    waits.push_back(Submit(Whole(500)));
    Of("hills").in_order.push_back(kShadow + Span{501 * static_cast<int64_t>(i)});
  }
  Job(waits.back());
  for (int i = 0; i < 200 && !BoundOf(waits.back()).verified; ++i) Advance(250);
  EXPECT_TRUE(BoundOf(waits.back()).verified);
  EXPECT_EQ(BoundOf(waits.back()).at, kShadow + Span{501 * static_cast<int64_t>(kMany - 1) + 1});
  const auto& asked = Of("hills").tentative;
  ASSERT_GE(asked.size(), 2u);
  const schemas::Propose& second = asked[asked.size() - 1];
  const schemas::Propose& first = asked[asked.size() - 2];
  EXPECT_EQ(first.entries.size(), kVerifiedEntries);
  EXPECT_FALSE(first.continues.has_value());
  EXPECT_EQ(second.entries.size(), kMany - kVerifiedEntries);
  EXPECT_EQ(second.continues, first.proposal);
}

TEST_F(VerifiedBounds, WhereTheOverlayIsGoneThoseBeforeStayVerified) {
  Of("hills").forgets_overlays = true;
  constexpr size_t kMany = kVerifiedEntries + 20;
  std::vector<RequestId> waits;
  for (size_t i = 0; i < kMany; ++i) waits.push_back(Submit(Whole(500)));
  for (size_t i = 0; i < 10 * kMany; ++i) {
    Of("hills").in_order.push_back(kShadow + Span{501 * static_cast<int64_t>(i)});
  }
  Job(waits.back());
  for (int i = 0; i < 200 && !BoundOf(waits.front()).verified; ++i) Advance(250);
  EXPECT_TRUE(BoundOf(waits.front()).verified);
  EXPECT_FALSE(BoundOf(waits.back()).verified);
}

TEST_F(VerifiedBounds, ASiteThatDoesNotAnswerLeavesWhatTheShadowSays) {
  const RequestId waits = Submit(Whole(500));
  Job(waits);
  Advance(1000);
  EXPECT_FALSE(Of("hills").tentative.empty());
  EXPECT_FALSE(BoundOf(waits).verified);
  EXPECT_GE(BoundOf(waits).at, (Instant{kBegin + 16'000}));
  EXPECT_LE(BoundOf(waits).at, (Instant{kBegin + 16'010}));
}

TEST_F(ForecastCore, AfterItsEndNothingIsExpected) {
  const RequestId id = Submit(Whole(600));
  Run(Of("hills"), FenceOf(id));
  EXPECT_FALSE(Job(id).figures.expected.has_value());
  End(Of("hills"), FenceOf(id), 0);
  EXPECT_FALSE(Job(id).figures.expected.has_value());
}

// A request in a lower queue has a bound, which holds if no request arrives, and an expected start,
// which allows for arrivals.
class ArrivingCore : public AskingCore {
 protected:
  ArrivingCore() {
    options_.threshold = Span{3600};
    options_.queues = {{"urgent", 4}, {"normal", 1}};
    Start();
    DialAll();
  }
  static schemas::RequestSpec Whole(int64_t seconds, const std::string& queue) {
    schemas::RequestSpec spec = Spec({{"hills"}}, 4);
    spec.parts[0].chunks[0].count = 4;
    spec.duration = Span{seconds};
    spec.queue = queue;
    return spec;
  }
  // Submits two jobs that run one after the other. Returns a third, which waits for its block.
  RequestId Waiting() {
    const Instant now = now_.wall.Ceiling();
    Submit(Whole(8000, "normal"));
    Of("hills").not_before = now + Span{8001};
    Submit(Whole(8000, "normal"));
    Advance(1000);
    return Submit(Whole(500, "normal"));
  }
  // The view of the job once a forecast is done.
  schemas::JobView Told(RequestId id) {
    for (int i = 0; i < 8; ++i) {
      Job(id);
      Advance(500);
    }
    return Job(id);
  }
  // The meta is off until a day after the first arrival.
  void ADayLater() {
    const int64_t until = (kBegin + 86'400) * 1000;
    now_.boot.milliseconds += until - now_.wall.milliseconds;
    now_.wall.milliseconds = until;
    Of("hills").not_before = now_.wall.Ceiling();
    Start();
    DialAll();
  }
  // Runs `count` urgent jobs one after the other, each for its requested time.
  void UrgentOnesCame(int count) {
    for (int i = 0; i < count; ++i) {
      schemas::RequestSpec spec = Whole(60, "urgent");
      spec.firm = true;
      const RequestId id = Submit(spec);
      Run(Of("hills"), FenceOf(id));
      Advance(60'000);
      End(Of("hills"), FenceOf(id), 0);
      Advance(1000);
      Of("hills").not_before = now_.wall.Ceiling();
    }
  }
};

TEST_F(ArrivingCore, WhereUrgentOnesCameLaterIsExpectedThanIsBound) {
  UrgentOnesCame(12);
  ADayLater();
  const RequestId id = Waiting();
  const schemas::JobView job = Told(id);
  ASSERT_TRUE(job.figures.starts_by && job.figures.expected);
  EXPECT_FALSE(job.figures.starts_by->firm);
  EXPECT_GT(job.figures.expected->high, job.figures.starts_by->at);
}

TEST_F(ArrivingCore, WhereNobodyCameItIsNot) {
  const RequestId id = Waiting();
  const schemas::JobView job = Told(id);
  ASSERT_TRUE(job.figures.starts_by && job.figures.expected);
  EXPECT_LE(job.figures.expected->high, job.figures.starts_by->at);
}

// Promised jobs move up into room that others leave. Who comes later may take it first.
TEST_F(ArrivingCore, LikeOnesThatCameBeforeAreExpectedAgainInTheSameQueue) {
  UrgentOnesCame(12);
  ADayLater();
  const Instant now = now_.wall.Ceiling();
  const RequestId runs = Submit(Whole(8000, "urgent"));
  Run(Of("hills"), FenceOf(runs));
  Of("hills").not_before = now + Span{8001};
  const schemas::JobView job = Told(Submit(Whole(500, "urgent")));
  ASSERT_TRUE(job.figures.starts_by && job.figures.expected);
  EXPECT_LE(job.figures.expected->high, job.figures.starts_by->at) << "a promise is never passed";
}

TEST_F(ArrivingCore, AfterARestartTheSameOnesAreExpectedToCome) {
  UrgentOnesCame(12);
  ADayLater();
  const RequestId id = Waiting();
  const schemas::JobView before = Told(id);
  Start();
  DialAll();
  const schemas::JobView after = Told(id);
  ASSERT_TRUE(before.figures.expected && after.figures.expected);
  EXPECT_GT(after.figures.expected->high, after.figures.starts_by->at);
}

}  // namespace
}  // namespace muster::meta
