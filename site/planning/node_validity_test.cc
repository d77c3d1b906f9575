// Nodes that are valid at times (OpenCCS Sect. 3, Validity): nothing is planned on them outside of
// these, whoever asks; reports say so.
#include <gtest/gtest.h>

#include "site/planning/planner.h"

namespace muster::site {
namespace {

constexpr Instant kDawn{20'000 * int64_t{86400}};  // a midnight, UTC
constexpr Span kHour{3600};

Instant At(int64_t hours) { return kDawn + Span{hours * kHour.seconds}; }

// A site with n1, always valid, and n2 with twice as many processors, valid when `valid` holds.
Options Site(Validity valid, std::string when) {
  Options options;
  options.name = "lakes";
  options.facts.turnover = Span{0};
  options.nodes = {{"n1", {{"ncpus", 4}}, {}}, {"n2", {{"ncpus", 8}}, {}}};
  rules::Standing standing;
  standing.name = "[[nodes]] n2";
  standing.nodes = {1};
  standing.valid = valid;
  standing.outside = true;
  standing.when = std::move(when);
  options.rules.standing = {standing};
  return options;
}

Options ByDay() {
  Validity valid{.kind = Validity::Kind::kCron};
  valid.times.minutes = 1;
  valid.times.hours = 1u << 8;
  valid.times.days = CronTimes::kAllDays;
  valid.times.months = CronTimes::kAllMonths;
  valid.times.weekdays = CronTimes::kAllWeekdays;
  valid.length = Span{10 * kHour.seconds};
  return Site(valid, "daily 08-18");
}

Options UntilTomorrow() {
  Validity valid{.kind = Validity::Kind::kBetween};
  valid.end = {.civil = ToCivil(At(24)), .whole_day = false, .utc = true};
  return Site(valid, "until then");
}

schemas::ProposalEntry Asking(int64_t ncpus, int64_t hours, Instant from) {
  schemas::ProposalEntry entry{.user = "kim", .allowed = IntervalSet::From(from)};
  entry.parts = {{.index = 1,
                  .chunks = {{.count = 1, .resources = {{"ncpus", ncpus}}}},
                  .duration = Span{hours * kHour.seconds}}};
  entry.asked = from;
  entry.want_starts = true;
  return entry;
}

schemas::VerdictEntry Verdict(const SitePlanner& plan, int64_t ncpus, int64_t hours, Instant from) {
  return plan.Verify({Asking(ncpus, hours, from)}, kDawn).front();
}

TEST(NodeValidity, WhatNeedsTheNodeLiesWhollyWithinIt) {
  const SitePlanner plan(ByDay());
  EXPECT_EQ(Verdict(plan, 8, 2, At(0)).start, At(8));
  EXPECT_EQ(Verdict(plan, 8, 2, At(17)).start, At(32)) << "it would outlast the day";
  EXPECT_EQ(Verdict(plan, 8, 2, At(9)).start, At(9));
  EXPECT_EQ(Verdict(plan, 4, 2, At(0)).start, At(0)) << "the other node always counts";
  const auto never = Verdict(plan, 8, 11, At(0));
  EXPECT_TRUE(never.starts.empty()) << "longer than the node is ever there";
  EXPECT_NE(never.kind, schemas::VerdictKind::kAccepted);
}

TEST(NodeValidity, TheReasonNamesWhenTheNodeIsThere) {
  const SitePlanner plan(ByDay());
  const auto verdict = Verdict(plan, 8, 2, At(0));
  ASSERT_TRUE(verdict.reason.has_value());
  EXPECT_EQ(verdict.reason->text, "n2: valid daily 08-18 only");
}

TEST(NodeValidity, AnEndIsForEver) {
  const SitePlanner plan(UntilTomorrow());
  EXPECT_EQ(Verdict(plan, 8, 24, At(0)).start, At(0));
  EXPECT_TRUE(Verdict(plan, 8, 24, At(1)).starts.empty());
  EXPECT_TRUE(Verdict(plan, 8, 1, At(24 * 60)).starts.empty());
}

TEST(NodeValidity, TimePassesAndTheSameIsSaid) {
  SitePlanner plan(ByDay());
  for (const int64_t day : {1, 30, 200, 400, 900}) {
    const Instant noon = At(24 * day + 12);
    plan.Forget(noon);
    const auto entry = Asking(8, 2, noon);
    EXPECT_EQ(plan.Verify({entry}, noon).front().start, noon) << day;
    const auto late = Asking(8, 7, noon);
    EXPECT_EQ(plan.Verify({late}, noon).front().start, At(24 * day + 32)) << day;
  }
  SitePlanner ended(UntilTomorrow());
  for (const int64_t day : {2, 200, 900, 4000}) {
    const Instant noon = At(24 * day + 12);
    ended.Forget(noon);
    EXPECT_TRUE(ended.Verify({Asking(8, 2, noon)}, noon).front().starts.empty()) << day;
    EXPECT_EQ(ended.Verify({Asking(4, 2, noon)}, noon).front().start, noon) << day;
  }
}

TEST(NodeValidity, ANodeIsFreeNextWhenItIsThereAgain) {
  const SitePlanner by_day(ByDay());
  const auto at_night = by_day.NodesNow(2, At(2));
  EXPECT_EQ(at_night[0].free_at, At(2));
  EXPECT_FALSE(at_night[0].free_until.has_value());
  EXPECT_EQ(at_night[1].free_at, At(8));
  EXPECT_EQ(at_night[1].free_until, At(18));
  EXPECT_EQ(by_day.NodesNow(2, At(12))[1].free_at, At(12));
  const SitePlanner until_tomorrow(UntilTomorrow());
  EXPECT_EQ(until_tomorrow.NodesNow(2, At(0))[1].free_until, At(24));
  EXPECT_FALSE(until_tomorrow.NodesNow(2, At(30))[1].free_at.has_value());
}

TEST(NodeValidity, ANodeThatIsBookedUntilItsValidityEndsIsFreeNextTheDayAfter) {
  SitePlanner plan(ByDay());
  verifier::Demand demand;
  demand.allowed = IntervalSet::Only(At(9));
  demand.parts = {{.index = 1,
                   .chunks = {{.count = 1, .resources = {{"ncpus", 8}}}},
                   .duration = Span{9 * kHour.seconds}}};
  const auto answer = plan.Book({{3}, 1}, demand, At(9), {});
  ASSERT_TRUE(std::holds_alternative<verifier::Booked>(answer));
  EXPECT_EQ(plan.NodesNow(2, At(9))[1].free_at, At(32));
}

TEST(NodeValidity, ReportsTellWhenTheNodeIsOut) {
  const SitePlanner plan(ByDay());
  const auto aside = plan.StandingIn(At(0), At(24));
  ASSERT_EQ(aside.size(), 2u);
  EXPECT_TRUE(aside[0].outside);
  EXPECT_EQ(aside[0].when, (Interval{At(0), At(8)}));
  EXPECT_EQ(aside[1].when, (Interval{At(18), At(24)}));
  EXPECT_EQ(aside[0].shown, "valid daily 08-18 only");
}

}  // namespace
}  // namespace muster::site
