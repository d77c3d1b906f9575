// Policies and switches (OpenCCS Sect. 5.2, phase 2; scheduling.md section 8): single cases, and
// plans on small trees of switches against the oracle, second by second.
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "base/random.h"
#include "site/plan/plan.h"
#include "site/plan/plan_oracle.h"

namespace muster::plan {
namespace {

using machine::Machine;
using machine::Node;

constexpr int64_t kHorizon = 120;

Part CpuSets(uint32_t count, int64_t ncpus, Place place = Place::kFree) {
  Part part;
  part.chunks = {{count, {{"ncpus", ncpus}}, {}}};
  part.place = place;
  part.length = {60};
  return part;
}

Part BelowOne(Part part) {
  part.set = NodeSet{.attribute = "switch"};
  return part;
}

// Nodes "a1", "a2", ... below "a", and so on, with these cpus; all below "core".
std::shared_ptr<const Machine> Leaves(const std::vector<std::vector<int64_t>>& leaves,
                                      bool core = false) {
  std::vector<Node> nodes;
  std::vector<machine::Switch> switches;
  machine::Switch above{"core", {}, {}};
  for (size_t l = 0; l < leaves.size(); ++l) {
    machine::Switch leaf{std::string(1, static_cast<char>('a' + l)), {}, {}};
    for (size_t n = 0; n < leaves[l].size(); ++n) {
      leaf.nodes.push_back(leaf.name + std::to_string(n + 1));
      nodes.push_back({leaf.nodes.back(), {{"ncpus", leaves[l][n]}}, {}});
    }
    above.switches.push_back(leaf.name);
    switches.push_back(std::move(leaf));
  }
  if (core) switches.push_back(above);
  return std::make_shared<const Machine>(std::move(nodes), 8, switches);
}

struct Site {
  Site(std::shared_ptr<const Machine> nodes, Policy policy)
      : machine(std::move(nodes)), plan(machine, {{0}, {1000}, policy}) {}

  Answer Book(Part part) {
    return plan.Book({{1}, ++last}, {{std::move(part)}, ""}, IntervalSet::From({0}), {0}, {}, 1);
  }
  Placed Placing(Part part) { return std::get<Placed>(Book(std::move(part))); }
  // The names of the nodes it gets, in the order in which they were chosen.
  std::vector<std::string> NodesOf(Part part) {
    std::vector<std::string> out;
    const Placed placed = Placing(std::move(part));
    for (const Assignment& a : placed.mapping[0]) {
      out.insert(out.end(), a.count, machine->node(a.node).name);
    }
    return out;
  }
  // Books `ncpus` cpus of a node from 0 on.
  void Use(const std::string& node, int64_t ncpus, Span length = {60}) {
    Part part = CpuSets(1, ncpus);
    part.length = length;
    plan.Restore({{1}, ++last}, {{part}, ""}, {0}, {{{*machine->FindNode(node), {ncpus, 1}}}});
  }

