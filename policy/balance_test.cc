// What a site gave and took, as worked out by hand. scheduling.md section 16.
#include "policy/balance.h"

#include <gtest/gtest.h>

namespace muster::policy {
namespace {

// Windows of 1,000 s of which each counts half of the next newer one.
FairshareRules Rules() { return {.window = Span{1000}, .depth = 2, .decay = 500}; }

TEST(Balance, IsWhatWasGivenLessWhatWasTakenOfWhatTheSiteHasInAWindow) {
  // Given 4,000 processor-seconds now and 2,000 before; taken 1,000: 4,000 of 10,000 are left.
  const Use given{{4'000'000, 2'000'000}, 0};
  const Use taken{{1'000'000}, 0};
  EXPECT_EQ(BalanceOf(Rules(), given, taken, 10), 400);
  EXPECT_EQ(BalanceOf(Rules(), taken, given, 10), -400);
  EXPECT_EQ(AmountOf(Rules(), given), 5'000'000);
}

TEST(Balance, CountsWhatIsPromisedAndWhatNoWindowHoldsAnyMoreNot) {
  const Use given{{0, 0, 9'000'000}, 3'000'000};
  EXPECT_EQ(BalanceOf(Rules(), given, {}, 10), 300);
  FairshareRules half = Rules();
  half.booked = 500;
  EXPECT_EQ(BalanceOf(half, given, {}, 10), 150);
}

TEST(Balance, IsAtMostAWholeWindowAndNothingForASiteWithoutProcessors) {
  const Use much{{INT64_MAX / 4}, INT64_MAX / 4};
  EXPECT_EQ(BalanceOf(Rules(), much, {}, 1), 1000);
  EXPECT_EQ(BalanceOf(Rules(), {}, much, 1), -1000);
  EXPECT_EQ(BalanceOf(Rules(), much, {}, 0), 0);
}

TEST(Balance, ASiteSaysBeyondWhichBalanceItLends) {
  EXPECT_EQ(LendsBeyond(5), "lends-beyond:5%");
  EXPECT_EQ(LendsBeyond(std::vector<std::string>{"lends", "lends-beyond:5%", "order"}), 5);
  EXPECT_EQ(LendsBeyond(std::vector<std::string>{"lends", "order"}), std::nullopt);
  EXPECT_EQ(LendsBeyond(std::vector<std::string>{"lends-beyond:much"}), std::nullopt);
}

}  // namespace
}  // namespace muster::policy
