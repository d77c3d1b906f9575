// What counts for sites: parts away from the user's home, once each. scheduling.md section 16.
#include "meta/requests/balance.h"

#include "meta/requests/requests_fixture.h"
#include "meta/requests/use_sums.h"

namespace muster::meta {
namespace {

class Balance : public RequestsRoom {
 protected:
  Balance() {
    f_.options.balance = {.window = Span{3600}, .depth = 3, .decay = 500};
    f_.users["kim"].home = "hills";
  }
  // A request of this user for two processors, at this site from kBegin on.
  Request& Has(const std::string& user, const std::string& site) {
    schemas::RequestSpec spec = Spec({{site}});
    spec.parts[0].chunks = {{.count = 1, .resources = {{"ncpus", 2}}}};
    Request& request = Submitted(spec);
    f_.requests.Edit(request).requester.user = user;
    f_.attempts.MakeDurable(Promise(request, {site}, Instant{kBegin}));
    return request;
  }
  Attempt& AttemptOf(const Request& request) { return f_.attempts.at(*request.record().attempt); }
  void Ran(const Request& request, const std::string& site, int64_t seconds) {
    schemas::MirrorRecord hold{.site = site, .fence = *request.record().attempt};
    schemas::MirrorPart part{.state = schemas::PartState::kEnded,
                             .started_at = ToMoment(Instant{kBegin})};
    part.ended_at = ToMoment(Instant{kBegin + seconds});
    part.usage = {.elapsed = Seconds(seconds), .cpu = Seconds(seconds)};
    part.usage_final = true;
    hold.parts = {part};
    f_.sites.at(site).mirror.Restore(std::move(hold));
    CountUse(f_, request, AttemptOf(request), t_.plan);
  }
  const GivenAndTaken& Of(const std::string& site) {
    WorkOutBalances(f_, t_);
    return f_.balances.all().at(site);
  }
};

TEST_F(Balance, APartAwayFromHomeWasGivenThereAndTakenAtHome) {
  const Request& request = Has("kim", "lakes");
  Pass(Span{700});
  Ran(request, "lakes", 600);
  EXPECT_EQ(AttemptOf(request).record().counted, std::vector<uint64_t>{1});
  EXPECT_EQ(Of("lakes").given, 1'200'000);
  EXPECT_EQ(Of("lakes").taken, 0);
  EXPECT_EQ(Of("hills").taken, 1'200'000);
  EXPECT_EQ(Of("woods").given, 0);
  // Of 16 processors over an hour.
  EXPECT_EQ(f_.balances.ValueOf("lakes"), 20);
  EXPECT_EQ(f_.balances.ValueOf("hills"), -20);
  EXPECT_EQ(f_.balances.Of("hills"), 980) << "for R5, never negative";
}

TEST_F(Balance, AtHomeAndWithoutAHomeNothingCounts) {
  const Request& at_home = Has("kim", "hills");
  const Request& homeless = Has("ana", "lakes");
  Pass(Span{700});
  Ran(at_home, "hills", 600);
  Ran(homeless, "lakes", 600);
  EXPECT_EQ(Of("lakes").given + Of("hills").given + Of("hills").taken, 0);
  EXPECT_TRUE(f_.use.all().empty());
}

TEST_F(Balance, WhatIsPromisedCountsAndIsWorkedOutOnceAMinute) {
  EXPECT_EQ(Of("lakes").given, 0);
  Has("kim", "lakes");
  Pass(Span{30});
  EXPECT_EQ(Of("lakes").given, 0);
  Pass(Span{30});
  EXPECT_EQ(Of("lakes").given, 1'200'000);
  f_.options.home_first = false;
  f_.balances.Forget();
  WorkOutBalances(f_, t_);
  EXPECT_TRUE(f_.balances.all().empty());
  EXPECT_EQ(f_.balances.Of("lakes"), f_.balances.Of("hills"));
}

TEST_F(Balance, SharesAndSitesCountBesideEachOtherInTheirOwnUnits) {
  f_.options.fairshare =
      policy::FairshareRules{.window = Span{3600}, .metric = policy::Metric::kUsed};
  const Request& request = Has("kim", "lakes");
  Pass(Span{700});
  Ran(request, "lakes", 600);
  const auto used = [this](const std::string& who) {
    int64_t sum = 0;
    for (const auto& [key, record] : f_.use.all()) sum += record.who == who ? record.amount : 0;
    return sum;
  };
  EXPECT_EQ(used("kim"), 600'000) << "processor time";
  EXPECT_EQ(used("site lakes gave"), 1'200'000) << "processors had";
  EXPECT_EQ(used("site hills took"), 1'200'000);
}

}  // namespace
}  // namespace muster::meta
