// The client service for local users without a core: messages in, answers and records out.
#include "site/local/clients.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace muster::site {
namespace {

using schemas::RequestState;

constexpr int64_t kWall = 1'800'000'000'000;

class ClientsTest : public ::testing::Test {
 protected:
  ClientsTest() : site_(OneNode(), Ledger(), At()) {
    Begin(500);
    site_.AfterRestart();
  }

  static Options OneNode() {
    Options options;
    options.federation = "campus";
    options.name = "lakes";
    options.boot_id = "b1";
    options.facts.turnover = Span{0};
    options.nodes = {{"n1", {{"ncpus", 4}}, {}}};
    options.users = {{"kim", false, {}}, {"lee", false, {}}};
    return options;
  }
  static verifier::Ledger Ledger() {
    auto ledger = verifier::Ledger::Load("campus", "lakes", {});
    EXPECT_TRUE(ledger.ok()) << ledger.status();
    ledger->CountIncarnation();
    return *std::move(ledger);
  }
  Now At() const { return {.boot = {ms_}, .wall = {kWall + ms_}}; }
  void Begin(int64_t ms) {
    ms_ = ms;
    site_.BeginTurn(At());
  }
  // Does what a turn of the core does.
  void Settle() {
    site_.TouchDue();
    while (const auto fence = site_.TakeTouched()) {
      site_.Advance(*fence);
      site_.HearHolds();
      if (!site_.touched()) site_.SettleLocals();
    }
    effects_ = site_.TakeEffects();
  }
  template <class Answer, class Body>
  Answer Ask(const std::string& user, Body body) {
    schemas::ClientMessage message{.federation = "campus", .number = {++number_}};
    message.body = std::move(body);
    site_.Clients::Hear(user, "1", message);
    const Effects effects = site_.TakeEffects();
    for (const driver::Command& command : effects.driver) commands_.push_back(command);
    if (effects.to_clients.size() != 1) {
      ADD_FAILURE() << effects.to_clients.size() << " answers";
      return {};
    }
    EXPECT_EQ(effects.to_clients[0].message.answers.value, number_);
    const auto* answer = std::get_if<Answer>(&effects.to_clients[0].message.body);
    EXPECT_NE(answer, nullptr) << "another kind of answer";
    return answer == nullptr ? Answer{} : *answer;
  }
  schemas::Submit Job(const std::string& key) {
    schemas::Submit submit{.key = {.text = key}};
    submit.request.name = "solve";
    submit.request.duration = Span{60};
    submit.request.parts.emplace_back().chunks.push_back({.count = 1, .resources = {{"ncpus", 4}}});
    submit.request.payload.argv = {"true"};
    return submit;
  }

  int64_t ms_ = 0;
  uint64_t number_ = 0;
  Clients site_;
  Effects effects_;
  std::vector<driver::Command> commands_;
};

TEST_F(ClientsTest, TheAnswerToASubmissionSaysThatTheJobIsPromised) {
  const auto accepted = Ask<schemas::Accepted>("kim", Job("a"));
  ASSERT_EQ(accepted.requests.size(), 1u);
  EXPECT_EQ(accepted.states[0], RequestState::kPromised);
  const uint64_t number = accepted.requests[0].value;
  const schemas::LocalRecord& job = *site_.FindLocal(number);
  ASSERT_EQ(job.events.size(), 2u);
  EXPECT_EQ(job.events[0].code, "accepted");
  EXPECT_EQ(job.events[1].code, "permitted");
  EXPECT_TRUE(site_.PlaceOf(number).has_value());
  EXPECT_TRUE(Ask<schemas::Accepted>("kim", Job("a")).repeated) << "G3";
}

TEST_F(ClientsTest, AJobStartsRunsAndEndsWithItsHold) {
  const uint64_t number = Ask<schemas::Accepted>("kim", Job("a")).requests.at(0).value;
  Begin(2000);
  Settle();
  ASSERT_EQ(effects_.driver.size(), 1u);
  const std::string token = std::get<driver::StartPart>(effects_.driver[0]).token;
  EXPECT_EQ(site_.FindLocal(number)->state, RequestState::kStarting);
  site_.On(driver::PartStarted{.token = token, .at = At().wall});
  Settle();
  EXPECT_EQ(site_.FindLocal(number)->state, RequestState::kRunning);
  Begin(5000);
  driver::PartEnded ended{.token = token, .at = At().wall};
  ended.end = {.by = schemas::EndedBy::kExit, .exit_code = 0};
  site_.On(ended);
  Settle();
  EXPECT_EQ(site_.FindLocal(number)->state, RequestState::kEnded);
  EXPECT_EQ(site_.FindLocal(number)->outcome, schemas::Outcome::kDone);
  EXPECT_EQ(site_.OpenJobsOf("kim"), 0u);
}

TEST_F(ClientsTest, AJobIsCancelledByItsOwnerOnly) {
  const auto accepted = Ask<schemas::Accepted>("kim", Job("a"));
  const schemas::Cancel cancel{.requests = accepted.requests};
  EXPECT_EQ(Ask<schemas::Refused>("lee", cancel).code, "denied");
  const auto done = Ask<schemas::Accepted>("kim", cancel);
  ASSERT_EQ(done.states.size(), 1u);
  EXPECT_EQ(done.states[0], RequestState::kEnded);
  EXPECT_FALSE(site_.PlaceOf(accepted.requests[0].value).has_value());
}

TEST_F(ClientsTest, OutputGoesToWhoAskedForItOnce) {
  const auto accepted = Ask<schemas::Accepted>("kim", Job("a"));
  schemas::ClientMessage message{.federation = "campus", .number = {++number_}};
  message.body =
      schemas::Get{.kind = schemas::GetKind::kOutput, .locals = {accepted.requests.at(0).value}};
  site_.Clients::Hear("kim", "1", message);
  const Effects asked = site_.TakeEffects();
  EXPECT_TRUE(asked.to_clients.empty());
  ASSERT_EQ(asked.driver.size(), 1u);
  const uint64_t reading = std::get<driver::ReadOutput>(asked.driver[0]).inspection;
  EXPECT_FALSE(site_.TellReader({.inspection = 1})) << "an inspection of the meta";
  EXPECT_TRUE(site_.TellReader({.inspection = reading}));
  EXPECT_EQ(site_.TakeEffects().to_clients.size(), 1u);
  EXPECT_TRUE(site_.TellReader({.inspection = reading}));
  EXPECT_TRUE(site_.TakeEffects().to_clients.empty());
}

}  // namespace
}  // namespace muster::site
