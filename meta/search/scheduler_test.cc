// The scheduler as operators see and set it: votes, pins, settings that outlive a restart, and what
// is refused. scheduling.md section 2, cli.md section 3 (scheduler).
#include "meta/core_fixture.h"

namespace muster::meta {
namespace {

class SchedulerCore : public MetaCore {
 protected:
  SchedulerCore() {
    options_.threshold = Span{3600};
    options_.queues = {{"express", 4}, {"normal", 1}};
    Start();
    DialAll();
  }

  static schemas::RequestSpec Whole(int64_t seconds, schemas::RequestClass of) {
    schemas::RequestSpec spec = Spec({{"hills"}}, 4);
    spec.parts[0].chunks[0].count = 4;
    spec.duration = Span{seconds};
    spec.queue = "normal";
    spec.request_class = of;
    return spec;
  }
  schemas::SchedulerView View() {
    const schemas::ToClient answer =
        Client("kim", schemas::Get{.kind = schemas::GetKind::kScheduler});
    return *std::get<schemas::Rows>(answer.body).scheduler;
  }
  decltype(schemas::ToClient::body) Set(schemas::SchedulerChange change,
                                        const std::string& user = "root") {
    schemas::Act act{.verb = schemas::ActVerb::kSchedule};
    act.scheduler = std::move(change);
    return Client(user, act).body;
  }
  schemas::Refused Refusal(schemas::SchedulerChange change) {
    return std::get<schemas::Refused>(Set(std::move(change)));
  }
  static schemas::RequestSpec Small(schemas::RequestClass of) {
    schemas::RequestSpec spec = Whole(60, of);
    spec.parts[0].chunks[0].count = 1;
    return spec;
  }
  // The next block is due soon behind the first one.
  void BlocksInARow() {
    options_.threshold = Span{7990};
    Start();
    DialAll();
  }
  // One more block, of one request.
  void Extract(schemas::RequestClass of) {
    Of("hills").not_before = Instant{kBegin + 16'002};
    Submit(Whole(8000, of));
    Advance(20'000);
  }
  // A machine that is taken for hours, and a block behind it.
  void Saturate(schemas::RequestClass of) {
    Submit(Whole(8000, of));
    Of("hills").not_before = Instant{kBegin + 8001};
    Submit(Whole(8000, of));
    Advance(1000);
  }
};

TEST_F(SchedulerCore, VotesAtAnExtractionAndSaysWhy) {
  EXPECT_EQ(View().packing, "fcfs*");
  EXPECT_EQ(View().why, "no block yet");
  EXPECT_FALSE(View().rounds.has_value());
  Saturate(schemas::RequestClass::kBatch);
  const schemas::SchedulerView view = View();
  EXPECT_EQ(view.packing, "ffdh*");
  EXPECT_EQ(view.why, "saturated: 100 % of the block cannot start in 60 s");
  ASSERT_EQ(view.switches.size(), 1u);
  EXPECT_EQ(view.switches[0].requests, 1u);
  EXPECT_EQ(view.since, view.switches[0].at);
  ASSERT_TRUE(view.rounds.has_value());
  EXPECT_EQ(view.rounds->blocks, 1u);
  EXPECT_EQ(view.rounds->rounds_p50, 1);
}

TEST_F(SchedulerCore, InteractiveRequestsVoteForTheShortestFirst) {
  Saturate(schemas::RequestClass::kInteractive);
  EXPECT_EQ(View().packing, "ffih*");
}

// CCS Sect. 3.3: the relevant requests are not only those that had to wait.
TEST_F(SchedulerCore, WhoGotAGapSinceTheLastVoteVotesWithTheNextBlock) {
  BlocksInARow();
  Saturate(schemas::RequestClass::kBatch);
  EXPECT_EQ(View().packing, "ffdh*");
  for (const char* site : {"lakes", "woods"}) {
    schemas::RequestSpec small = Small(schemas::RequestClass::kInteractive);
    small.parts[0].sites = {site};
    EXPECT_EQ(Job(Submit(small)).state, RequestState::kPromised) << "at once";
  }
  Extract(schemas::RequestClass::kBatch);
  EXPECT_EQ(View().packing, "ffih*");
  EXPECT_EQ(View().switches[0].requests, 1u);
  EXPECT_DOUBLE_EQ(View().switches[0].interactive_ratio, 2.0 / 3);
}

TEST_F(SchedulerCore, WhoHasVotedVotesNoSecondTimeThoughTheDaemonWasRestarted) {
  BlocksInARow();
  schemas::RequestSpec small = Small(schemas::RequestClass::kInteractive);
  small.parts[0].sites = {"lakes"};
  for (int i = 0; i < 3; ++i) Submit(small);
  Saturate(schemas::RequestClass::kBatch);
  EXPECT_DOUBLE_EQ(View().switches[0].interactive_ratio, 3.0 / 5);
  Start();
  DialAll();
  Extract(schemas::RequestClass::kBatch);
  EXPECT_EQ(View().packing, "ffdh*");
  EXPECT_DOUBLE_EQ(View().switches[0].interactive_ratio, 0);
}

TEST_F(SchedulerCore, WhatWasCancelledDoesNotVote) {
  schemas::RequestSpec small = Small(schemas::RequestClass::kInteractive);
  small.parts[0].sites = {"lakes"};
  for (int i = 0; i < 3; ++i) Client("kim", schemas::Cancel{{Submit(small)}});
  Saturate(schemas::RequestClass::kBatch);
  EXPECT_DOUBLE_EQ(View().switches[0].interactive_ratio, 0);
}

TEST_F(SchedulerCore, APinOverridesTheVoteWhichGoesOnAndIsOnRecord) {
  Set({.packing = "fcfs"});
  EXPECT_EQ(View().pin, "fcfs");
  EXPECT_EQ(View().packing, "fcfs");
  EXPECT_EQ(View().why, "pinned by root");
  Saturate(schemas::RequestClass::kBatch);
  schemas::SchedulerView view = View();
  EXPECT_EQ(view.packing, "fcfs");
  ASSERT_EQ(view.switches.size(), 2u);
  EXPECT_EQ(view.switches[0].voted, "ffdh*");
  EXPECT_TRUE(view.switches[0].why.starts_with("would be ffdh*: saturated: 100 %"));
  EXPECT_EQ(view.since, view.switches[1].at) << "since it was pinned";
  Start();  // durable: neither the pin nor the vote is lost
  DialAll();
  EXPECT_EQ(View().pin, "fcfs");
  EXPECT_EQ(View().switches.size(), 2u);
  Set({.packing = "auto"});
  view = View();
  EXPECT_EQ(view.pin, std::nullopt);
  EXPECT_EQ(view.packing, "ffdh*") << "what the vote chose meanwhile";
  EXPECT_EQ(view.why, "freed by root; saturated at the last vote");
}

TEST_F(SchedulerCore, WhatIsSetLiveHoldsOverTheConfigurationAndARestart) {
  Set({.threshold = Span{7200}, .block_max = 10, .orders = {{"normal", 9}}});
  Start();
  DialAll();
  schemas::SchedulerView view = View();
  EXPECT_EQ(view.threshold_s, Span{7200});
  EXPECT_EQ(view.block_max, 10u);
  ASSERT_EQ(view.queues.size(), 2u);
  EXPECT_EQ(view.queues[1].order, 9);
  Turn({Reconfigured{.options = options_}});
  EXPECT_EQ(View().threshold_s, Span{7200});
  Set({.unbounded = true});
  EXPECT_EQ(View().threshold_s, std::nullopt);
  EXPECT_EQ(View().block_max, 10u) << "what is not named stays";
}

TEST_F(SchedulerCore, WithAnInfiniteThresholdAllThatWaitArePlacedAtOnce) {
  Saturate(schemas::RequestClass::kBatch);
  const RequestId waits = Submit(Whole(8000, schemas::RequestClass::kBatch));
  Advance(3000);
  ASSERT_EQ(Job(waits).state, RequestState::kWaiting);
  EXPECT_EQ(View().queues[1].waiting, 1u);
  ASSERT_TRUE(View().next_block_at.has_value());
  Set({.unbounded = true});
  Advance(3000);
  EXPECT_EQ(Job(waits).state, RequestState::kPromised);
  EXPECT_EQ(View().queues[1].waiting, 0u);
}

TEST_F(SchedulerCore, WhatIsWrongIsRefusedWholeAndSaysWhatWouldBeRight) {
  EXPECT_EQ(Refusal({}).message, "nothing to set");
  const schemas::Refused packing = Refusal({.packing = "best", .block_max = 7});
  EXPECT_EQ(packing.message, "there is no packing 'best'");
  EXPECT_EQ(packing.help, "auto (by vote), fcfs, fcfs*, ffdh, ffdh*, ffih, ffih*");
  EXPECT_EQ(packing.changed, "nothing was changed");
  EXPECT_EQ(View().block_max, 1000u);
  const schemas::Refused zero = Refusal({.orders = {{"normal", 0}}});
  EXPECT_EQ(zero.message, "the order of queue 'normal' cannot be 0");
  EXPECT_EQ(Refusal({.orders = {{"normal", -3}}}).code, "usage");
  EXPECT_EQ(Refusal({.orders = {{"night", 3}}}).help, "queues here: express, normal");
  EXPECT_EQ(Refusal({.orders = {{"normal", 3}, {"normal", 4}}}).code, "usage");
  EXPECT_EQ(Refusal({.threshold = Span{-1}}).code, "usage");
  EXPECT_EQ(Refusal({.threshold = Span{5}, .unbounded = true}).code, "usage");
  EXPECT_EQ(Refusal({.block_max = 0}).code, "usage");
  const auto denied = std::get<schemas::Refused>(Set({.packing = "fcfs"}, "kim"));
  EXPECT_EQ(denied.code, "denied");
  EXPECT_EQ(View().switches.size(), 0u);
}

TEST_F(SchedulerCore, WhatOperatorsSetIsInTheAuditLog) {
  Set({.packing = "ffih*", .orders = {{"express", 5}}});
  const schemas::ToClient answer = Client("root", schemas::Get{.kind = schemas::GetKind::kAudit});
  const auto& audit = std::get<schemas::Rows>(answer.body).audit;
  ASSERT_FALSE(audit.empty());
  EXPECT_EQ(audit.back().verb, "scheduler");
  EXPECT_EQ(audit.back().what, "packing ffih*, order of express 5");
  EXPECT_EQ(audit.back().who, "user:root");
}

}  // namespace
}  // namespace muster::meta
