// When an element may start in an array that limits how many run. cli.md section 3 (submit -a).
#include "meta/requests/arrays.h"

#include <gtest/gtest.h>

namespace muster::meta {
namespace {

RequestId Element(uint64_t index) { return RequestId{7}.element(index); }

Interval Span20(int64_t begin) { return {Instant{begin}, Instant{begin + 20}}; }

TEST(Arrays, OnlyThoseBeforeAnElementAreInItsWay) {
  Arrays arrays;
  arrays.SetSpan(Element(1), Span20(100));
  arrays.SetSpan(Element(2), Span20(120));
  arrays.SetSpan(Element(3), Span20(140));
  EXPECT_EQ(arrays.FreeFrom(Element(2), 1), Instant{120});
  EXPECT_EQ(arrays.FreeFrom(Element(2), 2), Instant{0});
  EXPECT_EQ(arrays.FreeFrom(Element(3), 2), Instant{120});
  EXPECT_EQ(arrays.FreeFrom(Element(4), 1), Instant{160}) << "without a place it comes last";
}

// Element 1 has lost its node and begins later now, but it keeps its place of the array.
TEST(Arrays, WhoHasAPlaceOfTheArrayIsInTheWayUntilItsEndWheneverItBegins) {
  Arrays arrays;
  arrays.SetSpan(Element(1), Span20(500));
  arrays.Take(Element(1));
  arrays.SetSpan(Element(2), Span20(120));
  EXPECT_EQ(arrays.FreeFrom(Element(2), 1), Instant{520});
  EXPECT_EQ(arrays.FreeFrom(Element(2), 2), Instant{0});
  arrays.SetSpan(Element(3), Span20(100));
  EXPECT_EQ(arrays.FreeFrom(Element(2), 2), Instant{120});
  EXPECT_EQ(arrays.FreeFrom(Element(1), 1), Instant{140}) << "it is not in its own way";
  arrays.GiveBack(Element(1));
  EXPECT_EQ(arrays.FreeFrom(Element(2), 1), Instant{120});
}

}  // namespace
}  // namespace muster::meta
