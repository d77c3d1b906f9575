// Reservations over several sites, and standing ones (cli.md section 2, reserve; ADR 38).
#include "meta/requests/standing.h"

#include "base/calendar.h"
#include "meta/requests/occurrences.h"
#include "meta/requests/requests_fixture.h"
#include "meta/requests/reservation_times.h"
#include "meta/requests/reservations.h"
#include "meta/requests/validate.h"

namespace muster::meta {
namespace {

using schemas::Outcome;

// Every hour, at its 20th minute; kBegin is 22:13:20.
constexpr schemas::Recurrence kHourly{.minutes = uint64_t{1} << 20,
                                      .hours = CronTimes::kAllHours,
                                      .days = CronTimes::kAllDays,
                                      .months = CronTimes::kAllMonths,
                                      .weekdays = CronTimes::kAllWeekdays};
constexpr int64_t kFirst = kBegin + 400;

class Reserving : public RequestsRoom {
 protected:
  Reserving() { f_.options.horizon = Span{4 * 3600}; }

  static schemas::RequestSpec Reserve(const std::vector<std::vector<std::string>>& sites) {
    schemas::RequestSpec spec = Spec(sites);
    spec.payload = {};
    spec.apart = sites.size() > 1;
    spec.reserves = schemas::ReservationSpec{};
    return spec;
  }
  static schemas::RequestSpec Standing() {
    schemas::RequestSpec spec = Reserve({{"lakes"}});
    spec.reserves->every = kHourly;
    return spec;
  }
  std::string Refusal(const schemas::RequestSpec& spec) {
    verifier::Fault fault = CheckRequest(f_, spec, t_.plan, true);
    if (!fault) fault = CheckStanding(f_, spec, t_.plan);
    return fault ? fault->message : "";
  }
  // What has come due is looked at; nothing is given back.
  void Tend() { EXPECT_FALSE(NextUnconfirmed(f_, t_).has_value()); }
  std::vector<Instant> StartsOf(uint64_t first, uint64_t last) {
    std::vector<Instant> out;
    for (uint64_t id = first; id <= last; ++id) {
      const Request* one = f_.requests.Find({id});
      if (one) out.push_back(*one->record().spec.at);
    }
    return out;
  }
};

TEST_F(Reserving, WhatIsInsideGoesToItsSites) {
  Request& reservation = Submitted(Reserve({{"hills"}, {"lakes"}}));
  Promise(reservation, {"hills", "lakes"}, Instant{kBegin + 50});
  schemas::RequestSpec inside = Spec({{}, {}});
  inside.apart = true;
  inside.duration = Span{60};
  inside.inside = reservation.id();
  schemas::RequestSpec entered = inside;
  EXPECT_FALSE(EnterReservation(f_, entered, "kim", t_.plan).has_value());
  for (const schemas::PartSpec& part : entered.parts) {
    EXPECT_EQ(part.sites, (std::vector<std::string>{"hills", "lakes"}));
  }
  inside.parts[0].sites = {"woods"};
  const verifier::Fault refused = EnterReservation(f_, inside, "kim", t_.plan);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->message, "part 1 may not run at hills, lakes, where reservation R1 is");
}

TEST_F(Reserving, OneThatIsNotApartOrBeginsAtTimesOfItsPartsIsRefused) {
  schemas::RequestSpec spec = Reserve({{"hills"}, {"lakes"}});
  EXPECT_EQ(Refusal(spec), "");
  spec.apart = false;
  EXPECT_NE(Refusal(spec).find("each at a site of its own"), std::string::npos);
  spec.apart = true;
  spec.parts[1].offset = Span{60};
  EXPECT_NE(Refusal(spec).find("begin together"), std::string::npos);
}

TEST_F(Reserving, AStandingOneMakesItsTimesAsFarAsIsPlanned) {
  Request& standing = Submitted(Standing());
  TendStanding(f_, t_, standing);
  EXPECT_EQ(StartsOf(2, 5),
            (std::vector<Instant>{{kFirst}, {kFirst + 3600}, {kFirst + 7200}, {kFirst + 10800}}));
  for (uint64_t one = 2; one <= 5; ++one) {
    EXPECT_EQ(Find({one}).record().spec.reserves->of, standing.id());
    EXPECT_FALSE(IsStanding(Find({one})));
    EXPECT_TRUE(f_.room.Has({one})) << "it waits for a place like any other";
  }
  EXPECT_FALSE(f_.room.Has(standing.id())) << "it books nothing itself";
  EXPECT_EQ(standing.state(), schemas::RequestState::kWaiting);
  EXPECT_EQ(standing.record().reason->subject.job, "R2");
  WatchProvisional(f_, standing);  // as after a restart
  Tend();
  ASSERT_EQ(f_.requests.all().size(), 5u) << "none is made twice";
  Pass(Span{400});
  Tend();
  ASSERT_EQ(f_.requests.all().size(), 5u) << "the next is still 4 h away";
  Pass(Span{60});
  Tend();
  EXPECT_EQ(StartsOf(6, 6), std::vector<Instant>{{kFirst + 14400}});
}

TEST_F(Reserving, WithAStandingOneGoesWhatHasNotBegun) {
  Request& standing = Submitted(Standing());
  TendStanding(f_, t_, standing);
  Promise(Find({2}), {"lakes"}, Instant{kFirst});
  f_.requests.SetState(Find({2}), schemas::RequestState::kStarting);
  EXPECT_EQ(WithOccurrences(f_, {standing.id()}),
            (std::vector<RequestId>{standing.id(), {3}, {4}, {5}}));
  End(standing, Outcome::kCancelled);
  Pass(Span{3600});
  Tend();
  ASSERT_EQ(f_.requests.all().size(), 5u) << "no more are made";
}

TEST_F(Reserving, AStandingOneEndsWithTheLastOfItsTimes) {
  schemas::RequestSpec spec = Standing();
  spec.deadline = Instant{kFirst + 600};
  Request& standing = Submitted(spec);
  TendStanding(f_, t_, standing);
  ASSERT_EQ(f_.requests.all().size(), 2u);
  Pass(Span{500});
  TendStanding(f_, t_, standing);
  EXPECT_FALSE(standing.Ended());
  End(Find({2}), Outcome::kDone);
  TendStanding(f_, t_, standing);
  EXPECT_EQ(standing.record().outcome, Outcome::kDone);
}

TEST_F(Reserving, TimesThatNeverComeOrOverlapAreRefused) {
  EXPECT_EQ(Refusal(Standing()), "");
  schemas::RequestSpec spec = Standing();
  spec.reserves->every->days = uint64_t{1} << 31;
  spec.reserves->every->months = uint64_t{1} << 2;
  EXPECT_EQ(Refusal(spec), "--every: a time that never comes");
  spec = Standing();
  spec.reserves->every->hours = 0;
  EXPECT_EQ(Refusal(spec), "--every: a time that never comes");
  spec = Standing();
  spec.deadline = Instant{kBegin + 700};
  EXPECT_NE(Refusal(spec).find("none of its times"), std::string::npos);
  spec = Standing();
  spec.duration = Span{3600};
  EXPECT_EQ(Refusal(spec), "");
  spec.duration = Span{3601};
  EXPECT_NE(Refusal(spec).find("the next begins 1h after it"), std::string::npos);
  spec = Standing();
  spec.at = Instant{kBegin + 900};
  EXPECT_NE(Refusal(spec).find("--at"), std::string::npos);
}

}  // namespace
}  // namespace muster::meta
