// In a small made-up world the checker finds a node that idles. It finds none if an allowed
// exception applies or if something is in the way.
#include "sim/checkers/idle.h"

#include <gtest/gtest.h>

#include "site/machine/layout.h"

namespace muster::sim::idle_test {
namespace {

using schemas::AttemptRecord;
using schemas::AttemptState;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartState;
using schemas::RequestRecord;
using schemas::RequestState;

constexpr Moment kNow{1'000'000};
constexpr Instant kSoon{1005};
constexpr Instant kFar{1100};
const RequestId kJob{7};

site::Options SiteOf(const std::string& name, int nodes) {
  site::Options site;
  site.name = name;
  for (int n = 1; n <= nodes; ++n) {
    site.nodes.push_back({.name = "n" + std::to_string(n), .resources = {{"ncpus", 4}}});
  }
  return site;
}

CheckedWorld Lakes() {
  CheckedWorld world{.sites = {SiteOf("lakes", 2)}};
  world.values.lead = Seconds(2);
  world.values.start_wait = Seconds(10);
  return world;
}
CheckedWorld LakesAndWoods() {
  CheckedWorld world = Lakes();
  world.sites.push_back(SiteOf("woods", 1));
  return world;
}

schemas::PartSpec PartSpecOf(int64_t cpus) {
  return {.chunks = {{.count = 1, .resources = {{"ncpus", cpus}}}}};
}

// The world as the checker hears of it.
class Made {
 public:
  explicit Made(const CheckedWorld& world, IdleRules rules = {}) : check_(world, rules) {}

  RequestRecord Request(RequestId id = kJob, size_t parts = 1, int64_t cpus = 4) {
    RequestRecord request{.id = id, .requester = {.user = "kim"}};
    request.state = RequestState::kPromised;
    request.spec.duration = {60};
    for (size_t p = 0; p < parts; ++p) request.spec.parts.push_back(PartSpecOf(cpus));
    request.spec.apart = parts > 1;
    return request;
  }
  void Say(const RequestRecord& request) {
    check_.OnMetaWrites(now_, {{"request/x", schemas::MetaRecord{request}}});
  }
  void Say(const AttemptRecord& attempt) {
    check_.OnMetaWrites(now_, {{"attempt/x", schemas::MetaRecord{attempt}}});
  }
  void Say(const std::string& site, const HoldRecord& hold) {
    check_.OnSiteWrites(now_, site, {{"hold/x", schemas::SiteRecord{hold}}});
  }
  HoldRecord Hold(const Fence& fence, RequestId request, const std::string& node, Instant start,
                  int64_t cpus = 4, Span duration = {60}) {
    HoldRecord hold;
    hold.order.fence = fence;
    hold.order.request = request;
    hold.order.requester.user = "kim";
    hold.order.members = {"lakes"};
    hold.order.parts = {{.index = 1,
                         .chunks = {{.count = 1, .resources = {{"ncpus", cpus}}}},
                         .duration = duration}};
    hold.state = HoldState::kPermitted;
    hold.start = start;
    hold.parts = {{.index = 1, .place = {.index = 1, .chunks = {{node, {{"ncpus", cpus}}}}}}};
    return hold;
  }
  // The request has this place, and the meta knows of it.
  void Place(const RequestRecord& request, const std::string& site, const HoldRecord& hold) {
    Say(site, hold);
    Say(AttemptRecord{.fence = hold.order.fence,
                      .request = request.id,
                      .state = AttemptState::kPermitted,
                      .members = hold.order.members});
    Say(request);
  }
  // Another job runs on the node from now on for `length`.
  void Run(const std::string& site, const std::string& node, Span length, int64_t cpus = 4) {
    HoldRecord hold = Hold({{1}, ++others_}, {1000 + others_}, node, now_.Floor(), cpus, length);
    hold.parts[0].state = PartState::kRunning;
    hold.parts[0].started_at = now_;
    Say(site, hold);
  }
  void PassTo(int64_t second) { check_.OnMetaWrites(now_ = {second * 1000}, {}); }
  size_t Found() { return check_.violations().size(); }
  // After half a minute.
  size_t FoundLater() {
    PassTo(now_.Floor().seconds + 30);
    return Found();
  }
  uint64_t Times(IdleFor why) const { return check_.counts().times[static_cast<size_t>(why)]; }
  IdleCheck& check() { return check_; }
  Moment now() const { return now_; }

