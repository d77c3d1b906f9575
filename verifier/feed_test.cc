// The feed's order, chain and window. protocol.md sections 1 and 2 (report), 7.5, 7.6.
#include "verifier/feed.h"

#include <gtest/gtest.h>

#include "schemas/canonical.h"
#include "schemas/limits.h"

namespace muster::verifier {
namespace {

schemas::UsageChanged Usage(int64_t ms) { return {.index = 1, .usage = {.elapsed = {ms}}}; }
constexpr Fence kFence{{3}, 17};

TEST(Feed, NumbersChangesFromOneAndChainsTheirDigests) {
  Feed feed;
  Digest before;
  for (uint64_t r = 1; r <= 5; ++r) {
    const schemas::ChangeRecord record = feed.Append(kFence, Usage(int64_t(r)));
    EXPECT_EQ(record.change.revision, Revision{r});
    EXPECT_EQ(record.digest, schemas::ChainDigest(before, record.change));
    before = record.digest;
  }
  EXPECT_EQ(feed.end(), (schemas::FeedPosition{{5}, before}));
}

TEST(Feed, ReportsNameThePositionBeforeTheirFirstChange) {
  Feed feed;
  for (int i = 0; i < 4; ++i) feed.Append(kFence, Usage(i));
  const auto report = feed.ReportAfter({2});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->after, *feed.PositionAt({2}));
  ASSERT_EQ(report->changes.size(), 2u);
  EXPECT_EQ(report->changes[0].revision, Revision{3});
  EXPECT_FALSE(feed.ReportAfter({4}));
}

TEST(Feed, KeepsTheAcknowledgedChangeAsThePositionToStartFrom) {
  Feed feed;
  for (int i = 0; i < 4; ++i) feed.Append(kFence, Usage(i));
  EXPECT_EQ(feed.Acknowledge({3}), (std::vector<Revision>{{1}, {2}}));
  EXPECT_TRUE(feed.PositionAt({3}));
  EXPECT_FALSE(feed.PositionAt({2}));
  EXPECT_FALSE(feed.PositionAt({0}));
  EXPECT_EQ(feed.ReportAfter({3})->changes.size(), 1u);
}

TEST(Feed, IgnoresAcknowledgementsThatAreOldOrOfNothingSaid) {
  Feed feed;
  for (int i = 0; i < 4; ++i) feed.Append(kFence, Usage(i));
  feed.Acknowledge({3});
  EXPECT_TRUE(feed.Acknowledge({2}).empty());
  EXPECT_TRUE(feed.Acknowledge({99}).empty());
  EXPECT_EQ(feed.acknowledged(), Revision{3});
}

TEST(Feed, BoundsAReportByCountAndTheWindowByWhatIsUnacknowledged) {
  Feed feed;
  for (size_t i = 0; i < schemas::kFeedWindow + 50; ++i) feed.Append(kFence, Usage(int64_t(i)));
  EXPECT_EQ(feed.ReportAfter({0})->changes.size(), schemas::kReportChanges);
  EXPECT_EQ(feed.ReportAfter({schemas::kFeedWindow - 5})->changes.size(), 5u);
  EXPECT_FALSE(feed.ReportAfter({schemas::kFeedWindow}));
  feed.Acknowledge({10});
  EXPECT_EQ(feed.ReportAfter({schemas::kFeedWindow})->changes.size(), 10u);
}

TEST(Feed, BoundsAReportByBytesButAlwaysMovesOn) {
  Feed feed;
  schemas::PartChanged big;
  big.end.text = std::string(kReportBytes, 'x');
  feed.Append(kFence, big);
  feed.Append(kFence, big);
  EXPECT_EQ(feed.ReportAfter({0})->changes.size(), 1u);
}

TEST(Feed, IsRebuiltFromItsKeptChanges) {
  Feed feed;
  std::vector<schemas::ChangeRecord> kept;
  for (int i = 0; i < 6; ++i) kept.push_back(feed.Append(kFence, Usage(i)));
  feed.Acknowledge({4});
  Feed again(feed.end(), feed.acknowledged());
  for (size_t i = 3; i < 6; ++i) ASSERT_TRUE(again.Restore(kept[i]).ok());
  ASSERT_TRUE(again.CheckComplete().ok());
  EXPECT_EQ(again.ReportAfter({4}), feed.ReportAfter({4}));
  EXPECT_EQ(again.Append(kFence, Usage(9)), feed.Append(kFence, Usage(9)));
}

TEST(Feed, RefusesAStoreWithAGap) {
  Feed feed;
  std::vector<schemas::ChangeRecord> kept;
  for (int i = 0; i < 6; ++i) kept.push_back(feed.Append(kFence, Usage(i)));
  Feed gap(feed.end(), {0});
  ASSERT_TRUE(gap.Restore(kept[0]).ok());
  EXPECT_FALSE(gap.Restore(kept[2]).ok());
  Feed late(feed.end(), {0});
  for (size_t i = 2; i < 6; ++i) ASSERT_TRUE(late.Restore(kept[i]).ok());
  EXPECT_FALSE(late.CheckComplete().ok());
  Feed cut(feed.end(), {0});
  for (size_t i = 0; i < 5; ++i) ASSERT_TRUE(cut.Restore(kept[i]).ok());
  EXPECT_FALSE(cut.CheckComplete().ok());
}

}  // namespace
}  // namespace muster::verifier
