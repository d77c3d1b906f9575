#include "meta/requests/due_requests.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace muster::meta {
namespace {

constexpr RequestId kFirst{7};
constexpr RequestId kSecond{8};

TEST(DueRequests, TakesTheEarliestFirstAndOfOneTimeTheLowestId) {
  DueRequests<Instant> due;
  EXPECT_EQ(due.Next(), std::nullopt);
  due.Add(Instant{20}, kFirst);
  due.Add(Instant{10}, kSecond);
  due.Add(Instant{10}, kFirst);
  EXPECT_EQ(due.Next(), Instant{10});
  EXPECT_EQ(due.TakeBefore(Instant{30}), kFirst);
  EXPECT_EQ(due.TakeBefore(Instant{30}), kSecond);
  EXPECT_EQ(due.Next(), Instant{20});
  EXPECT_EQ(due.TakeBefore(Instant{30}), kFirst);
  EXPECT_EQ(due.TakeBefore(Instant{30}), std::nullopt);
  EXPECT_EQ(due.Next(), std::nullopt);
}

TEST(DueRequests, WhatIsDueAtTheEndIsNotTaken) {
  DueRequests<Moment> due;
  due.Add(Moment{10}, kFirst);
  EXPECT_EQ(due.TakeBefore(Moment{10}), std::nullopt);
  EXPECT_EQ(due.TakeBefore(Moment{11}), kFirst);
}

TEST(DueRequests, IsRemovedUnderTheTimeThatIsNamedAlone) {
  DueRequests<Instant> due;
  due.Add(Instant{10}, kFirst);
  due.Add(Instant{10}, kFirst);
  due.Add(Instant{20}, kFirst);
  due.Remove(Instant{10}, kSecond);
  due.Remove(Instant{15}, kFirst);
  EXPECT_EQ(due.Next(), Instant{10});
  due.Remove(Instant{10}, kFirst);
  EXPECT_EQ(due.Next(), Instant{20});
}

}  // namespace
}  // namespace muster::meta
