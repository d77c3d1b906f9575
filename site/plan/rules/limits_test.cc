// Limits on whole plans (OpenCCS Sect. 3, Limit and Validity; Example 1).
#include <gmock/gmock.h>

#include "site/plan/rules/rules_fixture.h"

namespace muster::rules::limits_test {
namespace {

using plan::Refused;
using plan::Why;

constexpr Instant kNow{1000000};

Limit Of(std::string who, std::string resource) {
  Limit limit;
  limit.who = std::move(who);
  limit.resource = std::move(resource);
  return limit;
}

Limit Items(std::string who, std::string resource, Quota items, std::string_view valid = "always") {
  Limit limit = Of(std::move(who), std::move(resource));
  limit.items = items;
  limit.valid = Valid(valid);
  limit.when = valid == "always" ? "" : std::string(valid);
  return limit;
}

TEST(Limits, WhoeverHasWhatALimitAllowsWaitsForItAndOthersDoNot) {
  World world(Nodes(4, {{"ncpus", 16}}), {.limits = {Items("*", "ncpus", {{16}, {}})}}, kNow);
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 16}}, 100)), kNow);
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 1}}, 100)), kNow + Span{100});
  EXPECT_EQ(world.StartOf(Asks("lee", {{"ncpus", 16}}, 100)), kNow);
}

TEST(Limits, AGroupCountsTogetherAndWithoutAUsersOwn) {
  World world(Nodes(4, {{"ncpus", 16}}),
              {.limits = {Items("@g", "ncpus", {{16}, {}}), Items("lee", "ncpus", {{32}, {}})}},
              kNow);
  EXPECT_EQ(world.StartOf(InGroups(Asks("kim", {{"ncpus", 10}}, 100), {"g"})), kNow);
  EXPECT_EQ(world.StartOf(InGroups(Asks("ann", {{"ncpus", 10}}, 100), {"g"})), kNow + Span{100});
  EXPECT_EQ(world.StartOf(InGroups(Asks("lee", {{"ncpus", 16}}, 100, 2), {"g"})), kNow);
  EXPECT_EQ(world.StartOf(Asks("out", {{"ncpus", 6}}, 100)), kNow);
}

TEST(Limits, EachMemberOfAGroupMayHaveSoMuchBesideWhatTheGroupMayHave) {
  Limit each = Items("@g", "ncpus", {{8}, {}});
  each.each = true;
  World world(Nodes(4, {{"ncpus", 16}}), {.limits = {Items("@g", "ncpus", {{20}, {}}), each}},
              kNow);
  const auto asks = [](const char* user, int64_t ncpus) {
    return InGroups(Asks(user, {{"ncpus", ncpus}}, 100), {"g"});
  };
  EXPECT_EQ(world.RefusalOf(asks("kim", 9)).why.text, "limit 8 of ncpus for each user of @g");
  EXPECT_EQ(world.StartOf(asks("kim", 8)), kNow);
  EXPECT_EQ(world.StartOf(asks("kim", 1)), kNow + Span{100}) << "kim has 8";
  EXPECT_EQ(world.StartOf(asks("ann", 8)), kNow) << "ann has none";
  EXPECT_EQ(world.StartOf(asks("lee", 8)), kNow + Span{100}) << "together they would have 24";
  EXPECT_EQ(world.StartOf(Asks("out", {{"ncpus", 9}}, 100)), kNow);
}

// Maui Sect. III (Throttling Policies): limits by credential.
TEST(Limits, AnAccountCountsTogetherBesideWhatItsUsersMayHave) {
  World world(
      Nodes(4, {{"ncpus", 16}}),
      {.limits = {Items("account chem", "ncpus", {{20}, {}}), Items("*", "ncpus", {{16}, {}})}},
      kNow);
  EXPECT_EQ(world.StartOf(Under(Asks("kim", {{"ncpus", 12}}, 100), "chem")), kNow);
  EXPECT_EQ(world.StartOf(Under(Asks("ann", {{"ncpus", 8}}, 100), "chem")), kNow);
  EXPECT_EQ(world.StartOf(Under(Asks("lee", {{"ncpus", 1}}, 100), "chem")), kNow + Span{100});
  EXPECT_EQ(world.StartOf(Under(Asks("lee", {{"ncpus", 16}}, 100), "bio")), kNow);
  EXPECT_EQ(world.StartOf(Under(Asks("lee", {{"ncpus", 1}}, 100), "bio")), kNow + Span{100})
      << "lee has 16 in all";
  World alone(Nodes(4, {{"ncpus", 16}}), {.limits = {Items("account chem", "ncpus", {{20}, {}})}},
              kNow);
  EXPECT_EQ(alone.RefusalOf(Under(Asks("bo", {{"ncpus", 15}}, 100, 2), "chem")).why.text,
            "limit 20 of ncpus for account chem");
}

