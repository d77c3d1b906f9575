// Nothing is planned behind the federation's horizon: what may only start there waits and says why,
// and is planned as soon as time, or another file, brings it near. OpenCCS Sect. 8; cli.md
// section 5.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meta/core_fixture.h"

namespace muster::meta {
namespace {

using testing::HasSubstr;

class Horizon : public MetaCore {
 protected:
  Horizon() {
    options_.horizon = Span{3600};
    Start();
    DialAll();
  }
  schemas::RequestSpec From(int64_t seconds) {
    schemas::RequestSpec spec = Spec({{"lakes"}});
    spec.from = Instant{kBegin + seconds};
    return spec;
  }
};

TEST_F(Horizon, LetsWhatStartsBehindItWaitUntilItIsNear) {
  const RequestId near = Submit(From(3600));
  EXPECT_EQ(Record(near).state, RequestState::kPromised);
  const RequestId far = Submit(From(3900));
  EXPECT_EQ(Record(far).state, RequestState::kWaiting);
  EXPECT_TRUE(Of("lakes").orders.size() == 1) << "no site has been asked to hold anything for it";
  const std::optional<schemas::Reason> why = Job(far).figures.no_promise_reason;
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->code, schemas::ReasonCode::kHorizon);
  EXPECT_EQ(why->text, "starts are planned at most 1h ahead by the federation");
  ASSERT_TRUE(why->until.has_value());
  EXPECT_GE(*why->until, Instant{kBegin + 300});
  EXPECT_LE(*why->until, Instant{kBegin + 302});
  Advance(299'000);
  EXPECT_EQ(Record(far).state, RequestState::kWaiting);
  Advance(5'000);
  EXPECT_EQ(Record(far).state, RequestState::kPromised);
}

TEST_F(Horizon, OfAnotherFileCounts) {
  const RequestId far = Submit(From(7200));
  EXPECT_EQ(Record(far).state, RequestState::kWaiting);
  options_.horizon = Span{86400};
  Turn({Reconfigured{options_, "", {}}});
  Settle();
  EXPECT_EQ(Record(far).state, RequestState::kPromised);
}

TEST_F(Horizon, IsSaidToWhoAsks) {
  const schemas::Refused asked = RefusedBy(Client("kim", schemas::Ask{From(7200)}));
  EXPECT_EQ(asked.code, "never");
  EXPECT_THAT(asked.detail, HasSubstr("at most 1h ahead"));
  schemas::Get slots{.kind = schemas::GetKind::kSlots};
  slots.spec = From(7200);
  EXPECT_THAT(RefusedBy(Client("kim", slots)).detail, HasSubstr("at most 1h ahead"));
}

TEST_F(Horizon, LeavesAPromiseAsItWasThatIsToGoBehindIt) {
  const RequestId id = Submit(From(600));
  const Fence old = FenceOf(id);
  schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {id}};
  act.changes = schemas::Alteration{.from = Instant{kBegin + 7200}};
  act.may_move = true;
  EXPECT_THAT(RefusedBy(Client("kim", act)).detail, HasSubstr("at most 1h ahead"));
  EXPECT_EQ(FenceOf(id), old);
  EXPECT_EQ(Record(id).spec.from, Instant{kBegin + 600});
}

TEST_F(Horizon, CutsWhatSitesAreAskedFor) {
  FakeSite& lakes = Of("lakes");
  const RequestId id = Submit(Spec({{"lakes"}}));
  EXPECT_LE(lakes.orders.at(FenceOf(id)).allowed.intervals().back().end,
            Instant{kBegin + 3600} + Span{2});
}

TEST_F(Horizon, ABlockedRequestIsTriedAgainWhenTimeHasPassed) {
  FakeSite& lakes = Of("lakes");
  schemas::RequestSpec spec = Spec({{"lakes", "woods"}});
  Of("woods").cut = true;
  lakes.verdict = schemas::VerdictEntry{
      .kind = schemas::VerdictKind::kBlocked,
      .reason = schemas::Reason{.code = schemas::ReasonCode::kJob, .text = "job 9 until then"}};
  lakes.counter = IntervalSet::From(Instant{kBegin + 9000});
  const RequestId id = Submit(spec);
  Advance(1000);
  EXPECT_EQ(Record(id).state, RequestState::kWaiting);
  lakes.verdict.reset();
  Advance(610'000);
  EXPECT_EQ(Record(id).state, RequestState::kPromised) << "no plan changed, but time did";
}

}  // namespace
}  // namespace muster::meta
