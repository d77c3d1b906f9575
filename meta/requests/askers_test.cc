// Which facts a pass keeps, and which it reads anew.
#include "meta/requests/askers.h"

#include <gtest/gtest.h>

namespace muster::meta {
namespace {

TEST(Askers, APassKeepsWhatIsKnownOfTheOpenOnesAndForgetsTheOthers) {
  Askers askers;
  askers.Begin({{1}, {2}, {4}});
  ASSERT_EQ(askers.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(askers.At(i).stale);
    askers.At(i).stale = false;
    askers.At(i).points = static_cast<int64_t>(10 * i);
  }
  askers.Begin({{2}, {3}, {4}});
  ASSERT_EQ(askers.size(), 3u);
  EXPECT_EQ(askers.At(0).id, RequestId{2});
  EXPECT_EQ(askers.At(0).points, 10);
  EXPECT_FALSE(askers.At(0).stale);
  EXPECT_TRUE(askers.At(1).stale) << "a new one";
  EXPECT_EQ(askers.At(2).points, 20);
}

TEST(Askers, WhoseRecordChangedIsStaleAndANewOneIsPutInItsPlace) {
  Askers askers;
  askers.Begin({{1}, {3}});
  for (size_t i = 0; i < 2; ++i) askers.At(i).stale = false;
  askers.NoteChanged({{2}, {3}});
  EXPECT_FALSE(askers.At(0).stale);
  EXPECT_TRUE(askers.At(1).stale);
  EXPECT_EQ(askers.size(), 2u) << "who is not known is not made";
  EXPECT_EQ(askers.Stale({2}).id, RequestId{2});
  EXPECT_EQ(askers.At(1).id, RequestId{2});
  EXPECT_TRUE(askers.Stale({1}).stale);
  EXPECT_EQ(askers.size(), 3u);
  EXPECT_EQ(askers.Behind({1}), 1u);
  EXPECT_EQ(askers.Behind({3}), 3u);
}

TEST(Askers, WhatANameGivesIsWorkedOutAnewInEachPass) {
  Askers askers;
  const size_t kim = askers.NumberOf({"kim", "normal", "", ""});
  const size_t chem = askers.NumberOf({"kim", "normal", "chem", ""});
  EXPECT_NE(kim, chem);
  EXPECT_EQ(askers.NumberOf({"kim", "normal", "", ""}), kim);
  askers.GivenTo(kim).points = 5;
  askers.Begin({});
  EXPECT_FALSE(askers.GivenTo(kim).points);
  EXPECT_EQ(askers.GivenTo(chem).name[2], "chem");
}

}  // namespace
}  // namespace muster::meta
