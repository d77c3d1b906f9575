// The rules by which a group is chosen. Maui Sect. IV (node sets), scheduling.md (node sets).
#include "site/plan/set_choice.h"

#include <gtest/gtest.h>

namespace muster::plan {
namespace {

size_t Chosen(const std::vector<SetCandidate>& candidates, Span wait = {}) {
  return ChooseSet(candidates, wait).value();
}

TEST(SetChoice, IsNoneWithoutCandidates) { EXPECT_EQ(ChooseSet({}, {}), std::nullopt); }

TEST(SetChoice, TakesTheEarliestStartThenTheLeastLossThenWhatLeavesLeast) {
  EXPECT_EQ(Chosen({{.start = {20}}, {.start = {10}, .loss = 9}}), 1u);
  EXPECT_EQ(Chosen({{.start = {10}, .loss = 9}, {.start = {10}, .loss = 8, .left_over = 5}}), 1u);
  EXPECT_EQ(Chosen({{.start = {10}, .left_over = 5}, {.start = {10}, .left_over = 4}}), 1u);
  EXPECT_EQ(Chosen({{.start = {10}, .value = {450}}, {.start = {10}, .value = {600}}}), 1u);
  EXPECT_EQ(Chosen({{.start = {10}}, {.start = {10}}}), 0u);
}

TEST(SetChoice, WaitsForWhatIsWishedForOnlySoLong) {
  const std::vector<SetCandidate> both = {{.start = {20}, .wish = {0}},
                                          {.start = {10}, .wish = {1}}};
  EXPECT_EQ(Chosen(both, {9}), 1u);
  EXPECT_EQ(Chosen(both, {10}), 0u);
}

TEST(SetChoice, TakesTheFirstInOrderThatStartsSoonEnough) {
  EXPECT_EQ(Chosen({{.start = {40}, .wish = {0}},
                    {.start = {20}, .wish = {1}},
                    {.start = {10}, .wish = {2}}},
                   {15}),
            1u);
}

TEST(SetChoice, PrefersFastNodesThatStartAtOnceWhereNothingIsWished) {
  EXPECT_EQ(Chosen({{.start = {10}, .level = 1}, {.start = {10}, .level = 0, .loss = 3}}), 1u);
}

}  // namespace
}  // namespace muster::plan
