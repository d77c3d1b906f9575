// What a configuration read again leaves without its place (OpenCCS Sect. 5.4).
#include "site/stranding.h"

#include <gtest/gtest.h>

namespace muster::site {
namespace {

// Two chunks of one cpu on n1 and one GPU on g1, for two hours.
schemas::HoldRecord Booked() {
  schemas::HoldRecord hold;
  hold.order.requester.user = "kim";
  schemas::PartDemand& demand = hold.order.parts.emplace_back();
  demand.chunks = {{.count = 2, .resources = {{"ncpus", 1}}},
                   {.resources = {{"ngpus", 1}}, .properties = {{"net", "ib"}}}};
  demand.duration = Span{7200};
  hold.parts.emplace_back().place.chunks = {
      {"n1", {{"ncpus", 1}}}, {"n1", {{"ncpus", 1}}}, {"g1", {{"ngpus", 1}}}};
  return hold;
}

Condition Longest(int64_t seconds) {
  return Condition(Comparison{.subject = Comparison::Subject::kDuration,
                              .op = Comparison::Operator::kAtMost,
                              .numbers = {seconds}});
}

Options Site() {
  Options options;
  options.nodes = {{"n1", {{"ncpus", 4}}, {}}, {"g1", {{"ngpus", 1}}, {{"net", "ib"}}}};
  options.rules.node_rules = {{}, {.only = Longest(7200), .only_text = "duration <= 2h"}};
  options.rules.rule_of_node = {0, 1};
  return options;
}

TEST(Stranding, WhatStillHasItsNodesAndMeetsTheirConditionsStays) {
  const Options options = Site();
  EXPECT_EQ(Strandings(options).Of(Booked()), std::nullopt);
}

TEST(Stranding, ANodeThatIsGoneStrands) {
  Options options = Site();
  options.nodes.pop_back();
  EXPECT_EQ(Strandings(options).Of(Booked()), (Stranding{"g1", true, "g1 is gone"}));
}

TEST(Stranding, AConditionDoesNotReachIntoAReservation) {
  Options options = Site();
  options.rules.node_rules[1] = {.only = Longest(3600), .only_text = "duration <= 1h"};
  schemas::HoldRecord hold = Booked();
  hold.order.inside = RequestId{7};
  EXPECT_EQ(Strandings(options).Of(hold), std::nullopt);
}

TEST(Stranding, AConditionStrandsTheChunksItDoesNotHoldFor) {
  Options options = Site();
  options.rules.node_rules[1] = {.only = Longest(3600), .only_text = "duration <= 1h"};
  EXPECT_EQ(Strandings(options).Of(Booked()),
            (Stranding{"g1", false, "g1 takes only duration <= 1h"}));
  options.rules.node_rules[1].only = Condition(
      Comparison{.subject = Comparison::Subject::kProperty, .name = "net", .texts = {"ib"}});
  EXPECT_EQ(Strandings(options).Of(Booked()), std::nullopt) << "judged on its own chunk";
}

}  // namespace
}  // namespace muster::site
