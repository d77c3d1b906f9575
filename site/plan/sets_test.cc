// Node sets in plans (Maui Sect. IV): single cases, and that what a plan finds is what trying every
// group by itself gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "base/random.h"
#include "base/text/node_set.h"
#include "site/plan/plan.h"
#include "site/plan/set_groups.h"

namespace muster::plan {
namespace {

class SetPlan : public testing::Test {
 protected:
  // Nodes "n1", "n2", ... of one cpu each with these speeds, in thousandths.
  void Make(const std::vector<int64_t>& speeds) {
    std::vector<machine::Node> nodes;
    for (size_t i = 0; i < speeds.size(); ++i) {
      nodes.push_back({"n" + std::to_string(i + 1), {{"ncpus", 1}}, {}, 0, speeds[i]});
    }
    Make(std::move(nodes));
  }
  void Make(std::vector<machine::Node> nodes, const std::vector<machine::Switch>& switches = {}) {
    machine_ = std::make_shared<const machine::Machine>(std::move(nodes), 8, switches);
    plan_ = std::make_unique<Plan>(machine_, Settings{.turnover = {0}, .horizon = {10'000}});
  }
  static Order Wants(uint32_t count, const std::string& set, int64_t seconds = 100) {
    Part part;
    part.chunks = {{count, {{"ncpus", 1}}, {}}};
    part.length = {seconds};
    if (!set.empty()) part.set = *text::ParseNodeSet(set);
    return {{std::move(part)}, ""};
  }
  // Books until `until` on this node.
  void Use(uint32_t node, int64_t until) {
    Order order = Wants(1, "", until);
    plan_->Restore({{1}, ++last_}, order, {0}, {{{node, {1, 1}}}});
  }
  Answer Book(const Order& order) {
    return plan_->Book({{1}, ++last_}, order, IntervalSet::From({0}), {0}, {}, 1);
  }
  Placed Placing(const Order& order) { return std::get<Placed>(Book(order)); }
  std::string Group(const Placed& placed) const {
    return placed.chosen.empty() ? "" : placed.chosen[0].group;
  }
  static std::string Nodes(const Placed& placed) {
    std::string out;
    for (const Assignment& a : placed.mapping[0]) out += std::to_string(a.node + 1) + " ";
    return out;
  }

  std::shared_ptr<const machine::Machine> machine_;
  std::unique_ptr<Plan> plan_;
  uint64_t last_ = 0;
};

TEST_F(SetPlan, WithoutASetSpeedsMixAndTheSlowestNodeDecidesHowLong) {
  Make({1000, 500, 1000});
  const Placed placed = Placing(Wants(3, ""));
  EXPECT_EQ(placed.start, Instant{0});
  EXPECT_EQ(placed.chosen[0].slower, Span{100});
  EXPECT_EQ(plan_->EndOf({{1}, last_}, 0), Instant{200});
}

TEST_F(SetPlan, WithoutASetTheFastestNodesThatStartAtOnceAreTaken) {
  Make({500, 1000, 1000});
  EXPECT_EQ(Nodes(Placing(Wants(2, ""))), "2 3 ");
  EXPECT_EQ(plan_->EndOf({{1}, last_}, 0), Instant{100});
}

TEST_F(SetPlan, OneOfTakesNodesOfOneSpeedAlthoughItStartsLater) {
  Make({500, 1000, 1000});
  Use(1, 40);
  const Placed placed = Placing(Wants(2, "speed:oneof"));
  EXPECT_EQ(placed.start, Instant{40});
  EXPECT_EQ(Group(placed), "speed=100%");
  EXPECT_EQ(Nodes(placed), "2 3 ");
}

TEST_F(SetPlan, ATolerancePutsSpeedsTogetherAndTheSlowestOfTheGroupDecides) {
  Make({500, 550, 1000});
  const Placed placed = Placing(Wants(2, "speed~10%:oneof"));
  EXPECT_EQ(Group(placed), "speed=50%-55%");
  EXPECT_EQ(placed.chosen[0].slower, Span{100});
}

TEST_F(SetPlan, OfGroupsThatStartTogetherTheOneThatLosesAndLeavesLeastIsTaken) {
  Make({500, 550, 800, 800, 1000, 1000, 1000});
  EXPECT_EQ(Group(Placing(Wants(2, "speed~10%:oneof"))), "speed=80%") << "loses nothing, is full";
  EXPECT_EQ(Group(Placing(Wants(2, "speed~10%:oneof"))), "speed=100%");
  EXPECT_EQ(Group(Placing(Wants(1, "speed:oneof"))), "speed=100%") << "the fastest of alike ones";
}

TEST_F(SetPlan, FirstOfWaitsForWhatItNamesFirst) {
  Make({1000, 800});
  Use(0, 60);
  EXPECT_EQ(Group(Placing(Wants(1, "speed=100%,80%:firstof:wait=1m"))), "speed=100%");
  EXPECT_EQ(Placing(Wants(1, "speed=100%,80%:firstof:wait=1m")).start, Instant{0});
}

TEST_F(SetPlan, BestMixesOnlyIfNoGroupStartsSoonEnough) {
  Make({1000, 1000, 800, 500});
  Use(0, 60);
  EXPECT_EQ(Placing(Wants(2, "speed:oneof:best:wait=1m")).start, Instant{60});
  plan_->Free({{1}, last_});
  const Placed mixed = Placing(Wants(2, "speed:oneof:best:wait=59s"));
  EXPECT_EQ(mixed.start, Instant{0});
  EXPECT_EQ(Group(mixed), "");
  EXPECT_EQ(Nodes(mixed), "3 2 ") << "1.0 with 0.8 loses less than with 0.5";
  EXPECT_EQ(mixed.chosen[0].slower, Span{25});
}

TEST_F(SetPlan, AnyOfLeavesOutOtherNodes) {
  Make({500, 800, 1000});
  EXPECT_EQ(Placing(Wants(2, "speed=50,80:anyof")).chosen[0].slower, Span{100});
  EXPECT_EQ(Placing(Wants(2, "speed=50,80:anyof")).start, Instant{200});
}

TEST_F(SetPlan, GroupsAreAlsoOfPropertiesAndSwitches) {
  Make({{"a1", {{"ncpus", 1}}, {{"rack", "a"}}},
        {"b1", {{"ncpus", 1}}, {{"rack", "b"}}},
        {"b2", {{"ncpus", 1}}, {{"rack", "b"}}}},
       {{"s1", {"a1", "b1"}, {}}});
  EXPECT_EQ(Group(Placing(Wants(2, "rack:oneof"))), "rack=b");
  plan_->Free({{1}, last_});
  EXPECT_EQ(Nodes(Placing(Wants(2, "switch=s1:oneof"))), "1 2 ");
  plan_->Free({{1}, last_});
  EXPECT_EQ(Placing(Wants(3, "switch:oneof:best")).start, Instant{0}) << "below no one switch";
}

TEST_F(SetPlan, FasterNodesBelowAHigherSwitchAreNoReasonToTakeThem) {
  Make({{"f1", {{"ncpus", 1}}, {}, 0, 1000},
        {"s1", {{"ncpus", 1}}, {}, 0, 500},
        {"f2", {{"ncpus", 1}}, {}, 0, 1000},
        {"s2", {{"ncpus", 1}}, {}, 0, 500}},
       {{"a", {"f1", "s1"}, {}}, {"b", {"f2", "s2"}, {}}, {"top", {}, {"a", "b"}}});
  const Placed placed = Placing(Wants(2, "switch"));
  EXPECT_EQ(Nodes(placed), "1 2 ");
  EXPECT_EQ(placed.chosen[0].slower, Span{100});
}

TEST_F(SetPlan, WhatNoGroupHoldsCanNeverRun) {
  Make({500, 1000});
  const auto refused = [&](const std::string& set) {
    const Answer answer = Book(Wants(2, set));
    const auto& never = std::get<Refused>(answer);
    EXPECT_EQ(never.kind, Refused::Kind::kNever);
    return never.why.text;
  };
  EXPECT_EQ(refused("speed:oneof"), "no group of speed:oneof has nodes for all its chunks");
  EXPECT_EQ(refused("rack:oneof"), "no node that could take it has 'rack'");
  EXPECT_EQ(refused("speed=80%:anyof"), "no node that could take it has speed=80%");
}

TEST_F(SetPlan, ATooFineAttributeIsRefusedWithWhatWouldHelp) {
  std::vector<machine::Node> nodes;
  for (int i = 1; i <= 17; ++i) {
    nodes.push_back({"n" + std::to_string(i), {{"ncpus", 1}}, {{"rack", std::to_string(i)}}});
  }
  Make(std::move(nodes));
  EXPECT_EQ(std::get<Refused>(Book(Wants(1, "rack:oneof"))).why.text,
            "'rack' makes 17 groups here, and a set has at most 16: name some values");
  EXPECT_EQ(Placing(Wants(1, "rack=3,4:oneof")).start, Instant{0});
}

TEST_F(SetPlan, AReasonSaysHowMuchEarlierAnyNodesWouldDo) {
  Make({500, 1000, 1000});
  Use(1, 40);
  const Question question{
      .order = Wants(2, "speed:oneof"), .asked = {0}, .allowed = IntervalSet::From({0})};
  const Reply reply = plan_->Verify({question}, {0})[0];
  EXPECT_EQ(reply.why->code, Why::Code::kTopology);
  EXPECT_EQ(reply.why->text, "its nodes must be speed:oneof; any nodes would do 40s earlier");
}

TEST_F(SetPlan, WhatLastsByTheClockIsNoLongerOnSlowNodes) {
  Make({500, 500});
  Order order = Wants(2, "speed:oneof");
  order.parts[0].by_clock = true;
  Placing(order);
  EXPECT_EQ(plan_->EndOf({{1}, last_}, 0), Instant{100});
}

// Rule 4 also binds later: a pure group is not left for a mixture that gains less than the wait.
TEST_F(SetPlan, AMoveToAMixtureMustGainMoreThanTheWait) {
  Make({1000, 1000, 800});
  Use(0, 60);
  const Order order = Wants(2, "speed:oneof:best:wait=1m");
  const Fence fence{{1}, last_ + 1};
  EXPECT_EQ(Placing(order).start, Instant{60});
  const IntervalSet earlier(std::vector<Interval>{{{0}, {60}}});
  EXPECT_TRUE(std::holds_alternative<Refused>(plan_->Rebook(fence, earlier, {0}, 0)));
  EXPECT_TRUE(plan_->OtherStarts(fence, earlier, {0}, 4).empty());
  plan_->Free({{1}, 1});
  EXPECT_EQ(std::get<Placed>(plan_->Rebook(fence, earlier, {0}, 0)).start, Instant{0});
}

TEST_F(SetPlan, AfterARestartABookingIsOfTheSameGroup) {
  Make({1000, 1000, 800});
  Use(0, 60);
  const Order order = Wants(2, "speed:oneof:best:wait=1m");
  const Placed placed = Placing(order);
  const Fence fence{{1}, last_};
  plan_->Free(fence);
  plan_->Restore(fence, order, placed.start, {{{0, {1, 1}}, {1, {1, 1}}}}, placed.chosen);
  EXPECT_TRUE(
      plan_->OtherStarts(fence, IntervalSet(std::vector<Interval>{{{0}, {60}}}), {0}, 4).empty());
}

// Property: a small machine of several speeds and racks, with drawn bookings.
class Bunch {
 public:
  explicit Bunch(uint64_t seed) : random_(seed) {
    std::vector<machine::Node> nodes;
    const int64_t count = random_.Between(2, 7);
    for (int64_t i = 0; i < count; ++i) {
      machine::Node node{"n" + std::to_string(i), {{"ncpus", random_.Between(1, 2)}}, {}};
      node.speed = 400 + 50 * random_.Between(0, 4);
      if (random_.Chance(800)) node.properties["rack"] = random_.Chance(500) ? "a" : "b";
      nodes.push_back(std::move(node));
    }
    machine_ = std::make_shared<const machine::Machine>(std::move(nodes), 8);
    plan_ = std::make_unique<Plan>(machine_, Settings{{random_.Between(0, 1)}, {400}});
  }

  Order Draw() {
    static const char* const kSets[] = {"speed:oneof",
                                        "speed~10%:oneof",
                                        "speed~5:oneof",
                                        "rack:oneof",
                                        "speed=40%,50%:anyof",
                                        "speed:oneof:best",
                                        "rack=b,a:firstof",
                                        "speed:oneof:best:wait=20s",
                                        "speed=60%,50%,40%:firstof:wait=30s",
                                        "speed=45%~10%:oneof:best:wait=10s"};
    Part part;
    part.chunks = {{static_cast<uint32_t>(random_.Between(1, 3)), {{"ncpus", 1}}, {}}};
    part.place = static_cast<Place>(random_.Below(3));
    part.length = {random_.Between(1, 40)};
    if (random_.Chance(800)) part.set = *text::ParseNodeSet(kSets[random_.Below(10)]);
    return {{std::move(part)}, ""};
  }

  // A group by itself: its nodes, its place in the order, whether it is a mixture.
  struct Alone {
    std::vector<uint32_t> nodes;
    uint32_t wish = 0;
  };

  // The groups that the set means here, by definition: every subset of values that is one.
  std::vector<Alone> GroupsOf(const Part& part) const {
    std::vector<Alone> out;
    const auto hosts = HostsOf(part);
    if (!part.set || part.set->choice == NodeSet::Choice::kAnyOf) {
      AddLevels(Filtered(hosts, part), 0, out);
      return out;
    }
    const NodeSet& set = *part.set;
    uint32_t last = 0;
    if (set.attribute == "rack") {
      for (const std::string value : {"a", "b"}) {
        Alone alone;
        if (set.choice == NodeSet::Choice::kFirstOf) alone.wish = value == "b" ? 0 : 1;
        for (const uint32_t n : hosts) {
          const auto& properties = machine_->node(n).properties;
          if (properties.contains("rack") && properties.at("rack") == value)
            alone.nodes.push_back(n);
        }
        last = std::max(last, alone.wish);
        if (!alone.nodes.empty()) out.push_back(alone);
      }
      return out;
    }
    AddSpeeds(set, hosts, out);
    for (const Alone& one : out) last = std::max(last, one.wish);
    if (!set.best) return out;
    std::set<uint32_t> any;
    for (const Alone& one : out) any.insert(one.nodes.begin(), one.nodes.end());
    AddLevels({any.begin(), any.end()}, last + 1, out);
    return out;
  }

  // The earliest start on these nodes alone, booked for as long as the slowest of them needs.
  std::optional<Instant> StartOn(const Order& order, const Alone& alone) const {
    Plan only = *plan_;
    int64_t slowest = kMostSpeed;
    for (uint32_t n = 0; n < machine_->node_count(); ++n) {
      const bool in = std::count(alone.nodes.begin(), alone.nodes.end(), n) > 0;
      only.SetUsable(n, in);
      if (in) slowest = std::min(slowest, machine_->Speed(n));
    }
    Order plain = order;
    plain.parts[0].set.reset();
    plain.parts[0].by_clock = true;
    plain.parts[0].length = AtSpeed(order.parts[0].length, slowest);
    const Answer answer = only.Book({{9}, 1}, plain, IntervalSet::From({10}), {10}, {}, 1);
    const auto* placed = std::get_if<Placed>(&answer);
    return placed != nullptr ? std::optional(placed->start) : std::nullopt;
  }

  std::optional<Instant> Expected(const Order& order) const {
    std::vector<std::pair<uint32_t, Instant>> starts;
    Instant best = kFarFuture;
    for (const Alone& alone : GroupsOf(order.parts[0])) {
      const auto start = StartOn(order, alone);
      if (!start) continue;
      starts.emplace_back(alone.wish, *start);
      best = std::min(best, *start);
    }
    const Span wait = order.parts[0].set ? order.parts[0].set->wait : Span{0};
    std::erase_if(starts, [&](const auto& one) { return one.second > best + wait; });
    if (starts.empty()) return std::nullopt;
    return std::min_element(starts.begin(), starts.end())->second;
  }

  void BookOne() {
    const Order order = Draw();
    const std::optional<Instant> expected = Expected(order);
    const Fence fence{{1}, ++last_};
    const Answer answer = plan_->Book(fence, order, IntervalSet::From({10}), {10}, {}, 4);
    const auto* placed = std::get_if<Placed>(&answer);
    ASSERT_EQ(placed != nullptr, expected.has_value());
    if (placed == nullptr) return;
    ASSERT_EQ(placed->start, *expected);
    int64_t slowest = kMostSpeed;
    for (const Assignment& a : placed->mapping[0])
      slowest = std::min(slowest, machine_->Speed(a.node));
    EXPECT_GE(plan_->EndOf(fence, 0) - placed->start, AtSpeed(order.parts[0].length, slowest));
    ExpectInGroup(order.parts[0], *placed);
  }

  void ExpectStarts() {
    const Order order = Draw();
    const Question question{order, {11}, IntervalSet::From({11}), 64, true, {}, false};
    const Reply reply = plan_->Verify({question}, {10})[0];
    if (std::holds_alternative<Refused>(reply.answer)) return;
    const Instant from = std::get<Placed>(reply.answer).start;
    std::vector<Interval> all;
    for (const Alone& alone : GroupsOf(order.parts[0])) AddStarts(order, alone, from, all);
    ASSERT_EQ(reply.feasible.complete_until, Instant{411}) << "up to the horizon";
    ASSERT_EQ(reply.feasible.starts, IntervalSet(all));
  }

 private:
  std::vector<uint32_t> HostsOf(const Part& part) const {
    std::vector<uint32_t> out;
    for (uint32_t n = 0; n < machine_->node_count(); ++n) {
      if (part.chunks[0].resources.FitsIn(machine_->node(n).resources)) out.push_back(n);
    }
    return out;
  }

  std::vector<uint32_t> Filtered(const std::vector<uint32_t>& nodes, const Part& part) const {
    if (!part.set) return nodes;
    std::vector<uint32_t> out;
    for (const uint32_t n : nodes) {
      const std::string speed = text::SpeedText(machine_->Speed(n));
      const auto& values = part.set->values;
      if (std::count(values.begin(), values.end(), speed) > 0) out.push_back(n);
    }
    return out;
  }

  void AddLevels(const std::vector<uint32_t>& nodes, uint32_t wish, std::vector<Alone>& out) const {
    std::set<int64_t> speeds;
    for (const uint32_t n : nodes) speeds.insert(machine_->Speed(n));
    for (const int64_t least : speeds) {
      Alone& alone = out.emplace_back(Alone{{}, wish});
      for (const uint32_t n : nodes) {
        if (machine_->Speed(n) >= least) alone.nodes.push_back(n);
      }
    }
  }

  void AddSpeeds(const NodeSet& set, const std::vector<uint32_t>& hosts,
                 std::vector<Alone>& out) const {
    std::set<int64_t> distinct;
    for (const uint32_t n : hosts) distinct.insert(machine_->Speed(n));
    const auto alike = [&](int64_t least, int64_t most) {
      if (!set.tolerance) return least == most;
      return set.tolerance->relative ? most * 100 <= least * (100 + set.tolerance->most)
                                     : most - least <= set.tolerance->most * 10;
    };
    for (const int64_t least : distinct) {
      for (const int64_t most : distinct) {
        if (most < least || !alike(least, most)) continue;
        const bool more = std::any_of(distinct.begin(), distinct.end(), [&](int64_t other) {
          return (other < least && alike(other, most)) || (other > most && alike(least, other));
        });
        const std::optional<uint32_t> wish = WishOf(set, least, most);
        if (more || !wish) continue;
        Alone& alone = out.emplace_back(Alone{{}, *wish});
        for (const uint32_t n : hosts) {
          if (least <= machine_->Speed(n) && machine_->Speed(n) <= most) alone.nodes.push_back(n);
        }
      }
    }
  }

  static std::optional<uint32_t> WishOf(const NodeSet& set, int64_t least, int64_t most) {
    if (set.values.empty()) return 0;
    for (uint32_t i = 0; i < set.values.size(); ++i) {
      const int64_t value = *text::ParseSpeed(set.values[i]);
      if (value < least || value > most) continue;
      return set.choice == NodeSet::Choice::kFirstOf ? i : 0;
    }
    return std::nullopt;
  }

  // The nodes that it got are those of a group.
  void ExpectInGroup(const Part& part, const Placed& placed) const {
    const std::vector<Alone> groups = GroupsOf(part);
    const bool in_one = std::any_of(groups.begin(), groups.end(), [&](const Alone& alone) {
      return std::all_of(placed.mapping[0].begin(), placed.mapping[0].end(),
                         [&](const Assignment& a) {
                           return std::count(alone.nodes.begin(), alone.nodes.end(), a.node) > 0;
                         });
    });
    EXPECT_TRUE(in_one);
  }

  void AddStarts(const Order& order, const Alone& alone, Instant from,
                 std::vector<Interval>& out) const {
    Plan only = *plan_;
    int64_t slowest = kMostSpeed;
    for (uint32_t n = 0; n < machine_->node_count(); ++n) {
      const bool in = std::count(alone.nodes.begin(), alone.nodes.end(), n) > 0;
      only.SetUsable(n, in);
      if (in) slowest = std::min(slowest, machine_->Speed(n));
    }
    Order plain = order;
    plain.parts[0].set.reset();
    plain.parts[0].by_clock = true;
    plain.parts[0].length = AtSpeed(order.parts[0].length, slowest);
    const Question question{plain, from, IntervalSet::From(from), 64, true, {}, false};
    const Reply reply = only.Verify({question}, {10})[0];
    const auto& starts = reply.feasible.starts.intervals();
    out.insert(out.end(), starts.begin(), starts.end());
  }

  Random random_;
  std::shared_ptr<const machine::Machine> machine_;
  std::unique_ptr<Plan> plan_;
  uint64_t last_ = 0;
};

TEST(SetProperty, APlanFindsWhatTryingEveryGroupByItselfGives) {
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Bunch bunch(seed);
    for (int step = 0; step < 12; ++step) {
      bunch.BookOne();
      if (testing::Test::HasFailure()) return;
    }
    bunch.ExpectStarts();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace muster::plan
