// Bookings that cannot keep their place after a configuration reload (OpenCCS Sect. 5.4).
#include "site/holds/displaced_by_reload.h"

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

TEST(Displacement, WhatStillHasItsNodesAndMeetsTheirConditionsStays) {
  const Options options = Site();
  EXPECT_EQ(DisplacedByReload(options).Of(Booked()), std::nullopt);
}

TEST(Displacement, ANodeThatIsGoneStrands) {
  Options options = Site();
  options.nodes.pop_back();
  EXPECT_EQ(DisplacedByReload(options).Of(Booked()), (Displacement{"g1", true, "g1 is gone"}));
}

TEST(Displacement, AConditionDoesNotReachIntoAReservation) {
  Options options = Site();
  options.rules.node_rules[1] = {.only = Longest(3600), .only_text = "duration <= 1h"};
  schemas::HoldRecord hold = Booked();
  hold.order.inside = RequestId{7};
  EXPECT_EQ(DisplacedByReload(options).Of(hold), std::nullopt);
}

TEST(Displacement, AConditionStrandsTheChunksItDoesNotHoldFor) {
  Options options = Site();
  options.rules.node_rules[1] = {.only = Longest(3600), .only_text = "duration <= 1h"};
  EXPECT_EQ(DisplacedByReload(options).Of(Booked()),
            (Displacement{"g1", false, "g1 takes only duration <= 1h"}));
  options.rules.node_rules[1].only = Condition(
      Comparison{.subject = Comparison::Subject::kProperty, .name = "net", .texts = {"ib"}});
  EXPECT_EQ(DisplacedByReload(options).Of(Booked()), std::nullopt) << "judged on its own chunk";
}

// One node that has 4 of its 8 gb left, and one with all 8.
Options Shrunk() {
  constexpr int64_t kGb = int64_t{1} << 30;
  Options options;
  options.facts.turnover = Span{0};
  options.nodes = {{"n1", {{"mem", 4 * kGb}}, {}}, {"n2", {{"mem", 8 * kGb}}, {}}};
  const std::map<std::string, schemas::SizeRecord> sizes = {{"n1", {"n1", {{"mem", 8 * kGb}}}},
                                                            {"n2", {"n2", {{"mem", 2 * kGb}}}}};
  return WithLost(std::move(options), sizes);
}

schemas::HoldRecord At(uint64_t number, const std::string& node, int64_t gb, int64_t start,
                       int32_t priority = 0) {
  schemas::HoldRecord hold;
  hold.order.fence = {{1}, number};
  hold.order.priority = priority;
  hold.state = schemas::HoldState::kCommitted;
  hold.start = Instant{start};
  hold.order.parts.emplace_back().duration = Span{100};
  hold.parts.emplace_back().place.chunks = {{node, {{"mem", gb << 30}}}};
  return hold;
}

std::vector<uint64_t> Crowded(const Options& options, const std::vector<schemas::HoldRecord>& all) {
  std::map<Fence, schemas::HoldRecord> holds;
  for (const schemas::HoldRecord& hold : all) holds[hold.order.fence] = hold;
  std::vector<uint64_t> out;
  for (const auto& [fence, at] :
       DisplacedByReload(options).Crowded(holds, SitePolicy(), Instant{1000})) {
    EXPECT_EQ(at.node, "n1");
    EXPECT_EQ(at.resource, "mem");
    EXPECT_EQ(at.why, "n1 has lost 4gb of memory");
    out.push_back(fence.number);
  }
  return out;
}

TEST(Displacement, WhatANodeHasLessThanItHadIsLostAndWhatItHasMoreIsNot) {
  const Options options = Shrunk();
  EXPECT_EQ(options.nodes[0].lost, (ResourceSet{{"mem", int64_t{4} << 30}}));
  EXPECT_TRUE(options.nodes[1].lost.empty());
}

TEST(Displacement, OfThoseThatFitTogetherNoMoreTheLeastUrgentIsCrowdedOut) {
  const Options options = Shrunk();
  EXPECT_EQ(Crowded(options, {At(1, "n1", 3, 2000), At(2, "n1", 3, 2050, 5)}),
            std::vector<uint64_t>{1});
  EXPECT_TRUE(Crowded(options, {At(1, "n1", 3, 2000), At(2, "n1", 3, 2100)}).empty())
      << "one after the other";
  EXPECT_TRUE(Crowded(options, {At(1, "n2", 3, 2000), At(2, "n2", 5, 2000)}).empty());
  EXPECT_EQ(Crowded(options, {At(1, "n1", 6, 2000), At(2, "n1", 4, 2000)}),
            std::vector<uint64_t>{1})
      << "who can never fit takes nothing from others";
}

TEST(Displacement, WhatRunsGoesOnAndIsCountedFirst) {
  const Options options = Shrunk();
  schemas::HoldRecord runs = At(1, "n1", 6, 950);
  runs.parts[0].state = schemas::PartState::kRunning;
  EXPECT_EQ(Crowded(options, {runs, At(2, "n1", 2, 1040, 9), At(3, "n1", 2, 1050)}),
            (std::vector<uint64_t>{1, 2}))
      << "and what comes after it has its place";
}

TEST(Displacement, WhatWouldNotHaveFittedBeforeIsNotTheLosssFault) {
  EXPECT_TRUE(Crowded(Shrunk(), {At(1, "n1", 9, 2000)}).empty());
}

}  // namespace
}  // namespace muster::site