TEST(Limits, WhatIsNamedGoesBeforeWhatIsForEachOfItsKind) {
  Limit each = Items("qos urgent", "ncpus", {{4}, {}});
  each.each = true;
  World world(Nodes(4, {{"ncpus", 16}}),
              {.limits = {Items("account *", "ncpus", {{8}, {}}),
                          Items("account chem", "ncpus", {{12}, {}}), each}},
              kNow);
  EXPECT_EQ(world.StartOf(Under(Asks("kim", {{"ncpus", 12}}, 100), "chem")), kNow);
  EXPECT_EQ(world.StartOf(Under(Asks("kim", {{"ncpus", 8}}, 100), "bio")), kNow);
  EXPECT_EQ(world.StartOf(Under(Asks("kim", {{"ncpus", 8}}, 100), "geo")), kNow)
      << "each account by itself";
  EXPECT_EQ(world.StartOf(Under(Asks("kim", {{"ncpus", 1}}, 100), "bio")), kNow + Span{100});
  EXPECT_EQ(world.StartOf(Under(Asks("kim", {{"ncpus", 4}}, 100), "", "urgent")), kNow);
  EXPECT_EQ(world.StartOf(Under(Asks("ann", {{"ncpus", 4}}, 100), "", "urgent")), kNow);
  EXPECT_EQ(world.StartOf(Under(Asks("ann", {{"ncpus", 4}}, 100), "", "urgent")), kNow + Span{100});
  EXPECT_EQ(world.StartOf(Asks("out", {{"ncpus", 16}}, 100)), kNow) << "no account, no QoS";
  std::vector<std::string> seen;
  for (const Row& row : world.Rows("ann")) {
    seen.push_back(row.who + " " + std::to_string(row.used) + " of " + row.limit);
  }
  EXPECT_THAT(seen,
              ::testing::UnorderedElementsAre("account chem 12 of 12", "account bio 8 of 8",
                                              "account geo 8 of 8", "qos urgent, ann 4 of 4"));
}

TEST(Limits, ItemsAreTheLargerOfANumberAndAShareOfWhatIsInService) {
  World world(Nodes(10, {{"ncpus", 10}}), {.limits = {Items("*", "ncpus", {{30}, 45})}}, kNow);
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 5}}, 100, 9)), kNow) << "45 % of 100";
  world.FreeLast();
  for (uint32_t n = 0; n < 5; ++n) world.SetUsable(n, false);
  const Refused blocked = world.RefusalOf(Asks("kim", {{"ncpus", 5}}, 100, 9));
  EXPECT_EQ(blocked.kind, Refused::Kind::kBlocked) << "30 of 50 now, 45 with all nodes";
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 5}}, 100, 6)), kNow);
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 1}}, 100)), kNow + Span{100});
  world.SetUsable(0, true);
  world.SetUsable(1, true);
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 1}}, 10)), kNow) << "31 of 70";
}

TEST(Limits, WhatAnAbsoluteLimitForbidsAloneIsNever) {
  World world(Nodes(4, {{"ncpus", 16}}), {.limits = {Items("@g", "ncpus", {{30}, {}})}}, kNow);
  const Refused never = world.RefusalOf(InGroups(Asks("kim", {{"ncpus", 16}}, 100, 2), {"g"}));
  EXPECT_EQ(never.kind, Refused::Kind::kNever);
  EXPECT_EQ(never.why.code, Why::Code::kLimit);
  EXPECT_EQ(never.why.resource, "ncpus");
  EXPECT_EQ(never.why.text, "limit 30 of ncpus for @g");
}

