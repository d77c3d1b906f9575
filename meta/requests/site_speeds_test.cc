// Speeds of sites: durations are the reference's, and each site is asked for its own. CCS Sect. 5,
// scheduling.md section 1 (Shadow, R5).
#include "meta/requests/site_speeds.h"

#include "meta/core_fixture.h"

namespace muster::meta {
namespace {

// hills does in 400 s what the reference does in 600, woods takes 1,200.
class TermsCore : public MetaCore {
 protected:
  TermsCore() {
    options_.terms = {{"hills", {.speed = 1500, .cost = 7}}, {"woods", {.speed = 500}}};
    Start();
    DialAll();
  }
  const schemas::HoldOrder& OrderAt(const std::string& site, RequestId id) {
    return Of(site).orders.at(FenceOf(id));
  }
  std::string SiteOf(RequestId id) { return Job(id).parts[0].site.value_or(""); }
};

TEST_F(TermsCore, OfSitesThatStartTogetherTheOneThatEndsFirstIsTaken) {
  const RequestId id = Submit(Spec({{}}));
  EXPECT_EQ(SiteOf(id), "hills");
  EXPECT_EQ(OrderAt("hills", id).parts[0].duration, Span{400});
  const schemas::Figures figures = Job(id).figures;
  EXPECT_EQ(*figures.ends_by, figures.starts_by->at + Span{400});
  EXPECT_EQ(Record(id).spec.duration, Span{600}) << "it asks for what it asked for";
}

TEST_F(TermsCore, EachMemberOfACoAllocationLastsAsLongAsItsSiteNeeds) {
  const RequestId id = Submit(Spec({{"hills"}, {"lakes"}, {"woods"}}));
  EXPECT_EQ(OrderAt("hills", id).parts[0].duration, Span{400});
  EXPECT_EQ(OrderAt("lakes", id).parts[0].duration, Span{600});
  EXPECT_EQ(OrderAt("woods", id).parts[0].duration, Span{1200});
  const schemas::Figures figures = Job(id).figures;
  EXPECT_EQ(*figures.ends_by, figures.starts_by->at + Span{1200}) << "the slowest decides";
}

TEST_F(TermsCore, ADeadlineIsKeptAtTheSpeedOfThePlace) {
  schemas::RequestSpec spec = Spec({{"woods", "lakes"}});
  spec.deadline = Instant{kBegin + 1000};
  EXPECT_EQ(SiteOf(Submit(spec)), "lakes") << "woods would end after it";
  spec.parts[0].sites = {"woods"};
  spec.deadline = Instant{kBegin + 2000};
  EXPECT_EQ(SiteOf(Submit(spec)), "woods");
}

TEST_F(TermsCore, AWindowIsLongEnoughOrNotAtTheFastestSiteThatMayRunIt) {
  schemas::RequestSpec spec = Spec({{"hills", "woods"}});
  spec.deadline = Instant{kBegin + 500};
  EXPECT_EQ(SiteOf(Submit(spec)), "hills") << "the reference would need 600 s, hills needs 400";
  spec.parts[0].sites = {"woods"};
  spec.deadline = Instant{kBegin + 1000};
  schemas::Submit slow{.key = {.text = "slow"}, .request = spec};
  EXPECT_EQ(RefusedBy(Client("kim", slow)).message,
            "--deadline: 10m, 20m at the fastest site, cannot end by then");
  EXPECT_TRUE(Of("woods").orders.empty());
}

TEST_F(TermsCore, AnEarlierDeadlineIsKeptAtTheSpeedOfThePlaceThatIsThere) {
  schemas::RequestSpec spec = Spec({{"woods", "lakes"}});
  Of("lakes").not_before = Instant{kBegin + 5000};
  const RequestId id = Submit(spec);
  ASSERT_EQ(SiteOf(id), "woods");
  Of("lakes").not_before = {};
  schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {id}, .may_move = true};
  act.changes = schemas::Alteration{.deadline = Instant{kBegin + 1000}};
  Acted("kim", act);
  EXPECT_EQ(SiteOf(id), "lakes") << "woods would end after it";
}

TEST_F(TermsCore, WhatOnlyASilentSiteIsFastEnoughForWaitsForThatSite) {
  schemas::RequestSpec spec = Spec({{"woods", "lakes"}});
  spec.deadline = Instant{kBegin + 1000};
  Of("lakes").cut = true;
  Advance(10'000);
  const RequestId id = Submit(spec);
  EXPECT_EQ(Job(id).state, RequestState::kWaiting);
  EXPECT_TRUE(Of("woods").orders.empty());
  Of("lakes").cut = false;
  Dial(Of("lakes"));
  Advance(5'000);
  EXPECT_EQ(SiteOf(id), "lakes");
}

TEST_F(TermsCore, AReservationIsOfTheCalendarsTime) {
  schemas::RequestSpec spec = Spec({{"hills"}});
  spec.reserves = schemas::ReservationSpec{};
  spec.payload = {};
  spec.at = Instant{kBegin + 3600};
  EXPECT_EQ(OrderAt("hills", Submit(spec)).parts[0].duration, Span{600});
}

TEST_F(TermsCore, MoreTimeForWhatRunsIsToldInTheSitesOwn) {
  const RequestId id = Submit(Spec({{"hills"}}));
  Run(Of("hills"), FenceOf(id));
  ASSERT_EQ(Job(id).state, RequestState::kRunning);
  schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {id}};
  act.changes = schemas::Alteration{.duration = Span{1200}};
  Acted("kim", act);
  ASSERT_EQ(Of("hills").steers.size(), 1u);
  EXPECT_EQ(Of("hills").steers[0].span, Span{400});
  EXPECT_EQ(Record(id).spec.duration, Span{1200});
}

TEST_F(TermsCore, RoundingIsInFavourOfTheJob) {
  schemas::RequestSpec spec = Spec({{"hills"}});
  spec.duration = Span{100};
  EXPECT_EQ(OrderAt("hills", Submit(spec)).parts[0].duration, Span{67});
}

}  // namespace
}  // namespace muster::meta
