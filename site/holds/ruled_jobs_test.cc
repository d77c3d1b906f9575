// A site's rules in its core: local users meet limits, defaults and conditions of nodes, and see
// them in answers; a reload moves bookings that may not stay. After every turn the core is rebuilt
// from its store (G7).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "site/core.h"

namespace muster::site::ruled_jobs_test {
namespace {

using schemas::Refused;
using schemas::Rows;

constexpr int64_t kZero = 1'800'000'000'000;  // wall milliseconds
constexpr Instant kStart{kZero / 1000};

schemas::RequestSpec Spec(ResourceSet resources, int64_t seconds) {
  schemas::RequestSpec spec;
  spec.name = "solve";
  spec.duration = Span{seconds};
  spec.parts.emplace_back().chunks.push_back({.count = 1, .resources = std::move(resources)});
  spec.payload.argv = {"true"};
  return spec;
}

class RuledTest : public ::testing::Test {
 protected:
  RuledTest() {
    options_.federation = "campus";
    options_.name = "lakes";
    options_.boot_id = "b1";
    options_.facts.turnover = Span{0};
    options_.nodes = {{"n1", {{"ncpus", 4}, {"mem", 64}}, {}},
                      {"n2", {{"ncpus", 4}, {"mem", 64}}, {}}};
    options_.users = {{"kim", false, {"g1"}}, {"lee", false, {}}};
  }

  void Boot() {
    auto core = Core::Load(options_, {store_.begin(), store_.end()}, At());
    ASSERT_TRUE(core.ok()) << core.status();
    core_.emplace(*std::move(core));
    Turn({});
  }
  Now At() const { return {.boot = {1'000'000}, .wall = {kZero}}; }
  void Turn(const std::vector<Event>& events) {
    effects_ = core_->Step(At(), events);
    for (const auto& write : effects_.writes) {
      if (write.value) {
        store_[write.key] = *write.value;
      } else {
        store_.erase(write.key);
      }
    }
    const auto again = Core::Load(options_, {store_.begin(), store_.end()}, At());
    ASSERT_TRUE(again.ok()) << again.status();
    ASSERT_EQ(again->StateDigest(), core_->StateDigest()) << "rebuilt and live core differ";
  }
  template <class Body>
  Body Get(const std::string& user, decltype(schemas::ClientMessage::body) body) {
    schemas::ClientMessage message{.federation = "campus", .number = {++number_}};
    message.body = std::move(body);
    Turn({ClientSays{user, "1", message}});
    for (const ClientAnswer& answer : effects_.to_clients) {
      if (answer.message.answers.value != number_) continue;
      if (const auto* said = std::get_if<Body>(&answer.message.body)) return *said;
      const auto* refused = std::get_if<Refused>(&answer.message.body);
      ADD_FAILURE() << (refused != nullptr ? refused->message + ": " + refused->detail : "other");
    }
    return {};
  }
  uint64_t Submit(const std::string& user, const schemas::RequestSpec& spec) {
    const auto accepted =
        Get<schemas::Accepted>(user, schemas::Submit{{.text = std::to_string(number_)}, spec});
    return accepted.requests.empty() ? 0 : accepted.requests[0].value;
  }
  schemas::JobView Job(uint64_t number) {
    const auto rows =
        Get<Rows>("kim", schemas::Get{.kind = schemas::GetKind::kJob, .locals = {number}});
    return rows.jobs.empty() ? schemas::JobView{} : rows.jobs[0];
  }
  schemas::OfferView Asks(const std::string& user, const schemas::RequestSpec& spec) {
    const auto rows = Get<Rows>(user, schemas::Ask{.request = spec});
    return rows.offers.empty() ? schemas::OfferView{} : rows.offers[0];
  }
  const schemas::HoldRecord* HoldOf(uint64_t job) {
    holds_ = core_->Holds();
    for (const schemas::HoldRecord& hold : holds_) {
      if (hold.order.request.value == job) return &hold;
    }
    return nullptr;
  }

