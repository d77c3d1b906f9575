// Orders to sites until they are answered: no core.
#include "meta/service/node_orders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meta/turn/keys.h"

namespace muster::meta {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

schemas::Steer Drain(uint64_t order) {
  return {.order = order, .verb = schemas::SteerVerb::kDrain, .nodes = {"n1"}};
}

class NodeOrdersTest : public testing::Test {
 protected:
  // Keys of what this turn writes; with a minus where the order is removed.
  std::vector<std::string> Written() {
    std::vector<schemas::Write<schemas::MetaRecord>> writes;
    orders_.TakeWrites(writes);
    std::vector<std::string> out;
    for (const auto& write : writes) out.push_back((write.value ? "" : "-") + write.key);
    return out;
  }
  NodeOrders orders_;
};

TEST_F(NodeOrdersTest, AnOrderIsSaidUntilItsSiteAnswers) {
  orders_.Give("lakes", Drain(1), Moment{10});
  orders_.Give("lakes", Drain(2), Moment{20});
  orders_.Give("hills", Drain(3), Moment{30});
  EXPECT_THAT(Written(), ElementsAre(SteerKey(1), SteerKey(2), SteerKey(3)));
  EXPECT_THAT(orders_.To("lakes"), ElementsAre(Drain(1), Drain(2)));
  EXPECT_EQ(orders_.WaitsSince("lakes"), Moment{10});
  EXPECT_EQ(orders_.TakeAnswered("lakes", 1), Drain(1));
  EXPECT_THAT(orders_.To("lakes"), ElementsAre(Drain(2)));
  EXPECT_EQ(orders_.WaitsSince("lakes"), Moment{20});
  EXPECT_THAT(Written(), ElementsAre("-" + SteerKey(1)));
}

TEST_F(NodeOrdersTest, OnlyTheFirstAnswerOfItsOwnSiteCounts) {
  orders_.Restore({.site = "lakes", .steer = Drain(1), .at = Moment{10}});
  EXPECT_EQ(orders_.TakeAnswered("hills", 1), std::nullopt);
  EXPECT_EQ(orders_.TakeAnswered("lakes", 2), std::nullopt);
  EXPECT_THAT(Written(), IsEmpty());
  EXPECT_TRUE(orders_.TakeAnswered("lakes", 1).has_value());
  EXPECT_EQ(orders_.TakeAnswered("lakes", 1), std::nullopt);
  EXPECT_EQ(orders_.WaitsSince("lakes"), std::nullopt);
}

TEST_F(NodeOrdersTest, ASiteThatIsGivenUpIsToldNothingMore) {
  orders_.Restore({.site = "lakes", .steer = Drain(1), .at = Moment{10}});
  orders_.Restore({.site = "hills", .steer = Drain(2), .at = Moment{10}});
  orders_.Forget("lakes");
  orders_.Forget("dales");
  EXPECT_THAT(orders_.To("lakes"), IsEmpty());
  EXPECT_THAT(orders_.To("hills"), ElementsAre(Drain(2)));
  EXPECT_THAT(Written(), ElementsAre("-" + SteerKey(1)));
}

TEST_F(NodeOrdersTest, ANumberIsGivenOnce) {
  orders_.Give("lakes", Drain(1), Moment{10});
  EXPECT_DEATH(orders_.Give("hills", Drain(1), Moment{10}), "Find");
}

}  // namespace
}  // namespace muster::meta
