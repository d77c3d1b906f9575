// Ids and their text are each other's inverse, and other text names nothing.
#include "base/id_text.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(IdText, ReadsBackWhatIsShown) {
  for (const RequestId id :
       {RequestId{1}, RequestId{43}, RequestId{43}.element(0), RequestId{43}.element(99'999'999)}) {
    EXPECT_EQ(RequestIdOf(ToText(id)), id) << ToText(id);
  }
}

TEST(IdText, OtherTextNamesNothing) {
  for (const char* text : {"", "x", "43[", "43[]", "43[7", "43[1-9]", "43[7].2", "43.1", "lakes/17",
                           "-1", "1099511627776", "43[99999999999999999999]"}) {
    EXPECT_FALSE(RequestIdOf(text)) << text;
  }
}

}  // namespace
}  // namespace muster
