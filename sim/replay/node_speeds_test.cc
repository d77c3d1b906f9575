// How long jobs run on nodes of several speeds.
#include "sim/replay/node_speeds.h"

#include <gtest/gtest.h>

#include "sim/replay/site_text.h"

namespace muster::sim {
namespace {

// A place with one processor on each of these nodes.
schemas::PartPlace PlaceOn(const std::vector<std::string>& nodes) {
  schemas::PartPlace place;
  for (const std::string& node : nodes) place.chunks.push_back({node, {{"ncpus", 1}}});
  return place;
}

// n1, n2: 120 %; n3: 80 %; n4: 45 %.
std::vector<ReplaySite> Icebox() { return {*SiteFromText("icebox=speeds:2x120%,1x80%,1x45%")}; }

TEST(NodeSpeeds, BalancedJobsWaitForTheSlowestProcessor) {
  const NodeSpeeds speeds(Icebox());
  EXPECT_EQ(speeds.RunTime(0, PlaceOn({"n1", "n2"}), {120}, true), Seconds(100));
  EXPECT_EQ(speeds.RunTime(0, PlaceOn({"n1", "n2", "n4"}), {90}, true), Seconds(200));
  EXPECT_EQ(speeds.RunTime(0, PlaceOn({"n3"}), {1}, true), Milliseconds(1250));
}

TEST(NodeSpeeds, OthersShareTheWorkAsTheyCome) {
  const NodeSpeeds speeds(Icebox());
  EXPECT_EQ(speeds.RunTime(0, PlaceOn({"n1", "n3"}), {100}, false), Seconds(100));
  // 3 processors of 120, 80 and 45 %: 245 % together.
  EXPECT_EQ(speeds.RunTime(0, PlaceOn({"n1", "n3", "n4"}), {245}, false), Seconds(300));
  EXPECT_EQ(speeds.RunTime(0, PlaceOn({"n4"}), {9}, false), Seconds(20));
}

TEST(NodeSpeeds, AtTheReferenceSpeedAJobRunsAsLongAsItsTraceSays) {
  const std::vector<ReplaySite> flat = {*SiteFromText("lakes=flat:430")};
  const NodeSpeeds speeds(flat);
  schemas::PartPlace place;
  place.chunks = {{"n1", {{"ncpus", 400}}}};
  for (const bool balanced : {true, false}) {
    EXPECT_EQ(speeds.RunTime(0, place, {86'399}, balanced), Seconds(86'399));
  }
  EXPECT_FALSE(HaveSpeeds(flat));
  EXPECT_DOUBLE_EQ(CapacityOf(flat[0]), 430);
}

TEST(NodeSpeeds, WhatJobsHoldIsTheSumOfTheirSpeedsAndASiteIsWorthAllOfThem) {
  const std::vector<ReplaySite> icebox = Icebox();
  EXPECT_EQ(NodeSpeeds(icebox).Held(0, PlaceOn({"n1", "n3", "n4"})), 2450);
  EXPECT_TRUE(HaveSpeeds(icebox));
  EXPECT_DOUBLE_EQ(CapacityOf(icebox[0]), 3.65);
}

}  // namespace
}  // namespace muster::sim