  Options options_;
  std::optional<Core> core_;
  std::map<std::string, schemas::SiteRecord> store_;
  std::vector<schemas::HoldRecord> holds_;
  Effects effects_;
  uint64_t number_ = 0;
};

TEST_F(RuledTest, ALimitOfAGroupReachesItsUsersAndSaysSo) {
  rules::Limit limit;
  limit.who = "@g1";
  limit.resource = "ncpus";
  limit.items = {{4}, {}};
  options_.rules.limits = {limit};
  Boot();
  EXPECT_EQ(HoldOf(Submit("kim", Spec({{"ncpus", 4}}, 600)))->start, kStart);
  const schemas::OfferView offer = Asks("kim", Spec({{"ncpus", 4}}, 600));
  ASSERT_EQ(offer.waits_for.size(), 1u);
  EXPECT_EQ(offer.waits_for[0].code, schemas::ReasonCode::kLimit);
  EXPECT_EQ(offer.waits_for[0].text, "limit 4 of ncpus for @g1");
  EXPECT_EQ(offer.waits_for[0].until, kStart + Span{600});
  EXPECT_EQ(HoldOf(Submit("kim", Spec({{"ncpus", 4}}, 600)))->start, kStart + Span{600});
  EXPECT_EQ(HoldOf(Submit("lee", Spec({{"ncpus", 4}}, 600)))->start, kStart);
}

TEST_F(RuledTest, TheFederationsShareIsNothingToTheSitesOwnUsers) {
  options_.rules.federation_percent = 50;
  Boot();
  const schemas::RequestSpec spec = Spec({{"ncpus", 4}}, 600);
  schemas::RequestSpec both = spec;
  both.parts[0].chunks[0].count = 2;
  const auto rows = Get<Rows>("kim", schemas::Get{.kind = schemas::GetKind::kSlots, .spec = both});
  EXPECT_EQ(rows.slots.size(), 1u);
  EXPECT_EQ(Asks("kim", both).never, std::nullopt);
  EXPECT_EQ(HoldOf(Submit("kim", both))->start, kStart);
}

TEST_F(RuledTest, WhatALimitNeverAllowsIsRefusedByItsName) {
  rules::Limit limit;
  limit.duration = Span{3600};
  options_.rules.limits = {limit};
  Boot();
  const auto refused =
      Get<Refused>("kim", schemas::Submit{{.text = "x"}, Spec({{"ncpus", 1}}, 3601)});
  EXPECT_EQ(refused.code, "never");
  EXPECT_EQ(refused.detail, "limit 1h of anything for each user");
}

TEST_F(RuledTest, DefaultAndForcedValuesAreShownInTheJob) {
  rules::RequestValues values;
  values.resources = {{"mem", 8}};
  values.duration = Span{900};
  options_.rules.defaults = {values};
  Boot();
  const uint64_t number = Submit("kim", Spec({{"ncpus", 1}}, 0));
  const schemas::JobView job = Job(number);
  EXPECT_EQ(job.duration_s, Span{900});
  ASSERT_EQ(job.parts.size(), 1u);
  EXPECT_EQ(job.parts[0].chunks[0].resources, (ResourceSet{{"ncpus", 1}, {"mem", 8}}));
  EXPECT_EQ(HoldOf(number)->parts[0].place.chunks[0].resources,
            (ResourceSet{{"ncpus", 1}, {"mem", 8}}));
}

TEST_F(RuledTest, KeptCoresNeverShow) {
  options_.rules.node_rules = {{}};
  options_.rules.node_rules[0].keep = {{"ncpus", 1}};
  options_.rules.node_rules[0].keep_for = {"ngpus"};
  options_.rules.rule_of_node = {0, 0};
  Boot();
  const uint64_t number = Submit("kim", Spec({{"ncpus", 3}}, 600));
  EXPECT_EQ(HoldOf(number)->parts[0].place.chunks[0].resources, (ResourceSet{{"ncpus", 3}}));
  const schemas::OfferView offer = Asks("kim", Spec({{"ncpus", 4}}, 600));
  ASSERT_TRUE(offer.never.has_value());
  EXPECT_EQ(offer.never->resource, "ncpus");
  EXPECT_EQ(offer.never->text, "no node has more than 3 ncpus not kept for ngpus");
  ASSERT_EQ(offer.largest.size(), 1u);
  EXPECT_EQ(offer.largest[0].resources, (ResourceSet{{"ncpus", 3}}));
}

TEST_F(RuledTest, AConditionReadAgainMovesWhatItKeepsFromItsNode) {
  Boot();
  schemas::RequestSpec later = Spec({{"ncpus", 4}}, 600);
  later.from = kStart + Span{60};
  const uint64_t number = Submit("kim", later);
  ASSERT_EQ(HoldOf(number)->parts[0].place.chunks[0].node, "n1");
  const Condition at_most_5m(Comparison{.subject = Comparison::Subject::kDuration,
                                        .op = Comparison::Operator::kAtMost,
                                        .numbers = {300}});
  options_.rules.node_rules = {{.only = at_most_5m, .only_text = "duration <= 5m"}, {}};
  options_.rules.rule_of_node = {0, 1};
  Boot();
  EXPECT_EQ(HoldOf(number)->parts[0].place.chunks[0].node, "n2");
  EXPECT_EQ(HoldOf(number)->start, kStart + Span{60});
}

}  // namespace
}  // namespace muster::site::ruled_jobs_test
