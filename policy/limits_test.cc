// Whom limits over all sites bind, and which starts they leave. Maui Sect. III (Throttling
// Policies).
#include "policy/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace muster::policy {
namespace {

using On = Limit::On;

std::vector<std::string> Bound(const std::vector<Limit>& limits, const Credentials& who,
                               On on = On::kRunning) {
  std::vector<std::string> out;
  for (const Binding& one : BindingOn(limits, on, who)) {
    out.push_back(std::to_string(one.limit) + " " + one.consumer);
  }
  return out;
}

TEST(Limits, EachKindOfCredentialIsALadder) {
  const std::vector<Limit> limits = {{.who = "*", .resource = "ncpus"},
                                     {.who = "kim", .resource = "ncpus"},
                                     {.who = "@g", .resource = "ngpus"},
                                     {.who = "*", .resource = "ngpus"},
                                     {.who = "account *", .resource = "jobs"},
                                     {.who = "account chem", .resource = "jobs"},
                                     {.who = "qos *", .resource = "jobs", .each = true},
                                     {.who = "kim", .resource = "jobs", .on = On::kOpen},
                                     {.who = "@g", .resource = "ncpus", .each = true}};
  using ::testing::ElementsAre;
  EXPECT_THAT(Bound(limits, {.user = "kim", .groups = {"g"}, .account = "chem", .qos = "fast"}),
              ElementsAre("1 kim", "2 @g", "5 account chem", "6 qos fast, kim"));
  EXPECT_THAT(Bound(limits, {.user = "ana", .groups = {"g"}, .account = "bio"}),
              ElementsAre("2 @g", "8 @g, ana", "4 account bio"));
  EXPECT_THAT(Bound(limits, {.user = "eve"}), ElementsAre("0 eve", "3 eve"));
  EXPECT_THAT(Bound(limits, {.user = "kim"}, On::kOpen), ElementsAre("7 kim"));
}

IntervalSet Always() { return IntervalSet({{Instant{INT64_MIN / 2}, kFarFuture}}); }

TEST(Limits, AStartIsLeftIfItsWholeTimeHasRoom) {
  const std::vector<Booked> booked = {{Instant{100}, Instant{200}, 6},
                                      {Instant{150}, Instant{300}, 2}};
  const auto starts = [&](int64_t amount, Span length) {
    return StartsUnder(8, Always(), booked, amount, length, IntervalSet::From(Instant{0}));
  };
  EXPECT_EQ(starts(2, Span{10}),
            IntervalSet({{Instant{0}, Instant{141}}, {Instant{200}, kFarFuture}}));
  EXPECT_EQ(starts(3, Span{100}),
            IntervalSet({{Instant{0}, Instant{1}}, {Instant{200}, kFarFuture}}));
  EXPECT_EQ(starts(7, Span{1}),
            IntervalSet({{Instant{0}, Instant{100}}, {Instant{300}, kFarFuture}}));
  EXPECT_EQ(starts(9, Span{1}), IntervalSet()) << "never";
  EXPECT_EQ(starts(0, Span{1}), IntervalSet::From(Instant{0}));
}

TEST(Limits, OneThatIsValidAtTimesLeavesTheNextOneForTheOthers) {
  Validity nights{.kind = Validity::Kind::kCron, .length = Span{3600}};
  const std::vector<Limit> limits = {{.who = "kim", .resource = "ncpus", .valid = nights},
                                     {.who = "*", .resource = "ncpus"}};
  const std::vector<Binding> bound = BindingOn(limits, On::kRunning, {.user = "kim"});
  ASSERT_EQ(bound.size(), 2u);
  EXPECT_TRUE(bound[0].over.empty());
  EXPECT_EQ(bound[1].over, std::vector<size_t>{0});
}

TEST(Limits, ALimitBindsOnlyWhereItIsValid) {
  const IntervalSet day({{Instant{100}, Instant{200}}});
  EXPECT_EQ(StartsUnder(8, day, {}, 9, Span{10}, IntervalSet::From(Instant{0})),
            IntervalSet({{Instant{0}, Instant{91}}, {Instant{200}, kFarFuture}}));
}

TEST(Limits, StartsAreThoseOfASearchSecondBySecond) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<Booked> booked;
    for (uint64_t n = random.Below(6); n > 0; --n) {
      const int64_t from = random.Between(0, 40);
      booked.push_back(
          {Instant{from}, Instant{from + random.Between(0, 20)}, random.Between(1, 5)});
    }
    const int64_t items = random.Between(0, 10), amount = random.Between(1, 6);
    const Span length{random.Between(1, 12)};
    const int64_t begin = random.Between(0, 60), end = begin + random.Between(0, 30);
    const IntervalSet times({{Instant{begin}, Instant{end + 1}}});
    const IntervalSet found =
        StartsUnder(items, times, booked, amount, length, IntervalSet::From(Instant{0}));
    for (int64_t start = 0; start < 80; ++start) {
      bool fits = true;
      for (int64_t at = start; at < start + length.seconds; ++at) {
        int64_t used = amount;
        for (const Booked& one : booked) {
          if (one.from.seconds <= at && at < one.to.seconds) used += one.amount;
        }
        fits = fits && (used <= items || !times.Contains(Instant{at}));
      }
      ASSERT_EQ(found.Contains(Instant{start}), fits) << "round " << round << ", " << start;
    }
  }
}

}  // namespace
}  // namespace muster::policy
