// Tries out answers to users in frozen copies of small federations. protocol.md section 10 (told).
#include "sim/told.h"

#include <gtest/gtest.h>

#include "sim/campaign.h"

namespace muster::sim {
namespace {

TEST(Told, OffersChangesAndWhatDoesNotHelpAreAsTheyWereSaid) {
  ToldCounts sum;
  for (uint64_t seed = 2; seed <= 4; ++seed) {
    const CampaignResult result = RunCampaign({.seed = seed,
                                               .faults = FaultKind::kNone,
                                               .settle = Seconds(1),
                                               .hours = true,
                                               .told = 400,
                                               .rebuild_every = 0});
    for (const std::string& wrong : result.told_wrong) ADD_FAILURE() << seed << ": " << wrong;
    sum += result.told;
  }
  EXPECT_GT(sum.offers.all, 10u);
  EXPECT_GT(sum.ways.all, 10u);
  EXPECT_GT(sum.deaf.all, 100u);
  EXPECT_GT(sum.causes.all, 10u);
  EXPECT_EQ(sum.causes.right, sum.causes.all);
}

}  // namespace
}  // namespace muster::sim
