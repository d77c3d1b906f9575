// Searches on machines with many nodes, where rows of all nodes and what was shown before rule out
// starts: against the mapper alone, asked second by second.
#include <gtest/gtest.h>

#include <memory>

#include "base/random.h"
#include "site/plan/mapper.h"
#include "site/plan/plan.h"
#include "site/plan/shape.h"

namespace muster::plan::search_property_test {
namespace {

constexpr Instant kNow{1000};
constexpr Span kHorizon{400};
constexpr int64_t kGb = int64_t{1} << 30;

std::shared_ptr<const machine::Machine> ManyNodes(Random& random) {
  std::vector<machine::Node> nodes;
  const int64_t count = random.Between(50, 90);
  for (int64_t n = 0; n < count; ++n) {
    machine::Node node{"n" + std::to_string(n), {{"ncpus", 4}, {"mem", 8 * kGb + n % 3}}, {}};
    if (n % 7 == 0) node.resources.Set("ngpus", 1);
    if (n % 11 == 0) node.resources.Set("mem", 1024 * kGb);
    if (n % 5 != 0) node.properties["net"] = "ib";
    nodes.push_back(std::move(node));
  }
  return std::make_shared<const machine::Machine>(std::move(nodes), 8);
}

Order DrawOrder(Random& random, int64_t nodes) {
  Part part;
  Chunk chunk;
  chunk.count =
      static_cast<uint32_t>(random.Chance(500) ? random.Between(1, 4) : random.Between(1, nodes));
  chunk.resources.Set("ncpus", random.Chance(400) ? 4 : random.Between(1, 3));
  // Sometimes no whole number of units.
  if (random.Chance(600)) chunk.resources.Set("mem", random.Between(1, 6) * kGb);
  if (random.Chance(200)) chunk.resources.Set("mem", random.Between(1, 3) * kGb / 7);
  if (random.Chance(100)) chunk.resources.Set("ngpus", 1);
  if (random.Chance(200)) chunk.properties["net"] = "ib";
  part.chunks.push_back(std::move(chunk));
  part.place = random.Chance(250) ? Place::kScatter : Place::kFree;
  part.exclusive = random.Chance(200);
  part.length = {random.Between(1, 40)};
  return {{std::move(part)}, ""};
}

struct Many {
  explicit Many(uint64_t seed)
      : random(seed), machine(ManyNodes(random)), plan(machine, {Span{1}, kHorizon}) {}

  // The first start before `until` at which the mapper, asked about everything, succeeds.
  std::optional<Instant> FirstByHand(const Occupancy& occupancy, const Order& order,
                                     Instant until) const {
    const std::vector<bool> all(machine->node_count(), true);
    const Shape shape = Compile(order, WaysOf(order, *machine).all[0], *machine, all, Span{1}, {});
    for (Instant t = kNow; t < until; t = t + Span{1}) {
      if (Mapper(occupancy, shape).At(t).has_value()) return t;
    }
    return std::nullopt;
  }

  void BookOne() {
    const Order order = random.Chance(400) && !orders.empty()
                            ? orders[random.Below(orders.size())]
                            : DrawOrder(random, static_cast<int64_t>(machine->node_count()));
    orders.push_back(order);
    const Instant until = kNow + kHorizon + Span{1};
    const std::optional<Instant> expected = FirstByHand(plan.occupancy(), order, until);
    const Fence fence{{1}, ++last};
    const Answer answer = plan.Book(fence, order, IntervalSet::From(kNow), kNow, {}, 0);
    const auto* placed = std::get_if<Placed>(&answer);
    ASSERT_EQ(placed != nullptr, expected.has_value());
    if (placed == nullptr) return;
    ASSERT_EQ(placed->start, *expected);
    booked.push_back(fence);
  }
  void RebookOne() {
    const Fence fence = booked[random.Below(booked.size())];
    const Instant start = plan.StartOf(fence);
    const Order order = plan.OrderOf(fence);
    Plan without = plan;
    without.Free(fence);
    const std::optional<Instant> expected = FirstByHand(without.occupancy(), order, start);
    const Answer answer = plan.Rebook(fence, IntervalSet({{kNow, start}}), kNow, 0);
    ASSERT_EQ(std::holds_alternative<Placed>(answer), expected.has_value());
    ASSERT_EQ(plan.StartOf(fence), expected.value_or(start));
  }
  void FreeOne() {
    const size_t which = random.Below(booked.size());
    plan.Free(booked[which]);
    booked.erase(booked.begin() + static_cast<long>(which));
  }

  Random random;
  std::shared_ptr<const machine::Machine> machine;
  Plan plan;
  std::vector<Fence> booked;
  std::vector<Order> orders;
  uint64_t last = 0;
};

TEST(SearchProperty, FindsTheEarliestStartAmongManyNodes) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Many many(seed);
    for (int step = 0; step < 120; ++step) {
      const uint64_t what = many.random.Below(10);
      if (many.booked.size() < 20 || what < 5) {
        many.BookOne();
      } else if (what < 8) {
        many.RebookOne();
      } else {
        many.FreeOne();
      }
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(SearchBudget, AVerdictStopsAfterSoManyLooksAndSaysTheSameUntilThen) {
  Many many(7);
  for (int i = 0; i < 60; ++i) many.BookOne();
  std::vector<Question> questions;
  for (int i = 0; i < 40; ++i) {
    Question question{DrawOrder(many.random, 50), kNow, IntervalSet::From(kNow), 1, false, {}};
    questions.push_back(std::move(question));
  }
  const std::vector<Reply> all = many.plan.Verify(questions, kNow);
  ASSERT_EQ(all.size(), questions.size());
  const std::vector<Reply> some = many.plan.Verify(questions, kNow, 2000);
  EXPECT_GT(some.size(), 1u);
  EXPECT_LT(some.size(), all.size());
  for (size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(some[i].feasible, all[i].feasible);
    const auto* placed = std::get_if<Placed>(&some[i].answer);
    const auto* same = std::get_if<Placed>(&all[i].answer);
    ASSERT_EQ(placed != nullptr, same != nullptr);
    if (placed != nullptr) EXPECT_EQ(*placed, *same);
  }
  EXPECT_EQ(many.plan.Verify(questions, kNow, 2000).size(), some.size());
  EXPECT_EQ(many.plan.Verify(questions, kNow, 0).size(), 1u);
}

}  // namespace
}  // namespace muster::plan::search_property_test
