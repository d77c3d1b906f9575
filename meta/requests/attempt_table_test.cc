// The table of attempts by itself: what of it is written, and when.
#include "meta/requests/attempt_table.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace muster::meta {
namespace {

using schemas::AttemptState;
using Writes = std::vector<schemas::Write<schemas::MetaRecord>>;

class AttemptTableTest : public testing::Test {
 protected:
  static schemas::AttemptRecord Holding() {
    schemas::AttemptRecord record;
    record.fence = kFence;
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
  AttemptTable table_;
};

TEST_F(AttemptTableTest, NothingIsWrittenBeforeItIsDurable) {
  Attempt& attempt = table_.Add(Holding());
  table_.Edit(attempt).start = Instant{60};
  EXPECT_FALSE(table_.due());
  table_.Edit(attempt).state = AttemptState::kClosed;
  table_.Erase(kFence);
  EXPECT_TRUE(Taken().empty());
}

TEST_F(AttemptTableTest, WhatIsDurableIsWrittenWithEveryTurnThatChangesIt) {
  Attempt& attempt = table_.Add(Holding());
  table_.Edit(attempt).state = AttemptState::kDecided;
  table_.MakeDurable(attempt);
  const Writes first = Taken();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(std::get<schemas::AttemptRecord>(*first[0].value), attempt.record());
  EXPECT_TRUE(Taken().empty());
  table_.Edit(attempt).start = Instant{60};
  EXPECT_EQ(Taken().size(), 1u);
}

TEST_F(AttemptTableTest, WhatTheStoreHasIsDurableAndRemovedWhenItIsErased) {
  table_.Restore(Holding());
  EXPECT_FALSE(table_.due());
  EXPECT_TRUE(table_.at(kFence).durable());
  table_.Edit(table_.at(kFence)).state = AttemptState::kClosed;
  table_.Erase(kFence);
  const Writes writes = Taken();
  ASSERT_EQ(writes.size(), 1u);
  EXPECT_FALSE(writes[0].value.has_value());
}

TEST_F(AttemptTableTest, OneThatIsNotClosedIsNotErased) {
  table_.Add(Holding());
  EXPECT_DEATH(table_.Erase(kFence), "kClosed");
}

}  // namespace
}  // namespace muster::meta
