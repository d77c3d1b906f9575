// The tables of protocol.md section 3 under every order of losses, duplicates and crashes within
// bounds; and the proof that this search would have found the faults it looks for.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>

#include "verifier/exploration/explore.h"

namespace muster::verifier::exploration {
namespace {

double Seconds() {
  using Clock = std::chrono::steady_clock;
  static const Clock::time_point begin = Clock::now();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double began = 0;
double Spent() { return Seconds() - began; }

Found Look(const Config& config, Bounds bounds) {
  began = Seconds();
  Found found = Explore(config, bounds, Spent);
  std::cout << ToText(found) << " in " << Spent() << " s\n";
  if (!found.violation.empty()) {
    std::cout << found.violation << "\n";
    for (const std::string& move : found.trace) std::cout << "  " << move << "\n";
  }
  return found;
}

// MUSTER_EXPLORE_STATES and MUSTER_EXPLORE_SECONDS widen the search of the first tests to the
// bounds of the page.
Bounds Wide() {
  Bounds bounds{.states = 400'000, .seconds = 20};
  if (const char* states = std::getenv("MUSTER_EXPLORE_STATES"))
    bounds.states = std::strtoull(states, nullptr, 10);
  if (const char* seconds = std::getenv("MUSTER_EXPLORE_SECONDS"))
    bounds.seconds = std::strtoull(seconds, nullptr, 10);
  return bounds;
}

TEST(Exploration, WithoutFaultsEveryOrderOfEventsKeepsThePromises) {
  const Found found =
      Look({.members = 2, .losses = 0, .duplicates = 0, .crashes_per_daemon = 0}, Wide());
  EXPECT_EQ(found.violation, "");
  EXPECT_GT(found.states, 100u);
}

TEST(Exploration, ASearchThatSawEveryStateSaysSo) {
  const Found found = Look(
      {.members = 1, .late_answers = false, .losses = 0, .duplicates = 0, .crashes_per_daemon = 0},
      Wide());
  EXPECT_EQ(found.violation, "");
  EXPECT_TRUE(found.complete);
  EXPECT_NE(
      ToText(found).find("all there are (1 request, 2 attempts of 1 member, 2 sites, 1 epoch;"),
      std::string::npos);
}

TEST(Exploration, ASearchThatABoundEndedSaysWhichOne) {
  const Found found = Look({.members = 2}, {.states = 1000, .seconds = 20});
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.ended_by, "the bound of 1000 states");
}

TEST(Exploration, TwoSitesWithTwoLossesADuplicateAndCrashesKeepThePromises) {
  const Found found = Look({.members = 2}, Wide());
  EXPECT_EQ(found.violation, "");
  EXPECT_GT(found.states, 10'000u);
}

TEST(Exploration, OneSiteThenAnotherWithFaultsKeepThePromises) {
  const Found found = Look({.members = 1, .cancel = true}, Wide());
  EXPECT_EQ(found.violation, "");
  EXPECT_GT(found.states, 1'000u);
}

// A site lends the part room before its start: every recall, end, release and crash in between.
TEST(Exploration, APartThatIsLentRoomHasOneLifeAtATime) {
  const Found calm = Look({.members = 1,
                           .cancel = true,
                           .late_answers = false,
                           .losses = 0,
                           .duplicates = 0,
                           .crashes_per_daemon = 0,
                           .lends = true},
                          Wide());
  EXPECT_EQ(calm.violation, "");
  const Found found = Look({.members = 1, .cancel = true, .lends = true}, Wide());
  EXPECT_EQ(found.violation, "");
  EXPECT_GT(found.states, 10'000u);
}

// Each fault with the disturbances it needs to show: fewer moves, a deeper search.
struct PlantedCase {
  Planted planted;
  int members;
  int losses = 0;
  int crashes = 0;
  bool late_answers = true;
};

class PlantedFaults : public testing::TestWithParam<PlantedCase> {};

TEST_P(PlantedFaults, AreFound) {
  const Config config{.members = GetParam().members,
                      .late_answers = GetParam().late_answers,
                      .losses = GetParam().losses,
                      .duplicates = 0,
                      .crashes_per_daemon = GetParam().crashes,
                      .lends = GetParam().planted >= Planted::kLoanNotWritten,
                      .planted = GetParam().planted};
  const Found found = Look(config, {.states = 5'000'000, .seconds = 60});
  EXPECT_EQ(found.ended_by, "a violation");
  EXPECT_NE(found.violation, "") << ToText(GetParam().planted) << " was not found";
}

INSTANTIATE_TEST_SUITE_P(
    All, PlantedFaults,
    testing::Values(
        PlantedCase{Planted::kPreparedEndsWithLease, 2},
        PlantedCase{Planted::kDecidedBeforeAllPrepared, 2},
        PlantedCase{Planted::kPermitBeforeReady, 2}, PlantedCase{Planted::kNoTombstone, 2},
        PlantedCase{Planted::kPlacedAgainOnSilence, 1, 0, 1, false},
        PlantedCase{Planted::kOldEpochHeard, 2, 0, 1},
        PlantedCase{Planted::kStartNotWritten, 1, 0, 1, false},
        PlantedCase{Planted::kNeverRanAssumed, 1, 0, 1, false},
        PlantedCase{Planted::kPermitSentBeforeWritten, 1, 0, 1},
        PlantedCase{Planted::kRivalIgnored, 1, 0, 1}, PlantedCase{Planted::kLateStart, 1},
        PlantedCase{Planted::kClosedRevived, 2}, PlantedCase{Planted::kNoDecisionWritten, 2},
        PlantedCase{Planted::kNoPermitWritten, 1}, PlantedCase{Planted::kNoSupersededWritten, 2},
        PlantedCase{Planted::kNoOutcomeWritten, 1}, PlantedCase{Planted::kNoResumedSearch, 2},
        PlantedCase{Planted::kNoPlaceAgain, 1},
        PlantedCase{Planted::kLoanNotWritten, 1, 0, 1, false},
        PlantedCase{Planted::kLoanForgotten, 1, 0, 1, false},
        PlantedCase{Planted::kStartsBesideLoan, 1, 0, 0, false},
        PlantedCase{Planted::kPauseForgotten, 1, 0, 1, false}),
    [](const testing::TestParamInfo<PlantedCase>& info) {
      std::string name = ToText(info.param.planted);
      for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
      return name;
    });

}  // namespace
}  // namespace muster::verifier::exploration