TEST(Limits, WhatATimedLimitForbidsAloneMovesOutOfItsTime) {
  // 2026-11-23 is a Monday.
  World world(Nodes(4, {{"ncpus", 16}}),
              {.limits = {Items("*", "ncpus", {{8}, {}}, "cron 0 8 * * Mon-Fri for 10h")}},
              At(2026, 11, 23, 7, 30));
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 16}}, 30 * 60)), At(2026, 11, 23, 7, 30));
  EXPECT_EQ(world.StartOf(Asks("lee", {{"ncpus", 16}}, 31 * 60)), At(2026, 11, 23, 18));
  EXPECT_EQ(world.StartOf(Asks("lee", {{"ncpus", 8}}, 31 * 60)), At(2026, 11, 23, 7, 30));
  EXPECT_EQ(world.StartOf(Asks("ann", {{"ncpus", 16}}, 15 * kHour)), At(2026, 11, 27, 18))
      << "only the weekend is long enough";
}

TEST(Limits, AreKeptInTheSitesOwnTimeAcrossDaylightSaving) {
  // Berlin in 2026: summer time ends on 25 October at 01:00 UTC.
  const Zone berlin(Span{kHour},
                    {{At(2026, 3, 29, 1), Span{2 * kHour}}, {At(2026, 10, 25, 1), Span{kHour}}});
  RuleSet rules{.limits = {Items("*", "ncpus", {{8}, {}}, "cron 0 8 * * * for 10h")}};
  rules.zone = berlin;
  World world(Nodes(4, {{"ncpus", 16}}), rules, At(2026, 10, 24, 6, 30));
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 16}}, kHour)), At(2026, 10, 24, 16))
      << "18:00 of summer";
  world.Go(At(2026, 10, 25, 7, 30));
  EXPECT_EQ(world.StartOf(Asks("lee", {{"ncpus", 16}}, kHour)), At(2026, 10, 25, 17))
      << "18:00 of winter";
  world.Go(At(2026, 10, 26, 6, 0));
  EXPECT_EQ(world.StartOf(Asks("ann", {{"ncpus", 16}}, kHour)), At(2026, 10, 26, 6, 0));
}

TEST(Limits, SoftOnesLeaveWhatStartsAtOnceAloneAndPromiseNothingBeyond) {
  Limit soft = Items("*", "ncpus", {{8}, {}});
  soft.soft = true;
  World world(Nodes(2, {{"ncpus", 16}}), {.limits = {soft}}, kNow);
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 16}}, 100)), kNow) << "idle, so it may";
  const Instant later = kNow + Span{61};
  const plan::Answer ahead = world.Book(Asks("kim", {{"ncpus", 4}}, 50), IntervalSet::From(later));
  EXPECT_EQ(std::get<plan::Placed>(ahead).start, kNow + Span{100}) << "not booked ahead beyond it";
  const plan::Answer soon =
      world.Book(Asks("kim", {{"ncpus", 4}}, 50), IntervalSet::From(kNow + Span{60}));
  EXPECT_EQ(std::get<plan::Placed>(soon).start, kNow + Span{60});
  EXPECT_EQ(world.RefusalOf(Asks("lee", {{"ncpus", 16}}, 100, 2)).kind, Refused::Kind::kLater)
      << "more than it for ever: only at once, and now there is no room";
}

TEST(Limits, JobsAndElementsOfArraysCountAsSuch) {
  World world(Nodes(4, {{"ncpus", 16}}),
              {.limits = {Items("*", kJobs, {{2}, {}}), Items("*", kArrayJobs, {{1}, {}})}}, kNow);
  plan::Order element = Asks("kim", {{"ncpus", 1}}, 100);
  element.element = true;
  EXPECT_EQ(world.StartOf(element), kNow);
  EXPECT_EQ(world.StartOf(element), kNow + Span{100});
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 1}}, 100)), kNow);
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 1}}, 50)), kNow + Span{100}) << "two at a time";
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 1}}, 51)), kNow + Span{150});
}

