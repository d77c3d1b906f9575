// At a machine that needs its parts some seconds before their start, they are handed over early in
// the order of their starts. protocol.md section 3.3.
#include <gtest/gtest.h>

#include "site/driven_site_fixture.h"

namespace muster::site {
namespace {

class HandingOver : public DrivenSite {
 protected:
  HandingOver() {
    options_.facts.start_ahead = Span{8};
    options_.facts.start_slack = Span{8};
    options_.nodes.pop_back();  // n1 alone
    Load();
    Say(schemas::Welcome{.epoch = {1}});
  }
  // Of some of the node's four processors, not before `start`.
  void At(uint64_t number, int64_t start, int64_t seconds, int64_t ncpus) {
    schemas::HoldOrder order = OrderFor(number, number, start, seconds, std::nullopt, false);
    order.earliest = kNow + Span{start};
    order.parts[0].chunks[0].resources.Set("ncpus", ncpus);
    Order(order);
    Permit(number);
    ASSERT_EQ(Hold(number).start, kNow + Span{start});
  }
  void End(uint64_t number) {
    driver::PartEnded ended{.token = Hold(number).parts.at(0).token, .at = Time().wall};
    ended.end = {.by = schemas::EndedBy::kExit, .exit_code = 0};
    Turn({DriverSays{ended}});
  }
};

TEST_F(HandingOver, NobodyTakesTheNodesOfWhoIsDueBefore) {
  At(1, 1, 20, 4);
  At(3, 22, 4, 4);   // waits for the first to end
  At(2, 27, 30, 2);  // fits beside nobody of them
  Until(20);
  ASSERT_EQ(started_.size(), 1u);
  End(1);
  ASSERT_EQ(started_.size(), 2u);
  EXPECT_TRUE(Hold(3).parts.at(0).started_at) << "it is due before";
  Until(25);
  EXPECT_EQ(started_.size(), 2u) << "it still runs";
  End(3);
  EXPECT_EQ(started_.size(), 3u);
  EXPECT_EQ(Hold(2).start, kNow + Span{27});
}

TEST_F(HandingOver, WhoFitsBesideThoseThatAreDueBeforeIsHandedOver) {
  At(1, 1, 20, 2);
  At(3, 22, 10, 3);
  At(2, 24, 30, 1);
  Until(16);
  EXPECT_EQ(started_.size(), 2u) << "the third waits until the first has ended";
  End(1);
  EXPECT_EQ(started_.size(), 3u);
}

TEST_F(HandingOver, AReservationInWhichNobodyWaitsHoldsNobodyUp) {
  Place(1, 1, 1, 20, std::nullopt, true);
  At(2, 22, 30, 2);
  Until(13);
  EXPECT_TRUE(started_.empty());
  Until(14);
  EXPECT_EQ(started_.size(), 1u);
}

TEST_F(HandingOver, WhoWasDueBeforeAndHasMovedAwayHoldsNobodyUp) {
  At(1, 1, 20, 4);
  At(3, 22, 4, 4);
  At(2, 27, 30, 2);
  Until(20);
  Order(schemas::ReleaseOrder{.fence = {{1}, 3}});
  End(1);
  EXPECT_EQ(started_.size(), 2u);
  EXPECT_TRUE(Hold(2).parts.at(0).started_at);
}

}  // namespace
}  // namespace muster::site
