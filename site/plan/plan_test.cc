// Single cases of the plan: memory, and where greedy mapping or a leaping search could go wrong.
#include "site/plan/plan.h"

#include <gtest/gtest.h>

#include <memory>

namespace muster::plan {
namespace {

TEST(Plan, ForgottenTimeCostsNoMemory) {
  Plan plan(std::make_shared<const machine::Machine>(
                std::vector<machine::Node>{{"n1", {{"ncpus", 4}}, {}}}, 8),
            {});
  for (uint64_t i = 1; i <= 500; ++i) {
    const Instant now{static_cast<int64_t>(i) * 10};
    const Order order{{{{{1, {{"ncpus", 1}}, {}}}, Place::kFree, false, {0}, {5}}}, ""};
    plan.Book({{1}, i}, order, IntervalSet::From(now), now, {}, 1);
    plan.ForgetBefore(now - Span{20});
    if (i > 5) plan.Free({{1}, i - 5});
    EXPECT_LE(plan.occupancy().Of(0, 0).edge_count(), 8u);
  }
}

TEST(Plan, RareChunksAreMappedBeforeThoseThatFitAnywhere) {
  const auto machine = std::make_shared<const machine::Machine>(
      std::vector<machine::Node>{{"g1", {{"ncpus", 1}, {"ngpus", 1}}, {}},
                                 {"n1", {{"ncpus", 1}}, {}}},
      8);
  Plan plan(machine, {});
  for (const Place place : {Place::kFree, Place::kScatter}) {
    Order order;
    order.parts = {{{{1, {{"ncpus", 1}}, {}}, {1, {{"ncpus", 1}, {"ngpus", 1}}, {}}},
                    place,
                    false,
                    {0},
                    {60}}};
    const Answer answer = plan.Book({{1}, 1}, order, IntervalSet::From({0}), {0}, {}, 1);
    ASSERT_TRUE(std::holds_alternative<Placed>(answer));
    EXPECT_EQ(std::get<Placed>(answer).mapping[0], (std::vector<Assignment>{{0, 1, 1}, {1, 0, 1}}));
    plan.Free({{1}, 1});
  }
}

// Nodes become free one by one, and what is asked for takes a greater share of cpus than of memory.
// Others have cpus, but no memory, so that the sums over the machine say nothing:
// the start is a second, the turnover, after the last of them.
TEST(Plan, OfSeveralResourcesEachIsCountedByItsOwnAmounts) {
  constexpr int64_t kGb = int64_t{1} << 30;
  constexpr uint64_t kNodes = 64;
  std::vector<machine::Node> nodes;
  for (uint64_t i = 0; i < 2 * kNodes; ++i) {
    const ResourceSet has{{"ncpus", 64}, {"mem", 256 * kGb}};
    nodes.push_back({"n" + std::to_string(i), has, {{"half", i < kNodes ? "a" : "b"}}});
  }
  const auto alone = [](const ResourceSet& all, const std::string& half, Span length) {
    return Order{{{{{1, all, {{"half", half}}}}, Place::kFree, false, {0}, length}}, ""};
  };
  for (const bool exclusive : {false, true}) {
    Plan plan(std::make_shared<const machine::Machine>(nodes, 8), {});
    for (uint64_t i = 0; i < kNodes; ++i) {
      const Order cpus = alone({{"ncpus", 64}}, "a", {1000 + static_cast<int64_t>(i)});
      const Order memory = alone({{"mem", 256 * kGb}}, "b", {100'000});
      plan.Book({{1}, 2 * i + 1}, cpus, IntervalSet::From({0}), {0}, {}, 1);
      plan.Book({{1}, 2 * i + 2}, memory, IntervalSet::From({0}), {0}, {}, 1);
    }
    const ResourceSet set{{"ncpus", 16}, {"mem", 8 * kGb}};
    const Order wide{{{{{4 * kNodes, set, {}}}, Place::kFree, exclusive, {0}, {60}}}, ""};
    const Answer answer = plan.Book({{2}, 1}, wide, IntervalSet::From({0}), {0}, {}, 1);
    ASSERT_TRUE(std::holds_alternative<Placed>(answer));
    EXPECT_EQ(std::get<Placed>(answer).start.seconds, 1000 + kNodes) << exclusive;
  }
}

// A part of chunks that each want one cpu of a node with this property.
Part OneCpuEach(const std::vector<std::string>& properties, Place place) {
  Part part;
  for (const std::string& name : properties) {
    part.chunks.push_back({1, {{"ncpus", 1}}, {{name, "yes"}}});
  }
  part.place = place;
  part.length = {60};
  return part;
}

TEST(Plan, AScatteredChunkGivesWayToOneThatHasNoOtherNode) {
  const auto machine = std::make_shared<const machine::Machine>(
      std::vector<machine::Node>{{"a", {{"ncpus", 1}}, {{"x", "yes"}, {"y", "yes"}}},
                                 {"b", {{"ncpus", 1}}, {{"x", "yes"}}},
                                 {"c", {{"ncpus", 1}}, {{"y", "yes"}, {"z", "yes"}}}},
      8);
  Plan plan(machine, {{0}, {1000}});
  const IntervalSet any = IntervalSet::From({0});
  plan.Book({{1}, 1}, {{OneCpuEach({"z"}, Place::kFree)}, ""}, any, {0}, {}, 1);
  const Answer answer =
      plan.Book({{1}, 2}, {{OneCpuEach({"x", "y"}, Place::kScatter)}, ""}, any, {0}, {}, 1);
  ASSERT_TRUE(std::holds_alternative<Placed>(answer));
  EXPECT_EQ(std::get<Placed>(answer).start, Instant{0});
  EXPECT_EQ(std::get<Placed>(answer).mapping[0], (std::vector<Assignment>{{0, 1, 1}, {1, 0, 1}}));
}

TEST(Plan, OverlappingPartsWaitForRoomThatNeitherAloneLacks) {
  // Only 'a' has the property, and one of its cpus is taken for 60 s; 'b' keeps the sums out of it.
  const auto machine = std::make_shared<const machine::Machine>(
      std::vector<machine::Node>{{"a", {{"ncpus", 2}}, {{"x", "yes"}}}, {"b", {{"ncpus", 9}}, {}}},
      8);
  Plan plan(machine, {{0}, {1000}});
  const IntervalSet any = IntervalSet::From({0});
  const Part one = OneCpuEach({"x"}, Place::kFree);
  plan.Book({{1}, 1}, {{one}, ""}, any, {0}, {}, 1);
  const Answer answer = plan.Book({{1}, 2}, {{one, one}, ""}, any, {0}, {}, 1);
  ASSERT_TRUE(std::holds_alternative<Placed>(answer));
  EXPECT_EQ(std::get<Placed>(answer).start, Instant{60});
}

TEST(Plan, DifferentChunksOfOnePartWaitForRoomThatNeitherAloneLacks) {
  const auto machine = std::make_shared<const machine::Machine>(
      std::vector<machine::Node>{{"a", {{"ncpus", 4}}, {{"x", "yes"}}}, {"b", {{"ncpus", 9}}, {}}},
      8);
  Plan plan(machine, {{0}, {1000}});
  const IntervalSet any = IntervalSet::From({0});
  plan.Book({{1}, 1}, {{OneCpuEach({"x"}, Place::kFree)}, ""}, any, {0}, {}, 1);
  Part two = OneCpuEach({"x", "x"}, Place::kFree);
  two.chunks[1].resources = {{"ncpus", 3}};
  const Answer answer = plan.Book({{1}, 2}, {{two}, ""}, any, {0}, {}, 1);
  ASSERT_TRUE(std::holds_alternative<Placed>(answer));
  EXPECT_EQ(std::get<Placed>(answer).start, Instant{60});
}

TEST(Plan, AnOverbookedNodeDoesNotHideFreeOnes) {
  const auto machine = std::make_shared<const machine::Machine>(
      std::vector<machine::Node>{{"a", {{"ncpus", 2}}, {}}, {"b", {{"ncpus", 2}}, {}}}, 8);
  Plan plan(machine, {{0}, {1000}});
  Part part;
  part.chunks = {{1, {{"ncpus", 2}}, {}}};
  part.length = {60};
  plan.Restore({{1}, 1}, {{part}, ""}, {0}, {{{0, {4, 1}}}});
  const Answer answer = plan.Book({{1}, 2}, {{part}, ""}, IntervalSet::From({0}), {0}, {}, 1);
  ASSERT_TRUE(std::holds_alternative<Placed>(answer));
  EXPECT_EQ(std::get<Placed>(answer).start, Instant{0});
  EXPECT_EQ(std::get<Placed>(answer).mapping[0][0].node, 1u);
  EXPECT_EQ(plan.FreeNow({0}).Get("ncpus"), 0);
  plan.Free({{1}, 1});
  EXPECT_TRUE(plan.occupancy().SumsAreExact());
}

}  // namespace
}  // namespace muster::plan
