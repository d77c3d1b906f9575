// Requests that wait for others, through the whole core: places behind a gate, who moves when it
// opens or never will, and arrays with a limit of elements at once. When a gate opens is tested in
// meta/requests. cli.md section 2 (--after, -a); protocol.md sections 0.1, 3.2, 4.
#include "meta/core_fixture.h"

namespace muster::meta {
namespace {

using schemas::DependencyKind;

class Gates : public MetaCore {
 protected:
  static schemas::RequestSpec After(RequestId id, DependencyKind kind = DependencyKind::kOk) {
    schemas::RequestSpec spec = Spec({{"lakes"}});
    spec.after = {{kind, id}};
    return spec;
  }
  static schemas::RequestSpec Array(uint64_t first, uint64_t last, uint64_t at_once) {
    schemas::RequestSpec spec = Spec({{"hills"}});
    spec.array = {.first = first, .last = last, .step = 1, .at_once = at_once};
    return spec;
  }
  void RunToEnd(const std::string& site, RequestId id, int code) {
    const Fence fence = FenceOf(id);
    Run(Of(site), fence);
    End(Of(site), fence, code);
  }
};

TEST_F(Gates, OneThatComesAfterIsPromisedBehindTheEndThatIsPromisedAndHasNoPermit) {
  DialAll();
  const RequestId first = Submit(Spec({{"hills"}}));
  const RequestId second = Submit(After(first));
  const schemas::JobView job = Job(second);
  EXPECT_EQ(job.state, RequestState::kPromised);
  ASSERT_TRUE(job.figures.starts_by.has_value());
  // The first ends by kBegin + 601; the permit may come until 10 s after the booked start.
  EXPECT_EQ(job.figures.starts_by->at, (Instant{kBegin + 611}));
  EXPECT_EQ(job.after, std::vector<std::string>{"ok:" + ToText(first)});
  EXPECT_EQ(Of("lakes").states[FenceOf(second)], HoldState::kCommitted);
  EXPECT_TRUE(Of("lakes").permits.empty());
  EXPECT_EQ(Of("lakes").orders[FenceOf(second)].earliest, (Instant{kBegin + 601}));
}

TEST_F(Gates, AnEarlyGoodEndBringsItForwardAndPermitsIt) {
  DialAll();
  const RequestId first = Submit(Spec({{"hills"}}));
  const RequestId second = Submit(After(first));
  const Fence old = FenceOf(second);
  RunToEnd("hills", first, 0);
  Settle();
  const schemas::JobView job = Job(second);
  EXPECT_NE(FenceOf(second), old);
  ASSERT_TRUE(job.figures.starts_by.has_value());
  EXPECT_EQ(job.figures.starts_by->at, (Instant{kBegin + 1}));
  ASSERT_FALSE(job.history.empty());
  ASSERT_TRUE(job.history.back().cause.has_value());
  EXPECT_EQ(job.history.back().cause->code, schemas::CauseCode::kBackfilled);
  EXPECT_EQ(job.history.back().cause->subject.job, ToText(first));
  EXPECT_EQ(Of("lakes").states[FenceOf(second)], HoldState::kPermitted);
  EXPECT_EQ(Of("lakes").states[old], HoldState::kClosed);
}

// Protocol.md section 5: no move brings a start nearer than its user has notice of.
TEST_F(Gates, APlaceThatMovesLaterWhileAnEarlierOneIsSoughtComesNoNearerThanItsNotice) {
  DialAll();
  const RequestId first = Submit(Spec({{"hills"}}));
  schemas::RequestSpec spec = After(first);
  spec.parts[0].sites = {"hills", "lakes"};
  spec.start_notice = Span{900};
  Of("hills").not_before = Instant{kBegin + 700};
  const RequestId second = Submit(spec);
  const Fence place = FenceOf(second);
  ASSERT_EQ(Of("lakes").states[place], HoldState::kCommitted);
  bool moves = true;
  Of("lakes").judges = [&](const schemas::ProposalEntry& entry) {
    const Instant later{kBegin + 800};
    if (std::exchange(moves, false)) {
      Change(Of("lakes"), place,
             schemas::Moved{.old_start = Instant{kBegin + 601},
                            .new_start = later,
                            .deadline = ToMoment(later + Span{10}),
                            .cause = {schemas::CauseCode::kOperator, {.site = "lakes"}, "kim"}});
    }
    return Judge(Of("lakes"), entry);
  };
  RunToEnd("hills", first, 0);
  Settle();
  Advance(3'000);
  EXPECT_FALSE(moves) << "an earlier place was sought";
  EXPECT_EQ(FenceOf(second), place) << "700 would be nearer than was told, and than 900 s from now";
  EXPECT_EQ(Job(second).figures.starts_by->at, Instant{kBegin + 810});
}

TEST_F(Gates, ABadEndEndsOneThatNeedsAGoodOneAndGivesItsPlaceBack) {
  DialAll();
  const RequestId first = Submit(Spec({{"hills"}}));
  const RequestId second = Submit(After(first));
  const RequestId third = Submit(After(second));
  const Fence place = FenceOf(second);
  RunToEnd("hills", first, 3);
  Settle();
  EXPECT_EQ(Job(second).state, RequestState::kEnded);
  EXPECT_EQ(Job(second).outcome, Outcome::kRefused);
  EXPECT_EQ(Job(second).figures.no_promise_reason->code, schemas::ReasonCode::kDependency);
  EXPECT_EQ(Of("lakes").states[place], HoldState::kClosed);
  EXPECT_EQ(Job(third).state, RequestState::kEnded) << "it comes after one that never ends well";
}

TEST_F(Gates, BehindOneWithoutAPromiseNothingIsPromisedAndTheReasonNamesIt) {
  DialAll();
  Of("hills").verdict = schemas::VerdictEntry{.kind = schemas::VerdictKind::kBlocked};
  Of("hills").mute_holds = true;
  const RequestId first = Submit(Spec({{"hills"}}));
  const RequestId second = Submit(After(first));
  const schemas::JobView job = Job(second);
  EXPECT_EQ(job.state, RequestState::kWaiting);
  EXPECT_EQ(job.figures.no_promise_reason->code, schemas::ReasonCode::kDependency);
  EXPECT_EQ(job.figures.no_promise_reason->subject.job, ToText(first));
  Client("kim", schemas::Cancel{{first}});
  EXPECT_EQ(Job(second).state, RequestState::kEnded) << "it never ends well";
}

TEST_F(Gates, SoManyElementsAtOnceHavePermitsAndTheOthersArePromisedBehindThem) {
  DialAll();
  const RequestId id = Submit(Array(1, 5, 2));
  size_t permitted = 0;
  for (uint64_t i = 1; i <= 5; ++i) {
    if (Of("hills").states[FenceOf(id.element(i))] == HoldState::kPermitted) ++permitted;
    EXPECT_EQ(Job(id.element(i)).state, RequestState::kPromised);
  }
  EXPECT_EQ(permitted, 2u);
  // Two from now on, two behind them, one behind those.
  const Instant third = Job(id.element(3)).figures.starts_by->at;
  EXPECT_GE(third, (Instant{kBegin + 600}));
  EXPECT_GE(Job(id.element(5)).figures.starts_by->at, (third + Span{600}));
  // An end makes room for the next, at once.
  RunToEnd("hills", id.element(1), 0);
  Settle();
  EXPECT_EQ(Of("hills").states[FenceOf(id.element(3))], HoldState::kPermitted);
  EXPECT_LE(Job(id.element(3)).figures.starts_by->at, (Instant{kBegin + 1}));
  EXPECT_NE(Of("hills").states[FenceOf(id.element(4))], HoldState::kPermitted);
}

TEST_F(Gates, EachRoundOfAnArrayIsPromisedBehindTheOneBeforeItWhereverItRuns) {
  DialAll();
  schemas::RequestSpec spec = Array(1, 10, 3);
  spec.parts[0].sites = {"hills", "lakes"};
  const RequestId id = Submit(spec);
  const auto start_of = [&](uint64_t i) { return Job(id.element(i)).figures.starts_by->at; };
  for (uint64_t i = 4; i <= 10; ++i) {
    EXPECT_GE(start_of(i), start_of(i - 3) + Span{600}) << "element " << i;
    EXPECT_EQ(Job(id.element(i)).history.size(), 1u) << "element " << i << " was told otherwise";
  }
}

TEST_F(Gates, CancellingAnArrayCancelsItsElements) {
  DialAll();
  const RequestId id = Submit(Array(1, 4, 1));
  Client("kim", schemas::Cancel{{id}});
  Settle();
  EXPECT_EQ(Job(id).outcome, Outcome::kCancelled);
  EXPECT_EQ(Job(id).array->cancelled, 4u);
  for (const auto& [fence, state] : Of("hills").states) EXPECT_EQ(state, HoldState::kClosed);
}

TEST_F(Gates, ARestartKnowsWhoWaitsForWhom) {
  DialAll();
  const RequestId array = Submit(Array(1, 3, 1));
  const RequestId after = Submit(After(array));
  Start();
  for (FakeSite& site : sites_) Dial(site);
  EXPECT_EQ(Job(array).array->promised, 3u);
  EXPECT_EQ(Of("hills").orders[FenceOf(array.element(3))].payload.argv[0], "hostname");
  for (uint64_t i = 1; i <= 3; ++i) {
    EXPECT_NE(Of("lakes").states[FenceOf(after)], HoldState::kPermitted);
    RunToEnd("hills", array.element(i), 0);
    Settle();
  }
  EXPECT_EQ(Job(array).outcome, Outcome::kDone);
  EXPECT_EQ(Of("lakes").states[FenceOf(after)], HoldState::kPermitted);
}

TEST_F(Gates, AHoldOfAnElementIsNotAdoptedOnceAnotherOneHasItsPlace) {
  DialAll();
  entropy_ = false;
  core_ = nullptr;
  Start();  // without secrets the decision cannot be written
  DialAll();
  schemas::RequestSpec spec = Array(1, 2, 1);
  spec.parts[0].sites.clear();
  const RequestId id = Submit(spec);
  ASSERT_FALSE(Of("hills").orders.empty() && Of("lakes").orders.empty());
  FakeSite& first = Of("hills").orders.empty() ? Of("lakes") : Of("hills");
  FakeSite& other = Of("hills").orders.empty() ? Of("hills") : Of("lakes");
  const Fence lost = first.orders.begin()->first;
  ASSERT_EQ(first.states[lost], HoldState::kCommitted);
  ASSERT_EQ(first.orders.begin()->second.parts[0].tail, Span{0});
  // Its site is cut off while the others are heard again: the place goes to who is placed first.
  first.cut = true;
  entropy_ = true;
  to_sites_.clear();
  Start();
  Dial(other);
  Advance(1000);
  size_t permitted = 0;
  for (const auto& [fence, state] : other.states) permitted += state == HoldState::kPermitted;
  ASSERT_EQ(permitted, 1u);
  first.cut = false;
  Dial(first);
  Advance(1000);
  for (const auto& [fence, state] : first.states) permitted += state == HoldState::kPermitted;
  EXPECT_EQ(permitted, 1u);
  EXPECT_EQ(Record(id.element(1)).state, RequestState::kPromised);
  EXPECT_EQ(Record(id.element(2)).state, RequestState::kPromised);
}

// protocol.md section 3.2 (C7) and section 5: who was promised a start is not given a bound for it.
TEST_F(Gates, APlaceLostBeforeItsGateOpensIsSoughtWherePromisesHoldAndNobodyIsAskedAllTheTime) {
  DialAll();
  const RequestId first = Submit(Spec({{"woods"}}));
  schemas::RequestSpec spec = Spec({{"hills", "lakes"}});
  spec.after = {{DependencyKind::kOk, first}};
  const RequestId id = Submit(spec);
  ASSERT_EQ(Job(id).parts[0].site.value_or(""), "hills");
  ASSERT_TRUE(Job(id).figures.starts_by->firm);
  for (const char* name : {"hills", "lakes"}) Of(name).firm = name == std::string("hills");
  bool hills_has_room = false;
  Of("hills").judges = [&](const schemas::ProposalEntry& entry) {
    schemas::VerdictEntry verdict{.kind = schemas::VerdictKind::kBlocked};
    if (hills_has_room) verdict = {.kind = schemas::VerdictKind::kAccepted, .start = entry.asked};
    return verdict;
  };
  const auto tell = [&](const char* name) {
    schemas::Capacity capacity = Of(name).Machine();
    capacity.plan = {++Of(name).plan.value};
    Say(Of(name),
        schemas::Heartbeat{.feed = Of(name).feed, .plan = capacity.plan, .capacity = capacity});
    Settle();
  };
  tell("lakes");
  const Fence old = FenceOf(id);
  Become(Of("hills"), old, HoldState::kClosed, schemas::ClosedAs::kDropped,
         {schemas::CauseCode::kNodeLost, {"hills", "h1"}, "site:hills"});
  const uint32_t asked = Of("lakes").proposals;
  Advance(30'000);
  EXPECT_EQ(Of("lakes").proposals, asked) << "it promises nothing";
  EXPECT_LT(Of("hills").proposals, 20u);
  EXPECT_EQ(FenceOf(id), old);
  hills_has_room = true;
  tell("hills");
  Advance(15'000);
  EXPECT_NE(FenceOf(id), old);
  EXPECT_EQ(Job(id).parts[0].site.value_or(""), "hills");
  EXPECT_TRUE(Job(id).figures.starts_by->firm);
}

}  // namespace
}  // namespace muster::meta
