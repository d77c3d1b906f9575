// The checkers of what changes after it was booked: each complains about the fault it is there for,
// planted by hand, and is silent without it.
#include <gtest/gtest.h>

#include "sim/checkers/checker.h"

namespace muster::sim::changes_test {
namespace {

using schemas::Cause;
using schemas::CauseCode;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartState;
using schemas::Steer;
using schemas::SteerVerb;

constexpr Fence kFirst{{1}, 1};
constexpr Fence kSecond{{1}, 2};
constexpr Moment kNow{1'000'000};

CheckedWorld TwoNodes() {
  site::Options site;
  site.name = "lakes";
  site.nodes = {{.name = "n1", .resources = {{"ncpus", 4}}},
                {.name = "n2", .resources = {{"ncpus", 4}}}};
  site.allocate_timeout = site.release_timeout = {6};
  return {.sites = {site}};
}

// Of `cpus` on a node, for 100 s from second 2,000.
HoldRecord Hold(const Fence& fence, const std::string& node, PartState state = PartState::kBooked,
                int64_t cpus = 2) {
  HoldRecord hold;
  hold.order.fence = fence;
  hold.order.request = {fence.number};
  hold.order.requester.user = "kim";
  const schemas::Chunk chunk{.count = 1, .resources = {{"ncpus", cpus}}, .least = 1, .most = 2};
  hold.order.parts = {{.index = 1, .chunks = {chunk}, .duration = {100}}};
  hold.state = HoldState::kPermitted;
  hold.start = {2000};
  hold.parts = {{.index = 1,
                 .state = state,
                 .place = {.index = 1, .chunks = {{node, {{"ncpus", cpus}}}}},
                 .token = ToText(fence) + ".1.1"}};
  return hold;
}
SiteWrites Of(const std::vector<HoldRecord>& holds) {
  SiteWrites out;
  for (const HoldRecord& hold : holds) {
    out.push_back({"hold/" + ToText(hold.order.fence), schemas::SiteRecord{hold}});
  }
  return out;
}
schemas::Write<schemas::SiteRecord> Node(const std::string& name, const std::string& who) {
  return {"node/" + name, schemas::SiteRecord{schemas::NodeRecord{.name = name, .who = who}}};
}
Cause Because(CauseCode code, const std::string& node = "", const std::string& job = "") {
  return {.code = code, .subject = {.site = "lakes", .node = node, .job = job}};
}
SiteWrites With(SiteWrites writes, schemas::Write<schemas::SiteRecord> other) {
  writes.push_back(std::move(other));
  return writes;
}

// --- moves

size_t MovedLater(const Cause& cause, std::optional<std::string> out_by, int64_t start = 2100) {
  const auto checker = CheckMoves(TwoNodes());
  checker->OnSiteWrites(kNow, "lakes", Of({Hold(kFirst, "n1")}));
  HoldRecord later = Hold(kFirst, "n2");
  later.start = {start};
  later.cause = cause;
  SiteWrites writes = Of({later});
  if (out_by) writes.push_back(Node("n1", *out_by));
  checker->OnSiteWrites(kNow, "lakes", writes);
  return checker->violations().size();
}

TEST(Changes, ABookingGetsLaterOnlyForACauseThatItsSiteCanShow) {
  EXPECT_EQ(MovedLater(Because(CauseCode::kBackfilled), {}), 1u);
  EXPECT_EQ(MovedLater(Because(CauseCode::kBackfilled), {}, 1900), 0u);
  EXPECT_EQ(MovedLater(Because(CauseCode::kOverrun), {}), 0u);
  EXPECT_EQ(MovedLater(Because(CauseCode::kNodeLost, "n1"), "site:lakes"), 0u);
  EXPECT_EQ(MovedLater(Because(CauseCode::kNodeLost, "n2"), {}), 1u);
  EXPECT_EQ(MovedLater(Because(CauseCode::kOperator, "n1"), "user:root"), 0u);
  EXPECT_EQ(MovedLater(Because(CauseCode::kOperator, "n1"), {}), 1u) << "n1 is in use";
  EXPECT_EQ(MovedLater(Because(CauseCode::kPreempted, "n1", "2"), "site:lakes"), 1u);
}

TEST(Changes, OnlyTheLessUrgentGiveWayAndOnlyAfterALoss) {
  struct Case {
    int32_t priority;
    std::string down_by;
    int64_t winner_starts;
    size_t violations;
    bool in_doubt = false;  // processes on n1 do not go
  };
  for (const Case& c : {Case{7, "site:lakes", 2000, 0}, Case{0, "site:lakes", 2000, 1},
                        Case{7, "user:root", 2000, 1}, Case{7, "user:root", 2000, 0, true},
                        Case{7, "site:lakes", 2001, 1}, Case{7, "site:lakes", 1990, 0}}) {
    const auto checker = CheckMoves(TwoNodes());
    const PartState other = c.in_doubt ? PartState::kEnding : PartState::kRunning;
    checker->OnSiteWrites(kNow, "lakes", Of({Hold({{1}, 3}, "n1", other)}));
    HoldRecord winner = Hold(kFirst, "n1", PartState::kBooked, 4);
    winner.order.priority = c.priority;
    HoldRecord loser = Hold(kSecond, "n2", PartState::kBooked, 4);
    checker->OnSiteWrites(kNow, "lakes", Of({winner, loser}));
    winner.parts[0].place.chunks[0].node = "n2";
    winner.start = {c.winner_starts};
    winner.cause = Because(CauseCode::kNodeLost, "n1");
    loser.start = {2200};
    loser.cause = Because(CauseCode::kPreempted, "n1", "1");
    checker->OnSiteWrites(kNow, "lakes", With(Of({winner, loser}), Node("n1", c.down_by)));
    EXPECT_EQ(checker->violations().size(), c.violations) << c.priority << " " << c.down_by;
  }
}

TEST(Changes, AReservationIsNeverMovedEarlier) {
  const auto checker = CheckMoves(TwoNodes());
  HoldRecord reservation = Hold(kFirst, "n1");
  reservation.order.reserves = schemas::ReservationSpec{};
  checker->OnSiteWrites(kNow, "lakes", Of({reservation}));
  reservation.start = {1900};
  reservation.cause = Because(CauseCode::kBackfilled);
  checker->OnSiteWrites(kNow, "lakes", Of({reservation}));
  EXPECT_EQ(checker->violations().size(), 1u);
}

// --- running

struct Ordered {
  Steer steer;
  bool on_record = true;  // at the site, in the same write
};
size_t Changed(HoldRecord after, const std::vector<Ordered>& orders) {
  const auto checker = CheckRunning(TwoNodes());
  checker->OnSiteWrites(kNow, "lakes", Of({Hold(kFirst, "n1", PartState::kRunning)}));
  SiteWrites writes = Of({std::move(after)});
  for (const Ordered& ordered : orders) {
    checker->OnMetaWrites(
        kNow, {{"steer/x", schemas::MetaRecord{schemas::SteerRecord{.steer = ordered.steer}}}});
    if (!ordered.on_record) continue;
    const schemas::SteerDoneRecord done{.result = {.order = ordered.steer.order, .done = true}};
    writes.push_back({"steer/x", schemas::SiteRecord{done}});
  }
  checker->OnSiteWrites(kNow, "lakes", writes);
  return checker->violations().size();
}
Steer Extension(uint64_t order, int64_t seconds, const std::string& who) {
  return {.order = order,
          .who = who,
          .verb = SteerVerb::kExtend,
          .fence = kFirst,
          .part = 1,
          .span = {seconds}};
}

TEST(Changes, WhatRunsGoesOnForAsLongAsWasOrderedWithinItsBound) {
  HoldRecord longer = Hold(kFirst, "n1", PartState::kRunning);
  longer.parts[0].extended = {10};
  EXPECT_EQ(Changed(longer, {{Extension(1, 10, "user:kim")}}), 0u);
  EXPECT_EQ(Changed(longer, {{Extension(1, 4, "user:kim")}, {Extension(2, 6, "user:kim")}}), 0u);
  EXPECT_EQ(Changed(longer, {}), 1u);
  EXPECT_EQ(Changed(longer, {{Extension(1, 10, "user:kim"), false}}), 1u);
  EXPECT_EQ(Changed(longer, {{Extension(1, 9, "user:kim")}}), 1u);
  longer.parts[0].extended = {11};
  EXPECT_EQ(Changed(longer, {{Extension(1, 11, "user:kim")}}), 1u);
  EXPECT_EQ(Changed(longer, {{Extension(1, 11, "operator:root")}}), 0u);
}

TEST(Changes, AMalleablePartHasNoMoreThanItsMostAndKeepsWhatItHas) {
  const auto resized = [](std::vector<std::string> nodes) {
    HoldRecord hold = Hold(kFirst, "n1", PartState::kRunning);
    hold.parts[0].counts = {nodes.size()};
    hold.parts[0].place.chunks.clear();
    for (const std::string& node : nodes) {
      hold.parts[0].place.chunks.push_back({node, {{"ncpus", 2}}});
    }
    return hold;
  };
  const auto order = [](uint64_t count) {
    return Ordered{Steer{.order = 1,
                         .who = "user:kim",
                         .verb = SteerVerb::kResize,
                         .fence = kFirst,
                         .part = 1,
                         .counts = {count}}};
  };
  EXPECT_EQ(Changed(resized({"n1", "n2"}), {order(2)}), 0u);
  EXPECT_EQ(Changed(resized({"n1", "n2"}), {}), 1u) << "nobody asked for it";
  EXPECT_EQ(Changed(resized({"n1", "n1", "n2"}), {order(3)}), 1u) << "more than its most";
  EXPECT_EQ(Changed(resized({"n2", "n1"}), {order(2)}), 1u) << "its first set was elsewhere";
  EXPECT_EQ(Changed(Hold(kFirst, "n2", PartState::kRunning), {}), 1u) << "it runs";
}

// --- machines

TEST(Changes, ProcessesThatAreThereAtOneTimeFitOnTheNode) {
  const auto checker = CheckMachines(TwoNodes());
  const HoldRecord first = Hold(kFirst, "n1", PartState::kStarting, 3);
  HoldRecord second = Hold(kSecond, "n1", PartState::kStarting, 2);
  checker->OnSiteWrites(kNow, "lakes", Of({first, second}));
  checker->OnPartStarted(kNow, "lakes", "1.1.1.1");
  checker->OnPartGone(kNow, "lakes", "1.1.1.1");
  checker->OnPartStarted(kNow, "lakes", "1.2.1.1");
  EXPECT_TRUE(checker->violations().empty());
  checker->OnPartStarted(kNow, "lakes", "1.1.1.1");
  EXPECT_EQ(checker->violations().size(), 1u);
  const auto alone = CheckMachines(TwoNodes());
  second = Hold(kSecond, "n1", PartState::kStarting, 1);
  second.order.parts[0].exclusive = true;
  alone->OnSiteWrites(kNow, "lakes", Of({first, second}));
  alone->OnPartStarted(kNow, "lakes", "1.1.1.1");
  alone->OnPartStarted(kNow, "lakes", "1.2.1.1");
  EXPECT_EQ(alone->violations().size(), 1u);
}

TEST(Changes, DriversAreToldWhatIsOnRecord) {
  const auto checker = CheckMachines(TwoNodes());
  HoldRecord hold = Hold(kFirst, "n1", PartState::kStarting);
  hold.order.notice = schemas::Notice{.before = {5}, .signal = "USR1"};
  checker->OnSiteWrites(kNow, "lakes", Of({hold}));
  driver::StartPart start{.token = "1.1.1.1",
                          .place = hold.parts[0].place,
                          .walltime = {100},
                          .notice = hold.order.notice};
  checker->OnDriverCommand(kNow, "lakes", start);
  EXPECT_TRUE(checker->violations().empty());
  start.notice.reset();
  checker->OnDriverCommand(kNow, "lakes", start);
  EXPECT_EQ(checker->violations().size(), 1u);
  checker->OnDriverCommand(kNow, "lakes", driver::LimitPart{.token = "1.1.1.1", .walltime = {100}});
  checker->OnDriverCommand(kNow, "lakes",
                           driver::ResizePart{.token = "1.1.1.1", .place = hold.parts[0].place});
  EXPECT_EQ(checker->violations().size(), 1u);
  checker->OnDriverCommand(kNow, "lakes", driver::LimitPart{.token = "1.1.1.1", .walltime = {101}});
  EXPECT_EQ(checker->violations().size(), 2u);
  checker->OnDriverCommand(kNow, "lakes", driver::ResizePart{.token = "1.1.1.1"});
  EXPECT_EQ(checker->violations().size(), 3u);
}

// --- time-outs

TEST(Changes, AStartThatIsNotConfirmedSetsItsNodeDown) {
  const HoldRecord starting = Hold(kFirst, "n1", PartState::kStarting);
  for (const bool set_down : {true, false}) {
    const auto checker = CheckTimeOuts(TwoNodes());
    checker->OnSiteWrites(kNow, "lakes", Of({starting}));
    if (set_down) {
      checker->OnSiteWrites(Moment{kNow.milliseconds + 6000}, "lakes", {Node("n1", "site:lakes")});
    }
    checker->OnSiteWrites(Moment{kNow.milliseconds + 7001}, "lakes", {});
    EXPECT_EQ(checker->violations().size(), set_down ? 0u : 1u);
  }
  const auto restarted = CheckTimeOuts(TwoNodes());
  restarted->OnSiteWrites(kNow, "lakes", Of({starting}));
  restarted->OnCrash(kNow, "lakes");
  restarted->OnRestart(Moment{kNow.milliseconds + 30000}, "lakes");
  restarted->OnSiteWrites(Moment{kNow.milliseconds + 36000}, "lakes", {});
  EXPECT_TRUE(restarted->violations().empty()) << "it waits anew";
}

TEST(Changes, ANodeWithNothingInDoubtDoesNotStayDown) {
  for (const std::string who : {"site:lakes", "user:root"}) {
    const auto checker = CheckTimeOuts(TwoNodes());
    checker->OnSiteWrites(kNow, "lakes", {Node("n1", who)});
    checker->AtEnd(kNow, true);
    EXPECT_EQ(checker->violations().size(), who == "site:lakes" ? 1u : 0u);
  }
}

// --- reserved

TEST(Changes, OnlyThoseLetInAreInsideAndTheyStartOnlyWhileItIsOpen) {
  HoldRecord reservation = Hold(kFirst, "n1", PartState::kRunning, 4);
  reservation.order.reserves = schemas::ReservationSpec{.allow = {"ana"}};
  HoldRecord inside = Hold(kSecond, "n1");
  inside.order.inside = reservation.order.request;
  for (const std::string user : {"kim", "ana", "bo"}) {
    const auto checker = CheckReserved(TwoNodes());
    checker->OnSiteWrites(kNow, "lakes", Of({reservation}));
    inside.order.requester.user = user;
    checker->OnSiteWrites(kNow, "lakes", Of({inside}));
    EXPECT_EQ(checker->violations().size(), user == "bo" ? 1u : 0u);
  }
  for (const int64_t second : {1999, 2000, 2099, 2100}) {
    const auto checker = CheckReserved(TwoNodes());
    inside.order.requester.user = "kim";
    checker->OnSiteWrites(kNow, "lakes", Of({reservation, inside}));
    checker->OnPartStarted(ToMoment(Instant{second}), "lakes", "1.2.1.1");
    EXPECT_EQ(checker->violations().size(), second == 2000 || second == 2099 ? 0u : 1u) << second;
  }
}

// --- altered

TEST(Changes, WhatIsPromisedIsWhatIsBooked) {
  const auto checker = CheckAltered(TwoNodes());
  HoldRecord hold = Hold(kFirst, "n1");
  checker->OnSiteWrites(kNow, "lakes", Of({hold}));
  const schemas::AttemptRecord attempt{.fence = kFirst,
                                       .request = {1},
                                       .state = schemas::AttemptState::kPermitted,
                                       .members = {"lakes"},
                                       .part_sites = {"lakes"}};
  schemas::RequestRecord request{.id = {1},
                                 .spec = {.duration = {100}, .parts = {{}}},
                                 .state = schemas::RequestState::kPromised,
                                 .attempt = kFirst};
  request.spec.parts[0].chunks = hold.order.parts[0].chunks;
  const auto write = [&] {
    checker->OnMetaWrites(kNow, {{"attempt/x", schemas::MetaRecord{attempt}},
                                 {"request/x", schemas::MetaRecord{request}}});
    return checker->violations().size();
  };
  EXPECT_EQ(write(), 0u);
  request.spec.duration = {101};
  EXPECT_EQ(write(), 1u);
  hold.parts[0].extended = {1};
  checker->OnSiteWrites(kNow, "lakes", Of({hold}));
  EXPECT_EQ(write(), 1u);
  request.spec.parts[0].chunks[0].count = 2;
  EXPECT_EQ(write(), 2u);
  request.state = schemas::RequestState::kWaiting;
  EXPECT_EQ(write(), 2u);
}

}  // namespace
}  // namespace muster::sim::changes_test