  std::shared_ptr<const Machine> machine;
  Plan plan;
  uint64_t last = 0;
};

using Names = std::vector<std::string>;

TEST(Greedy, TakesTheCheapestNodesFirst) {
  const auto nodes =
      std::make_shared<const Machine>(std::vector<Node>{{"g1", {{"ncpus", 2}, {"ngpus", 1}}, {}},
                                                        {"n1", {{"ncpus", 2}}, {}, 1},
                                                        {"n2", {{"ncpus", 2}}, {}}},
                                      8);
  Site site(nodes, Policy::kGreedy);
  EXPECT_EQ(site.NodesOf(CpuSets(2, 2)), (Names{"n2", "g1"}))
      << "a gpu is dearer, prio_node dearest";
  EXPECT_EQ(site.NodesOf(CpuSets(1, 2)), (Names{"n1"}));
}

TEST(BestFit, TakesTheNodeThatHasLeastLeftOver) {
  Site site(Leaves({{8, 8, 8}}), Policy::kBestFit);
  site.Use("a1", 2);
  site.Use("a2", 5);
  site.Use("a3", 3);
  EXPECT_EQ(site.NodesOf(CpuSets(1, 5)), (Names{"a3"}));
  EXPECT_EQ(site.NodesOf(CpuSets(1, 2)), (Names{"a2"}));
  EXPECT_EQ(site.NodesOf(CpuSets(2, 3)), (Names{"a1", "a1"}));
}

TEST(BestFit, CountsWhatIsLeftAtTheStartInQuestion) {
  Site site(Leaves({{4, 4}}), Policy::kBestFit);
  site.Use("a1", 2);  // until 60
  Part later = CpuSets(1, 2);
  later.offset = {60};
  site.Use("a2", 1, {300});
  EXPECT_EQ(site.NodesOf(later), (Names{"a2"})) << "a1 is empty by then";
  EXPECT_EQ(site.NodesOf(CpuSets(1, 2)), (Names{"a1"}));
}

TEST(BySwitch, TakesTheFullestLeafThatHoldsAll) {
  Site site(Leaves({{4, 4}, {4, 4}, {4, 4}}), Policy::kSwitch);
  site.Use("b1", 2);
  site.Use("c1", 3);
  EXPECT_EQ(site.NodesOf(CpuSets(6, 1)), (Names{"b1", "b1", "b2", "b2", "b2", "b2"}));
  EXPECT_EQ(site.NodesOf(CpuSets(5, 1)), (Names{"c1", "c2", "c2", "c2", "c2"}));
}

TEST(BySwitch, TakesAsFewSwitchesAsItCanWhereNoneHoldsAll) {
  Site site(Leaves({{1}, {2}, {4}, {3}}), Policy::kSwitch);
  EXPECT_EQ(site.NodesOf(CpuSets(5, 1)), (Names{"c1", "c1", "c1", "c1", "a1"}))
      << "the largest, then the fullest that takes the rest";
}

TEST(BySwitch, GoesUpTheTreeOnlyAsFarAsItMust) {
  std::vector<Node> nodes;
  std::vector<machine::Switch> switches;
  for (const char* leaf : {"a", "b", "c", "d"}) {
    const std::string name = leaf;
    switches.push_back({name, {name + "1"}, {}});
    nodes.push_back({name + "1", {{"ncpus", 2}}, {}});
  }
  switches.push_back({"left", {}, {"a", "b"}});
  switches.push_back({"right", {}, {"c", "d"}});
  switches.push_back({"core", {}, {"left", "right"}});
  Site site(std::make_shared<const Machine>(nodes, 8, switches), Policy::kSwitch);
  site.Use("b1", 1);
  EXPECT_EQ(site.NodesOf(CpuSets(4, 1)), (Names{"c1", "c1", "d1", "d1"})) << "below 'right'";
}

TEST(BySwitch, KindsOfChunksStayTogether) {
  Site site(Leaves({{2}, {2}, {2}}), Policy::kSwitch);
  site.Use("a1", 1);
  site.Use("b1", 1);
  Part part = CpuSets(1, 1);
  part.chunks.push_back({2, {{"ncpus", 1}}, {}});
  const Placed placed = site.Placing(part);
  std::set<uint32_t> nodes;
  for (const Assignment& a : placed.mapping[0]) nodes.insert(a.node);
  EXPECT_EQ(nodes.size(), 2u) << "no switch holds 3, two do";
}

TEST(OneSwitch, WaitsUntilOneSwitchHasTheRoom) {
  for (const Policy policy : {Policy::kGreedy, Policy::kBestFit, Policy::kSwitch}) {
    Site site(Leaves({{2, 2}, {2, 2}}), policy);
    site.Use("a1", 2, {100});
    site.Use("b1", 2, {70});
    EXPECT_EQ(site.Placing(CpuSets(4, 1)).start, Instant{0}) << "four are free";
    Site hard(Leaves({{2, 2}, {2, 2}}), policy);
    hard.Use("a1", 2, {100});
    hard.Use("b1", 2, {70});
    const Placed placed = hard.Placing(BelowOne(CpuSets(4, 1)));
    EXPECT_EQ(placed.start, Instant{70});
    EXPECT_EQ(hard.machine->switches().Of(placed.mapping[0].front().node), 1u);
  }
}

TEST(OneSwitch, HoldsForScatteredAndPackedOnesToo) {
  Site site(Leaves({{2, 2}, {2, 2, 2}}), Policy::kGreedy);
  EXPECT_EQ(site.NodesOf(BelowOne(CpuSets(3, 1, Place::kScatter))), (Names{"b1", "b2", "b3"}));
  EXPECT_EQ(site.NodesOf(BelowOne(CpuSets(2, 1, Place::kPack))), (Names{"a1", "a1"}))
      << "the fullest";
}

TEST(OneSwitch, IsTheSmallestThatCouldHoldIt) {
  Site site(Leaves({{2, 2}, {2, 2}}, true), Policy::kGreedy);
  site.Use("a1", 1);
  site.Use("b1", 1);
  EXPECT_EQ(site.Placing(BelowOne(CpuSets(4, 1))).start, Instant{60}) << "'core' is not asked";
  EXPECT_EQ(site.Placing(BelowOne(CpuSets(5, 1))).start, Instant{0}) << "only 'core' could";
}

TEST(OneSwitch, NodesBelowNoneDoNotCount) {
  std::vector<Node> nodes{{"x", {{"ncpus", 8}}, {}}, {"a", {{"ncpus", 2}}, {}}};
  const auto machine =
      std::make_shared<const Machine>(nodes, 8, std::vector<machine::Switch>{{"s", {"a"}, {}}});
  Site site(machine, Policy::kGreedy);
  EXPECT_EQ(site.NodesOf(BelowOne(CpuSets(2, 1))), (Names{"a", "a"}));
}

TEST(OneSwitch, IsRefusedForTopologyWhereNoneCouldEverHoldIt) {
  Site site(Leaves({{2, 2}, {2, 2}}), Policy::kGreedy);
  Answer answer = site.Book(BelowOne(CpuSets(5, 1)));
  const Refused never = std::get<Refused>(answer);
  EXPECT_EQ(never.kind, Refused::Kind::kNever);
  EXPECT_EQ(never.why.code, Why::Code::kTopology);
  EXPECT_EQ(never.why.text, "no switch has nodes for all its chunks");
  ASSERT_EQ(never.largest.size(), 1u);
  EXPECT_EQ(never.largest[0].count, 4u);
  Site flat(std::make_shared<const Machine>(std::vector<Node>{{"n", {{"ncpus", 9}}, {}}}, 8),
            Policy::kGreedy);
  answer = flat.Book(BelowOne(CpuSets(1, 1)));
  EXPECT_EQ(std::get<Refused>(answer).why.code, Why::Code::kTopology);
  EXPECT_EQ(std::get<Refused>(answer).why.text, "no switch is known here");
}

TEST(OneSwitch, IsBlockedWhereOnlyNodesOutOfUsePreventIt) {
  Site site(Leaves({{2, 2}, {1, 1, 1, 1}}, true), Policy::kGreedy);
  site.plan.SetUsable(0, false);
  site.plan.SetUsable(2, false);
  const Answer answer = site.Book(BelowOne(CpuSets(4, 1)));
  EXPECT_EQ(std::get<Refused>(answer).kind, Refused::Kind::kBlocked)
      << "'core' has four cpus left, but a leaf could hold it when whole";
}

TEST(OneSwitch, TwoKindsOfChunksThatWantTheSameNodeTakeALargerSwitch) {
  // Each kind alone fits below 'a', both together do not.
  Site site(Leaves({{3}, {3}}, true), Policy::kGreedy);
  Part part = BelowOne(CpuSets(1, 2));
  part.chunks.push_back({1, {{"ncpus", 3}}, {}});
  EXPECT_EQ(site.Placing(part).start, Instant{0});
}

TEST(OneSwitch, IsNoAttributeOfNodes) {
  Site site(Leaves({{2}}), Policy::kGreedy);
  Part part = CpuSets(1, 1);
  part.set = NodeSet{.attribute = "host"};
  EXPECT_EQ(std::get<Refused>(site.Book(part)).why.code, Why::Code::kProperty);
  part.set = NodeSet{};
  EXPECT_EQ(std::get<Refused>(site.Book(part)).why.code, Why::Code::kPolicy);
}

// Up to 7 nodes below up to 3 leaves, sometimes with a switch above two of them.
std::shared_ptr<const Machine> RandomTree(Random& random) {
  std::vector<Node> nodes;
  std::vector<machine::Switch> switches(static_cast<size_t>(random.Between(1, 3)));
  for (size_t s = 0; s < switches.size(); ++s) switches[s].name = "s" + std::to_string(s);
  const int64_t count = random.Between(2, 7);
  for (int64_t i = 0; i < count; ++i) {
    Node node{"n" + std::to_string(i), {{"ncpus", random.Between(1, 3)}}, {}};
    if (random.Chance(300)) node.resources.Set("ngpus", 1);
    if (random.Chance(300)) node.priority = static_cast<int>(random.Between(-1, 1));
    if (random.Chance(900)) switches[random.Below(switches.size())].nodes.push_back(node.name);
    nodes.push_back(std::move(node));
  }
  if (switches.size() > 1 && random.Chance(500)) switches.push_back({"up", {}, {"s0", "s1"}});
  return std::make_shared<const Machine>(std::move(nodes), 8, switches);
}

// Every policy is exact for one kind of chunk, and for scattered and packed ones; plain greedy
// alone also where kinds of chunks are mapped one after another.
Order RandomOrder(Random& random, Policy policy) {
  Part part;
  part.place = static_cast<Place>(random.Below(3));
  const bool several = policy == Policy::kGreedy || part.place != Place::kFree;
  const int64_t kinds = several && random.Chance(300) ? 2 : 1;
  for (int64_t k = 0; k < kinds; ++k) {
    Chunk chunk;
    chunk.count = static_cast<uint32_t>(random.Between(1, 4));
    chunk.resources.Set("ncpus", random.Between(1, 2));
    if (random.Chance(200)) chunk.resources.Set("ngpus", 1);
    if (random.Chance(100)) chunk.properties["sw"] = "s0";
    part.chunks.push_back(std::move(chunk));
  }
  part.exclusive = random.Chance(150);
  part.length = {random.Between(1, 30)};
  if (random.Chance(600)) part.set = NodeSet{.attribute = "switch"};
  return {{std::move(part)}, ""};
}

struct Forest {
  Forest(uint64_t seed, Policy with)
      : random(seed),
        policy(with),
        machine(RandomTree(random)),
        turnover{random.Between(0, 2)},
        plan(machine, {turnover, {kHorizon}, with}),
        oracle(*machine, turnover) {
    oracle.Clear();
  }