TEST(Limits, TheMoreSpecificCountsWhileItIsValid) {
  Limit all = Of("*", "*");
  all.duration = Span{7 * kDay};
  Limit august = Of("*", "ncpus");
  august.duration = Span{4 * kDay + 3 * kHour};
  august.valid = Valid("from 2017-08-01 to 2017-08-31");
  World world(Nodes(1, {{"ncpus", 16}, {"mem", 64}}), {.limits = {all, august}}, At(2017, 7, 30));
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 1}}, 5 * kDay)), At(2017, 9, 1))
      << "neither in August, as it is too long, nor across its beginning";
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 1}}, 2 * kDay)), At(2017, 7, 30));
  EXPECT_EQ(world.StartOf(Asks("kim", {{"mem", 1}}, 5 * kDay)), At(2017, 7, 30));
}

TEST(Limits, AnAreaIsAnyAmountTimesAnyDuration) {
  Limit area = Of("*", "ncpus");
  area.area = 1024 * kHour;
  for (const auto& [cores, hours] : {std::pair(1, 1024), std::pair(16, 64)}) {
    World world(Nodes(64, {{"ncpus", 16}}), {.limits = {area}}, kNow);
    EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", cores}}, hours * kHour)), kNow);
  }
  World world(Nodes(64, {{"ncpus", 16}}), {.limits = {area}}, kNow);
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 16}}, kHour, 64)), kNow);
  EXPECT_EQ(world.RefusalOf(Asks("lee", {{"ncpus", 2}}, 513 * kHour)).kind, Refused::Kind::kNever);
}

TEST(Limits, AnAreaUsedUpByWhatIsPlannedLetsNothingMoreInForNow) {
  Limit area = Of("*", "ncpus");
  area.area = 100 * kHour;
  World world(Nodes(4, {{"ncpus", 16}}), {.limits = {area}}, kNow);
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 10}}, 6 * kHour)), kNow);
  const Refused later = world.RefusalOf(Asks("kim", {{"ncpus", 10}}, 5 * kHour));
  EXPECT_EQ(later.kind, Refused::Kind::kLater);
  EXPECT_TRUE(later.feasible.starts.empty());
  EXPECT_EQ(later.why.text, "limit 100h in all of ncpus for each user, used up by what is planned");
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 10}}, 4 * kHour)), kNow);
  EXPECT_EQ(world.RefusalOf(Asks("lee", {{"ncpus", 10}}, 11 * kHour)).kind, Refused::Kind::kNever);
  world.Go(kNow + Span{kHour});
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 10}}, 2 * kHour)), kNow + Span{kHour})
      << "of what runs only the rest is counted";
}

TEST(Limits, AnAreaOfATimeMovesWhatExceedsItOutOfThatTime) {
  Limit area = Of("*", "ncpus");
  area.area = 100 * kHour;
  area.valid = Valid("until 2026-11-30");
  World world(Nodes(4, {{"ncpus", 16}}), {.limits = {area}}, At(2026, 11, 23));
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 10}}, 10 * kHour)), At(2026, 11, 23));
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 1}}, kHour)), At(2026, 12, 1));
}