 private:
  IdleCheck check_;
  Moment now_ = kNow;
  uint64_t others_ = 100;
};

constexpr Fence kOwn{{1}, 1};

// A one-node job is promised a start in the far future, although both nodes are free.
Made OneThatCouldStart(const RequestRecord& request, IdleRules rules = {},
                       const CheckedWorld& world = Lakes()) {
  Made made(world, rules);
  made.Place(request, "lakes", made.Hold(kOwn, request.id, "n1", kFar));
  return made;
}
RequestRecord Plain() { return Made(Lakes()).Request(); }

TEST(Idle, ANodeThatAPromisedJobCouldHaveForFiveSecondsIsFoundAfterTheLead) {
  Made made = OneThatCouldStart(Plain());
  made.PassTo(1006);
  EXPECT_EQ(made.Found(), 0u) << "five seconds and the lead are not over";
  made.PassTo(1008);
  ASSERT_EQ(made.Found(), 1u);
  EXPECT_NE(made.check().violations()[0].find("home: request 7"), std::string::npos);
  EXPECT_EQ(made.FoundLater(), 1u) << "told once";
  EXPECT_GT(made.check().counts().node_milliseconds[static_cast<size_t>(IdleFor::kViolated)], 0);
}

TEST(Idle, AKindThatIsNotJudgedIsCountedOnly) {
  Made made = OneThatCouldStart(Plain(), {.judged = {IdleKind::kJoint}});
  EXPECT_EQ(made.FoundLater(), 0u);
  EXPECT_EQ(made.check().counts().found[static_cast<size_t>(IdleKind::kHome)], 1u);
}

TEST(Idle, OneThatStartsOrIsPromisedInTimeIsNotFound) {
  for (const bool starts : {true, false}) {
    Made made = OneThatCouldStart(Plain());
    made.PassTo(1006);
    HoldRecord hold = made.Hold(kOwn, kJob, "n1", starts ? Instant{1006} : Instant{1007});
    if (starts) hold.parts[0].state = PartState::kStarting;
    made.Say("lakes", hold);
    EXPECT_EQ(made.FoundLater(), 0u) << starts;
  }
}

TEST(Idle, OneWithoutAPlaceIsFoundAfterFifteenSeconds) {
  Made made(Lakes());
  RequestRecord request = Plain();
  request.state = RequestState::kWaiting;
  made.Say(request);
  made.PassTo(1016);
  EXPECT_EQ(made.Found(), 0u);
  made.PassTo(1018);
  EXPECT_EQ(made.Found(), 1u);
}

TEST(Idle, AJobOfASitesOwnUsersIsFound) {
  Made made(Lakes());
  const RequestRecord like = Plain();
  schemas::LocalRecord job{.number = 7, .requester = like.requester, .spec = like.spec};
  made.check().OnSiteWrites(kNow, "lakes", {{"local/7", schemas::SiteRecord{job}}});
  made.Say("lakes", made.Hold({{0}, 7}, kJob, "n1", kFar));
  EXPECT_EQ(made.FoundLater(), 1u);
}

// --- what is in the way

// Node n1 has half the speed of n2, where another job runs; a job that is promised a later start
// has this set.
size_t FoundWithSet(const std::string& set) {
  CheckedWorld world = Lakes();
  world.sites[0].nodes[0].speed = 500;
  RequestRecord request = Plain();
  request.spec.parts[0].set = set;
  Made made(world);
  made.Run("lakes", "n2", Span{80});
  made.Place(request, "lakes", made.Hold(kOwn, kJob, "n2", kFar));
  return made.FoundLater();
}

TEST(Idle, ANodeThatTheSetLeavesOutIsInNobodysWay) {
  EXPECT_EQ(FoundWithSet(""), 1u);
  EXPECT_EQ(FoundWithSet("speed:oneof"), 1u);
  EXPECT_EQ(FoundWithSet("speed=100%:oneof"), 0u);
}

TEST(Idle, WhoMayWaitForABetterNodeIsNotFoundMeanwhile) {
  EXPECT_EQ(FoundWithSet("speed=100%,50%:firstof:wait=200s"), 0u);
  EXPECT_EQ(FoundWithSet("speed=100%,50%:firstof:wait=5s"), 1u);
}

TEST(Idle, WhatIsBookedThereIsInTheWay) {
  Made made = OneThatCouldStart(Plain());
  made.Run("lakes", "n1", {200}, 1);
  made.Run("lakes", "n2", {200}, 1);
  EXPECT_EQ(made.FoundLater(), 0u);
  Made other = OneThatCouldStart(Plain());
  other.Run("lakes", "n1", {200}, 1);
  EXPECT_EQ(other.FoundLater(), 1u) << "the other node is free";
}

// The job would start a second after the next one, and have its node for its time from then on.
TEST(Idle, TheNextBookingsTurnoverMayBeginAsItEnds) {
  for (const bool room : {true, false}) {
    Made made = OneThatCouldStart(Plain());
    made.Run("lakes", "n1", {200});
    // From 1069 on it could be there until 1130 at least, if it may begin then.
    made.Say("lakes", made.Hold({{1}, 50}, {50}, "n2", {room ? 1081 : 1066}, 4));
    EXPECT_EQ(made.FoundLater(), room ? 1u : 0u);
  }
}

TEST(Idle, OneAndTheSameWitnessHasToHold) {
  Made made = OneThatCouldStart(Plain());
  for (int second = 1000; second < 1030; second += 4) {
    made.PassTo(second);
    made.Run("lakes", second % 8 == 0 ? "n1" : "n2", {4});
    HoldRecord brief = made.Hold({{1}, 60}, {60}, second % 8 == 0 ? "n1" : "n2", {second}, 4, {4});
    brief.parts[0].state = PartState::kRunning;
    brief.parts[0].started_at = made.now();
    made.Say("lakes", brief);
  }
  EXPECT_EQ(made.Found(), 0u);
}

TEST(Idle, ANodeOutOfUseAndOneWhoseProcessesDoNotGoAreNoWitness) {
  IdleRules calm{.calm = true};  // or the drain itself would excuse it
  for (const bool drained : {true, false}) {
    Made made = OneThatCouldStart(Plain(), calm);
    made.Run("lakes", "n1", {200});
    if (drained) {
      made.check().OnSiteWrites(
          kNow, "lakes", {{"node/n2", schemas::SiteRecord{schemas::NodeRecord{.name = "n2"}}}});
    } else {
      made.PassTo(1001);
      made.Run("lakes", "n2", {1});  // and is still there
    }
    EXPECT_EQ(made.FoundLater(), 0u) << drained;
  }
}

TEST(Idle, ARuleOfTheSiteIsInTheWay) {
  CheckedWorld world = Lakes();
  rules::Limit limit{.resource = "ncpus"};
  limit.items.items = 4;
  world.sites[0].rules.limits = {limit};
  Made made(world);
  made.Run("lakes", "n1", {200});
  const RequestRecord request = made.Request();
  made.Place(request, "lakes", made.Hold(kOwn, kJob, "n1", {1201}));
  EXPECT_EQ(made.FoundLater(), 0u);
}

TEST(Idle, WhatAPoolKeepsFreeIsNoWitnessEvenIfThosePoolsAreForHaveTheRest) {
  for (const int64_t keep : {0, 1}) {
    CheckedWorld world = Lakes();
    rules::Pool pool{.name = "quick", .resource = "ncpus"};
    pool.keep.items = keep;
    pool.open_to = Condition({.subject = Comparison::Subject::kDuration,
                              .op = Comparison::Operator::kMore,
                              .numbers = {100}});
    world.sites[0].rules.pools = {pool};
    Made made(world);
    made.Run("lakes", "n1", {200});
    made.Place(made.Request(), "lakes", made.Hold(kOwn, kJob, "n1", {1201}));
    EXPECT_EQ(made.FoundLater(), keep == 0 ? 1u : 0u);
  }
}

TEST(Idle, APartitionHasToBeFreeAsAWhole) {
  for (const std::string taken : {"n2", "n4"}) {
    CheckedWorld world{.sites = {SiteOf("lakes", 4)}};
    world.values.lead = Seconds(2);
    // Without a geometry parts would not have nodes alone: only that matters here.
    world.sites[0].units.geometry =
        machine::MakeGeometry({.kind = machine::Kind::kMesh, .sides = {4, 1}});
    IdleRules rules;
    rules.layouts["lakes"] = {.kind = machine::Kind::kMesh, .sides = {4, 1}};
    Made made(world, rules);
    RequestRecord request = made.Request(kJob);
    request.spec.parts[0].chunks[0].count = 3;
    made.Run("lakes", taken, {200}, 1);
    HoldRecord place = made.Hold(kOwn, kJob, "n1", {1201});
    place.order.parts[0].chunks[0].count = 3;
    place.parts[0].place.chunks = {
        {"n1", {{"ncpus", 4}}}, {"n2", {{"ncpus", 4}}}, {"n3", {{"ncpus", 4}}}};
    made.Place(request, "lakes", place);
    EXPECT_EQ(made.FoundLater(), taken == "n4" ? 1u : 0u) << taken;
  }
}

// --- several sites

RequestRecord OfTwoSites() { return Made(Lakes()).Request(kJob, 2); }

Made TwoThatCouldStart(const RequestRecord& request, IdleRules rules = {}) {
  Made made(LakesAndWoods(), rules);
  HoldRecord one = made.Hold(kOwn, kJob, "n1", kFar);
  one.order.members = {"lakes", "woods"};
  HoldRecord other = one;
  other.order.parts[0].index = other.parts[0].index = 2;
  made.Say("lakes", one);
  made.Place(request, "woods", other);
  return made;
}

TEST(Idle, ACoAllocationIsFoundAfterFifteenSecondsAndTheLead) {
  Made made = TwoThatCouldStart(OfTwoSites());
  made.PassTo(1016);
  EXPECT_EQ(made.Found(), 0u);
  made.PassTo(1018);
  ASSERT_EQ(made.Found(), 1u);
  EXPECT_NE(made.check().violations()[0].find("joint: "), std::string::npos);
}

TEST(Idle, ACoAllocationThatOneSiteHasNoRoomForIsNotFound) {
  Made made = TwoThatCouldStart(OfTwoSites());
  made.Run("woods", "n1", {200}, 1);
  EXPECT_EQ(made.FoundLater(), 0u);
}

TEST(Idle, ACoAllocationThatMoreThanItsTailIsInTheWayOfIsFound) {
  for (const int64_t next : {1110, 1130}) {
    Made made = TwoThatCouldStart(OfTwoSites());
    // At second 1018 it would start at 1021, and last until 1081 and its tail of ten.
    made.Say("woods", made.Hold({{1}, 50}, {50}, "n1", {next - 25}));
    EXPECT_EQ(made.FoundLater(), next == 1130 ? 1u : 0u) << next;
  }
}

// --- exceptions

TEST(Idle, OwnWordsExcuse) {
  const auto said = [](const std::function<void(RequestRecord&)>& words, bool counted = true) {
    RequestRecord request = Plain();
    words(request);
    Made made = OneThatCouldStart(request);
    EXPECT_EQ(made.FoundLater(), 0u);
    EXPECT_EQ(made.Times(IdleFor::kOwnWords), counted ? 1u : 0u);
  };
  said([](RequestRecord& r) { r.parked = true; });
  said([](RequestRecord& r) { r.spec.at = kFar; });
  said([](RequestRecord& r) { r.spec.after = {{schemas::DependencyKind::kAny, {3}}}; });
  said([](RequestRecord& r) { r.spec.reserves = schemas::ReservationSpec{}; });
  said([](RequestRecord& r) { r.spec.inside = RequestId{3}; });
  // With these constraints there is no witness at all, so no wait is counted.
  said([](RequestRecord& r) { r.spec.from = kFar; }, false);
  said([](RequestRecord& r) { r.spec.deadline = Instant{1062}; }, false);
  said([](RequestRecord& r) { r.spec.start_by = Instant{1002}; }, false);
  said([](RequestRecord& r) { r.spec.slots = IntervalSet({{Instant{1050}, Instant{1200}}}); },
       false);
  said([](RequestRecord& r) { r.spec.request_class = schemas::RequestClass::kInteractive; }, false);
}

TEST(Idle, WhatItComesAfterExcusesUntilThatHasEnded) {
  RequestRecord request = Plain();
  request.spec.after = {{schemas::DependencyKind::kOk, {3}}};
  Made made = OneThatCouldStart(request);
  RequestRecord first = made.Request({3});
  first.state = RequestState::kEnded;
  first.outcome = schemas::Outcome::kFailed;
  made.Say(first);
  EXPECT_EQ(made.FoundLater(), 0u) << "it did not end as asked";
  first.outcome = schemas::Outcome::kDone;
  made.Say(first);
  EXPECT_EQ(made.FoundLater(), 1u);
}

TEST(Idle, TheLimitOfItsArrayExcusesAllButTheFirstElements) {
  RequestRecord array = Plain();
  array.spec.array = schemas::ArraySpec{.first = 1, .last = 2, .at_once = 1};
  for (const uint64_t index : {1, 2}) {
    RequestRecord element = Plain();
    element.id = kJob.element(index);
    Made made(Lakes());
    made.Say(array);
    RequestRecord other = element;
    other.id = kJob.element(3 - index);
    other.parked = index == 1;
    other.state = RequestState::kWaiting;
    made.Say(other);
    AttemptRecord waits{.fence = kOwn, .request = element.id, .members = {"lakes"}};
    made.Say(waits);
    HoldRecord hold = made.Hold(kOwn, element.id, "n1", kFar);
    made.Say("lakes", hold);
    made.Say(element);
    EXPECT_EQ(made.FoundLater(), 1u) << "one place, one element";
    EXPECT_EQ(made.Times(IdleFor::kOwnWords), 1u) << "the other is beyond the limit or parked";
  }
}

TEST(Idle, AMoreUrgentOneWithAWitnessThereExcusesAndIsFoundItself) {
  CheckedWorld world = Lakes();
  world.queues = {"high", "normal"};
  Made made(world);
  made.Run("lakes", "n1", {200});
  RequestRecord low = made.Request({3});
  low.spec.queue = "normal";
  RequestRecord high = made.Request({4});
  high.spec.queue = "high";
  made.Place(low, "lakes", made.Hold({{1}, 3}, {3}, "n1", {1201}));
  made.Place(high, "lakes", made.Hold({{1}, 4}, {4}, "n1", {1301}));
  EXPECT_EQ(made.FoundLater(), 1u);
  EXPECT_NE(made.check().violations()[0].find("request 4"), std::string::npos);
  EXPECT_GT(made.Times(IdleFor::kUrgent), 0u);
}

TEST(Idle, TheLastMomentsExcuse) {
  Made made(Lakes());
  const RequestRecord request = Plain();
  HoldRecord hold = made.Hold(kOwn, kJob, "n1", kSoon);
  made.Place(request, "lakes", hold);
  made.PassTo(1005);
  hold.parts[0].state = PartState::kStarting;
  made.Say("lakes", hold);
  EXPECT_EQ(made.FoundLater(), 0u);
  EXPECT_EQ(made.Times(IdleFor::kLastMoments), 1u);
}

TEST(Idle, AnAttemptInFlightExcusesForAsLongAsAnAnswerIsWaitedFor) {
  const auto found_by = [](int64_t second) {
    Made made(Lakes());
    made.Say(Plain());
    HoldRecord hold = made.Hold(kOwn, kJob, "n1", kFar);
    hold.state = HoldState::kPrepared;
    made.Say("lakes", hold);  // and no attempt is on record
    made.PassTo(second);
    EXPECT_EQ(made.Times(IdleFor::kLastMoments), 1u);
    return made.Found();
  };
  EXPECT_EQ(found_by(1019), 0u);
  EXPECT_EQ(found_by(1023), 1u);
}

TEST(Idle, AGainElsewhereOfLessThanHalfAMinuteExcusesUnlessItIsCalm) {
  const auto found = [](bool calm, Instant start) {
    Made made(LakesAndWoods(), {.calm = calm});
    made.Run("lakes", "n1", {200});
    made.Run("lakes", "n2", start - kNow.Floor() - Span{2});
    made.Place(made.Request(), "lakes", made.Hold(kOwn, kJob, "n2", start));
    made.PassTo(1019);
    EXPECT_EQ(made.Times(IdleFor::kElsewhere) > 0, !calm && start < Instant{1050});
    return made.Found();
  };
  EXPECT_EQ(found(false, {1028}), 0u);
  EXPECT_EQ(found(true, {1028}), 1u);
  EXPECT_EQ(found(false, {1080}), 1u);
}

TEST(Idle, ABlocksPlanEndExcusesWhileOthersWaitUnlessTheThresholdIsInfinite) {
  const auto found = [](std::optional<Span> threshold, bool others) {
    Made made(Lakes(), {.threshold = threshold});
    made.Run("lakes", "n1", {30});
    made.Place(made.Request(), "lakes", made.Hold(kOwn, kJob, "n1", {1032}));
    RequestRecord other = made.Request({8}, 1, 5);  // no node has 5 cpus
    other.state = RequestState::kWaiting;
    if (others) made.Say(other);
    made.PassTo(1010);
    EXPECT_EQ(made.Times(IdleFor::kBlocks) > 0, threshold && others);
    return made.Found();
  };
  EXPECT_EQ(found(Span{30}, true), 0u);
  EXPECT_EQ(found(Span{30}, false), 1u);
  EXPECT_EQ(found(std::nullopt, true), 1u);
}

TEST(Idle, FaultsExcuseForHalfAMinuteUnlessItIsCalm) {
  const auto found = [](bool calm, const std::function<void(IdleCheck&)>& fault) {
    Made made = OneThatCouldStart(Plain(), {.calm = calm});
    fault(made.check());
    made.PassTo(1029);
    return made.Found();
  };
  const auto lost = [](IdleCheck& check) { check.OnFault(kNow); };
  const auto crash = [](IdleCheck& check) { check.OnCrash(kNow, "lakes"); };
  const auto back = [](IdleCheck& check) {
    check.OnCrash(kNow, "lakes");
    check.OnRestart(kNow, "lakes");
  };
  const auto drained = [](IdleCheck& check) {
    check.OnSiteWrites(kNow, "lakes", {{"node/n2", std::nullopt}});
  };
  for (const std::function<void(IdleCheck&)>& fault :
       {std::function<void(IdleCheck&)>(lost), std::function<void(IdleCheck&)>(crash),
        std::function<void(IdleCheck&)>(back), std::function<void(IdleCheck&)>(drained)}) {
    EXPECT_EQ(found(false, fault), 0u);
    EXPECT_EQ(found(true, fault), 1u);
  }
  Made made = OneThatCouldStart(Plain());
  lost(made.check());
  made.PassTo(1040);
  EXPECT_EQ(made.Found(), 1u) << "it was quiet for long enough";
}

// --- the mapper

std::vector<Placing> PlacingsOn(size_t nodes, const BookedPart& part,
                                const std::vector<Occupied>& on_first = {}, bool even = false) {
  PlacingSite site{.even = even};
  PlacingRoom room;
  for (size_t n = 1; n <= nodes; ++n) {
    site.nodes.push_back({.name = "n" + std::to_string(n), .has = {{"ncpus", 4}}});
    room.has.push_back(site.nodes.back().has);
    room.usable.push_back(true);
  }
  room.occupied.resize(nodes);
  room.occupied[0] = on_first;
  return PlacingsOf({part}, site, room);
}
BookedPart Sets(int64_t count, int64_t cpus, Spread spread = Spread::kFree) {
  return {.name = "x",
          .span = {{100}, {200}},
          .wanted = {{count, {{"ncpus", cpus}}, {}}},
          .spread = spread};
}

TEST(Placing, FindsEveryWayToPutEqualSetsOnNodesOnce) {
  EXPECT_EQ(PlacingsOn(3, Sets(1, 4)).size(), 3u);
  EXPECT_EQ(PlacingsOn(3, Sets(2, 4)).size(), 3u);
  EXPECT_EQ(PlacingsOn(3, Sets(2, 2)).size(), 6u) << "two of them on one node";
  EXPECT_EQ(PlacingsOn(3, Sets(2, 2, Spread::kPack)).size(), 3u);
  EXPECT_EQ(PlacingsOn(3, Sets(2, 2, Spread::kScatter)).size(), 3u);
  EXPECT_EQ(PlacingsOn(3, Sets(2, 5)).size(), 0u);
  EXPECT_EQ(PlacingsOn(2, Sets(3, 1)).size(), 4u);
  EXPECT_EQ(PlacingsOn(2, Sets(3, 1), {}, /*even=*/true).size(), 2u) << "not two beside one";
}

TEST(Placing, LooksAtEveryInstantAndCountsAChainOnce) {
  const auto taken = [](int64_t begin, int64_t end, const std::string& chain,
                        const std::string& order, bool exclusive = false) {
    return Occupied{{{begin}, {end}}, {{"ncpus", 2}}, chain, order, exclusive};
  };
  EXPECT_EQ(PlacingsOn(1, Sets(1, 2), {taken(0, 150, "a", "a"), taken(150, 300, "b", "b")}).size(),
            1u)
      << "one after the other";
  EXPECT_EQ(PlacingsOn(1, Sets(1, 2), {taken(0, 160, "a", "a"), taken(150, 300, "b", "b")}).size(),
            0u);
  EXPECT_EQ(PlacingsOn(1, Sets(1, 2), {taken(0, 160, "a", "a"), taken(150, 300, "a", "b")}).size(),
            1u)
      << "one of them at most runs";
  EXPECT_EQ(PlacingsOn(1, Sets(1, 1), {taken(199, 300, "a", "a", true)}).size(), 0u);
  EXPECT_EQ(PlacingsOn(1, Sets(1, 4), {taken(200, 300, "a", "a", true)}).size(), 1u);
}

}  // namespace
}  // namespace muster::sim::idle_test
