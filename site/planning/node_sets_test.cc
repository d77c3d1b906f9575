// Node sets and speeds of nodes through the protocol's own structs. Maui Sect. IV (node sets).
#include <gtest/gtest.h>

#include "site/planning/planner.h"

namespace muster::site {
namespace {

constexpr Instant kStarts{1000};

class NodeSetPlanner : public testing::Test {
 protected:
  NodeSetPlanner() {
    options_.name = "lakes";
    options_.facts.turnover = Span{0};
    for (const char* name : {"f1", "f2"}) options_.nodes.push_back({name, {{"ncpus", 1}}, {}});
    for (const char* name : {"s1", "s2"}) {
      options_.nodes.push_back({name, {{"ncpus", 1}}, {}, {}, 500});
    }
  }

  static verifier::Demand Wants(uint32_t count, const std::string& set) {
    schemas::PartDemand part{.chunks = {{count, {{"ncpus", 1}}, {}}}, .duration = {60}};
    part.set = set;
    return {.parts = {std::move(part)}, .allowed = IntervalSet::From({0})};
  }

  verifier::Booked Book(SitePlanner& planner, const verifier::Demand& demand) {
    return std::get<verifier::Booked>(planner.Book(Next(), demand, kStarts, {}));
  }
  Fence Next() { return {{3}, ++last_}; }

  Options options_;
  uint64_t last_ = 0;
};

TEST_F(NodeSetPlanner, APlaceSaysItsGroupAndWhatItsSpeedAdds) {
  SitePlanner planner(options_);
  Book(planner, Wants(1, "speed=100%:oneof"));
  const schemas::PartPlace place = Book(planner, Wants(2, "speed:oneof")).places[0];
  EXPECT_EQ(place.group, "speed=50%");
  EXPECT_EQ(place.slower, Span{60});
  EXPECT_EQ(planner.EndOf({{3}, 2}, 1), kStarts + Span{120});
}

TEST_F(NodeSetPlanner, ARestoredBookingLastsAsLongAndMovesAsAnyOther) {
  SitePlanner planner(options_);
  const verifier::Demand demand = Wants(2, "speed=50%,100%:firstof");
  const verifier::Booked booked = Book(planner, demand);
  SitePlanner after(options_);
  const Fence fence{{3}, 1};
  after.Restore(fence, demand, booked);
  EXPECT_EQ(after.EndOf(fence, 1), kStarts + Span{120});
  after.SetUsable("s1", false);
  const auto moved = after.Rebook(fence, IntervalSet::Only(kStarts), kStarts);
  EXPECT_EQ(std::get<verifier::Booked>(moved).places[0].group, "speed=100%");
  EXPECT_EQ(after.EndOf(fence, 1), kStarts + Span{60}) << "its duration, not what it was booked";
}

TEST_F(NodeSetPlanner, ASiteMayChooseASetForThoseThatNameNone) {
  options_.node_set = NodeSet{.attribute = "speed"};
  SitePlanner planner(options_);
  Book(planner, Wants(1, "speed=100%:oneof"));
  EXPECT_EQ(Book(planner, Wants(2, "")).places[0].group, "speed=50%");
  EXPECT_EQ(Book(planner, Wants(2, "none")).start, kStarts + Span{60});
}

TEST_F(NodeSetPlanner, ASiteMayForceItsSetOnAllButReservations) {
  options_.node_set = NodeSet{.attribute = "speed"};
  options_.node_set_forced = true;
  SitePlanner planner(options_);
  EXPECT_TRUE(std::holds_alternative<schemas::VerdictEntry>(
      planner.Book(Next(), Wants(3, "none"), kStarts, {})));
  verifier::Demand reservation = Wants(3, "");
  reservation.parts[0].by_clock = true;
  EXPECT_EQ(Book(planner, reservation).places[0].slower, Span{0});
}

TEST_F(NodeSetPlanner, NonsenseOfAPeerIsRefused) {
  SitePlanner planner(options_);
  const auto answer = planner.Book(Next(), Wants(1, "speed:allof"), kStarts, {});
  EXPECT_EQ(std::get<schemas::VerdictEntry>(answer).kind, schemas::VerdictKind::kNever);
}

TEST_F(NodeSetPlanner, CapacityStatesTheSpeedOfEachClass) {
  const schemas::Capacity capacity = SitePlanner(options_).Capacity(kStarts);
  ASSERT_EQ(capacity.classes.size(), 2u);
  EXPECT_EQ(capacity.classes[0].speed, std::nullopt);
  EXPECT_EQ(capacity.classes[1].speed, 500);
}

}  // namespace
}  // namespace muster::site
