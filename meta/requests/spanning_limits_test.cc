// Limits over all sites: which starts they leave, what counts, and when. Maui Sect. III (Throttling
// Policies); scheduling.md section 15.
#include "meta/requests/spanning_limits.h"

#include "meta/requests/requests_fixture.h"

namespace muster::meta {
namespace {

using policy::Limit;

// Account chem may have 8 processors at one time, over all sites.
class SpanningLimits : public RequestsRoom {
 protected:
  SpanningLimits() {
    f_.options.limits = {{.who = "account chem", .resource = "ncpus", .items = 8}};
    f_.options.credentials.accounts = {{.name = "chem", .owners = {"*"}}};
  }
  static schemas::RequestSpec Of(int64_t cpus, std::vector<std::vector<std::string>> sites) {
    schemas::RequestSpec spec = Spec(std::move(sites));
    spec.account = "chem";
    for (schemas::PartSpec& part : spec.parts) part.chunks[0].resources = {{"ncpus", cpus}};
    return spec;
  }
  // A request with a place from `start` on, which counts.
  Request& Has(const schemas::RequestSpec& spec, Instant start) {
    Request& request = Submitted(spec);
    std::vector<std::string> sites;
    for (const schemas::PartSpec& part : spec.parts) sites.push_back(part.sites[0]);
    const Attempt& attempt = Promise(request, sites, start);
    for (const std::string& site : attempt.record().members) {
      CountBooking(f_, request, attempt, site, start);
    }
    return request;
  }
  IntervalSet Starts(const schemas::RequestSpec& spec, RequestId apart = {}) {
    return StartsUnderLimits(f_, spec, "kim", apart, spec.duration, t_.plan,
                             IntervalSet::From(Instant{kBegin}));
  }
};

constexpr Instant kStart{kBegin};

TEST_F(SpanningLimits, AnotherSiteLeavesNoStartWhileTheAccountHasAllItMayHave) {
  const Request& first = Has(Of(6, {{"lakes"}}), kStart);
  EXPECT_EQ(Starts(Of(2, {{"woods"}})), IntervalSet::From(kStart));
  EXPECT_EQ(Starts(Of(4, {{"woods"}})), IntervalSet::From(kStart + Span{600}));
  EXPECT_EQ(Starts(Of(4, {{"woods"}}), first.id()), IntervalSet::From(kStart))
      << "its own booking is no obstacle to another place";
  EXPECT_EQ(Starts(Of(9, {{"woods"}})), IntervalSet());
  schemas::RequestSpec other = Of(4, {{"woods"}});
  other.account.clear();
  EXPECT_EQ(Starts(other), IntervalSet::From(kStart));
  const Attempt& attempt = f_.attempts.at(*first.record().attempt);
  f_.limit_use.Free(attempt.fence(), "lakes");
  EXPECT_EQ(Starts(Of(4, {{"woods"}})), IntervalSet::From(kStart));
}

TEST_F(SpanningLimits, PartsOfOneRequestCountTogether) {
  Has(Of(4, {{"lakes"}, {"woods"}}), kStart + Span{1000});
  EXPECT_EQ(Starts(Of(1, {{"hills"}})),
            IntervalSet({{kStart, kStart + Span{401}}, {kStart + Span{1690}, kFarFuture}}))
      << "600 s, and 90 s in which all parts must be ready";
  EXPECT_EQ(Starts(Of(5, {{"hills"}, {"hills"}})), IntervalSet()) << "10 of 8";
}

TEST_F(SpanningLimits, JobsCountOnceHoweverManySitesTheyHave) {
  f_.options.limits = {{.who = "kim", .resource = "jobs", .items = 1}};
  Has(Of(1, {{"lakes"}, {"woods"}}), kStart);
  EXPECT_EQ(Starts(Of(1, {{"hills"}})), IntervalSet::From(kStart + Span{690}));
  f_.options.limits[0].items = 2;
  EXPECT_EQ(Starts(Of(1, {{"hills"}})), IntervalSet::From(kStart));
}

TEST_F(SpanningLimits, APlaceThatIsSoughtCountsForTheSecondsByWhichItMayBeLater) {
  Request& request = Submitted(Of(8, {{"lakes"}}));
  schemas::AttemptRecord record{.fence = Fence{Epoch{1}, 9},
                                .request = request.id(),
                                .state = schemas::AttemptState::kHolding,
                                .members = {"lakes"},
                                .part_sites = {"lakes"},
                                .start = kStart};
  CountBooking(f_, request, f_.attempts.Add(std::move(record)), "lakes", kStart);
  EXPECT_EQ(Starts(Of(1, {{"woods"}})), IntervalSet::From(kStart + Span{600} + kLimitedLater));
}

TEST_F(SpanningLimits, WhatRunsInsideOfAReservationIsTheReservations) {
  schemas::RequestSpec spec = Of(9, {{"lakes"}});
  spec.inside = RequestId{7};
  EXPECT_EQ(Starts(spec), IntervalSet::From(kStart));
}

TEST_F(SpanningLimits, ALimitOnPromisedJobsCountsUntilTheyStart) {
  f_.options.limits = {{.who = "kim", .resource = "jobs", .items = 1, .on = Limit::On::kPromised}};
  Request& first = Has(Of(1, {{"lakes"}}), kStart + Span{100});
  Request& second = Submitted(Of(1, {{"lakes"}}));
  const auto why = WhyNotPromised(f_, second, t_.plan);
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->text, "limit 1 promised job for kim over all sites");
  EXPECT_EQ(WhyNotPromised(f_, first, t_.plan), std::nullopt) << "it is the one";
  Attempt& attempt = f_.attempts.at(*first.record().attempt);
  f_.attempts.Enter(attempt, schemas::AttemptState::kRunning);
  CountBooking(f_, first, attempt, "lakes", kStart + Span{100});
  EXPECT_EQ(WhyNotPromised(f_, second, t_.plan), std::nullopt);
}

TEST_F(SpanningLimits, ALimitOnOpenJobsRefusesUntilOneEnds) {
  f_.options.limits = {{.who = "account chem",
                        .resource = "jobs",
                        .items = 2,
                        .on = Limit::On::kOpen,
                        .each = true}};
  Request& first = Submitted(Of(1, {{"lakes"}}));
  CountOpen(f_, first, t_.plan);
  EXPECT_EQ(CheckOpen(f_, Of(1, {{"lakes"}}), "kim", 1, t_.plan), std::nullopt);
  const auto fault = CheckOpen(f_, Of(1, {{"lakes"}}), "kim", 2, t_.plan);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->code, "busy");
  EXPECT_EQ(fault->detail, "limit 2 open jobs for each user of account chem over all sites");
  EXPECT_EQ(CheckOpen(f_, Of(1, {{"lakes"}}), "ana", 2, t_.plan), std::nullopt);
  EndRequest(f_, t_, first, schemas::Outcome::kCancelled, "cancelled");
  EXPECT_EQ(CheckOpen(f_, Of(1, {{"lakes"}}), "kim", 2, t_.plan), std::nullopt);
}

