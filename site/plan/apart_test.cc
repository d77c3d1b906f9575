// Orders that wait for lent work, and lent orders, keep apart to the end of the lent work.
// scheduling.md section 18; Maui Sect. IV (those that are not marked).
#include "site/plan/apart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/random.h"

namespace muster::plan {
namespace {

constexpr Instant kNow{1000};
constexpr Fence kLentOne{kLent, 1};

class KeptApart : public testing::Test {
 protected:
  static Order Cores(int64_t count, int64_t seconds) {
    Order order;
    order.parts = {{{{1, {{"ncpus", count}}, {}}}, Place::kFree, false, {0}, {seconds}}};
    return order;
  }
  static Order Waiting(int64_t count, int64_t seconds) {
    Order order = Cores(count, seconds);
    order.waits_for_lent = true;
    return order;
  }
  // Booked for 60 s.
  static Order Lent(int64_t count, int64_t stays) {
    Order order = Cores(count, 60);
    order.stays = Span{stays};
    return order;
  }
  Answer Book(const Fence& fence, const Order& order, int64_t from = 0) {
    return plan_.Book(fence, order, IntervalSet::From(kNow + Span{from}), kNow, {}, 1);
  }
  static int64_t StartOf(const Answer& answer) {
    return (std::get<Placed>(answer).start - kNow).seconds;
  }
  static uint32_t NodeOf(const Answer& answer) {
    return std::get<Placed>(answer).mapping[0][0].node;
  }