  std::optional<Instant> EarliestByForce(const Order& order) const {
    for (int64_t t = 10; t <= 10 + kHorizon; ++t) {
      if (oracle.Maps(order, {t})) return Instant{t};
    }
    return std::nullopt;
  }

  void BookOne() {
    const Order order = RandomOrder(random, policy);
    const std::optional<Instant> expected = EarliestByForce(order);
    const Answer answer = plan.Book({{1}, ++last}, order, IntervalSet::From({10}), {10}, {}, 4);
    const auto* placed = std::get_if<Placed>(&answer);
    ASSERT_EQ(placed != nullptr, expected.has_value());
    if (placed == nullptr) return;
    ASSERT_EQ(placed->start, *expected);
    if (order.parts[0].set) ExpectOneSwitch(placed->mapping[0]);
    for (int64_t t = 0; t < kOracleSeconds; ++t) {
      oracle.Count({oracle.BlockedAt(order, placed->start, placed->mapping, t)}, t);
    }
    for (uint32_t n = 0; n < machine->node_count(); ++n) {
      for (uint32_t d = 0; d < oracle.Dimensions(); ++d) {
        for (int64_t t = 0; t < kOracleSeconds; ++t) {
          ASSERT_LE(oracle.UsedAt(t, n, d), oracle.Capacity(n, d)) << "G2: node " << n;
        }
      }
    }
  }

