// Resource sets behave as total functions from names to amounts.
#include "base/resources.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(ResourceSet, EqualAmountsAreEqualValuesWhateverTheOrder) {
  EXPECT_EQ((ResourceSet{{"ncpus", 4}, {"mem", 2}}),
            (ResourceSet{{"mem", 2}, {"ncpus", 4}, {"ngpus", 0}}));
}

TEST(ResourceSet, AddingAndTakingAwayGivesBackTheSame) {
  const ResourceSet node{{"ncpus", 4}, {"mem", 8}};
  ResourceSet set = node;
  set += ResourceSet{{"ngpus", 2}, {"ncpus", 1}};
  EXPECT_EQ(set.Get("ncpus"), 5);
  set -= ResourceSet{{"ngpus", 2}, {"ncpus", 1}};
  EXPECT_EQ(set, node);
}

TEST(ResourceSet, FitsOnlyIfEveryNameFits) {
  const ResourceSet node{{"ncpus", 4}, {"mem", 8}};
  EXPECT_TRUE((ResourceSet{{"ncpus", 4}}).FitsIn(node));
  EXPECT_FALSE((ResourceSet{{"ncpus", 5}}).FitsIn(node));
  EXPECT_FALSE((ResourceSet{{"ngpus", 1}}).FitsIn(node));
  EXPECT_FALSE(ResourceSet{}.FitsIn(ResourceSet{{"ncpus", -1}}));
}

}  // namespace
}  // namespace muster
