// The link of a site to its meta without a core: messages in, messages out.
#include "site/link/meta_link.h"

#include <gtest/gtest.h>

#include <vector>

namespace muster::site {
namespace {

constexpr int64_t kWall = 1'700'000'000'000;

class MetaLinkTest : public ::testing::Test {
 protected:
  MetaLinkTest() : link_(OneNode(), Ledger(), At()) { Begin(0); }

  static Options OneNode() {
    Options options;
    options.federation = "campus";
    options.name = "lakes";
    options.boot_id = "b1";
    options.nodes = {{"n1", {{"ncpus", 4}}, {}}};
    options.facts.start_ahead = Span{5};
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
    link_.BeginTurn(At());
  }
  template <class Body>
  schemas::ToSite Message(Body body) {
    schemas::ToSite message{.federation = "campus",
                            .epoch = {1},
                            .number = {++number_},
                            .expires = {kWall + ms_ + 30'000},
                            .incarnation = {1}};
    message.body = std::move(body);
    return message;
  }
  template <class Body>
  void Hear(Body body) {
    EXPECT_EQ(link_.Hear(Message(std::move(body))), nullptr);
  }
  // The messages sent by this turn.
  std::vector<schemas::ToMeta> Said() {
    link_.EndTurn();
    effects_ = link_.TakeEffects();
    return effects_.to_meta;
  }

  int64_t ms_ = 0;
  uint64_t number_ = 0;
  MetaLink link_;
  Effects effects_;
};

TEST_F(MetaLinkTest, ASiteBeginsWithHello) {
  const auto said = Said();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<schemas::Hello>(said[0].body));
  EXPECT_FALSE(link_.LinkIsUp());
}

TEST_F(MetaLinkTest, NothingIsTakenBeforeAWelcome) {
  schemas::Orders orders;
  orders.orders.push_back({schemas::PrepareOrder{{{1}, 1}}});
  schemas::ToSite message = Message(orders);
  message.epoch = {};  // the epoch that this site has on record
  EXPECT_EQ(link_.Hear(message), nullptr);
  for (const schemas::ToMeta& said : Said()) {
    EXPECT_FALSE(std::holds_alternative<schemas::Answers>(said.body));
  }
  ASSERT_EQ(effects_.notes.size(), 1u);
  EXPECT_EQ(effects_.notes[0], "not taken from the meta: an order before a welcome");
}

TEST_F(MetaLinkTest, AfterAWelcomeOrdersAreAnsweredUnderTheirMessagesNumber) {
  Said();
  Hear(schemas::Welcome{.epoch = {1}});
  EXPECT_TRUE(link_.LinkIsUp());
  schemas::Orders orders;
  orders.orders.push_back({schemas::PrepareOrder{{{1}, 1}}});
  Hear(orders);
  const auto said = Said();
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said[0].answers.value, number_);
  const auto& answers = std::get<schemas::Answers>(said[0].body).answers;
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].kind, schemas::AnswerKind::kUnknown);  // H6
}

TEST_F(MetaLinkTest, ALeadThatIsTooShortForItsDriverIsNoted) {
  Said();
  Hear(schemas::Welcome{.epoch = {1}, .values = {.lead = Seconds(6)}});
  Said();
  EXPECT_TRUE(effects_.notes.empty());
  Begin(1000);
  Hear(schemas::Welcome{.epoch = {1}, .values = {.lead = Seconds(2)}});
  Said();
  ASSERT_EQ(effects_.notes.size(), 1u);
  EXPECT_EQ(effects_.notes[0],
            "co-allocations may begin late here: parts are handed over 5s before they start, and "
            "'lead' in the federation's [protocol] is 2s; at least 6s is needed");
}

TEST_F(MetaLinkTest, AnOrderOnAJobOfTheSiteItselfIsNotTaken) {
  Said();
  Hear(schemas::Welcome{.epoch = {1}});
  Said();
  schemas::Orders orders;
  orders.orders.push_back({schemas::ReleaseOrder{{{0}, 1}}});
  Hear(orders);
  Said();
  ASSERT_EQ(effects_.notes.size(), 1u);
  EXPECT_EQ(effects_.notes[0], "not taken from the meta: an order on a local job");
}

TEST_F(MetaLinkTest, AQuestionIsHandedOnAndAnsweredUnderItsMessagesNumber) {
  Said();
  Hear(schemas::Welcome{.epoch = {1}});
  Said();
  const schemas::ToSite message =
      Message(schemas::Inspect{.inspection = 5, .kind = schemas::InspectKind::kNodes});
  const schemas::Inspect* inspect = link_.Hear(message);
  ASSERT_NE(inspect, nullptr);
  link_.Inspected(message, schemas::NodesView{});
  const auto said = Said();
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said[0].answers, message.number);
  EXPECT_EQ(std::get<schemas::View>(said[0].body).inspection, 5u);
}

TEST_F(MetaLinkTest, OutputIsToldWhenTheDriverHasReadIt) {
  Said();
  Hear(schemas::Welcome{.epoch = {1}});
  Said();
  Hear(schemas::Inspect{
      .inspection = 6, .kind = schemas::InspectKind::kOutput, .request = {42}, .part = 1});
  Said();
  ASSERT_EQ(effects_.driver.size(), 1u);
  EXPECT_EQ(std::get<driver::ReadOutput>(effects_.driver[0]).part_name, "42.1");
  link_.TellOutput({.inspection = 7});
  link_.TellOutput({.inspection = 6});
  link_.TellOutput({.inspection = 6});
  size_t views = 0;
  for (const schemas::ToMeta& said : Said()) {
    views += std::holds_alternative<schemas::View>(said.body) ? 1 : 0;
  }
  EXPECT_EQ(views, 1u) << "only what was asked for, and once";
}

TEST_F(MetaLinkTest, TheMetaIsLostAfterASilence) {
  Said();
  Hear(schemas::Welcome{.epoch = {1}});
  Said();
  Begin(10 * 60 * 1000);
  Said();
  EXPECT_FALSE(link_.LinkIsUp());
}

}  // namespace
}  // namespace muster::site
