// When users and groups count (OpenCCS Sect. 3, Validity).
#include "base/validities.h"

#include <gtest/gtest.h>

#include "base/text/validity.h"

namespace muster {
namespace {

constexpr int64_t kDay = 86400;
constexpr Instant kNow{20'000 * kDay};  // 2024-10-04, a Friday

Validities::One One(std::string_view text) {
  const auto valid = text::ParseValidity(text);
  EXPECT_TRUE(valid.ok()) << text;
  return {*valid, std::string(text)};
}

Instant In(int64_t seconds) { return kNow + Span{seconds}; }

TEST(Validities, WhoeverIsNotListedAlwaysCounts) {
  const Validities all{.zone = {}, .users = {{"kim", One("until 2024-10-04")}}, .groups = {}};
  const Member ana{"ana", {"students"}};
  EXPECT_TRUE(CountsAt(all, ana, kNow));
  EXPECT_EQ(StartsOf(all, ana, IntervalSet::From(kNow), kNow), IntervalSet::From(kNow));
  EXPECT_EQ(GroupsAt(all, ana, kNow), (std::vector<std::string>{"students"}));
  EXPECT_EQ(WhenText(all, ana), "");
}

TEST(Validities, AUserStartsNothingAfterTheirLastDay) {
  const Validities all{.zone = {}, .users = {{"kim", One("until 2024-10-04")}}, .groups = {}};
  const Member kim{"kim", {}};
  EXPECT_TRUE(CountsAt(all, kim, In(kDay - 1)));
  EXPECT_FALSE(CountsAt(all, kim, In(kDay)));
  EXPECT_EQ(StartsOf(all, kim, IntervalSet::From(kNow), kNow), IntervalSet({{kNow, In(kDay)}}));
  EXPECT_TRUE(StartsOf(all, kim, IntervalSet::From(In(kDay)), kNow).empty());
  EXPECT_EQ(WhenText(all, kim), "kim is valid until 2024-10-04");
}

TEST(Validities, OneGroupThatCountsIsEnoughAndOnlyThatOneIsTold) {
  Validities all{
      .zone = {},
      .users = {},
      .groups = {{"course", One("until 2024-10-03")}, {"night", One("cron 0 20 * * * for 4h")}}};
  const Member kim{"kim", {"course", "night"}};
  EXPECT_FALSE(CountsAt(all, kim, kNow));
  EXPECT_TRUE(CountsAt(all, kim, In(20 * 3600)));
  EXPECT_TRUE(GroupsAt(all, kim, kNow).empty());
  EXPECT_EQ(GroupsAt(all, kim, In(21 * 3600)), (std::vector<std::string>{"night"}));
  const IntervalSet starts = StartsOf(all, kim, IntervalSet::From(kNow), kNow);
  EXPECT_EQ(starts.intervals().front(), (Interval{In(20 * 3600), In(24 * 3600)}));
  EXPECT_EQ(starts.intervals().size(), kValidityTimes) << "of what repeats for ever";
  EXPECT_EQ(WhenText(all, kim),
            "@course is valid until 2024-10-03; @night is valid cron 0 20 * * * for 4h");
  // Of another group nothing is said: it always counts.
  EXPECT_TRUE(CountsAt(all, {"kim", {"course", "staff"}}, kNow));
}

TEST(Validities, BothTheUserAndAGroupMustCount) {
  const Validities all{.zone = {},
                       .users = {{"kim", One("from 2024-10-04 to 2024-10-05")}},
                       .groups = {{"course", One("from 2024-10-05 to 2024-10-06")}}};
  const Member kim{"kim", {"course"}};
  EXPECT_FALSE(CountsAt(all, kim, kNow));
  EXPECT_EQ(StartsOf(all, kim, IntervalSet::From(kNow), kNow),
            IntervalSet({{In(kDay), In(2 * kDay)}}));
}

}  // namespace
}  // namespace muster
