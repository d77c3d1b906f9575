// The surroundings of a part: node file, environment, and GPUs that no two parts share.
#include "site/driver/surroundings.h"

#include <gtest/gtest.h>

namespace muster::driver {
namespace {

schemas::PartPlace Place(std::vector<schemas::ChunkPlace> chunks) {
  return {.index = 1, .chunks = std::move(chunks)};
}

TEST(Surroundings, ANodeFileHasOneLinePerChunkAndAtLeastOneSlot) {
  EXPECT_EQ(
      NodeFileText(Place({{"n1", {{"ncpus", 4}}}, {"n1", {{"ncpus", 2}}}, {"g1", {{"ngpus", 1}}}})),
      "n1 slots=4\nn1 slots=2\ng1 slots=1\n");
}

TEST(Surroundings, TheFirstNodeHasAllItsChunks) {
  EXPECT_EQ(
      OnFirstNode(Place(
          {{"n1", {{"ncpus", 4}}}, {"n2", {{"ncpus", 2}}}, {"n1", {{"ncpus", 3}, {"mem", 5}}}})),
      (ResourceSet{{"ncpus", 7}, {"mem", 5}}));
}

TEST(Devices, GivesTheLowestFreeIndexesOfEveryNode) {
  Devices devices;
  const DeviceGrant first = devices.Take(Place({{"g2", {{"ngpus", 1}}}, {"g1", {{"ngpus", 2}}}}));
  EXPECT_EQ(first, (DeviceGrant{{"g1", {0, 1}}, {"g2", {0}}}));
  EXPECT_EQ(devices.Take(Place({{"g1", {{"ngpus", 1}}}})), (DeviceGrant{{"g1", {2}}}));
  devices.Return(first);
  EXPECT_EQ(devices.Take(Place({{"g1", {{"ngpus", 3}}}})), (DeviceGrant{{"g1", {0, 1, 3}}}));
}

TEST(Devices, KeepsWhatWasTakenBeforeARestart) {
  Devices devices;
  devices.Retake({{"g1", {1}}});
  EXPECT_EQ(devices.Take(Place({{"g1", {{"ngpus", 2}}}})), (DeviceGrant{{"g1", {0, 2}}}));
}

TEST(Devices, AGrantSurvivesBeingText) {
  for (const DeviceGrant::value_type& grant :
       DeviceGrant{{"g1", {0, 1, 12}}, {"a:b", {3}}, {"n", {}}}) {
    EXPECT_EQ(ParseNodeDevices(ToText(grant)), grant);
  }
  for (const char* wrong : {"", "g1", "g1:x", "g1:1x", "g1:1;2", "g1:,"})
    EXPECT_EQ(ParseNodeDevices(wrong), std::nullopt) << wrong;
}

TEST(Surroundings, WhatTheSystemSaysWinsOverThePayload) {
  StartPart part{.place = Place({{"n1", {{"ncpus", 4}}}})};
  part.payload.environment = {
      {"A", "payload"}, {"MUSTER_JOB_ID", "forged"}, {"MUSTER_NCPUS", "99"}};
  part.environment = {{"MUSTER_JOB_ID", "42"}, {"MUSTER_NODEFILE", "elsewhere"}};
  const std::map<std::string, std::string> expected = {
      {"A", "payload"},     {"MUSTER_JOB_ID", "42"},  {"MUSTER_NCPUS", "4"},
      {"MUSTER_GPUS", "0"}, {"MUSTER_NODEFILE", "N"}, {"MUSTER_SECRET_FILE", "S"}};
  EXPECT_EQ(EnvironmentOf(part, {.node_file = "N", .secret_file = "S"}, {}), expected);
}

schemas::PartPlace Gpus(const std::vector<std::pair<std::string, int64_t>>& nodes) {
  schemas::PartPlace place;
  for (const auto& [node, gpus] : nodes) place.chunks.push_back({node, {{"ngpus", gpus}}});
  return place;
}

TEST(Surroundings, AResizedPartGivesItsHighestGpusBackAndGetsTheLowestFreeOnes) {
  Devices devices;
  DeviceGrant grant = devices.Take(Gpus({{"n1", 3}}));
  devices.Adjust(grant, Gpus({{"n1", 1}, {"n2", 1}}));
  EXPECT_EQ(grant, (DeviceGrant{{"n1", {0}}, {"n2", {0}}}));
  const DeviceGrant other = devices.Take(Gpus({{"n1", 1}}));
  EXPECT_EQ(other, (DeviceGrant{{"n1", {1}}}));
  devices.Adjust(grant, Gpus({{"n1", 2}}));
  EXPECT_EQ(grant, (DeviceGrant{{"n1", {0, 2}}}));
  EXPECT_EQ(devices.Take(Gpus({{"n2", 1}})), (DeviceGrant{{"n2", {0}}}));
}

}  // namespace
}  // namespace muster::driver
