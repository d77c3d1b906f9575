// Operators drain and resume nodes while a federation works: every promise is kept or moved with a
// cause, and nothing new is booked where it must not be.
#include <gtest/gtest.h>

#include "sim/campaign.h"
#include "sim/checkers/checker.h"

namespace muster::sim::drains_test {
namespace {

constexpr Moment kNow{1'000'000};

SiteWrites Booked(const std::string& node) {
  schemas::HoldRecord hold;
  hold.order.fence = {{1}, 1};
  hold.state = schemas::HoldState::kPrepared;
  hold.parts = {{.index = 1, .place = {.index = 1, .chunks = {{node, {{"ncpus", 4}}}}}}};
  return {{"hold/x", schemas::SiteRecord{hold}}};
}
SiteWrites Drained(const std::string& node) {
  return {{"node/" + node, schemas::SiteRecord{schemas::NodeRecord{.name = node}}}};
}

TEST(Drains, ABookingOnADrainedNodeIsSeen) {
  auto check = CheckDrains({});
  check->OnSiteWrites(kNow, "lakes", Booked("n1"));
  check->OnSiteWrites(kNow, "lakes", Drained("n1"));
  check->OnSiteWrites(kNow, "lakes", Booked("n1"));  // as it was
  check->OnSiteWrites(kNow, "woods", Booked("n1"));  // another site's node
  EXPECT_TRUE(check->violations().empty());
  check->OnSiteWrites(kNow, "lakes", Booked("n2"));
  check->OnSiteWrites(kNow, "lakes", Booked("n1"));
  EXPECT_EQ(check->violations().size(), 1u);
  check->OnSiteWrites(kNow, "lakes", {{"node/n1", std::nullopt}});
  check->OnSiteWrites(kNow, "lakes", Booked("n2"));
  check->OnSiteWrites(kNow, "lakes", Booked("n1"));
  EXPECT_EQ(check->violations().size(), 1u);
}

TEST(Drains, OperatorsWhoDrainAndResumeBreakNoPromise) {
  constexpr FaultKind kFaults[] = {FaultKind::kNone, FaultKind::kLost, FaultKind::kCrash,
                                   FaultKind::kAll};
  size_t drains = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const CampaignOptions options{.seed = seed, .faults = kFaults[seed % 4], .drains = true};
    const CampaignResult result = RunCampaign(options);
    for (const std::string& violation : result.violations) ADD_FAILURE() << violation;
    EXPECT_EQ(result.violations.size(), 0u) << "again: " << ReplayCommand(options);
    EXPECT_GE(result.acknowledged, options.requests);
    EXPECT_GT(result.counts.drains, 0u);
    drains += result.counts.drains;
  }
  EXPECT_GT(drains, 12u);
}

}  // namespace
}  // namespace muster::sim::drains_test
