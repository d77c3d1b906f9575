// The speeds that node classes leave a part. Maui Sect. IV (node sets).
#include "verifier/node_speeds.h"

#include <gtest/gtest.h>

namespace muster::verifier {
namespace {

schemas::Capacity TwoSpeeds() {
  schemas::Capacity out;
  out.classes = {
      {.count = 4, .per_node = {{"ncpus", 4}}, .properties = {{"rack", "a"}}},
      {.count = 2, .per_node = {{"ncpus", 8}}, .properties = {{"rack", "b"}}, .speed = 500}};
  return out;
}

schemas::PartSpec Part(int64_t ncpus, const std::string& set = "") {
  return {.chunks = {{1, {{"ncpus", ncpus}}, {}}}, .set = set};
}

TEST(NodeSpeeds, AreTheReferenceWhereNoClassSaysMore) {
  schemas::Capacity plain = TwoSpeeds();
  plain.classes[1].speed.reset();
  EXPECT_EQ(SpeedsFor(Part(1), plain), NodeSpeeds{});
  EXPECT_EQ(SpeedsFor(Part(99), TwoSpeeds()), NodeSpeeds{});
}

TEST(NodeSpeeds, AreThoseOfTheClassesThatCouldHostThePart) {
  EXPECT_EQ(SpeedsFor(Part(4), TwoSpeeds()), (NodeSpeeds{500, 1000}));
  EXPECT_EQ(SpeedsFor(Part(8), TwoSpeeds()), (NodeSpeeds{500, 500}));
}

TEST(NodeSpeeds, AreThoseOfTheValuesThatASetNames) {
  EXPECT_EQ(SpeedsFor(Part(1, "speed=100%:oneof"), TwoSpeeds()), (NodeSpeeds{1000, 1000}));
  EXPECT_EQ(SpeedsFor(Part(1, "rack=b:anyof"), TwoSpeeds()), (NodeSpeeds{500, 500}));
  EXPECT_EQ(SpeedsFor(Part(1, "speed=100%~60%:oneof"), TwoSpeeds()), (NodeSpeeds{500, 1000}));
  EXPECT_EQ(SpeedsFor(Part(1, "none"), TwoSpeeds()), (NodeSpeeds{500, 1000}));
}

TEST(NodeSpeeds, OfAMixedClassMayBeGreatToo) {
  schemas::Capacity mixed = TwoSpeeds();
  mixed.classes[1].mixed = true;
  EXPECT_EQ(SpeedsFor(Part(8), mixed), (NodeSpeeds{500, kMostSpeed}));
}

}  // namespace
}  // namespace muster::verifier
