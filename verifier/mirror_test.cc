// protocol.md sections 0.4 and 7.5: the feed rule and the listing that wins.
#include "verifier/mirror.h"

#include <gtest/gtest.h>

#include "schemas/canonical.h"
#include "verifier/floor.h"

namespace muster::verifier::mirror_test {
namespace {

using schemas::HoldState;

const Fence kFence{Epoch{1}, 7};

schemas::Change HoldChange(uint64_t revision, HoldState state) {
  return {Revision{revision}, kFence,
          schemas::HoldChanged{.state = state, .request = RequestId{42}, .start = Instant{100}}};
}

schemas::Report ReportOf(schemas::FeedPosition after, std::vector<schemas::Change> changes) {
  return {after, std::move(changes)};
}

schemas::FeedPosition After(schemas::FeedPosition p, const std::vector<schemas::Change>& changes) {
  for (const schemas::Change& c : changes) {
    p.digest = schemas::ChainDigest(p.digest, c);
    p.revision = c.revision;
  }
  return p;
}

TEST(Mirror, AppliesTheNextRevisionAndIgnoresDuplicates) {
  Mirror mirror("lakes");
  const std::vector<schemas::Change> changes = {HoldChange(1, HoldState::kPrepared),
                                                HoldChange(2, HoldState::kCommitted)};
  EXPECT_EQ(mirror.Apply(ReportOf({}, changes)).applied.size(), 2u);
  EXPECT_EQ(mirror.position(), After({}, changes));
  const Mirror::Outcome again = mirror.Apply(ReportOf({}, changes));
  EXPECT_EQ(again.heard, Mirror::Heard::kApplied);
  EXPECT_TRUE(again.applied.empty());
  EXPECT_EQ(mirror.Find(kFence)->state, HoldState::kCommitted);
  EXPECT_EQ(mirror.Find(kFence)->request, RequestId{42});
}

TEST(Mirror, AGapChangesNothingAndIsNamed) {
  Mirror mirror("lakes");
  const schemas::FeedPosition later{Revision{4}, {}};
  EXPECT_EQ(mirror.Apply(ReportOf(later, {HoldChange(5, HoldState::kHeld)})).heard,
            Mirror::Heard::kGap);
  EXPECT_EQ(mirror.Apply(ReportOf({}, {HoldChange(3, HoldState::kHeld)})).heard,
            Mirror::Heard::kGap);
  EXPECT_TRUE(mirror.holds().empty());
}

TEST(Mirror, SameRevisionWithAnotherDigestDiverges) {
  Mirror mirror("lakes");
  mirror.Apply(ReportOf({}, {HoldChange(1, HoldState::kPrepared)}));
  schemas::FeedPosition other{Revision{1}, {}};
  other.digest.bytes[0] = 9;
  EXPECT_EQ(mirror.Apply(ReportOf(other, {HoldChange(2, HoldState::kCommitted)})).heard,
            Mirror::Heard::kDiverged);
  EXPECT_EQ(mirror.Find(kFence)->state, HoldState::kPrepared);
}

TEST(Mirror, PartsKeepTheirStoryThroughLaterChanges) {
  Mirror mirror("lakes");
  const schemas::PartBooking booking{.index = 2, .nodes = {"n1"}, .rendezvous = "h:1"};
  schemas::HoldChanged committed{.state = HoldState::kCommitted, .start = Instant{100}};
  committed.parts = {booking};
  const schemas::PartEnd end{.by = schemas::EndedBy::kExit, .exit_code = 3};
  mirror.Apply(ReportOf(
      {},
      {{Revision{1}, kFence, committed},
       {Revision{2}, kFence,
        schemas::PartChanged{2, schemas::PartState::kRunning, Moment{1000}, {}, {}, Moment{1000}}},
       {Revision{3}, kFence,
        schemas::PartChanged{2, schemas::PartState::kEnded, Moment{2000}, {}, end, {}}},
       {Revision{4}, kFence,
        schemas::HoldChanged{.state = HoldState::kClosed,
                             .closed_as = schemas::ClosedAs::kEnded,
                             .started = schemas::Started::kYes}}}));
  const schemas::MirrorRecord& hold = *mirror.Find(kFence);
  ASSERT_EQ(hold.parts.size(), 1u);
  EXPECT_EQ(hold.parts[0].booking, booking);
  EXPECT_EQ(hold.parts[0].started_at, Moment{1000});
  EXPECT_EQ(hold.parts[0].ended_at, Moment{2000});
  EXPECT_EQ(hold.parts[0].end, end);
  EXPECT_EQ(hold.start, Instant{100});
}

// It was released while it was being started, and began all the same: its time counts.
TEST(Mirror, APartThatBeganWhileItWasBeingStoppedHasStarted) {
  Mirror mirror("lakes");
  const auto ending = [](std::optional<Moment> started_at) {
    return schemas::PartChanged{1, schemas::PartState::kEnding, Moment{900}, {}, {}, started_at};
  };
  schemas::HoldChanged permitted{.state = HoldState::kPermitted, .start = Instant{1}};
  permitted.parts = {{.index = 1, .nodes = {"n1"}}};
  mirror.Apply(ReportOf({}, {{Revision{1}, kFence, permitted}, {Revision{2}, kFence, ending({})}}));
  EXPECT_EQ(mirror.Find(kFence)->started, schemas::Started::kNo);
  mirror.Apply(ReportOf(mirror.position(), {{Revision{3}, kFence, ending(Moment{1000})}}));
  EXPECT_EQ(mirror.Find(kFence)->started, schemas::Started::kYes);
  EXPECT_EQ(mirror.Find(kFence)->parts.at(0).started_at, Moment{1000});
}

TEST(Mirror, WhatARunningPartWasExtendedByAndHasIsKept) {
  Mirror mirror("lakes");
  const auto runs = [](Span extended, std::vector<uint64_t> counts) {
    schemas::PartBooking booking{.index = 1, .nodes = {"n1"}, .rendezvous = "h:1"};
    booking.extended = extended;
    booking.counts = std::move(counts);
    return schemas::PartChanged{
        1, schemas::PartState::kRunning, Moment{1000}, booking, {}, Moment{1000}};
  };
  mirror.Apply(ReportOf({}, {{Revision{1}, kFence, runs({}, {})},
                             {Revision{2}, kFence, runs(Span{60}, {})},
                             {Revision{3}, kFence, runs(Span{60}, {2, 1})}}));
  const schemas::MirrorPart& part = mirror.Find(kFence)->parts.at(0);
  EXPECT_EQ(part.started_at, Moment{1000});
  EXPECT_EQ(part.booking.extended, Span{60});
  EXPECT_EQ(part.booking.counts, (std::vector<uint64_t>{2, 1}));
  schemas::HoldRecord listed;
  listed.order.fence = kFence;
  listed.parts = {{.index = 1, .extended = Span{90}, .counts = {3, 1}}};
  const schemas::MirrorRecord mirrored = MirrorOf("lakes", listed);
  EXPECT_EQ(mirrored.parts.at(0).booking.extended, Span{90});
  EXPECT_EQ(mirrored.parts.at(0).booking.counts, (std::vector<uint64_t>{3, 1}));
}

TEST(Mirror, AListingWinsAndWhatItMissesWasForgot) {
  Mirror mirror("lakes");
  mirror.Apply(ReportOf({}, {HoldChange(1, HoldState::kPrepared)}));
  const Fence other{Epoch{1}, 8};
  schemas::HoldRecord listed;
  listed.order.fence = other;
  listed.state = HoldState::kCommitted;
  std::vector<Fence> changed;
  schemas::Listing page{.feed = {Revision{9}, {}}, .first = true, .last = false};
  EXPECT_FALSE(mirror.Take(page, changed));
  EXPECT_EQ(mirror.Find(kFence)->state, HoldState::kPrepared);
  page = {.feed = {Revision{9}, {}}, .first = false, .last = true, .holds = {listed}};
  EXPECT_TRUE(mirror.Take(page, changed));
  EXPECT_EQ(mirror.position().revision, Revision{9});
  EXPECT_EQ(mirror.Find(kFence)->state, HoldState::kClosed);
  EXPECT_EQ(mirror.Find(kFence)->cause.code, schemas::CauseCode::kForgot);
  EXPECT_EQ(mirror.Find(other)->state, HoldState::kCommitted);
  EXPECT_EQ(changed.size(), 2u);
}

TEST(Mirror, APermittedHoldThatWasForgottenMayHaveRun) {
  Mirror mirror("lakes");
  mirror.Apply(ReportOf({}, {HoldChange(1, HoldState::kPermitted)}));
  EXPECT_TRUE(mirror.Forgot(kFence));
  EXPECT_EQ(mirror.Find(kFence)->started, schemas::Started::kUnknown);
  EXPECT_FALSE(mirror.Forgot(kFence));
}

TEST(Mirror, WritesWhatChangedOnceAndNothingThatTheStoreHas) {
  const auto writes = [](Mirror& mirror) {
    std::vector<schemas::Write<schemas::MetaRecord>> out;
    mirror.TakeWrites(
        [](const std::string& site, const Fence& fence) { return site + "/" + ToText(fence); },
        out);
    return out;
  };
  Mirror mirror("lakes");
  mirror.Restore({.site = "lakes", .fence = {Epoch{1}, 6}, .state = HoldState::kPrepared});
  EXPECT_TRUE(writes(mirror).empty());
  EXPECT_FALSE(mirror.TakeMoved());
  mirror.Apply(ReportOf({}, {HoldChange(1, HoldState::kPrepared)}));
  ASSERT_EQ(writes(mirror).size(), 1u);
  EXPECT_TRUE(mirror.TakeMoved());
  EXPECT_FALSE(mirror.TakeMoved());
  mirror.Apply(ReportOf({}, {HoldChange(1, HoldState::kPrepared)}));
  EXPECT_TRUE(writes(mirror).empty());
  mirror.Erase(kFence);
  const auto removed = writes(mirror);
  ASSERT_EQ(removed.size(), 1u);
  EXPECT_EQ(removed[0].key, "lakes/" + ToText(kFence));
  EXPECT_FALSE(removed[0].value.has_value());
}

TEST(Floor, IsTheSmallestFenceInHoldingElseTheNext) {
  FenceMint mint(Epoch{3});
  EXPECT_EQ(mint.Floor(), (Fence{Epoch{3}, 1}));
  const Fence a = mint.Mint();
  const Fence b = mint.Mint();
  EXPECT_EQ(mint.Floor(), a);
  mint.Settle(a);
  EXPECT_EQ(mint.Floor(), b);
  mint.Settle(b);
  mint.Settle(b);
  EXPECT_EQ(mint.Floor(), (Fence{Epoch{3}, 3}));
}

}  // namespace
}  // namespace muster::verifier::mirror_test
