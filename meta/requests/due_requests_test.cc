// In which order requests are taken whose time has come, and when they are not.
#include "meta/requests/due_requests.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace muster::meta {
namespace {

constexpr RequestId kSeven{7};
constexpr RequestId kEight{8};

TEST(DueRequests, TakesTheEarliestFirstAndOfOneTimeTheLowestId) {
  DueRequests<Instant> due;
  EXPECT_EQ(due.Next(), std::nullopt);
  due.Add(Instant{20}, kSeven);
  due.Add(Instant{10}, kEight);
  due.Add(Instant{10}, kSeven);
  EXPECT_EQ(due.Next(), Instant{10});
  EXPECT_EQ(due.TakeBefore(Instant{30}), kSeven);
  EXPECT_EQ(due.TakeBefore(Instant{30}), kEight);
  EXPECT_EQ(due.Next(), Instant{20});
  EXPECT_EQ(due.TakeBefore(Instant{30}), kSeven);
  EXPECT_EQ(due.TakeBefore(Instant{30}), std::nullopt);
  EXPECT_EQ(due.Next(), std::nullopt);
}

TEST(DueRequests, WhatIsDueAtTheEndIsNotTaken) {
  DueRequests<Moment> due;
  due.Add(Moment{10}, kSeven);
  EXPECT_EQ(due.TakeBefore(Moment{10}), std::nullopt);
  EXPECT_EQ(due.TakeBefore(Moment{11}), kSeven);
}

TEST(DueRequests, IsRemovedUnderTheTimeThatIsNamedAlone) {
  DueRequests<Instant> due;
  due.Add(Instant{10}, kSeven);
  due.Add(Instant{10}, kSeven);
  due.Add(Instant{20}, kSeven);
  due.Remove(Instant{10}, kEight);
  due.Remove(Instant{15}, kSeven);
  EXPECT_EQ(due.Next(), Instant{10});
  due.Remove(Instant{10}, kSeven);
  EXPECT_EQ(due.Next(), Instant{20});
}

}  // namespace
}  // namespace muster::meta
