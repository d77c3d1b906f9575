// Speeds of sites: durations are the reference's, and each site takes its own time. CCS Sect. 5,
// scheduling.md section 1 (Shadow, R5).
#include "meta/requests/site_speeds.h"

#include "meta/requests/figures.h"
#include "meta/requests/horizon.h"
#include "meta/requests/requests_fixture.h"
#include "meta/requests/validate.h"

namespace muster::meta {
namespace {

// hills does in 400 s what the reference does in 600, woods takes 1,200.
class SiteSpeeds : public RequestsRoom {
 protected:
  SiteSpeeds() {
    f_.options.terms = {{"hills", {.speed = 1500, .cost = 7}}, {"woods", {.speed = 500}}};
  }
  bool MayStart(const schemas::RequestSpec& spec, const std::string& site) {
    return !StartsAt(f_, t_, spec, "kim", false, {site}).empty();
  }
};

TEST_F(SiteSpeeds, APartLastsAsLongAsItsSiteNeedsAndThePromiseEndsThen) {
  const schemas::RequestSpec spec = Spec({{}});
  EXPECT_EQ(LengthAt(f_, spec, "hills"), Span{400});
  EXPECT_EQ(LengthAt(f_, spec, "lakes"), Span{600});
  EXPECT_EQ(LengthAt(f_, spec, "woods"), Span{1200});
  const schemas::Figures figures = PromiseOf(f_, spec, {"hills"}, Instant{kBegin}, t_.plan);
  EXPECT_EQ(figures.ends_by, figures.starts_by->at + Span{400});
  EXPECT_EQ(CostAt(f_, "hills"), 7);
  EXPECT_EQ(CostAt(f_, "lakes"), 0);
}

TEST_F(SiteSpeeds, TheSlowestMemberOfACoAllocationDecidesWhenItEnds) {
  const std::vector<std::string> all = {"hills", "lakes", "woods"};
  const schemas::RequestSpec spec = Spec({{"hills"}, {"lakes"}, {"woods"}});
  EXPECT_EQ(LengthAt(f_, spec, all), Span{1200});
  const schemas::Figures figures = PromiseOf(f_, spec, all, Instant{kBegin}, t_.plan);
  EXPECT_EQ(figures.ends_by, figures.starts_by->at + Span{1200});
}

TEST_F(SiteSpeeds, ADeadlineIsKeptAtTheSpeedOfThePlace) {
  schemas::RequestSpec spec = Spec({{"woods", "lakes"}});
  spec.deadline = Instant{kBegin + 1000};
  EXPECT_TRUE(MayStart(spec, "lakes"));
  EXPECT_FALSE(MayStart(spec, "woods")) << "woods would end after it";
  spec.deadline = Instant{kBegin + 2000};
  EXPECT_TRUE(MayStart(spec, "woods"));
}

TEST_F(SiteSpeeds, AWindowIsLongEnoughOrNotAtTheFastestSiteThatMayRunIt) {
  schemas::RequestSpec spec = Spec({{"hills", "woods"}});
  spec.deadline = Instant{kBegin + 500};
  EXPECT_EQ(ShortestLength(f_, spec), Span{400});
  EXPECT_EQ(LastStart(f_, spec), Instant{kBegin + 100});
  EXPECT_FALSE(CheckRequest(f_, spec, t_.plan, true).has_value()) << "hills needs 400 s";
  EXPECT_FALSE(StartsFrom(f_, t_, spec, "kim", false).empty());
  spec.parts[0].sites = {"woods"};
  spec.deadline = Instant{kBegin + 1000};
  const auto refused = CheckRequest(f_, spec, t_.plan, true);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->message, "--deadline: 10m, 20m at the fastest site, cannot end by then");
}

TEST_F(SiteSpeeds, EachPartMayHaveTheFastestSiteOfItsOwn) {
  EXPECT_EQ(ShortestLength(f_, Spec({{"hills"}, {"hills", "woods"}})), Span{400});
  EXPECT_EQ(ShortestLength(f_, Spec({{"hills"}, {"woods"}})), Span{1200});
}

TEST_F(SiteSpeeds, AReservationIsOfTheCalendarsTime) {
  schemas::RequestSpec spec = Spec({{"hills"}});
  spec.reserves = schemas::ReservationSpec{};
  EXPECT_EQ(LengthAt(f_, spec, "hills"), Span{600});
  EXPECT_EQ(ShortestLength(f_, spec), Span{600});
  EXPECT_EQ(ReferenceOf(f_, spec, "hills", Span{600}), Span{600});
}

TEST_F(SiteSpeeds, TheTimeOfASiteIsMoreOrLessOfTheReferences) {
  const schemas::RequestSpec spec = Spec({{}});
  EXPECT_EQ(ReferenceOf(f_, spec, "hills", Span{400}), Span{600});
  EXPECT_EQ(ReferenceOf(f_, spec, "lakes", Span{400}), Span{400});
  EXPECT_EQ(ReferenceOf(f_, spec, "woods", Span{400}), Span{200});
}

TEST_F(SiteSpeeds, RoundingIsInFavourOfTheJob) {
  schemas::RequestSpec spec = Spec({{"hills"}});
  spec.duration = Span{100};
  EXPECT_EQ(LengthAt(f_, spec, "hills"), Span{67});
}

}  // namespace
}  // namespace muster::meta
