// Which sources a gathering awaits, and when it is over. Needs no core.
#include "meta/service/gatherings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::meta {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

using Counts = Gatherings<std::string, int>;

class GatheringsTest : public testing::Test {
 protected:
  void Begin(uint64_t number, std::vector<std::string> sites,
             std::optional<BootInstant> until = std::nullopt, std::string user = "kim") {
    counts_.Begin(number, {user, "link", MessageNumber{number}}, "how many?", until);
    for (const std::string& site : sites) counts_.Ask(number, site);
  }
  Counts counts_;
};

TEST_F(GatheringsTest, ItIsOverWithTheAnswersOfAll) {
  Begin(7, {"hills", "lakes"});
  EXPECT_TRUE(counts_.Take(7, "lakes", 2));
  EXPECT_FALSE(counts_.TakeComplete(7).has_value());
  EXPECT_THAT(counts_.Awaited(7), ElementsAre("hills"));
  EXPECT_TRUE(counts_.Take(7, "hills", 1));
  const auto over = counts_.TakeComplete(7);
  ASSERT_TRUE(over.has_value());
  EXPECT_EQ(over->client.number, MessageNumber{7});
  EXPECT_EQ(over->question, "how many?");
  EXPECT_THAT(over->answers, ElementsAre(Pair("hills", 1), Pair("lakes", 2)));
  EXPECT_THAT(over->asked, ElementsAre("hills", "lakes"));
  EXPECT_EQ(counts_.Find(7), nullptr);
  EXPECT_FALSE(counts_.TakeComplete(7).has_value());
}

TEST_F(GatheringsTest, WithNobodyAskedItIsOverAtOnce) {
  Begin(7, {});
  EXPECT_TRUE(counts_.TakeComplete(7).has_value());
}

TEST_F(GatheringsTest, ASiteThatEndsIsAwaitedByNoGathering) {
  Begin(7, {"lakes"});
  Begin(8, {"hills", "lakes"});
  Begin(9, {"hills"});
  Begin(10, {"hills", "lakes"});
  counts_.Take(10, "hills", 1);
  const auto over = counts_.End("lakes");
  ASSERT_EQ(over.size(), 2u);
  EXPECT_THAT(over[0].answers, IsEmpty());
  EXPECT_EQ(over[0].client.number, MessageNumber{7});
  EXPECT_THAT(over[1].answers, ElementsAre(Pair("hills", 1)));
  EXPECT_THAT(counts_.numbers(), ElementsAre(8, 9));
  EXPECT_FALSE(counts_.Take(8, "lakes", 2));
  EXPECT_TRUE(counts_.Miss(8, "hills"));
  EXPECT_THAT(counts_.TakeComplete(8)->answers, IsEmpty());
}

TEST_F(GatheringsTest, OneWhoseTimeIsUpIsOverWithWhatIsThere) {
  Begin(7, {"hills", "lakes"}, BootInstant{2000});
  Begin(8, {"hills"}, BootInstant{2001});
  Begin(9, {"hills"});
  counts_.Take(7, "lakes", 2);
  EXPECT_EQ(counts_.NextEnd(), BootInstant{2000});
  EXPECT_THAT(counts_.EndOverdue(BootInstant{1999}), IsEmpty());
  const auto over = counts_.EndOverdue(BootInstant{2000});
  ASSERT_EQ(over.size(), 1u);
  EXPECT_THAT(over[0].answers, ElementsAre(Pair("lakes", 2)));
  EXPECT_EQ(counts_.NextEnd(), BootInstant{2001});
  counts_.Extend(8, BootInstant{3000});
  EXPECT_THAT(counts_.Overdue(BootInstant{2999}), IsEmpty());
  EXPECT_EQ(counts_.EndOverdue(BootInstant{3000}).size(), 1u);
  EXPECT_EQ(counts_.NextEnd(), std::nullopt);
  EXPECT_THAT(counts_.numbers(), ElementsAre(9));
}

TEST_F(GatheringsTest, AnAnswerOfNobodyAskedChangesNothing) {
  Begin(7, {"lakes"});
  EXPECT_FALSE(counts_.Take(7, "hills", 1));
  EXPECT_FALSE(counts_.Take(8, "lakes", 1));
  EXPECT_FALSE(counts_.Miss(7, "hills"));
  EXPECT_THAT(counts_.Find(7)->answers, IsEmpty());
  EXPECT_THAT(counts_.Awaited(7), ElementsAre("lakes"));
}

TEST_F(GatheringsTest, OfTwoAnswersOfOneTheFirstCounts) {
  Begin(7, {"hills", "lakes"});
  EXPECT_TRUE(counts_.Take(7, "lakes", 2));
  EXPECT_FALSE(counts_.Take(7, "lakes", 3));
  EXPECT_FALSE(counts_.Miss(7, "lakes"));
  EXPECT_THAT(counts_.Find(7)->answers, ElementsAre(Pair("lakes", 2)));
  EXPECT_THAT(counts_.Awaited(7), ElementsAre("hills"));
}

TEST_F(GatheringsTest, QuestionsOfAUserCountUntilTheyAreOver) {
  Begin(7, {"lakes"});
  Begin(8, {"lakes"});
  Begin(9, {"lakes"}, std::nullopt, "ana");
  EXPECT_EQ(counts_.CountOf("kim"), 2u);
  EXPECT_TRUE(counts_.Close(8).has_value());
  EXPECT_FALSE(counts_.Close(8).has_value());
  EXPECT_EQ(counts_.CountOf("kim"), 1u);
  EXPECT_EQ(counts_.CountOf("ana"), 1u);
}

TEST_F(GatheringsTest, OneThatIsAskedAnewIsAwaitedAnew) {
  Begin(7, {"lakes"});
  counts_.Take(7, "lakes", 2);
  counts_.Ask(7, "lakes");
  EXPECT_FALSE(counts_.TakeComplete(7).has_value());
  EXPECT_TRUE(counts_.Take(7, "lakes", 3));
  EXPECT_THAT(counts_.TakeComplete(7)->answers, ElementsAre(Pair("lakes", 3)));
}

TEST_F(GatheringsTest, NoNumberIsUsedTwice) {
  Begin(7, {"lakes"});
  EXPECT_DEATH(Begin(7, {}), "is_new");
}

}  // namespace
}  // namespace muster::meta
