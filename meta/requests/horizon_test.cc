// Nothing is planned behind the federation's horizon: what may only start there has no allowed
// start yet, and the reason says until when. OpenCCS Sect. 8; cli.md section 5. And no start comes
// nearer than its user has notice of: protocol.md section 5.
#include "meta/requests/horizon.h"

#include <gmock/gmock.h>

#include "meta/requests/requests_fixture.h"

namespace muster::meta {
namespace {

class Horizon : public RequestsRoom {
 protected:
  Horizon() { f_.options.horizon = Span{3600}; }
  static schemas::RequestSpec From(int64_t seconds) {
    schemas::RequestSpec spec = Spec({{"lakes"}});
    spec.from = Instant{kBegin + seconds};
    return spec;
  }
  IntervalSet Starts(const schemas::RequestSpec& spec) {
    return StartsFrom(f_, t_, spec, "kim", false);
  }
};

TEST_F(Horizon, LetsWhatStartsBehindItWaitUntilItIsNear) {
  const Instant last{kBegin + 3600};
  EXPECT_EQ(Starts(From(3600)), IntervalSet({{last, last + Span{1}}}));
  EXPECT_FALSE(BeyondHorizon(f_, t_, From(3600), "kim").has_value());
  const schemas::RequestSpec far = From(3900);
  EXPECT_TRUE(Starts(far).empty());
  const std::optional<schemas::Reason> why = BeyondHorizon(f_, t_, far, "kim");
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->code, schemas::ReasonCode::kHorizon);
  EXPECT_EQ(why->text, "starts are planned at most 1h ahead by the federation");
  EXPECT_EQ(why->until, Instant{kBegin + 300});
  Pass(Span{299});
  EXPECT_TRUE(Starts(far).empty());
  Pass(Span{1});
  EXPECT_FALSE(Starts(far).empty());
  EXPECT_FALSE(BeyondHorizon(f_, t_, far, "kim").has_value());
}

// A QoS that is promised at its start: scheduling.md section 13.
TEST_F(Horizon, OfAQosThatIsPromisedAtItsStartIsAsNearAsAStartCountsAsNow) {
  f_.options.credentials.qos = {
      {.name = "filler", .grant = {"*"}, .promise = policy::PromiseTime::kStart}};
  schemas::RequestSpec spec = Spec({{"lakes"}});
  spec.qos = "filler";
  const IntervalSet starts = Starts(spec);
  ASSERT_FALSE(starts.empty());
  EXPECT_EQ(starts.intervals().front().begin, Instant{kBegin});
  EXPECT_LT(starts.intervals().back().end, Instant{kBegin + 60});
  schemas::RequestSpec far = From(3000);
  far.qos = "filler";
  EXPECT_TRUE(Starts(far).empty());
  EXPECT_EQ(BeyondHorizon(f_, t_, far, "kim")->text,
            "QoS filler is promised nothing before it can start");
  Pass(Span{2990});
  EXPECT_FALSE(Starts(far).empty());
}

TEST_F(Horizon, OfARequestOnRecordIsTheSame) {
  const Request& far = Submitted(From(3900));
  EXPECT_TRUE(StartsFrom(f_, t_, far, false).empty());
  ASSERT_TRUE(BeyondHorizon(f_, t_, far).has_value());
  EXPECT_EQ(BeyondHorizon(f_, t_, far)->until, Instant{kBegin + 300});
  Pass(Span{300});
  EXPECT_FALSE(StartsFrom(f_, t_, far, false).empty());
}

TEST_F(Horizon, OfAnotherFileCounts) {
  EXPECT_TRUE(Starts(From(7200)).empty());
  f_.options.horizon = Span{86400};
  EXPECT_FALSE(Starts(From(7200)).empty());
  f_.options.horizon.reset();
  EXPECT_FALSE(Starts(From(86400 * 365)).empty());
}

TEST_F(Horizon, IsSaidToWhoAsks) {
  const schemas::Refused asked = NoStarts(f_, t_, From(7200), "kim");
  EXPECT_EQ(asked.code, "never");
  EXPECT_EQ(asked.message, "no start of it can be planned yet");
  EXPECT_THAT(asked.detail, testing::HasSubstr("at most 1h ahead"));
  schemas::RequestSpec passed = Spec({{"lakes"}});
  passed.start_by = Instant{kBegin - 1};
  EXPECT_EQ(NoStarts(f_, t_, passed, "kim").message, "its window has passed");
}

TEST_F(Horizon, CutsWhatSitesAreAskedFor) {
  const IntervalSet here = StartsAt(f_, t_, Spec({{"lakes"}}), "kim", false, {"lakes"});
  EXPECT_EQ(here, IntervalSet({{Instant{kBegin}, Instant{kBegin + 3601}}}));
}

TEST_F(Horizon, SeveralSitesHaveTheLeadBeforeTheyStart) {
  const IntervalSet together = StartsFrom(f_, t_, Spec({{"hills"}, {"lakes"}}), "kim", true);
  const Moment first{t_.plan.milliseconds + f_.options.values.lead.milliseconds};
  EXPECT_EQ(together.intervals().front().begin, first.Ceiling());
}

class Notice : public RequestsRoom {
 protected:
  static schemas::RequestSpec WithNotice() {
    schemas::RequestSpec spec = Spec({{"hills", "lakes"}});
    spec.start_notice = Span{900};
    return spec;
  }
};

TEST_F(Notice, AFirstPlacingMayStartAtOnce) {
  EXPECT_EQ(NearestStart(f_, t_, Submitted(WithNotice())), Instant{0});
}

TEST_F(Notice, AMoveLeavesTheNoticeOrThePlaceAsItWas) {
  Request& request = Submitted(WithNotice());
  Attempt& place = Promise(request, {"lakes"}, Instant{kBegin + 5000});
  // The new start is shown after at most three waits for answers.
  const int64_t told = t_.plan.milliseconds + 3 * f_.options.values.answer_wait.milliseconds;
  EXPECT_EQ(NearestStart(f_, t_, request), Moment{told}.Ceiling() + Span{900});
  f_.attempts.Edit(place).start = Instant{kBegin + 601};
  EXPECT_EQ(NearestStart(f_, t_, request), Instant{kBegin + 601});
}

TEST_F(Notice, APlaceThatMovesLaterWhileAnEarlierOneIsSoughtComesNoNearer) {
  Request& request = Submitted(WithNotice());
  Attempt& place = Promise(request, {"lakes"}, Instant{kBegin + 601});
  request.nearest = NearestStart(f_, t_, request);
  EXPECT_EQ(NearestFound(f_, t_, request), Instant{kBegin + 601});
  f_.attempts.Edit(place).start = Instant{kBegin + 800};
  EXPECT_EQ(NearestFound(f_, t_, request), Instant{kBegin + 800});
  f_.attempts.Edit(place).start = Instant{kBegin + 601};
  Pass(Span{10});
  EXPECT_EQ(NearestFound(f_, t_, request), Instant{kBegin + 601}) << "enough when it began";
}

}  // namespace
}  // namespace muster::meta
