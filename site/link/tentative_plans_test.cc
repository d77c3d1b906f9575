// Which tentative plans a site still keeps when a proposal continues one.
#include "site/link/tentative_plans.h"

#include <gtest/gtest.h>

namespace muster::site {
namespace {

TEST(TentativePlans, TheNewestTwoAreKeptWhileThePlanStands) {
  TentativePlans tentative;
  const auto run = [] {
    std::shared_ptr<SitePlanner::Run> out;
    SitePlanner(Options{}).Continue({}, Instant{1000}, out);
    return out;
  };
  for (uint64_t i = 1; i <= 3; ++i) tentative.Keep(ProposalId{i}, PlanRevision{7}, run());
  EXPECT_EQ(tentative.size(), kTentativePlans);
  EXPECT_EQ(tentative.Take(ProposalId{1}, PlanRevision{7}), nullptr) << "the oldest gave way";
  EXPECT_NE(tentative.Take(ProposalId{2}, PlanRevision{7}), nullptr);
  EXPECT_EQ(tentative.Take(ProposalId{2}, PlanRevision{7}), nullptr) << "it was continued";
  EXPECT_EQ(tentative.Take(ProposalId{3}, PlanRevision{8}), nullptr) << "another plan";
  EXPECT_EQ(tentative.size(), 0u);
}

}  // namespace
}  // namespace muster::site
