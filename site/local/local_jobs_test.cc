// Local jobs: submission in one write, the same job for the same key, their life, moves and views,
// and that they survive any restart (G7 after every turn). protocol.md section 3.1 (local jobs).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schemas/limits.h"
#include "site/alone_site_fixture.h"

namespace muster::site {
namespace {

using schemas::Accepted;
using schemas::Outcome;
using schemas::Refused;
using schemas::RequestState;
using schemas::Rows;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using AloneTest = AloneSite;

TEST_F(AloneTest, AJobIsPermittedInTheWriteThatStoresItsClientKey) {
  const uint64_t number = Submit("kim", Spec(4, 60));
  EXPECT_EQ(number, 1u);
  std::vector<std::string> keys;
  for (const auto& write : effects_.writes) keys.push_back(write.key);
  EXPECT_THAT(keys, ElementsAre("site", "hold/0000000000000000.0000000000000001",
                                "local/0000000000000001"));
  const auto holds = core_->Holds();
  ASSERT_EQ(holds.size(), 1u);
  EXPECT_EQ(holds[0].state, schemas::HoldState::kPermitted);
  EXPECT_EQ(core_->Feed().revision, Revision{0}) << "it is in no feed";
  const schemas::JobView job = Job(number);
  EXPECT_EQ(job.id, "lakes/1");
  EXPECT_EQ(job.state, RequestState::kPromised);
  ASSERT_TRUE(job.figures.starts_by);
  EXPECT_EQ(job.figures.starts_by->at, holds[0].start + options_.facts.start_slack);
  EXPECT_TRUE(job.figures.starts_by->firm);
  ASSERT_EQ(job.history.size(), 1u);
  EXPECT_FALSE(job.history[0].cause) << "the first figure has no cause";
}

TEST_F(AloneTest, OneKeyGivesOneJobAlsoAfterARestart) {
  EXPECT_EQ(Submit("kim", Spec(4, 60), "nightly"), 1u);
  Boot();
  const auto again = Get<Accepted>("kim", schemas::Submit{{.text = "nightly"}, Spec(4, 60)});
  EXPECT_TRUE(again.repeated);
  EXPECT_THAT(again.requests, ElementsAre(RequestId{1}));
  const auto other = Get<Refused>("kim", schemas::Submit{{.text = "nightly"}, Spec(4, 90)});
  EXPECT_EQ(other.code, "conflict");
  EXPECT_EQ(Submit("lee", Spec(4, 60), "nightly"), 2u) << "keys are each user's own";
  const schemas::ClientKey old{
      .text = std::string(32, 'a'),
      .generated = Moment{At().wall.milliseconds - (schemas::kDedupeKeep.seconds + 1) * 1000}};
  EXPECT_EQ(Get<Refused>("kim", schemas::Submit{old, Spec(4, 60)}).code, "expired");
}

TEST_F(AloneTest, ANearlyFullDiskRefusesNewJobsAndEndsWhatRuns) {
  const uint64_t running = Submit("kim", Spec(4, 60), "first");
  Advance(2);
  const auto start = Started("lakes-1.1");
  ASSERT_TRUE(start);
  Runs(start->token);
  Turn({DiskState{true}});
  EXPECT_EQ(Refusal(Spec(4, 60)).code, "disk-full");
  EXPECT_TRUE(effects_.writes.empty());
  EXPECT_EQ(Submit("kim", Spec(4, 60), "first"), running) << "what it has it knows";
  Ends(start->token, 0);
  EXPECT_EQ(Job(running).outcome, Outcome::kDone);
  Turn({DiskState{false}});
  EXPECT_EQ(Submit("kim", Spec(4, 60)), running + 1);
}

TEST_F(AloneTest, AJobRunsUnderItsOwnNameAndIsKeptAfterItsEnd) {
  const uint64_t number = Submit("kim", Spec(4, 60));
  Advance(2);
  const auto start = Started("lakes-1.1");
  ASSERT_TRUE(start);
  EXPECT_EQ(start->environment.at("MUSTER_JOB_ID"), "lakes/1");
  EXPECT_NE(start->secret, Secret{});
  Runs(start->token);
  EXPECT_EQ(Job(number).state, RequestState::kRunning);
  Boot();  // the driver is asked for the part, and knows it
  Turn({DriverSays{driver::PartFound{
      .token = start->token, .finding = driver::Finding::kRunning, .started_at = At().wall}}});
  Ends(start->token, 0);
  Turn({});
  EXPECT_TRUE(core_->Holds().empty()) << "its hold waits for nobody's acknowledgement";
  const schemas::JobView job = Job(number);
  EXPECT_EQ(job.state, RequestState::kEnded);
  EXPECT_EQ(job.outcome, Outcome::kDone);
  ASSERT_EQ(job.parts.size(), 1u);
  EXPECT_EQ(job.parts[0].id, "lakes/1.1");
  EXPECT_EQ(job.parts[0].exit_code, 0);
  // Output can still be read, under the folder name of the part.
  EXPECT_FALSE(Ask("kim", schemas::Get{.kind = schemas::GetKind::kOutput, .locals = {number}}));
  const auto* read = std::get_if<driver::ReadOutput>(&commands_.back());
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->part_name, "lakes-1.1");
  Turn({DriverSays{driver::OutputRead{.inspection = read->inspection,
                                      .view = {.data = "hello", .next = 5, .known = true}}}});
  ASSERT_EQ(effects_.to_clients.size(), 1u);
  EXPECT_EQ(std::get<Rows>(effects_.to_clients[0].message.body).output[0].data, "hello");
}

TEST_F(AloneTest, WhatASiteAloneCannotDoIsRefusedWithTheWay) {
  schemas::RequestSpec array = Spec(1, 10);
  array.array = schemas::ArraySpec{.first = 1, .last = 3};
  EXPECT_THAT(Refusal(array).help, HasSubstr("submit it to the federation"));
  schemas::RequestSpec after = Spec(1, 10);
  after.after.push_back({.request = {41}});
  EXPECT_THAT(Refusal(after).help, HasSubstr("submit it to the federation"));
  schemas::RequestSpec elsewhere = Spec(1, 10);
  elsewhere.parts[0].sites = {"woods"};
  EXPECT_THAT(Refusal(elsewhere).message, HasSubstr("may not run at lakes"));
  const Refused never = Refusal(Spec(64, 10));
  EXPECT_EQ(never.code, "never");
  EXPECT_EQ(never.help, "the largest here is -l 1:ncpus=4");
  Submit("lee", Spec(4, 600));
  Submit("lee", Spec(4, 600));
  schemas::RequestSpec soon = Spec(4, 10);
  soon.start_by = Moment{At().wall.milliseconds}.Floor() + Span{60};
  const Refused full = Refusal(soon);
  EXPECT_EQ(full.code, "never");
  EXPECT_THAT(full.help, HasSubstr("it could start at "));
  EXPECT_EQ(core_->Holds().size(), 2u) << "a refusal leaves nothing behind";
  EXPECT_EQ(Get<Refused>("bo", schemas::Get{}).code, "denied");
}

TEST_F(AloneTest, OnlyOwnersAndOperatorsCancelAndAreToldTheSameTwice) {
  const uint64_t waits = Submit("kim", Spec(4, 60));
  Advance(2);
  const auto start = Started("lakes-1.1");
  ASSERT_TRUE(start);
  Runs(start->token);
  EXPECT_EQ(Get<Refused>("lee", schemas::Cancel{{{waits}}}).code, "denied");
  const auto stopped = Get<Accepted>("root", schemas::Cancel{{{waits}}});
  EXPECT_THAT(stopped.notes, ElementsAre("is being stopped"));
  EXPECT_TRUE(std::holds_alternative<driver::StopPart>(commands_.back()));
  EXPECT_THAT(Get<Accepted>("kim", schemas::Cancel{{{waits}}}).notes,
              ElementsAre("is being cancelled already"));
  driver::PartEnded ended{.token = start->token, .at = At().wall};
  ended.end = {.by = schemas::EndedBy::kRelease, .signal = 15};
  Turn({DriverSays{std::move(ended)}});
  EXPECT_EQ(Job(waits).outcome, Outcome::kCancelled);
  schemas::RequestSpec later = Spec(4, 60);
  later.from = Moment{At().wall.milliseconds}.Floor() + Span{3600};
  const uint64_t second = Submit("kim", later);
  const auto gone = Get<Accepted>("kim", schemas::Cancel{{{second}}});
  EXPECT_THAT(gone.notes, ElementsAre("cancelled before its start"));
  EXPECT_THAT(gone.states, ElementsAre(RequestState::kEnded));
  EXPECT_EQ(Get<Refused>("kim", schemas::Cancel{{{42}}}).code, "not-found");
}

TEST_F(AloneTest, AnEarlierSlotIsTakenAndTheMoveIsOnRecordWithItsCause) {
  Submit("kim", Spec(4, 600));
  Submit("kim", Spec(4, 600));
  const uint64_t third = Submit("kim", Spec(4, 60));
  const Instant before = Job(third).figures.starts_by->at;
  Advance(2);
  Runs(Started("lakes-1.1")->token);
  Ends(Started("lakes-1.1")->token, 0);
  Turn({});
  const schemas::JobView job = Job(third);
  EXPECT_LT(job.figures.starts_by->at, before);
  ASSERT_EQ(job.history.size(), 2u);
  EXPECT_EQ(job.history[1].cause->code, schemas::CauseCode::kBackfilled);
}

TEST_F(AloneTest, BehindHundredsOfJobsOneThatFitsIntoWhatGotFreeStartsAtOnce) {
  Submit("kim", Spec(4, 7200));
  Submit("kim", Spec(4, 7200));
  schemas::RequestSpec both = Spec(4, 3600);
  both.parts[0].chunks[0].count = 2;
  for (int i = 0; i < 300; ++i) Submit("lee", both);
  const uint64_t small = Submit("kim", Spec(1, 600));
  Advance(2);
  for (const char* folder : {"lakes-1.1", "lakes-2.1"}) Runs(Started(folder)->token);
  const Instant before = Job(small).figures.starts_by->at;
  EXPECT_GT(before, Moment{At().wall.milliseconds}.Floor() + Span{12 * 86400});
  Ends(Started("lakes-1.1")->token, 0);
  Advance(1);
  EXPECT_TRUE(Started("lakes-303.1"))
      << "promised for " << (before - Instant{kZero / 1000}).seconds << " s after the beginning";
}

TEST_F(AloneTest, AJobWhoseNodesVanishWaitsAndIsPlacedAgainUnderAFreshFence) {
  schemas::RequestSpec later = Spec(4, 60);
  later.from = Moment{At().wall.milliseconds}.Floor() + Span{3600};
  const uint64_t number = Submit("kim", later);
  const auto all = options_.nodes;
  options_.nodes = {{"tiny", {{"ncpus", 1}}, {}}};
  Boot();
  schemas::JobView job = Job(number);
  EXPECT_EQ(job.state, RequestState::kWaiting);
  ASSERT_TRUE(job.figures.no_promise_reason);
  EXPECT_THAT(job.figures.no_promise_reason->text, HasSubstr("node_lost"));
  EXPECT_EQ(job.history.back().cause->code, schemas::CauseCode::kNodeLost);
  Advance(3);
  EXPECT_TRUE(core_->Holds().empty());
  options_.nodes = all;
  Boot();
  job = Job(number);
  EXPECT_EQ(job.state, RequestState::kPromised);
  ASSERT_EQ(core_->Holds().size(), 1u);
  EXPECT_EQ(core_->Holds()[0].order.fence, (Fence{{0}, 2})) << "a closed fence never lives again";
  EXPECT_EQ(core_->Holds()[0].order.payload.argv, later.payload.argv);
  EXPECT_EQ(Submit("kim", Spec(1, 60)), 3u);
}

TEST_F(AloneTest, ALostPlaceIsGivenUpWhenTheWindowIsOver) {
  schemas::RequestSpec later = Spec(4, 60);
  later.from = Moment{At().wall.milliseconds}.Floor() + Span{20};
  later.start_by = *later.from + Span{10};
  const uint64_t number = Submit("kim", later);
  options_.nodes = {{"tiny", {{"ncpus", 1}}, {}}};
  Boot();
  Advance(35);
  EXPECT_EQ(Job(number).outcome, Outcome::kRefused);
}

TEST_F(AloneTest, ACeilingDatesNewWorkOfTheSitesOwnUsersAndKeepsWhatIsPromised) {
  options_.fairshare =
      policy::FairshareRules{.window = Span{86'400},
                             .depth = 1,
                             .shares = {{.who = "kim", .ceiling = 300, .admission = true}}};
  options_.priority.emplace();
  Boot();
  const uint64_t first = Submit("kim", Spec(4, 60));
  const Instant promised = Job(first).figures.starts_by->at;
  Advance(2);
  const auto shares = Get<schemas::Rows>("kim", schemas::Get{.kind = schemas::GetKind::kShares});
  ASSERT_EQ(shares.shares.size(), 1u);
  ASSERT_TRUE(shares.shares[0].new_work.has_value()) << "all that is promised is kim's";
  const auto offer = Get<schemas::Rows>("kim", schemas::Ask{.request = Spec(1, 60)}).offers.at(0);
  ASSERT_EQ(offer.waits_for.size(), 1u);
  EXPECT_EQ(offer.waits_for[0].code, schemas::ReasonCode::kShare);
  const uint64_t second = Submit("kim", Spec(1, 60));
  const auto holds = core_->Holds();
  ASSERT_EQ(holds.size(), 2u);
  EXPECT_EQ(holds[1].start, *shares.shares[0].new_work);
  EXPECT_EQ(holds[1].dated, *shares.shares[0].new_work);
  EXPECT_EQ(holds[1].order.waits_since->Floor(), Moment{At().wall}.Floor());
  EXPECT_EQ(Job(first).figures.starts_by->at, promised);
  const uint64_t other = Submit("lee", Spec(1, 60));
  EXPECT_LT(core_->Holds()[2].start, holds[1].start) << "who is below is not barred";
  schemas::RequestSpec soon = Spec(1, 60);
  soon.start_by = At().wall.Floor() + Span{60};
  EXPECT_THAT(Refusal(soon).help, HasSubstr("new work may start from"));
  const auto ranks = Get<schemas::Rows>("kim", schemas::Get{.kind = schemas::GetKind::kPriority});
  EXPECT_EQ(ranks.ranks.back().job, "lakes/" + std::to_string(other));
  EXPECT_EQ(Job(second).state, RequestState::kPromised);
}

TEST_F(AloneTest, MoreIsPromisedThanThereArePortsAndWhatStartsWaitsForThem) {
  options_.first_port = 20000;
  options_.last_port = 20001;
  Boot();
  schemas::RequestSpec pair = Spec(1, 60);
  pair.parts.push_back(pair.parts[0]);
  const uint64_t first = Submit("kim", pair);
  const uint64_t second = Submit("kim", Spec(1, 60));
  const uint64_t third = Submit("kim", Spec(1, 60));
  for (const uint64_t job : {first, second, third}) {
    EXPECT_EQ(Job(job).state, RequestState::kPromised);
  }
  Advance(3);
  for (const std::string part : {"lakes-1.1", "lakes-1.2"}) {
    ASSERT_TRUE(Started(part));
    EXPECT_EQ(Started(part)->environment.at("MUSTER_RENDEZVOUS"),
              "127.0.0.1:20000,127.0.0.1:20001");
    Runs(Started(part)->token);
  }
  EXPECT_EQ(Started("lakes-1.2")->environment.at("MUSTER_LISTEN"), "127.0.0.1:20001");
  EXPECT_FALSE(Started("lakes-2.1")) << "the pair has all there are";
  Ends(Started("lakes-1.1")->token, 0);
  Ends(Started("lakes-1.2")->token, 0);
  Advance(2);
  ASSERT_TRUE(Started("lakes-2.1"));
  ASSERT_TRUE(Started("lakes-3.1"));
  EXPECT_NE(Started("lakes-2.1")->environment.at("MUSTER_LISTEN"),
            Started("lakes-3.1")->environment.at("MUSTER_LISTEN"));
}

TEST_F(AloneTest, OnePartThatFailsEndsTheOthers) {
  schemas::RequestSpec spec = Spec(4, 60);
  spec.parts.push_back(spec.parts[0]);
  const uint64_t number = Submit("kim", spec);
  Advance(2);
  ASSERT_TRUE(Started("lakes-1.1") && Started("lakes-1.2"));
  Runs(Started("lakes-1.1")->token);
  Runs(Started("lakes-1.2")->token);
  Ends(Started("lakes-1.1")->token, 3);
  const auto* stop = std::get_if<driver::StopPart>(&commands_.back());
  ASSERT_NE(stop, nullptr);
  EXPECT_EQ(stop->token, Started("lakes-1.2")->token);
  driver::PartEnded ended{.token = stop->token, .at = At().wall};
  ended.end = {.by = schemas::EndedBy::kRelease, .signal = 15};
  Turn({DriverSays{std::move(ended)}});
  EXPECT_EQ(Job(number).outcome, Outcome::kFailed);
}

TEST_F(AloneTest, FollowersHearOfEveryChangeUntilTheEnd) {
  const uint64_t number = Submit("kim", Spec(4, 60));
  const schemas::Follow follow{.requests = {{number}}};
  EXPECT_EQ(Get<Rows>("kim", follow).jobs[0].state, RequestState::kPromised);
  const uint64_t line = number_;
  Advance(2);
  Runs(Started("lakes-1.1")->token);
  ASSERT_EQ(effects_.to_clients.size(), 1u);
  EXPECT_EQ(effects_.to_clients[0].message.answers.value, line);
  EXPECT_FALSE(std::get<Rows>(effects_.to_clients[0].message.body).end);
  Ends(Started("lakes-1.1")->token, 0);
  ASSERT_EQ(effects_.to_clients.size(), 1u);
  EXPECT_TRUE(std::get<Rows>(effects_.to_clients[0].message.body).end);
}

TEST_F(AloneTest, RecordsAreKeptForTheirTimeAndThenTheirKeysAreFree) {
  const uint64_t number = Submit("kim", Spec(4, 60), "nightly");
  Get<Accepted>("kim", schemas::Cancel{{{number}}});
  ms_ += (schemas::kRecordKeep.seconds + 1) * 1000;
  Boot();
  EXPECT_EQ(
      Get<Refused>("kim", schemas::Get{.kind = schemas::GetKind::kJob, .locals = {number}}).code,
      "not-found");
  EXPECT_EQ(Submit("kim", Spec(1, 60), "nightly"), 2u) << "numbers are never given twice";
}

TEST_F(AloneTest, AskingBindsNobodyAndSaysWhatAJobWouldWaitFor) {
  Submit("lee", Spec(4, 600));
  Submit("lee", Spec(4, 600));
  const auto rows = Get<Rows>("kim", schemas::Ask{Spec(4, 60)});
  ASSERT_EQ(rows.offers.size(), 1u);
  EXPECT_THAT(rows.offers[0].sites, ElementsAre("lakes"));
  ASSERT_TRUE(rows.offers[0].figures.starts_by);
  EXPECT_FALSE(rows.offers[0].figures.starts_by->firm);
  ASSERT_EQ(rows.offers[0].waits_for.size(), 1u);
  EXPECT_THAT(rows.offers[0].waits_for[0].subject.job, HasSubstr("lakes/"));
  EXPECT_EQ(core_->Holds().size(), 2u);
}

TEST_F(AloneTest, OperatorsDrainAndReloadOthersDoNot) {
  schemas::Act drain{.verb = schemas::ActVerb::kDrain, .nodes = {"lakes/n1"}, .reason = "fan"};
  EXPECT_EQ(Get<Refused>("kim", drain).code, "denied");
  Submit("kim", Spec(4, 60));
  drain.hard = true;
  EXPECT_EQ(Get<Refused>("root", drain).code, "conflict");
  drain.may_move = true;
  EXPECT_THAT(Get<Accepted>("root", drain).notes, ElementsAre(HasSubstr("n1 drained")));
  EXPECT_EQ(core_->Holds()[0].parts[0].place.chunks[0].node, "n2") << "H14: other nodes";
  EXPECT_FALSE(Ask("root", schemas::Act{.verb = schemas::ActVerb::kReload}));
  ASSERT_EQ(effects_.reloads.size(), 1u) << "the shell answers";
  EXPECT_EQ(Get<Refused>("root", schemas::Act{.verb = schemas::ActVerb::kSettle}).code, "usage");
}

}  // namespace
}  // namespace muster::site
