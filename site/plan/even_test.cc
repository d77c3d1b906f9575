// Even parts, which get as much of one of their nodes as of any other, and nodes that host parts of
// some length at the most: what some batch systems can be asked for.
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "base/random.h"
#include "site/plan/plan.h"
#include "site/plan/ways.h"

namespace muster::plan::even_test {
namespace {

constexpr int64_t kCpus = 4;

std::shared_ptr<const machine::Machine> Nodes(size_t count) {
  std::vector<machine::Node> nodes;
  for (size_t n = 0; n < count; ++n) {
    machine::Node node{"n" + std::to_string(n), {{"ncpus", kCpus}}, {}};
    nodes.push_back(std::move(node));
  }
  return std::make_shared<const machine::Machine>(std::move(nodes), 8);
}
Order Even(uint32_t chunks, int64_t cpus, Span length, Place place = Place::kFree) {
  Order order;
  order.parts = {{.chunks = {{chunks, {{"ncpus", cpus}}, {}}}, .place = place, .length = length}};
  order.parts[0].even = true;
  return order;
}
// Takes cpus of one node from `begin` on.
void Take(Plan& plan, uint32_t node, int64_t cpus, Instant begin, Span length) {
  Order order;
  order.parts = {{.chunks = {{1, {{"ncpus", cpus}}, {}}}, .length = length}};
  plan.Restore({{9}, node + 1}, order, begin, {{{node, {cpus, 1}}}});
}
std::map<uint32_t, uint32_t> ByNode(const Answer& answer) {
  std::map<uint32_t, uint32_t> out;
  if (const auto* placed = std::get_if<Placed>(&answer)) {
    for (const Assignment& a : placed->mapping[0]) out[a.node] += a.count;
  }
  return out;
}
using Counts = std::map<uint32_t, uint32_t>;

class EvenParts : public ::testing::Test {
 protected:
  Answer Book(const Order& order) {
    return plan_.Book({{1}, ++number_}, order, IntervalSet::From({0}), {0}, {}, 1);
  }
  Plan plan_{Nodes(4), {}};
  uint64_t number_ = 0;
};

TEST_F(EvenParts, LieOnAsFewNodesAsHaveRoomForEqualShares) {
  Take(plan_, 0, 2, {-10}, {1000});
  EXPECT_EQ(ByNode(Book(Even(3, 1, {60}))), (Counts{{1, 3}}));  // not two beside, and one more
  EXPECT_EQ(ByNode(Book(Even(6, 1, {60}))), (Counts{{2, 3}, {3, 3}}));
  EXPECT_EQ(ByNode(Book(Even(2, 1, {60}))), (Counts{{0, 2}}));
}

TEST_F(EvenParts, SpreadRatherThanWait) {
  for (uint32_t node = 0; node < 4; ++node) Take(plan_, node, 3, {-10}, {1000});
  const Answer answer = Book(Even(4, 1, {60}));
  EXPECT_EQ(ByNode(answer), (Counts{{0, 1}, {1, 1}, {2, 1}, {3, 1}}));
  EXPECT_EQ(std::get<Placed>(answer).start, Instant{0});
}

TEST_F(EvenParts, OfSeveralKindsLieOnOneNodeOrAreAlike) {
  Order order = Even(1, 2, {60});
  order.parts[0].chunks.push_back({2, {{"ncpus", 1}}, {}});
  EXPECT_EQ(ByNode(Book(order)).size(), 1u);
  order.parts[0].chunks[1].count = 4;  // does not fit on one node
  const Answer uneven = Book(order);
  ASSERT_TRUE(std::holds_alternative<Refused>(uneven));
  EXPECT_EQ(std::get<Refused>(uneven).kind, Refused::Kind::kNever);
  order.parts[0].place = Place::kScatter;
  const Answer scattered = Book(order);
  ASSERT_TRUE(std::holds_alternative<Refused>(scattered));
  EXPECT_NE(std::get<Refused>(scattered).why.text.find("as much of one of its nodes"),
            std::string::npos);
  order.parts[0].exclusive = true;
  order.parts[0].chunks[1].count = 3;
  EXPECT_EQ(ByNode(Book(order)).size(), 4u);
}

TEST_F(EvenParts, ThatFitInNoEqualSharesAreToldWhy) {
  const Answer five = Book(Even(5, 1, {60}));
  ASSERT_TRUE(std::holds_alternative<Refused>(five));
  EXPECT_EQ(std::get<Refused>(five).kind, Refused::Kind::kNever);
  EXPECT_EQ(std::get<Refused>(five).why.text, kEqualShares);
  const Answer seventeen = Book(Even(17, 1, {60}));
  EXPECT_EQ(std::get<Refused>(seventeen).why.text, "more chunks than the whole machine takes");
}

TEST(NodesThatLimitTime, HostNoLongerParts) {
  Plan plan(Nodes(3), {});
  plan.LimitTime(0, {Span{100}, "long"});
  plan.LimitTime(1, {Span{50}, "short"});
  const auto book = [&](Span length) {
    return plan.Book({{1}, static_cast<uint64_t>(length.seconds)}, Even(1, kCpus, length),
                     IntervalSet::From({0}), {0}, {}, 1);
  };
  EXPECT_EQ(ByNode(book({101})), (Counts{{2, 1}}));
  EXPECT_EQ(ByNode(book({100})), (Counts{{0, 1}}));
  EXPECT_EQ(ByNode(book({50})), (Counts{{1, 1}}));
  plan.LimitTime(2, {Span{60}, "middle"});
  const Answer never = plan.Book({{1}, 7}, Even(1, 1, {200}), IntervalSet::From({0}), {0}, {}, 1);
  ASSERT_TRUE(std::holds_alternative<Refused>(never));
  EXPECT_EQ(std::get<Refused>(never).kind, Refused::Kind::kNever);
  EXPECT_NE(std::get<Refused>(never).why.text.find("long: a part lasts at most 100 s"),
            std::string::npos);
}

// Against all ways to lie, at all starts.
TEST(EvenPartsProperty, StartAsSoonAsAnyEqualSharesFit) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const auto nodes = static_cast<uint32_t>(random.Between(1, 4));
    Plan plan(Nodes(nodes), {});
    for (uint64_t i = 1; i <= 12; ++i) {
      Order order;
      order.parts = {{.chunks = {{1, {{"ncpus", random.Between(1, 3)}}, {}}},
                      .length = {random.Between(1, 12)}}};
      plan.Book({{9}, i}, order, IntervalSet::From({random.Between(0, 12)}), {0}, {}, 1);
    }
    const auto chunks = static_cast<uint32_t>(random.Between(1, 8));
    const Span length{random.Between(1, 6)};
    const auto fits = [&](Instant start) {
      for (uint32_t sets = 1; sets <= chunks; ++sets) {
        if (chunks % sets != 0) continue;
        uint32_t there = 0;
        for (uint32_t n = 0; n < nodes; ++n) {
          const int64_t free =
              plan.occupancy().Of(n, 0).FreeIn(start - Settings().turnover, start + length);
          there += free >= sets ? 1 : 0;
        }
        if (there >= chunks / sets) return true;
      }
      return false;
    };
    std::optional<Instant> first;
    for (int64_t t = 0; t < 200 && !first; ++t) {
      if (fits({t})) first = Instant{t};
    }
    const Answer answer =
        plan.Book({{1}, 1}, Even(chunks, 1, length), IntervalSet::From({0}), {0}, {}, 1);
    const auto* placed = std::get_if<Placed>(&answer);
    ASSERT_EQ(placed != nullptr, first.has_value()) << seed;
    if (placed == nullptr) continue;
    EXPECT_EQ(placed->start, *first) << seed;
    const Counts counts = ByNode(answer);
    for (const auto& [node, count] : counts) EXPECT_EQ(count, counts.begin()->second) << seed;
  }
}

}  // namespace
}  // namespace muster::plan::even_test
