// Of requests that ask for the same lent room one is asked about, until some time has passed.
#include "meta/search/lent_asks.h"

#include <gtest/gtest.h>

namespace muster::meta {
namespace {

constexpr BootInstant kLooked{1'000};

TEST(LentAsks, WhatWasRefusedIsNotAskedAboutForAWhile) {
  LentAsks asks;
  EXPECT_FALSE(asks.RefusedUntil("a", kLooked));
  const BootInstant until = asks.NoteRefused("a", kLooked);
  EXPECT_EQ(until, kLooked + kLentAgain);
  EXPECT_EQ(asks.RefusedUntil("a", kLooked + Seconds(1)), until);
  EXPECT_FALSE(asks.RefusedUntil("b", kLooked)) << "it asks for something else";
  EXPECT_FALSE(asks.RefusedUntil("a", until));
}

TEST(LentAsks, ANewRefusalBeginsAnew) {
  LentAsks asks;
  const BootInstant first = asks.NoteRefused("a", kLooked);
  const BootInstant second = asks.NoteRefused("a", first);
  EXPECT_EQ(asks.RefusedUntil("a", first), second);
}

}  // namespace
}  // namespace muster::meta
