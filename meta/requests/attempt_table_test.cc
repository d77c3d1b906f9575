// The table of attempts by itself: what of it is written, and when.
#include "meta/requests/attempt_table.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace muster::meta {
namespace {

using schemas::AttemptState;
using Writes = std::vector<schemas::Write<schemas::MetaRecord>>;

class AttemptTableTest : public testing::Test {
 protected:
  static schemas::AttemptRecord Holding(Fence fence = kFence) {
    schemas::AttemptRecord record;
    record.fence = fence;
    record.request = RequestId{7};
    record.state = AttemptState::kHolding;
    record.members = {"hills", "lakes"};
    return record;
  }
  Writes Taken() {
    Writes out;
    table_.TakeWrites(out);
    return out;
  }

  static constexpr Fence kFence{Epoch{2}, 9};
  static constexpr Fence kOther{Epoch{2}, 10};
  AttemptTable table_;
};

TEST_F(AttemptTableTest, NothingIsWrittenBeforeItIsDurable) {
  Attempt& attempt = table_.Add(Holding());
  table_.Edit(attempt).start = Instant{60};
  EXPECT_FALSE(table_.due());
  table_.Enter(attempt, AttemptState::kClosed);
  table_.Erase(kFence);
  EXPECT_TRUE(Taken().empty());
}

TEST_F(AttemptTableTest, WhatIsDurableIsWrittenWithEveryTurnThatChangesIt) {
  Attempt& attempt = table_.Add(Holding());
  table_.Enter(attempt, AttemptState::kDecided);
  table_.MakeDurable(attempt);
  const Writes first = Taken();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(std::get<schemas::AttemptRecord>(*first[0].value), attempt.record());
  EXPECT_TRUE(Taken().empty());
  table_.Edit(attempt).start = Instant{60};
  EXPECT_EQ(Taken().size(), 1u);
}

TEST_F(AttemptTableTest, WhatTheStoreHasIsDurableAndRemovedWhenItIsErased) {
  ASSERT_TRUE(table_.Restore(Holding()));
  EXPECT_FALSE(table_.due());
  EXPECT_TRUE(table_.at(kFence).durable());
  table_.Enter(table_.at(kFence), AttemptState::kClosed);
  table_.Erase(kFence);
  const Writes writes = Taken();
  ASSERT_EQ(writes.size(), 1u);
  EXPECT_FALSE(writes[0].value.has_value());
}

TEST_F(AttemptTableTest, OneThatIsNotClosedIsNotErased) {
  table_.Add(Holding());
  EXPECT_DEATH(table_.Erase(kFence), "kClosed");
}

// G3.
TEST_F(AttemptTableTest, ASecondPermittedAttemptOfARequestIsABug) {
  table_.Enter(table_.Add(Holding()), AttemptState::kPermitted);
  Attempt& other = table_.Add(Holding(kOther));
  EXPECT_DEATH(table_.Enter(other, AttemptState::kPermitted), "only_one_is_permitted");
  table_.Enter(table_.at(kFence), AttemptState::kRunning);
  EXPECT_DEATH(table_.Enter(other, AttemptState::kPermitted), "only_one_is_permitted");
  table_.Enter(table_.at(kFence), AttemptState::kClosed);
  table_.Enter(other, AttemptState::kPermitted);
  EXPECT_EQ(other.state(), AttemptState::kPermitted);
}

TEST_F(AttemptTableTest, AStoreWithTwoPermittedAttemptsOfARequestIsRefused) {
  schemas::AttemptRecord record = Holding();
  record.state = AttemptState::kRunning;
  EXPECT_TRUE(table_.Restore(record));
  record.fence = kOther;
  EXPECT_FALSE(table_.Restore(record));
  EXPECT_FALSE(table_.contains(kOther));
}

TEST_F(AttemptTableTest, APermitWrittenAroundTheTableIsFoundWhenTheTurnIsWritten) {
  Attempt& attempt = table_.Add(Holding());
  table_.MakeDurable(attempt);
  table_.Edit(attempt).state = AttemptState::kPermitted;
  EXPECT_DEATH(Taken(), "known");
}

TEST_F(AttemptTableTest, WhatIsTouchedIsKeptUntilItIsTaken) {
  table_.Touch(kOther);
  table_.Touch(std::set<Fence>{kFence, kOther});
  EXPECT_TRUE(table_.touched());
  Taken();  // a turn ends
  EXPECT_TRUE(table_.touched());
  EXPECT_EQ(table_.TakeTouched(), (std::set<Fence>{kFence, kOther}));
  EXPECT_FALSE(table_.touched());
}

TEST_F(AttemptTableTest, TimeTouchesWhatIsDueAndAnAttemptHasOneTime) {
  Attempt& first = table_.Add(Holding());
  Attempt& second = table_.Add(Holding(kOther));
  EXPECT_EQ(table_.NextWake(), std::nullopt);
  table_.WakeAt(first, BootInstant{50});
  table_.WakeAt(first, BootInstant{30});
  table_.WakeAt(second, BootInstant{40});
  EXPECT_EQ(table_.NextWake(), BootInstant{30});
  table_.TouchDue(BootInstant{29});
  EXPECT_FALSE(table_.touched());
  table_.TouchDue(BootInstant{39});
  EXPECT_EQ(table_.TakeTouched(), std::set<Fence>{kFence});
  table_.WakeAt(first, std::nullopt);
  EXPECT_EQ(table_.NextWake(), BootInstant{40});
  table_.Enter(second, AttemptState::kClosed);
  table_.Erase(kOther);
  EXPECT_EQ(table_.NextWake(), std::nullopt);
}

}  // namespace
}  // namespace muster::meta
