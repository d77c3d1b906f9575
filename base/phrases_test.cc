// Pieces of messages in edge cases: nothing, one, negative numbers.
#include "base/phrases.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace muster {
namespace {

TEST(PhrasesTest, ListsHaveTheirJointBetweenElementsOnly) {
  const std::vector<std::string> words = {"lakes", "", "hills"};
  EXPECT_EQ(Joined(words), "lakes, , hills");
  EXPECT_EQ(Joined(std::vector<std::string>{"lakes"}, "; "), "lakes");
  EXPECT_EQ(Joined(std::vector<std::string>{}), "");
}

TEST(PhrasesTest, ListsAreOfWhatIsMadeOfTheElements) {
  const std::map<std::string, int> nodes = {{"hills", 2}, {"lakes", 4}};
  EXPECT_EQ(Joined(nodes, " + ", [](const auto& site) { return Counted(site.second, "node"); }),
            "2 nodes + 4 nodes");
  EXPECT_EQ(Joined(nodes, " ", &std::pair<const std::string, int>::first), "hills lakes");
}

TEST(PhrasesTest, OnlyOneIsSingular) {
  EXPECT_EQ(Counted(0, "job"), "0 jobs");
  EXPECT_EQ(Counted(1, "job"), "1 job");
  EXPECT_EQ(Counted(2, "job"), "2 jobs");
}

TEST(PhrasesTest, DigitsAreGroupedByThreeFromTheRight) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1204), "1,204");
  EXPECT_EQ(Grouped(123456), "123,456");
  EXPECT_EQ(Grouped(-999), "-999");
  EXPECT_EQ(Grouped(-1234567), "-1,234,567");
}

}  // namespace
}  // namespace muster