  Plan plan_{
      std::make_shared<const machine::Machine>(
          std::vector<machine::Node>{{"n1", {{"ncpus", 4}}, {}}, {"n2", {{"ncpus", 4}}, {}}}, 8),
      {.turnover = Span{1}}};
};

TEST_F(KeptApart, WhoWaitsBeginsAfterAllTheTimeThatLentWorkMayStay) {
  ASSERT_EQ(StartOf(Book(kLentOne, Lent(4, 5'000))), 0);
  ASSERT_EQ(NodeOf(Book({{1}, 1}, Cores(4, 9'000))), 1u);
  EXPECT_EQ(StartOf(Book({{1}, 2}, Waiting(4, 100))), 5'001);
  EXPECT_EQ(StartOf(Book({{1}, 3}, Cores(4, 100))), 61);  // for it lent work is recalled
}

TEST_F(KeptApart, WhoWaitsMovesEarlierOnceLentWorkIsGoneAndNotBefore) {
  Book(kLentOne, Lent(4, 5'000));
  Book({{1}, 1}, Cores(4, 9'000));
  Book({{1}, 2}, Waiting(4, 100));
  const IntervalSet earlier({{kNow, kNow + Span{5'001}}});
  EXPECT_TRUE(plan_.OtherStarts({{1}, 2}, earlier, kNow, 4).empty());
  EXPECT_TRUE(std::holds_alternative<Refused>(plan_.Rebook({{1}, 2}, earlier, kNow, 0)));
  plan_.Free(kLentOne);
  EXPECT_EQ(StartOf(plan_.Rebook({{1}, 2}, earlier, kNow, 0)), 0);
}

// n1 is idle, but somebody who waits begins there before the work could be over.
TEST_F(KeptApart, LentWorkBeginsWhereNobodyThatWaitsComesBeforeItsEnd) {
  ASSERT_EQ(NodeOf(Book({{1}, 1}, Waiting(4, 1'000), 3'000)), 0u);
  EXPECT_EQ(NodeOf(Book(kLentOne, Lent(4, 3'000))), 1u);
  plan_.Free(kLentOne);
  EXPECT_EQ(NodeOf(Book(kLentOne, Lent(4, 2'999))), 0u);
  plan_.Free(kLentOne);
  plan_.Free({{1}, 1});
  Book({{1}, 1}, Cores(4, 1'000), 3'000);
  EXPECT_EQ(NodeOf(Book(kLentOne, Lent(4, 3'000))), 0u);  // it will be recalled
}

TEST_F(KeptApart, WhatIsLentToAJobMayLastBeyondItsOwnStart) {
  Order own = Waiting(4, 1'000);
  own.label = "9";
  Order lent = Lent(4, 5'000);
  lent.label = "9";
  ASSERT_EQ(NodeOf(Book({{1}, 1}, own, 3'000)), 0u);
  EXPECT_EQ(NodeOf(Book(kLentOne, lent)), 0u);
  plan_.Free({{1}, 1});
  EXPECT_EQ(StartOf(Book({{1}, 1}, own)), 0);  // on n2, as behind any booking
  plan_.Free({{1}, 1});
  ASSERT_EQ(NodeOf(Book({{1}, 2}, Cores(4, 9'000))), 1u);
  EXPECT_EQ(StartOf(Book({{1}, 1}, own)), 61);
}

TEST_F(KeptApart, LentWorkThatWaitsTakesNoRoomOfOtherLentWork) {
  Book(kLentOne, Lent(4, 5'000));
  Book({{1}, 1}, Cores(4, 9'000));
  Order other = Lent(4, 2'000);
  EXPECT_EQ(StartOf(Book({{1}, 2}, other)), 61);
  plan_.Free({{1}, 2});
  other.waits_for_lent = true;
  EXPECT_EQ(StartOf(Book({{1}, 2}, other)), 5'001);
}

TEST_F(KeptApart, ThoseThatWaitOneAfterAnotherLeaveLentWorkItsRoom) {
  ASSERT_EQ(NodeOf(Book({{1}, 9}, Cores(4, 20'000))), 0u);
  ASSERT_EQ(StartOf(Book({{1}, 1}, Waiting(2, 100), 1'000)), 1'000);
  ASSERT_EQ(StartOf(Book({{1}, 2}, Waiting(2, 100), 2'000)), 2'000);
  EXPECT_EQ(StartOf(Book(kLentOne, Lent(2, 5'000))), 0);
}

TEST_F(KeptApart, WhoWaitsHasRoomBesideAllThatIsLentTogether) {
  ASSERT_EQ(NodeOf(Book({{1}, 9}, Cores(4, 20'000))), 0u);
  ASSERT_EQ(StartOf(Book({{1}, 1}, Waiting(2, 100), 1'000)), 1'000);
  ASSERT_EQ(StartOf(Book(kLentOne, Lent(2, 5'000))), 0);
  EXPECT_EQ(StartOf(Book({kLent, 2}, Lent(1, 900))), 0);        // over before anybody comes
  EXPECT_EQ(StartOf(Book({kLent, 3}, Lent(1, 5'000))), 1'000);  // else there is none left for it
}

TEST_F(KeptApart, APromiseThatLostItsPlaceDoesNotWait) {
  Book(kLentOne, Lent(4, 5'000));
  Book({{1}, 1}, Cores(4, 9'000));
  Book({{1}, 2}, Waiting(4, 100));
  const IntervalSet earlier({{kNow, kNow + Span{5'001}}});
  EXPECT_EQ(StartOf(plan_.Rebook({{1}, 2}, earlier, kNow, 1, false)), 61);
}

TEST_F(KeptApart, AReasonNamesTheLentWorkAndItsEnd) {
  Order lent = Lent(4, 5'000);
  lent.label = "9";
  Book(kLentOne, lent);
  Book({{1}, 1}, Cores(4, 9'000));
  const std::vector<Reply> replies = plan_.Verify(
      {{.order = Waiting(4, 100), .asked = kNow, .allowed = IntervalSet::From(kNow)}}, kNow);
  ASSERT_TRUE(replies.at(0).why.has_value());
  EXPECT_EQ(replies.at(0).why->label, "9");
  EXPECT_EQ(replies.at(0).why->until, kNow + Span{5'001});
  const Question asked{.order = Waiting(4, 100), .asked = kNow, .allowed = IntervalSet::From(kNow)};
  const std::vector<Obstacle> met = plan_.Obstacles(asked, kNow + Span{3'000});
  EXPECT_TRUE(std::any_of(met.begin(), met.end(),
                          [](const Obstacle& one) { return one.fence == kLentOne; }));
}

TEST_F(KeptApart, WhatIsLeftOfANodeIsFreeForWhoWaits) {
  Book(kLentOne, Lent(3, 5'000));
  Book({{1}, 1}, Cores(4, 9'000));
  EXPECT_EQ(StartOf(Book({{1}, 2}, Waiting(1, 100))), 0);
}

TEST_F(KeptApart, AVerdictAnswersAsABookingWould) {
  Book(kLentOne, Lent(4, 5'000));
  Book({{1}, 1}, Cores(4, 9'000));
  const IntervalSet all = IntervalSet::From(kNow);
  const std::vector<Reply> replies =
      plan_.Verify({{.order = Waiting(4, 100), .asked = kNow, .allowed = all},
                    {.order = Cores(4, 100), .asked = kNow, .allowed = all}},
                   kNow);
  EXPECT_EQ(StartOf(replies.at(0).answer), 5'001);
  EXPECT_EQ(StartOf(replies.at(1).answer), 61);
  const Question asked{.order = Waiting(4, 100), .asked = kNow, .allowed = all};
  EXPECT_EQ(plan_.Windows(asked, kNow + Span{20'000}, kNow, 1).at(0).from, kNow + Span{5'001});
}

// Searches remember what they have ruled out; none of that may come from what was added for one.
TEST_F(KeptApart, WhatIsAskedForOneChangesNoAnswerForOthers) {
  Book(kLentOne, Lent(4, 5'000));
  Book({{1}, 1}, Cores(4, 9'000));
  const Occupancy before = plan_.occupancy();
  const Answer waits = Book({{1}, 2}, Waiting(2, 100));
  plan_.Free({{1}, 2});
  EXPECT_EQ(plan_.occupancy(), before);
  EXPECT_EQ(StartOf(waits), 5'001);
  EXPECT_EQ(StartOf(Book({{1}, 3}, Cores(2, 100))), 61);
  plan_.Free({{1}, 3});
  EXPECT_EQ(StartOf(Book({{1}, 4}, Waiting(2, 100))), 5'001);
}

// The same orders on a plan that searched often, and on one made anew from its bookings each time.
class AnyOrderOfBookings : public testing::TestWithParam<uint64_t> {
 protected:
  struct Made {
    Order order;
    Answer placed;
  };
  static std::shared_ptr<const machine::Machine> FourNodes() {
    std::vector<machine::Node> nodes;
    for (const char* name : {"n1", "n2", "n3", "n4"}) nodes.push_back({name, {{"ncpus", 4}}, {}});
    return std::make_shared<const machine::Machine>(nodes, 8);
  }
  static Plan NewPlan() { return Plan(FourNodes(), {.turnover = Span{1}}); }

  Plan MadeAnew() const {
    Plan plan = NewPlan();
    for (const auto& [fence, made] : made_) {
      const auto& placed = std::get<Placed>(made.placed);
      std::vector<NodeUse> uses;
      for (const Assignment& one : placed.mapping[0]) {
        const int64_t cores = made.order.parts[0].chunks[0].resources.Get("ncpus") * one.count;
        if (uses.empty() || uses.back().node != one.node) {
          uses.push_back({one.node, {cores, 1}});
        } else {
          uses.back().amounts[0] += cores;
        }
      }
      plan.Restore(fence, made.order, placed.start, {uses});
    }
    return plan;
  }
  Order Drawn() {
    const int64_t seconds = random_.Between(10, 400);
    Order order;
    order.parts = {
        {{{static_cast<uint32_t>(random_.Between(1, 3)), {{"ncpus", random_.Between(1, 4)}}, {}}},
         Place::kScatter,
         false,
         {0},
         {seconds}}};
    const uint64_t kind = random_.Below(3);
    if (kind == 0) order.stays = Span{seconds + random_.Between(0, 1'000)};
    if (kind == 1) order.waits_for_lent = true;
    return order;
  }

  Random random_{GetParam()};
  std::map<Fence, Made> made_;
};

TEST_P(AnyOrderOfBookings, GivesTheAnswersOfAPlanThatHasNotSearchedYet) {
  Plan plan = NewPlan();
  for (uint64_t step = 1; step <= 150; ++step) {
    Plan anew = MadeAnew();
    ASSERT_EQ(plan.occupancy(), anew.occupancy()) << "before step " << step;
    if (made_.size() > 30 || (!made_.empty() && random_.Chance(300))) {
      auto it = std::next(made_.begin(), static_cast<int64_t>(random_.Below(made_.size())));
      plan.Free(it->first);
      made_.erase(it);
      continue;
    }
    if (!made_.empty() && random_.Chance(500)) {
      auto it = std::next(made_.begin(), static_cast<int64_t>(random_.Below(made_.size())));
      const Instant start = std::get<Placed>(it->second.placed).start;
      const IntervalSet earlier({{kNow, std::max(kNow + Span{1}, start)}});
      const Answer moved = plan.Rebook(it->first, earlier, kNow, 0);
      const Answer expected = anew.Rebook(it->first, earlier, kNow, 0);
      ASSERT_EQ(moved.index(), expected.index()) << "at step " << step;
      if (const auto* placed = std::get_if<Placed>(&moved)) {
        ASSERT_EQ(*placed, std::get<Placed>(expected)) << "at step " << step;
        it->second.placed = moved;
      }
      continue;
    }
    const Fence fence{{1}, step};
    const Order order = Drawn();
    const IntervalSet allowed = IntervalSet::From(kNow);
    const Answer booked = plan.Book(fence, order, allowed, kNow, {}, 1);
    const Answer expected = anew.Book(fence, order, allowed, kNow, {}, 1);
    ASSERT_EQ(std::get<Placed>(booked), std::get<Placed>(expected)) << "at step " << step;
    made_[fence] = {order, booked};
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, AnyOrderOfBookings, testing::Range<uint64_t>(1, 21));

}  // namespace
}  // namespace muster::plan
