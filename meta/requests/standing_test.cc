// Reservations over several sites, and standing ones (cli.md section 2, reserve; ADR 38).
#include "base/validity.h"
#include "meta/core_fixture.h"
#include "meta/turn/keys.h"

namespace muster::meta {
namespace {

// Every hour, at its 20th minute; kBegin is 22:13:20.
constexpr schemas::Recurrence kHourly{.minutes = uint64_t{1} << 20,
                                      .hours = CronTimes::kAllHours,
                                      .days = CronTimes::kAllDays,
                                      .months = CronTimes::kAllMonths,
                                      .weekdays = CronTimes::kAllWeekdays};
constexpr int64_t kFirst = kBegin + 400;

class Reserving : public MetaCore {
 protected:
  Reserving() {
    options_.horizon = Span{4 * 3600};
    Start();
  }
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
  schemas::Refused SubmitRefused(const schemas::RequestSpec& spec) {
    return RefusedBy(Client("kim", schemas::Submit{.key = {.text = "r"}, .request = spec}));
  }
  std::vector<Instant> StartsOf(uint64_t first, uint64_t last) {
    std::vector<Instant> out;
    for (uint64_t id = first; id <= last; ++id) out.push_back(*Record({id}).spec.at);
    return out;
  }
};

TEST_F(Reserving, PartsAtSitesOfTheirOwnArePreparedAndCommittedTogetherOrNotAtAll) {
  DialAll();
  const RequestId id = Submit(Reserve({{"hills"}, {"lakes"}}));
  EXPECT_EQ(Record(id).state, RequestState::kPromised);
  const Fence fence = FenceOf(id);
  for (const char* const site : {"hills", "lakes"}) {
    EXPECT_EQ(Of(site).orders.at(fence).stage, HoldState::kPrepared);
    EXPECT_TRUE(Of(site).orders.at(fence).reserves.has_value());
    EXPECT_EQ(Of(site).states.at(fence), HoldState::kCommitted);
    EXPECT_FALSE(Of(site).permits.contains(fence)) << "opens with the other, or not";
  }
  Of("lakes").mute_holds = true;
  const RequestId other = Submit(Reserve({{"hills"}, {"lakes"}}));
  Advance(30'000);
  EXPECT_NE(Record(other).state, RequestState::kPromised);
  for (const auto& [held, state] : Of("hills").states) {
    if (held != fence) EXPECT_EQ(state, HoldState::kClosed) << "none without the other";
  }
}

TEST_F(Reserving, WhatIsInsideGoesToItsSites) {
  DialAll();
  const RequestId id = Submit(Reserve({{"hills"}, {"lakes"}}));
  schemas::RequestSpec inside = Spec({{}, {}});
  inside.apart = true;
  inside.duration = Span{60};
  inside.inside = id;
  const RequestId job = Submit(inside);
  for (const schemas::PartSpec& part : Record(job).spec.parts) {
    EXPECT_EQ(part.sites, (std::vector<std::string>{"hills", "lakes"}));
  }
  inside.parts[0].sites = {"woods"};
  EXPECT_EQ(SubmitRefused(inside).message,
            "part 1 may not run at hills, lakes, where reservation R1 is");
}

TEST_F(Reserving, OneThatIsNotApartOrBeginsAtTimesOfItsPartsIsRefused) {
  schemas::RequestSpec spec = Reserve({{"hills"}, {"lakes"}});
  spec.apart = false;
  EXPECT_NE(SubmitRefused(spec).message.find("each at a site of its own"), std::string::npos);
  spec.apart = true;
  spec.parts[1].offset = Span{60};
  EXPECT_NE(SubmitRefused(spec).message.find("begin together"), std::string::npos);
}

TEST_F(Reserving, AStandingOneMakesItsTimesAsFarAsIsPlanned) {
  DialAll();
  const RequestId id = Submit(Standing());
  Settle();
  EXPECT_EQ(StartsOf(2, 5),
            (std::vector<Instant>{{kFirst}, {kFirst + 3600}, {kFirst + 7200}, {kFirst + 10800}}));
  EXPECT_EQ(Record({2}).state, RequestState::kPromised);
  EXPECT_EQ(Record({2}).spec.reserves->of, id);
  EXPECT_EQ(Record(id).state, RequestState::kWaiting);
  EXPECT_FALSE(Record(id).attempt.has_value()) << "it books nothing itself";
  EXPECT_EQ(Record(id).reason->subject.job, "R2");
  const size_t before = store_.size();
  Start();  // another daemon makes none twice
  EXPECT_EQ(store_.size(), before);
  Advance(601'000);
  EXPECT_EQ(StartsOf(6, 6), std::vector<Instant>{{kFirst + 14400}});
}

TEST_F(Reserving, ACancelledStandingOneGivesBackWhatHasNotBegun) {
  DialAll();
  const RequestId id = Submit(Standing());
  Settle();
  schemas::Cancel cancel{.requests = {id}};
  Client("kim", cancel);
  Settle();
  Advance(2'000);
  for (uint64_t one = 1; one <= 5; ++one) {
    EXPECT_EQ(Record({one}).outcome, Outcome::kCancelled) << one;
  }
  Advance(601'000);
  EXPECT_FALSE(store_.contains(RequestKey({6}))) << "no more are made";
}

TEST_F(Reserving, TimesThatNeverComeOrOverlapAreRefused) {
  schemas::RequestSpec spec = Standing();
  spec.reserves->every->days = uint64_t{1} << 31;
  spec.reserves->every->months = uint64_t{1} << 2;
  EXPECT_EQ(SubmitRefused(spec).message, "--every: a time that never comes");
  spec = Standing();
  spec.reserves->every->hours = 0;
  EXPECT_EQ(SubmitRefused(spec).message, "--every: a time that never comes");
  spec = Standing();
  spec.deadline = Instant{kBegin + 700};
  EXPECT_NE(SubmitRefused(spec).message.find("none of its times"), std::string::npos);
  spec = Standing();
  spec.duration = Span{3601};
  EXPECT_NE(SubmitRefused(spec).message.find("the next begins 1h after it"), std::string::npos);
  spec = Standing();
  spec.at = Instant{kBegin + 900};
  EXPECT_NE(SubmitRefused(spec).message.find("--at"), std::string::npos);
}

}  // namespace
}  // namespace muster::meta
