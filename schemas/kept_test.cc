// A turn writes exactly the records that were edited or erased, each once.
#include "schemas/kept.h"

#include <gtest/gtest.h>

#include <variant>

namespace muster::schemas {
namespace {

using AnyRecord = std::variant<int, std::string>;
using Writes = std::vector<Write<AnyRecord>>;

std::string KeyOf(int key) { return "k" + std::to_string(key); }

Writes Take(Kept<int, std::string>& kept) {
  Writes out;
  kept.TakeWrites(KeyOf, out);
  return out;
}

TEST(Kept, WhatIsRestoredIsNotWrittenAndWhatIsEditedOnceInKeyOrder) {
  Kept<int, std::string> kept;
  kept.Restore(1, "one");
  EXPECT_FALSE(kept.due());
  kept.Edit(3) = "three";
  kept.Edit(2) = "two";
  kept.Edit(3) += "!";
  EXPECT_TRUE(kept.due());
  EXPECT_EQ(Take(kept), (Writes{{"k2", "two"}, {"k3", "three!"}}));
  EXPECT_FALSE(kept.due());
  EXPECT_TRUE(Take(kept).empty());
}

TEST(Kept, WhatIsErasedIsRemovedAndWhatWasNotThereIsNot) {
  Kept<int, std::string> kept;
  kept.Restore(1, "one");
  kept.Erase(1);
  kept.Erase(7);
  EXPECT_EQ(Take(kept), (Writes{{"k1", std::nullopt}}));
  EXPECT_EQ(kept.Find(1), nullptr);
  EXPECT_TRUE(kept.empty());
}

TEST(Kept, TheOneRecordIsWrittenWhenItWasEdited) {
  KeptOne<std::string> kept;
  kept.Restore("as stored");
  Writes out;
  kept.TakeWrites("key", out);
  EXPECT_TRUE(out.empty());
  kept.Edit() = "new";
  EXPECT_TRUE(kept.due());
  kept.TakeWrites("key", out);
  kept.TakeWrites("key", out);
  EXPECT_EQ(out, (Writes{{"key", "new"}}));
  EXPECT_EQ(*kept, "new");
}

}  // namespace
}  // namespace muster::schemas
