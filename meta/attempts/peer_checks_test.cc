// What a site says of itself can be true, or is nonsense. protocol.md section 2 (capacity).
#include "meta/attempts/peer_checks.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::meta {
namespace {

schemas::Capacity Machine() {
  schemas::Capacity c;
  c.classes = {{.count = 4, .up = 4, .per_node = {{"ncpus", 4}}}};
  c.profile = {{Instant{0}, {{{"ncpus", 16}}}}};
  c.free_now = {{"ncpus", 16}};
  c.total = {{"ncpus", 16}};
  c.start_slack = Span{1};
  return c;
}

// Why it is nonsense; "" if it is not.
std::string WhyNot(const schemas::Capacity& capacity) {
  return std::string(CheckCapacity(capacity).message());
}

TEST(Capacity, OfAnOrdinaryMachineIsTaken) {
  schemas::Capacity c = Machine();
  EXPECT_EQ(WhyNot(c), "");
  c.classes[0].up = 0;
  c.turnover = c.start_slack = Span{3600};
  c.profile.push_back({Instant{9}, {{{"ncpus", 0}}}});
  EXPECT_EQ(WhyNot(c), "");
}

TEST(Capacity, WithAmountsThatNoNodeHasIsNonsense) {
  schemas::Capacity c = Machine();
  c.classes[0].per_node = {{"ncpus", -4}};
  EXPECT_EQ(WhyNot(c), "a capacity with negative ncpus on a node");
  c.classes[0].per_node = {{"ncpus", int64_t{1} << 52}};
  EXPECT_EQ(WhyNot(c), "a capacity with more ncpus than can be added up");
  c = Machine();
  c.total = {{"ncpus", -1}};
  EXPECT_EQ(WhyNot(c), "a capacity with negative ncpus in total");
}

TEST(Capacity, WithMoreNodesUpThanThereAreIsNonsense) {
  schemas::Capacity c = Machine();
  c.classes[0].up = 5;
  EXPECT_EQ(WhyNot(c), "a capacity with 5 of 4 nodes up");
}

TEST(Capacity, WithAProfileThatFitsNoMachineIsNonsense) {
  schemas::Capacity c = Machine();
  c.profile.push_back(c.profile[0]);
  EXPECT_EQ(WhyNot(c), "a capacity with steps that go back in time");
  c = Machine();
  c.profile[0].free = {};
  EXPECT_EQ(WhyNot(c), "a capacity with steps of other nodes than it has");
  c.profile[0].free = {{{"ncpus", 17}}};
  EXPECT_EQ(WhyNot(c), "a capacity with more free than there is");
  c.profile[0].free = {{{"ncpus", -1}}};
  EXPECT_EQ(WhyNot(c), "a capacity with negative ncpus free");
}

TEST(Capacity, WithSpansThatNoDriverNeedsIsNonsense) {
  schemas::Capacity c = Machine();
  c.turnover = Span{-1};
  EXPECT_EQ(WhyNot(c), "a capacity with a slack of -1 s");
  c = Machine();
  c.start_slack = Span{3601};
  EXPECT_EQ(WhyNot(c), "a capacity with a slack of 3601 s");
}

}  // namespace
}  // namespace muster::meta