TEST_F(SpanningLimits, WhatCanNeverStartIsRefusedAndWhyIsTold) {
  const auto fault = CheckNeverLimited(f_, Of(9, {{"lakes"}}), "kim", t_.plan);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->message, "it asks for 9 of ncpus");
  EXPECT_EQ(fault->detail, "limit 8 of ncpus for account chem over all sites");
  Has(Of(8, {{"lakes"}}), kStart);
  Request& waits = Submitted(Of(1, {{"woods"}}));
  EXPECT_EQ(WhyLimited(f_, waits, kStart + Span{600}, t_.plan)->text,
            "limit 8 of ncpus for account chem over all sites");
  EXPECT_EQ(WhyLimited(f_, waits, kStart + Span{700}, t_.plan), std::nullopt)
      << "something else keeps it";
  EXPECT_EQ(WhyNoStart(f_, waits.record().spec, "kim", waits.id(), t_.plan), std::nullopt);
  f_.requests.Edit(waits).spec.start_by = kStart + Span{300};
  EXPECT_TRUE(WhyNoStart(f_, waits.record().spec, "kim", waits.id(), t_.plan).has_value());
}

TEST_F(SpanningLimits, MoreForWhatRunsIsRefusedWhereItWouldExceed) {
  Request& runs = Has(Of(4, {{"lakes"}}), kStart);
  Has(Of(6, {{"woods"}}), kStart + Span{900});
  const Attempt& attempt = f_.attempts.at(*runs.record().attempt);
  schemas::RequestSpec next = runs.record().spec;
  next.duration = Span{900};
  EXPECT_EQ(WhyNoMore(f_, runs, attempt, next, t_.plan), std::nullopt);
  next.duration = Span{901};
  EXPECT_TRUE(WhyNoMore(f_, runs, attempt, next, t_.plan).has_value());
}

TEST_F(SpanningLimits, CountedAnewNothingIsOther) {
  Has(Of(6, {{"lakes"}}), kStart + Span{100});
  Request& open = Submitted(Of(1, {{"lakes"}}));
  f_.options.limits.push_back({.who = "*", .resource = "jobs", .items = 9, .on = Limit::On::kOpen});
  RecountLimits(f_, t_.plan);
  const IntervalSet before = Starts(Of(4, {{"woods"}}));
  EXPECT_EQ(before, IntervalSet::From(kStart + Span{700}));
  RecountLimits(f_, t_.plan);
  EXPECT_EQ(Starts(Of(4, {{"woods"}})), before);
  const auto stands = LimitsOf(f_, {.user = "kim", .account = "chem"}, t_.plan);
  ASSERT_EQ(stands.size(), 2u);
  EXPECT_EQ(stands[0].used, 0) << "nothing runs now";
  EXPECT_EQ(stands[1].used, 2);
  EndRequest(f_, t_, open, schemas::Outcome::kCancelled, "cancelled");
  EXPECT_EQ(LimitsOf(f_, {.user = "kim", .account = "chem"}, t_.plan)[1].used, 1);
}

}  // namespace
}  // namespace muster::meta
