// Waiting for a block, and leaving with it: what users see with a finite threshold.
// scheduling.md sections 1 (Waiting room, Extraction, Gap rule), 3 and 5.
#include "meta/core_fixture.h"

namespace muster::meta {
namespace {

class BlockCore : public MetaCore {
 protected:
  BlockCore() {
    options_.threshold = Span{3600};
    options_.queues = {{"express", 4}, {"normal", 1}};
    Start();
    DialAll();
  }

  // The whole of hills, so that nothing else fits beside it.
  static schemas::RequestSpec Whole(int64_t seconds, const std::string& queue = "normal") {
    schemas::RequestSpec spec = Spec({{"hills"}}, 4);
    spec.parts[0].chunks[0].count = 4;
    spec.duration = Span{seconds};
    spec.queue = queue;
    return spec;
  }
  std::string Reason(RequestId id) {
    const schemas::JobView job = Job(id);
    return job.figures.no_promise_reason ? job.figures.no_promise_reason->text : "";
  }
};

TEST_F(BlockCore, OnAnIdleFederationARequestStartsNowAsNobodyWaits) {
  const schemas::JobView job = Job(Submit(Whole(600)));
  EXPECT_EQ(job.state, RequestState::kPromised);
  EXPECT_EQ(Of("hills").proposals, 0u) << "a direct commit, as without a threshold";
}

TEST_F(BlockCore, BehindAFarBlockARequestWaitsWithoutAPromiseAndSaysForWhat) {
  Submit(Whole(8000));  // starts now: nobody waits
  Of("hills").not_before = Instant{kBegin + 8001};
  const RequestId first = Submit(Whole(8000));  // no block entry yet: extracted at once
  Advance(1000);
  ASSERT_EQ(Job(first).state, RequestState::kPromised);
  const RequestId second = Submit(Whole(8000));
  Advance(3000);
  const schemas::JobView job = Job(second);
  EXPECT_EQ(job.state, RequestState::kWaiting);
  ASSERT_TRUE(job.figures.starts_by.has_value());
  EXPECT_FALSE(job.figures.starts_by->firm) << "a bound, no promise";
  EXPECT_EQ(Reason(second), "waits in queue normal for the next block");
  EXPECT_EQ(job.figures.no_promise_reason->code, schemas::ReasonCode::kPolicy);
  ASSERT_TRUE(job.figures.no_promise_reason->until.has_value());
  EXPECT_GT(*job.figures.no_promise_reason->until, Instant{kBegin + 3000});
}

TEST_F(BlockCore, AnEntryOfOneSiteIsAskedForAsSoonAsItMayStartAndNotWhenItsShadowSaysSo) {
  Submit(Whole(8000));
  Of("hills").not_before = Instant{kBegin + 5000};  // its shadow says 8,000
  const RequestId first = Submit(Whole(8000));
  Advance(1000);
  const schemas::JobView job = Job(first);
  ASSERT_TRUE(job.figures.starts_by.has_value());
  EXPECT_EQ(job.figures.starts_by->at, (Instant{kBegin + 5001}));
}

TEST_F(BlockCore, FirmOnesFixedStartsAndDeadlinesAreCommittedAtSubmission) {
  Submit(Whole(8000));
  Of("hills").not_before = Instant{kBegin + 8001};
  Submit(Whole(8000));
  Advance(1000);
  schemas::RequestSpec firm = Whole(8000);
  firm.firm = true;
  EXPECT_EQ(Job(Submit(firm)).state, RequestState::kPromised);
  schemas::RequestSpec deadline = Whole(100);
  deadline.deadline = Instant{kBegin + 90'000};
  EXPECT_EQ(Job(Submit(deadline)).state, RequestState::kPromised);
  schemas::RequestSpec at = Whole(100);
  at.at = Instant{kBegin + 50'000};
  EXPECT_EQ(Job(Submit(at)).state, RequestState::kPromised);
}

TEST_F(BlockCore, ABlockIsRankedByPriorityAndOrdersCarryIt) {
  options_.threshold = Span{7990};
  Start();
  DialAll();
  Submit(Whole(8000));
  Of("hills").not_before = Instant{kBegin + 8001};
  Submit(Whole(8000));
  Advance(1000);
  const RequestId low = Submit(Whole(8000));
  const RequestId high = Submit(Whole(8000, "express"));
  ASSERT_EQ(Job(low).state, RequestState::kWaiting);
  ASSERT_EQ(Job(high).state, RequestState::kWaiting);
  Advance(20'000);
  ASSERT_NE(FenceOf(high), Fence{});
  EXPECT_EQ(Of("hills").orders[FenceOf(high)].priority, 1);
  if (FenceOf(low) != Fence{}) {
    EXPECT_EQ(Of("hills").orders[FenceOf(low)].priority, 0);
    EXPECT_LT(FenceOf(high), FenceOf(low)) << "the higher queue was ordered first";
  }
}

// scheduling.md section 1 (R5): gaps compare sites as waves do.
TEST_F(BlockCore, AGapIsTakenWhereItSpoilsNothingRareAndLessIsTaken) {
  schemas::Heartbeat beat{.feed = Of("hills").feed, .plan = PlanRevision{2}};
  beat.capacity = Of("hills").Machine();
  beat.capacity->plan = beat.plan;
  beat.capacity->classes[0].per_node = {{"ncpus", 4}, {"ngpus", 2}};
  beat.capacity->profile = {{Instant{0}, {{{"ncpus", 16}, {"ngpus", 8}}}}};
  Of("hills").plan = beat.plan;
  Say(Of("hills"), beat);
  Settle();
  schemas::RequestSpec anywhere = Spec({{}}, 4);
  anywhere.duration = Span{40'000};
  anywhere.queue = "normal";
  const RequestId first = Submit(anywhere);
  EXPECT_TRUE(Of("lakes").orders.contains(FenceOf(first))) << "no gpus are there";
  const RequestId second = Submit(anywhere);
  EXPECT_TRUE(Of("woods").orders.contains(FenceOf(second))) << "less is taken there";
}

// scheduling.md section 1 (Gap rule): shadows know no rules of sites.
class RefusedGap : public BlockCore {
 protected:
  // Hills and lakes have one node free for hours, and a block behind that.
  RefusedGap() {
    for (const char* name : {"hills", "lakes"}) {
      schemas::RequestSpec three = Whole(8000);
      three.parts[0].sites = {name};
      three.parts[0].chunks[0].count = 3;
      Submit(three);
      Of(name).not_before = Instant{kBegin + 8001};
      Submit(three);
      Advance(1000);
      Of(name).not_before = Instant{};
    }
    Of("hills").counter = IntervalSet::Only(Instant{kBegin + 20'000});
    Of("hills").verdict = schemas::VerdictEntry{.kind = schemas::VerdictKind::kBlocked};
  }
  RequestId SubmitSmall() {
    schemas::RequestSpec small = Spec({{"hills", "lakes"}}, 4);
    small.duration = Span{600};
    small.queue = "normal";
    const RequestId id = Submit(small);
    EXPECT_FALSE(Of("hills").counter.has_value()) << "it was ordered there first, and refused";
    Advance(1000);
    return id;
  }
};

TEST_F(RefusedGap, IsFoundAtAnotherSiteThatIsAsked) {
  const RequestId id = SubmitSmall();
  const schemas::JobView job = Job(id);
  ASSERT_EQ(job.state, RequestState::kPromised);
  EXPECT_TRUE(Of("lakes").orders.contains(FenceOf(id)));
  EXPECT_EQ(Of("hills").proposals, 1u + 1u) << "a block, and this";
}

TEST_F(RefusedGap, ThatNoSiteHasLeavesTheRequestInItsQueue) {
  Of("lakes").verdict = schemas::VerdictEntry{.kind = schemas::VerdictKind::kBlocked};
  const RequestId id = SubmitSmall();
  EXPECT_EQ(Job(id).state, RequestState::kWaiting);
  EXPECT_EQ(Reason(id), "waits in queue normal for the next block");
}

TEST_F(RefusedGap, IsSoughtOnceUntilSomethingIsReleased) {
  const schemas::VerdictEntry blocked{.kind = schemas::VerdictKind::kBlocked};
  Of("lakes").verdict = blocked;
  std::vector<RequestId> waiting;
  const size_t before = Of("hills").orders.size() + Of("lakes").orders.size();
  for (int i = 0; i < 20; ++i) {
    for (const char* name : {"hills", "lakes"}) {
      Of(name).counter = IntervalSet::Only(Instant{kBegin + 20'000});
    }
    if (i < 3) {
      schemas::RequestSpec small = Spec({{"hills", "lakes"}}, 4);
      small.duration = Span{600 + i};  // each of its own shape
      small.queue = "normal";
      waiting.push_back(Submit(small));
    }
    Advance(250);
  }
  for (const RequestId id : waiting) EXPECT_EQ(Job(id).state, RequestState::kWaiting);
  const size_t orders = Of("hills").orders.size() + Of("lakes").orders.size() - before;
  EXPECT_LE(orders, waiting.size() * (waiting.size() + 1) / 2);
}

TEST_F(BlockCore, ASiteThatDoesNotAnswerGivesItsEntriesBackToTheirQueue) {
  Submit(Whole(8000));
  Of("hills").verdict = schemas::VerdictEntry{};  // unanswered: its budget is spent
  const RequestId waits = Submit(Whole(8000));
  Advance(1000);
  EXPECT_EQ(Job(waits).state, RequestState::kWaiting);
  EXPECT_EQ(Reason(waits), "not all of its sites have answered");
  Of("hills").verdict.reset();
  Advance(3000);
  EXPECT_EQ(Job(waits).state, RequestState::kPromised);
}

TEST_F(BlockCore, ACoAllocationOfABlockIsMetAtACommonStart) {
  Submit(Whole(8000));
  Of("hills").not_before = Instant{kBegin + 8001};
  Of("lakes").not_before = Instant{kBegin + 9000};
  schemas::RequestSpec both = Spec({{"hills"}, {"lakes"}}, 4);
  both.parts[0].chunks[0].count = both.parts[1].chunks[0].count = 4;
  both.apart = true;
  const RequestId id = Submit(both);
  Advance(3000);
  const schemas::JobView job = Job(id);
  ASSERT_EQ(job.state, RequestState::kPromised);
  const Fence fence = FenceOf(id);
  EXPECT_EQ((starts_[{"hills", fence}]), (starts_[{"lakes", fence}]));
  EXPECT_GE((starts_[{"hills", fence}]), (Instant{kBegin + 9000}));
}

TEST_F(BlockCore, ACancelledRequestLeavesItsQueueAndItsBlock) {
  Submit(Whole(8000));
  Of("hills").cut = true;
  const RequestId gone = Submit(Whole(8000));
  Client("kim", schemas::Cancel{{gone}});
  Of("hills").cut = false;
  Advance(20'000);
  EXPECT_EQ(Job(gone).outcome, Outcome::kCancelled);
  EXPECT_EQ(FenceOf(gone), Fence{});
}

}  // namespace
}  // namespace muster::meta
