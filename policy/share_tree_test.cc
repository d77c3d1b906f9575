// A tree of shares, as worked out by hand. scheduling.md section 12.
#include "policy/share_tree.h"

#include <gtest/gtest.h>

namespace muster::policy {
namespace {

Share Of(const std::string& who, int64_t target, const std::string& parent = "") {
  return {.who = who, .target = target, .parent = parent};
}

TEST(TreeValues, WithoutParentsTheOneFurthestBelowItsTargetIsFirst) {
  const std::vector<Share> shares = {Of("a", 500), Of("b", 300), Of("c", 200)};
  // 500/60, 300/30 and 200/10 by use: c, b, a.
  EXPECT_EQ(TreeValues(shares, {60, 30, 10}), (std::vector<int64_t>{333, 666, 1000}));
  EXPECT_EQ(TreeValues(shares, {50, 30, 20}), (std::vector<int64_t>{1000, 1000, 1000}))
      << "equal levels tie";
  EXPECT_EQ(TreeValues(shares, {0, 0, 20}), (std::vector<int64_t>{1000, 1000, 333}))
      << "who has had nothing is first";
}

TEST(TreeValues, ADepartmentBelowItsTargetTakesAllOfItsGroupsAlong) {
  // The department d has had less than its half: both of its groups go before e, even g, which has
  // had nearly all of d's.
  const std::vector<Share> shares = {Of("d", 500), Of("e", 500), Of("g", 500, "d"),
                                     Of("h", 500, "d")};
  EXPECT_EQ(TreeValues(shares, {40, 60, 39, 1}), (std::vector<int64_t>{500, 250, 750, 1000}));
}

TEST(TreeValues, WhatIsBelowSiblingsThatTieIsLaidOutTogether) {
  const std::vector<Share> shares = {Of("d", 500),      Of("e", 500),      Of("g", 500, "d"),
                                     Of("h", 500, "d"), Of("i", 500, "e"), Of("j", 500, "e")};
  // h and j have had a quarter of their parents' use, g and i three quarters.
  EXPECT_EQ(TreeValues(shares, {40, 40, 30, 10, 30, 10}),
            (std::vector<int64_t>{333, 333, 666, 1000, 666, 1000}));
}

TEST(TreeValues, LevelsAreOfWhatSiblingsHave) {
  // Twice as much was used below e; of each parent the halves are alike, so all four tie.
  const std::vector<Share> shares = {Of("d", 250),      Of("e", 500),      Of("g", 500, "d"),
                                     Of("h", 500, "d"), Of("i", 500, "e"), Of("j", 500, "e")};
  EXPECT_EQ(TreeValues(shares, {20, 40, 10, 10, 20, 20}),
            (std::vector<int64_t>{333, 333, 1000, 1000, 1000, 1000}));
}

}  // namespace
}  // namespace muster::policy