// Example 1, line by line. 1 August 2017 was a Tuesday.
TEST(Limits, Example1) {
  std::vector<machine::Node> nodes = Nodes(50, {{"ncpus", 16}});
  nodes.push_back({"t1", {{"ncpus", 16}, {"tesla", 4}}, {}});
  Limit all = Of("*", "*");
  all.duration = Span{7 * kDay};
  Limit ncpus = Items("*", "ncpus", {{640}, {}}, "from 2017-08-01 to 2017-08-31");
  ncpus.duration = Span{4 * kDay + 3 * kHour};
  Limit tesla = Of("*", "tesla");
  tesla.area = 500 * kHour;
  const RuleSet rules{.limits = {all, ncpus, tesla, Items("*", kArrayJobs, {{1000}, {}}),
                                 Items("*", kJobs, {{5000}, {}})}};
  const Instant june = At(2017, 6, 1);
  const Instant august = At(2017, 8, 1);
  struct Case {
    const char* about;
    Instant now;
    ResourceSet chunk;
    uint32_t count;
    int64_t seconds;
    std::optional<Instant> start;  // none: never
  };
  const Case cases[] = {
      {"before August the machine alone binds", june, {{"ncpus", 16}}, 51, kHour, june},
      {"and 7 days", june, {{"ncpus", 1}}, 1, 7 * kDay, june},
      {"640 cores in August", august, {{"ncpus", 16}}, 40, kHour, august},
      {"more have to wait for September", august, {{"ncpus", 16}}, 41, kHour, At(2017, 9, 1)},
      {"as has what is longer", august, {{"ncpus", 1}}, 1, 5 * kDay, At(2017, 9, 1)},
      {"4d3h in August", august, {{"ncpus", 1}}, 1, 4 * kDay + 3 * kHour, august},
      {"tesla has no 7 days", june, {{"tesla", 1}}, 1, 500 * kHour, june},
      {"but 500 hours in all", june, {{"tesla", 1}}, 1, 501 * kHour, std::nullopt},
      {"of any shape", june, {{"tesla", 4}}, 1, 125 * kHour, june},
      {"and no more", june, {{"tesla", 4}}, 1, 126 * kHour, std::nullopt},
  };
  for (const Case& c : cases) {
    World world(nodes, rules, c.now);
    const plan::Order order = Asks("kim", c.chunk, c.seconds, c.count);
    if (c.start.has_value()) {
      EXPECT_EQ(world.StartOf(order), *c.start) << c.about;
    } else {
      EXPECT_EQ(world.RefusalOf(order).kind, Refused::Kind::kNever) << c.about;
    }
  }
}

TEST(Limits, AReasonNamesTheLimitAndUntilWhenItBinds) {
  World world(Nodes(4, {{"ncpus", 16}}), {.limits = {Items("@g", "ncpus", {{16}, 45})}}, kNow);
  const plan::Order order = InGroups(Asks("kim", {{"ncpus", 16}}, 100), {"g"});
  EXPECT_EQ(world.StartOf(order), kNow);
  const std::optional<Why> why = world.WhyNotNow(order);
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->code, Why::Code::kLimit);
  EXPECT_EQ(why->text, "limit 16/45% of ncpus for @g");
  EXPECT_EQ(why->until, kNow + Span{100});
}

TEST(Limits, RowsSayWhatIsUsedOfWhat) {
  Limit area = Of("@g", "ncpus");
  area.area = 500 * kHour;
  Limit students = Items("*", "ncpus", {{12}, 45}, "cron 0 8 * * Mon-Fri for 10h");
  World world(Nodes(4, {{"ncpus", 16}}), {.limits = {students, area, Items("*", kJobs, {{9}, {}})}},
              At(2026, 11, 23, 9));
  world.StartOf(InGroups(Asks("kim", {{"ncpus", 4}}, kHour), {"g"}));
  EXPECT_THAT(world.Rows("lee"),
              testing::Contains(Row{"lee", "ncpus", 0, "12/45%", students.when, "later start"}));
  const std::vector<Row> rows = world.Rows("kim", {"g"});
  EXPECT_THAT(rows, testing::Contains(Row{"@g", "ncpus", 4 * kHour, "500h", "always", "refused"}));
  EXPECT_THAT(rows, testing::Contains(Row{"kim", "jobs", 1, "9", "always", "later start"}));
}

TEST(Limits, RepeatedValiditiesAreKnownAsFarAsPlansGoHoweverLongASiteRuns) {
  const RuleSet rules{.limits = {Items("*", "ncpus", {{8}, {}}, "cron 0 8 * * * for 10h")}};
  World world(Nodes(2, {{"ncpus", 16}}), rules, At(2026, 1, 1, 12));
  for (int32_t month = 0; month < 120; ++month) {
    const Instant noon = At(2026 + month / 12, 1 + month % 12, 3, 12);
    world.Go(noon);
    const Instant far = noon + World::kHorizon - Span{kDay};
    const plan::Answer answer =
        world.Book(Asks("kim", {{"ncpus", 16}}, kHour), IntervalSet::From(far));
    EXPECT_EQ(std::get<plan::Placed>(answer).start, far + Span{6 * kHour});
    world.FreeLast();
  }
}

}  // namespace
}  // namespace muster::rules::limits_test
