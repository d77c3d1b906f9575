// Use at a site, by window and by whom; dates that ceilings give.
#include "site/policy/site_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::site {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;
using verifier::UseBook;

policy::FairshareRules Rules() {
  return {.window = Span{100},
          .depth = 3,
          .decay = 500,
          .shares = {{.who = "account chem", .ceiling = 300, .admission = true},
                     {.who = "@weather", .target = 500}}};
}

class Shares : public ::testing::Test {
 protected:
  // Of one part with this many processors, for 100 s.
  schemas::HoldRecord& Hold(uint64_t number, const std::string& account, int64_t cpus,
                            int64_t start) {
    const Fence fence{{1}, number};
    schemas::HoldRecord& hold = holds_[fence];
    hold.order = {.fence = fence, .requester = {"kim", {"weather"}}};
    hold.order.account = account;
    hold.order.parts = {
        {.chunks = {{.count = 1, .resources = {{"ncpus", cpus}}}}, .duration = Span{100}}};
    hold.state = schemas::HoldState::kCommitted;
    hold.start = Instant{start};
    hold.parts = {{.index = 1}};
    return hold;
  }
  // It ran from `from` to `to`.
  void Ran(schemas::HoldRecord& hold, int64_t from, int64_t to) {
    schemas::PartRecord& part = hold.parts[0];
    part.state = schemas::PartState::kEnded;
    part.started_at = Moment{from * 1000};
    part.ended_at = Moment{to * 1000};
    part.usage.elapsed = Seconds(to - from);
    part.usage_final = true;
    shares_.Count(hold, part, book_);
  }
  int64_t UsedIn(const std::string& who, int64_t window) const {
    const auto it = book_.all().find({who, Instant{window}});
    return it == book_.all().end() ? 0 : it->second.amount;
  }
  bool Judge(int64_t second) { return shares_.Judge(holds_, book_, Moment{second * 1000}); }

  SiteShares shares_{Rules(), {}};
  SiteShares::Holds holds_;
  UseBook book_;
  const Credentials chem_{.user = "kim", .account = "chem"};
};

TEST_F(Shares, WhatEndedIsOnRecordForAllTheUserItsGroupsAndItsAccount) {
  Ran(Hold(1, "chem", 4, 50), 50, 130);
  for (const char* who : {"*", "kim", "@weather", "account chem"}) {
    EXPECT_EQ(UsedIn(who, 0), 4 * 50'000) << who;
    EXPECT_EQ(UsedIn(who, 100), 4 * 30'000) << who;
  }
}

TEST_F(Shares, AReservationCountsAndNotWhatRunsInside) {
  schemas::HoldRecord& inside = Hold(1, "chem", 4, 0);
  inside.order.inside = RequestId{7};
  Ran(inside, 0, 50);
  EXPECT_TRUE(book_.all().empty());
}

TEST_F(Shares, WhatASiteReportsBeyondItsBookingIsCut) {
  Ran(Hold(1, "", 1, 0), 0, 10'000);
  int64_t sum = 0;
  for (const auto& [key, record] : book_.all()) sum += key.first == "*" ? record.amount : 0;
  EXPECT_EQ(sum, (100 + 600) * 1000);
}

TEST_F(Shares, NothingIsCountedWithoutRules) {
  const SiteShares none(std::nullopt, {});
  schemas::HoldRecord& hold = Hold(1, "chem", 4, 0);
  Ran(hold, 0, 50);
  book_ = {};
  none.Count(hold, hold.parts[0], book_);
  EXPECT_TRUE(book_.all().empty());
}

TEST_F(Shares, RunningWorkCountsToNowAndItsRestAsPromised) {
  Ran(Hold(1, "", 3, 0), 0, 100);
  schemas::HoldRecord& runs = Hold(2, "chem", 1, 100);
  runs.state = schemas::HoldState::kPermitted;
  runs.parts[0].state = schemas::PartState::kRunning;
  runs.parts[0].started_at = Moment{100'000};
  const policy::SharesNow now = shares_.At(holds_, book_, Moment{150'000});
  // Used: 300 in the last window, which counts half, and 50 now; promised: 50.
  EXPECT_THAT(now.at("account chem").part.used, Optional(50 * 1'000'000 / 200));
  EXPECT_THAT(now.at("account chem").part.booked, Optional(1'000'000));
  EXPECT_THAT(now.at("account chem").part.counts, Optional(100 * 1'000'000 / 250));
}

TEST_F(Shares, OfAHoldAndTheOneThatIsToReplaceItOneCounts) {
  Hold(1, "chem", 2, 50);
  schemas::HoldRecord& next = Hold(2, "chem", 2, 20);
  next.order.replaces = Fence{{1}, 1};
  next.state = schemas::HoldState::kPrepared;
  Hold(3, "", 2, 50);
  const policy::SharesNow now = shares_.At(holds_, book_, Moment{0});
  EXPECT_THAT(now.at("account chem").part.counts, Optional(500'000));
}

TEST_F(Shares, AboveACeilingNewWorkIsDatedToTheRollOverByWhichItHasComeDown) {
  Ran(Hold(1, "chem", 1, 0), 0, 100);
  Ran(Hold(2, "", 1, 100), 100, 200);
  // 50 of 150 now; 25 of 75 a window on; forgotten with the third.
  EXPECT_TRUE(Judge(199));
  ASSERT_TRUE(shares_.Barred(chem_).has_value());
  EXPECT_EQ(shares_.Barred(chem_)->who, "account chem");
  EXPECT_EQ(shares_.Barred(chem_)->until, Instant{300});
  EXPECT_EQ(shares_.NextEnd(), Instant{300});
  EXPECT_FALSE(shares_.Barred({.user = "kim"}).has_value());
  EXPECT_FALSE(Judge(199));  // once a second
  EXPECT_FALSE(Judge(200));  // as before
  EXPECT_TRUE(Judge(300));
  EXPECT_FALSE(shares_.Barred(chem_).has_value());
}

TEST_F(Shares, RowsShowEachShare) {
  Ran(Hold(1, "chem", 1, 0), 0, 100);
  Ran(Hold(2, "", 1, 100), 100, 200);
  Judge(199);
  const auto rows = shares_.Rows(holds_, book_, Moment{199'000});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].who, "account chem");
  EXPECT_EQ(rows[1].new_work, Instant{300});
  EXPECT_EQ(rows[0].who, "@weather");
  EXPECT_EQ(rows[0].used_ratio, 1.0);
}

TEST_F(Shares, OldWindowsAreForgottenOnceInEachWindow) {
  Ran(Hold(1, "chem", 1, 0), 0, 100);
  shares_.ForgetOld(book_, Moment{250'000});
  EXPECT_FALSE(book_.all().empty());
  shares_.ForgetOld(book_, Moment{300'000});
  EXPECT_TRUE(book_.all().empty());
}

}  // namespace
}  // namespace muster::site
