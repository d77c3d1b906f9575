// What plans of machines with a geometry say and do, case by case. CCS Sect. 4, scheduling.md
// section 8.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "site/machine/layout.h"
#include "site/plan/plan.h"

namespace muster::plan::shaped_plan_test {
namespace {

using machine::Kind;
using machine::Layout;

constexpr Instant kNow{1000};

// Units u0, u1, ... with 4 cpus each.
Plan PlanOf(const Layout& layout, machine::Choice choice = machine::Choice::kKnownSet) {
  std::vector<machine::Node> nodes;
  machine::Units units{machine::MakeGeometry(layout), {}, layout.waste_percent};
  for (size_t u = 0; u < units.geometry->unit_count(); ++u) {
    units.nodes.push_back("u" + std::to_string(u));
    nodes.push_back({units.nodes.back(), {{"ncpus", 4}, {"mem", 100}}, {}});
  }
  return Plan(std::make_shared<const machine::Machine>(std::move(nodes), 8,
                                                       std::vector<machine::Switch>{}, units),
              {.turnover = Span{0}, .choice = choice});
}

Order Asks(uint32_t cpus, Span length, std::string label = "") {
  Part part{.exclusive = true, .length = length};
  part.chunks.push_back({cpus, {{"ncpus", 1}}, {}});
  return {{part}, std::move(label), {}};
}

std::vector<uint32_t> NodesOf(const Answer& answer) {
  std::vector<uint32_t> out;
  for (const Assignment& a : std::get<Placed>(answer).mapping.front()) out.push_back(a.node);
  return out;
}

Answer Book(Plan& plan, uint64_t number, const Order& order) {
  return plan.Book({{1}, number}, order, IntervalSet::From(kNow), kNow, std::nullopt, 4);
}

TEST(ShapedPlan, BlocksTheWholePartitionAndSaysSo) {
  Plan plan = PlanOf({Kind::kMesh, {4, 4}});
  // 18 cpus are 5 units, which no rectangle has: 3 x 2.
  const Answer answer = Book(plan, 1, Asks(18, Span{10}));
  EXPECT_EQ(NodesOf(answer), (std::vector<uint32_t>{0, 1, 2, 4, 5, 6}));
  const Placed& placed = std::get<Placed>(answer);
  EXPECT_EQ(placed.mapping.front().back(), (Assignment{0, 6, 0})) << "blocked, and has no chunk";
  EXPECT_EQ(placed.taken.front().Get("ncpus"), 24);
  EXPECT_EQ(plan.FreeNow(kNow).Get("ncpus"), 40);
}

TEST(ShapedPlan, NamesTopologyWhenFreeUnitsAreScattered) {
  // The middle of the mesh is busy, all around it is free.
  Plan plan = PlanOf({Kind::kMesh, {3, 3}});
  plan.Restore({{1}, 9}, Asks(4, Span{100}, "9"), kNow, {{{4, {4, 100, kWholeNode}}}});
  const std::vector<Reply> replies =
      plan.Verify({{Asks(16, Span{5}), kNow, IntervalSet::From(kNow), 4, true, {}}}, kNow);
  EXPECT_EQ(std::get<Placed>(replies.front().answer).start, kNow + Span{100})
      << "no 2 x 2 misses the middle";
  ASSERT_TRUE(replies.front().why.has_value());
  EXPECT_EQ(replies.front().why->code, Why::Code::kTopology);
  EXPECT_EQ(replies.front().why->label, "9");
  EXPECT_EQ(replies.front().why->node, "u4");
  EXPECT_EQ(replies.front().why->text,
            "8 units are free before, but none of its forms, as 2x2, lies among them; u4: job 9");
}

TEST(ShapedPlan, SaysNeverWithTheLargestThatFits) {
  Plan plan = PlanOf({Kind::kHypercube, {3}});
  const Answer answer = Book(plan, 1, Asks(33, Span{10}));
  const Refused& refused = std::get<Refused>(answer);
  EXPECT_EQ(refused.kind, Refused::Kind::kNever);
  EXPECT_EQ(refused.why.code, Why::Code::kTopology);
  ASSERT_EQ(refused.largest.size(), 1u);
  EXPECT_EQ(refused.largest.front().count, 32u);
}

TEST(ShapedPlan, IsBlockedWhileAUnitOfEveryPartitionIsOut) {
  Plan plan = PlanOf({Kind::kHypercube, {2}});
  plan.SetUsable(3, false);
  EXPECT_EQ(std::get<Refused>(Book(plan, 1, Asks(12, Span{10}))).kind, Refused::Kind::kBlocked)
      << "3 units are a square of the cube, and that is all of it";
  plan.SetUsable(3, true);
  EXPECT_EQ(NodesOf(Book(plan, 1, Asks(12, Span{10}))).size(), 4u);
}

TEST(ShapedPlan, PutsAChunkOnOneUnit) {
  Plan plan = PlanOf({Kind::kMesh, {4, 4}});
  Order order = Asks(1, Span{10});
  order.parts.front().chunks = {{2, {{"ncpus", 3}}, {}}, {2, {{"mem", 40}}, {}}};
  EXPECT_EQ(NodesOf(Book(plan, 1, order)).size(), 3u) << "two chunks, and memory beside one";
  order.parts.front().chunks = {{1, {{"ncpus", 5}}, {}}};
  const Answer answer = Book(plan, 2, order);
  EXPECT_EQ(std::get<Refused>(answer).kind, Refused::Kind::kNever);
  EXPECT_EQ(std::get<Refused>(answer).why.text, "no node has more than 4 ncpus");
}

TEST(ShapedPlan, PacksAndScattersWithinAPartition) {
  Plan plan = PlanOf({Kind::kMesh, {4, 4}});
  Order order = Asks(3, Span{10});
  order.parts.front().place = Place::kPack;
  EXPECT_EQ(NodesOf(Book(plan, 1, order)), (std::vector<uint32_t>{0}));
  order.parts.front().place = Place::kScatter;
  EXPECT_EQ(NodesOf(Book(plan, 2, order)), (std::vector<uint32_t>{1, 2, 3}));
}

TEST(ShapedPlan, GivesPartsOfOneOrderPartitionsOfTheirOwn) {
  Plan plan = PlanOf({Kind::kMesh, {2, 2}});
  Order order = Asks(8, Span{10});
  order.parts.push_back(order.parts.front());
  const Answer answer = Book(plan, 1, order);
  const Placed& placed = std::get<Placed>(answer);
  EXPECT_EQ(placed.start, kNow);
  EXPECT_NE(placed.mapping[0].front().node, placed.mapping[1].front().node);
  order.parts.push_back(order.parts.front());
  EXPECT_EQ(std::get<Refused>(Book(plan, 2, order)).kind, Refused::Kind::kNever);
}

TEST(ShapedPlan, KeepsRoomForWhatTheVerdictKnowsToCome) {
  // A unit is busy in a corner. First fit puts the small one beside it so that no 3 x 3 is left;
  // with the large one known to come it does not.
  const auto starts = [](machine::Choice choice) {
    Plan plan = PlanOf({Kind::kMesh, {4, 3}}, choice);
    const std::vector<Reply> replies =
        plan.Verify({{Asks(4, Span{50}), kNow, IntervalSet::From(kNow), 1, false, {}},
                     {Asks(4, Span{50}), kNow, IntervalSet::From(kNow), 1, false, {}},
                     {Asks(36, Span{50}), kNow, IntervalSet::From(kNow), 1, false, {}}},
                    kNow);
    return std::get<Placed>(replies.back().answer).start;
  };
  EXPECT_EQ(starts(machine::Choice::kFirstFit), kNow + Span{50});
  EXPECT_EQ(starts(machine::Choice::kLeastDamage), kNow);
  EXPECT_EQ(starts(machine::Choice::kKnownSet), kNow);
}

TEST(ShapedPlan, AnswersAnUnchangedPrefixAlikeWhereverTheStartCameFrom) {
  // scheduling.md section 3: asked starts are not looked at.
  Plan plan = PlanOf({Kind::kTorus, {4, 2, 2}});
  std::vector<Question> questions;
  for (int64_t i = 0; i < 12; ++i) {
    questions.push_back({Asks(static_cast<uint32_t>(5 + 7 * i % 30), Span{10 + i}),
                         kNow,
                         IntervalSet::From(kNow),
                         1,
                         false,
                         {}});
  }
  const std::vector<Reply> first = plan.Verify(questions, kNow);
  for (size_t i = 0; i < questions.size(); ++i) {
    questions[i].asked = std::get<Placed>(first[i].answer).start;
  }
  const std::vector<Reply> again = plan.Verify(questions, kNow);
  for (size_t i = 0; i < questions.size(); ++i) {
    EXPECT_EQ(std::get<Placed>(again[i].answer), std::get<Placed>(first[i].answer)) << i;
  }
}

}  // namespace
}  // namespace muster::plan::shaped_plan_test