  void ExpectOneSwitch(const std::vector<Assignment>& mapping) const {
    bool one = false;
    for (uint32_t s = 0; s < machine->switches().count(); ++s) {
      one |= std::all_of(mapping.begin(), mapping.end(), [&](const Assignment& a) {
        return machine->switches().IsBelow(a.node, s);
      });
    }
    EXPECT_TRUE(one);
  }

  Random random;
  Policy policy;
  std::shared_ptr<const Machine> machine;
  Span turnover;
  Plan plan;
  Oracle oracle;
  uint64_t last = 0;
};

class ChoicesProperty : public testing::TestWithParam<Policy> {};

TEST_P(ChoicesProperty, OrdersStartAsEarlyAsAnySwitchAllows) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Forest forest(seed, GetParam());
    for (int step = 0; step < 10; ++step) {
      forest.BookOne();
      if (HasFailure()) return;
    }
  }
}

TEST_P(ChoicesProperty, FeasibleStartsBelowOneSwitchAreSoundAndComplete) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Forest forest(seed, GetParam());
    for (int step = 0; step < 6; ++step) forest.BookOne();
    if (HasFailure()) return;
    Order order = RandomOrder(forest.random, GetParam());
    order.parts[0].set = NodeSet{.attribute = "switch"};
    const auto replies =
        forest.plan.Verify({{order, {11}, IntervalSet::From({10}), 16, true, {}}}, {10});
    const Starts& starts = replies[0].feasible;
    for (int64_t t = 10; t <= 10 + kHorizon && Instant{t} < starts.complete_until; ++t) {
      ASSERT_EQ(starts.starts.Contains({t}), forest.oracle.Maps(order, {t})) << "at " << t;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, ChoicesProperty,
                         testing::Values(Policy::kGreedy, Policy::kBestFit, Policy::kSwitch));

}  // namespace
}  // namespace muster::plan
