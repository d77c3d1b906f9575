// The site's plan through the protocol's own structs.
#include "site/planning/planner.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace muster::site {
namespace {

using schemas::VerdictKind;

constexpr Instant kNow{1000};
constexpr int64_t kGb = int64_t{1} << 30;

// Ten nodes: n1 to n8 of 4 cpus and 8 GB, g1 and g2 with a gpu as well.
Options TenNodes(Span turnover = Span{1}) {
  Options options;
  options.name = "lakes";
  options.facts.turnover = turnover;
  for (int i = 1; i <= 8; ++i) {
    options.nodes.push_back({"n" + std::to_string(i), {{"ncpus", 4}, {"mem", 8 * kGb}}, {}});
  }
  for (int i = 1; i <= 2; ++i) {
    options.nodes.push_back({"g" + std::to_string(i),
                             {{"ncpus", 4}, {"mem", 8 * kGb}, {"ngpus", 1}},
                             {{"acc", "tesla"}}});
  }
  return options;
}

schemas::PartDemand Cpus(uint32_t count, int64_t ncpus, Span duration) {
  schemas::PartDemand part;
  part.chunks = {{count, {{"ncpus", ncpus}}, {}}};
  part.duration = duration;
  return part;
}

verifier::Demand DemandOf(schemas::PartDemand part, IntervalSet allowed = IntervalSet::From({0}),
                          std::string label = "") {
  verifier::Demand demand;
  demand.parts = {std::move(part)};
  demand.allowed = std::move(allowed);
  demand.label = std::move(label);
  return demand;
}

Fence MetaFence(uint64_t number) { return {{3}, number}; }

std::vector<std::string> NodesOf(const schemas::PartPlace& place) {
  std::vector<std::string> out;
  for (const schemas::ChunkPlace& chunk : place.chunks) out.push_back(chunk.node);
  return out;
}

TEST(SitePlanner, MapsFirstFitInNodeOrderAndBooksTheTurnoverBefore) {
  SitePlanner planner(TenNodes());
  const auto first = planner.Book(MetaFence(1), DemandOf(Cpus(3, 2, {60})), kNow, {});
  const auto& booked = std::get<verifier::Booked>(first);
  EXPECT_EQ(booked.start, kNow);
  EXPECT_EQ(NodesOf(booked.places[0]), (std::vector<std::string>{"n1", "n1", "n2"}));
  // All cpus: the first job ends at 1060 and the next begins a turnover later.
  const auto second = planner.Book(MetaFence(2), DemandOf(Cpus(10, 4, {60})), kNow, {});
  EXPECT_EQ(std::get<verifier::Booked>(second).start, Instant{1061});
}

// OpenCCS Sect. 3: nodes kept for maintenance at times.
TEST(SitePlanner, AStandingReservationKeepsItsNodesForThoseAllowed) {
  Options options = TenNodes();
  // 1970-01-01 00:18, a Thursday, for five minutes.
  const Interval maintenance{{1080}, {1380}};
  rules::Standing standing{.name = "maintenance", .nodes = {0, 1}, .allow = {"@operators"}};
  standing.valid.kind = Validity::Kind::kCron;
  standing.valid.times = {.minutes = uint64_t{1} << 18,
                          .hours = 1,
                          .days = 1u << 1,
                          .months = 1u << 1,
                          .weekdays = CronTimes::kAllWeekdays};
  standing.valid.length = maintenance.end - maintenance.begin;
  options.rules.standing = {standing};
  SitePlanner planner(options);
  // A job may run on the reservation's nodes if it ends at least a turnover before it.
  const auto before = planner.Book(MetaFence(1), DemandOf(Cpus(1, 4, {60})), kNow, {});
  EXPECT_EQ(NodesOf(std::get<verifier::Booked>(before).places[0]),
            (std::vector<std::string>{"n1"}));
  // A job that would reach into the reservation goes elsewhere. All nodes are free only after it.
  const auto beside = planner.Book(MetaFence(2), DemandOf(Cpus(1, 4, {200})), kNow, {});
  EXPECT_EQ(NodesOf(std::get<verifier::Booked>(beside).places[0]),
            (std::vector<std::string>{"n3"}));
  schemas::ProposalEntry all{.parts = {Cpus(10, 4, {60})},
                             .asked = kNow + Span{250},
                             .allowed = IntervalSet::From(kNow + Span{250})};
  const schemas::VerdictEntry verdict = planner.Verify({all}, kNow).front();
  EXPECT_EQ(verdict.kind, VerdictKind::kCountered);
  EXPECT_EQ(verdict.start, maintenance.end + options.facts.turnover);
  ASSERT_TRUE(verdict.reason.has_value());
  EXPECT_EQ(verdict.reason->code, schemas::ReasonCode::kReservation);
  EXPECT_NE(verdict.reason->text.find("reservation maintenance"), std::string::npos);
  EXPECT_TRUE(verdict.reason->resource.empty());
  all.groups = {"operators"};
  EXPECT_EQ(planner.Verify({all}, kNow).front().kind, VerdictKind::kAccepted);
  const schemas::Capacity capacity = planner.Capacity(kNow);
  for (const auto& [name, amount] : capacity.total.entries()) {
    EXPECT_EQ(name.find("maintenance"), std::string::npos) << name;
  }
}

TEST(SitePlanner, RefusesAHoldThatDoesNotFitWithTheWayOut) {
  SitePlanner planner(TenNodes());
  planner.Book(MetaFence(1), DemandOf(Cpus(10, 4, {60}), IntervalSet::From({0}), "41"), kNow, {});
  const auto answer =
      planner.Book(MetaFence(2), DemandOf(Cpus(1, 1, {30}), IntervalSet::Only({1010})), kNow, {});
  const auto& entry = std::get<schemas::VerdictEntry>(answer);
  EXPECT_EQ(entry.kind, VerdictKind::kCountered);
  EXPECT_EQ(entry.start, Instant{1061});
  EXPECT_EQ(entry.starts.FirstFrom({0}), Instant{1061});
  ASSERT_TRUE(entry.reason.has_value());
  EXPECT_EQ(entry.reason->code, schemas::ReasonCode::kJob);
  EXPECT_EQ(entry.reason->subject, (schemas::Subject{"lakes", "n1", "41"}));
  EXPECT_EQ(entry.reason->resource, "ncpus");
  EXPECT_EQ(entry.reason->until, Instant{1061});
}

// Co-allocations ask every site for each of their parts: also for such as no node of it can host.
TEST(SitePlanner, WhatNoNodeHasSaysNothingOfTheStartsOfOthers) {
  SitePlanner planner(TenNodes());
  planner.Book(MetaFence(1), DemandOf(Cpus(10, 4, {60}), IntervalSet::From({0}), "41"), kNow, {});
  schemas::ProposalEntry nowhere{
      .parts = {Cpus(1, 1, {30})}, .asked = kNow, .allowed = IntervalSet::From(kNow)};
  schemas::ProposalEntry beside = nowhere;
  nowhere.parts[0].chunks[0].resources.Set("nfpgas", 1);
  const auto verdicts = planner.Verify({nowhere, beside}, kNow);
  EXPECT_EQ(verdicts[0].kind, VerdictKind::kNever);
  EXPECT_EQ(verdicts[1].kind, VerdictKind::kCountered);
  EXPECT_EQ(verdicts[1].start, Instant{1061});
  EXPECT_EQ(planner.Verify({beside}, kNow).front().start, Instant{1061});
}

TEST(SitePlanner, SaysNeverWithTheLargestThatFits) {
  SitePlanner planner(TenNodes());
  const auto answer = planner.Book(MetaFence(1), DemandOf(Cpus(2, 64, {60})), kNow, {});
  const auto& entry = std::get<schemas::VerdictEntry>(answer);
  EXPECT_EQ(entry.kind, VerdictKind::kNever);
  EXPECT_EQ(entry.reason->text, "no node has more than 4 ncpus");
  EXPECT_EQ(entry.largest, (std::vector<schemas::Chunk>{{2, {{"ncpus", 4}}, {}}}));
  const auto many = planner.Book(MetaFence(2), DemandOf(Cpus(41, 1, {60})), kNow, {});
  EXPECT_EQ(std::get<schemas::VerdictEntry>(many).largest,
            (std::vector<schemas::Chunk>{{40, {{"ncpus", 1}}, {}}}));
}

TEST(SitePlanner, IsBlockedByNodesOutOfUseOnly) {
  SitePlanner planner(TenNodes());
  EXPECT_TRUE(planner.SetUsable("g2", false));
  EXPECT_FALSE(planner.SetUsable("g3", false));
  schemas::PartDemand part;
  part.chunks = {{2, {{"ngpus", 1}}, {{"acc", "tesla"}}}};
  part.duration = {60};
  const auto answer = planner.Book(MetaFence(1), DemandOf(part), kNow, {});
  EXPECT_EQ(std::get<schemas::VerdictEntry>(answer).kind, VerdictKind::kBlocked);
  EXPECT_EQ(std::get<schemas::VerdictEntry>(answer).reason->subject.node, "g2");
  planner.SetUsable("g2", true);
  EXPECT_TRUE(std::holds_alternative<verifier::Booked>(
      planner.Book(MetaFence(1), DemandOf(part), kNow, {})));
}

TEST(SitePlanner, AReplacingHoldMayShareTheNodesOfTheOneItReplaces) {
  SitePlanner planner(TenNodes());
  planner.Book(MetaFence(1), DemandOf(Cpus(10, 4, {60})), kNow, {});
  const auto beside = planner.Book(MetaFence(2), DemandOf(Cpus(10, 4, {90})), kNow, MetaFence(1));
  EXPECT_EQ(std::get<verifier::Booked>(beside).start, kNow);
  planner.Free(MetaFence(1));
  const auto third = planner.Book(MetaFence(3), DemandOf(Cpus(1, 1, {10})), kNow, {});
  EXPECT_EQ(std::get<verifier::Booked>(third).start, Instant{1091});
}

TEST(SitePlanner, ARestoredPairJoinsToItsMaximum) {
  SitePlanner planner(TenNodes());
  const auto one = planner.Book(MetaFence(1), DemandOf(Cpus(9, 4, {60})), kNow, {});
  const auto two = planner.Book(MetaFence(2), DemandOf(Cpus(9, 4, {60})), kNow, MetaFence(1));
  SitePlanner restored(TenNodes());
  restored.Restore(MetaFence(1), DemandOf(Cpus(9, 4, {60})), std::get<verifier::Booked>(one));
  restored.Restore(MetaFence(2), DemandOf(Cpus(9, 4, {60})), std::get<verifier::Booked>(two));
  restored.Join(MetaFence(2), MetaFence(1));
  const auto last = DemandOf(Cpus(1, 4, {60}));
  EXPECT_EQ(std::get<verifier::Booked>(planner.Book(MetaFence(3), last, kNow, {})),
            std::get<verifier::Booked>(restored.Book(MetaFence(3), last, kNow, {})));
}

TEST(SitePlanner, LoadsAHoldOfANodeThatIsGone) {
  SitePlanner planner(TenNodes());
  verifier::Booked booked{kNow, {{1, {{"n99", {{"ncpus", 4}}}, {"n1", {{"licences", 1}}}}}}};
  planner.Restore(MetaFence(1), DemandOf(Cpus(2, 4, {60})), booked);
  planner.Free(MetaFence(1));
  EXPECT_EQ(planner.Capacity(kNow).free_now, planner.Capacity(kNow).total);
}

TEST(SitePlanner, AnEarlyEndGivesBackWhatIsLeft) {
  SitePlanner planner(TenNodes());
  planner.Book(MetaFence(1), DemandOf(Cpus(10, 4, {600})), kNow, {});
  const PlanRevision before = planner.revision();
  planner.FreePartFrom(MetaFence(1), 1, {1100});
  EXPECT_NE(planner.revision(), before);
  const auto answer = planner.Book(MetaFence(2), DemandOf(Cpus(1, 1, {10})), {1100}, {});
  EXPECT_EQ(std::get<verifier::Booked>(answer).start, Instant{1101});
}

TEST(SitePlanner, RebookingMovesOrLeavesTheBookingAsItWas) {
  SitePlanner planner(TenNodes());
  planner.Book(MetaFence(1), DemandOf(Cpus(10, 4, {60})), kNow, {});
  planner.Book(MetaFence(2), DemandOf(Cpus(10, 4, {60})), kNow, {});
  const PlanRevision before = planner.revision();
  const auto refused = planner.Rebook(MetaFence(2), IntervalSet::Only({1020}), kNow);
  EXPECT_TRUE(std::holds_alternative<schemas::VerdictEntry>(refused));
  EXPECT_EQ(planner.revision(), before);
  planner.Free(MetaFence(1));
  const auto moved = planner.Rebook(MetaFence(2), IntervalSet::From({0}), kNow);
  EXPECT_EQ(std::get<verifier::Booked>(moved).start, kNow);
}

schemas::ProposalEntry EntryOf(schemas::PartDemand part, Instant asked, bool want_starts) {
  schemas::ProposalEntry entry;
  entry.parts = {std::move(part)};
  entry.asked = asked;
  entry.allowed = IntervalSet::From(kNow);
  entry.want_starts = want_starts;
  return entry;
}

TEST(SitePlanner, AVerdictBooksCountersBeforeTheNextEntryAndWritesNothing) {
  SitePlanner planner(TenNodes({0}));
  const PlanRevision before = planner.revision();
  const auto verdict = planner.Verify(
      {EntryOf(Cpus(10, 4, {60}), kNow, false), EntryOf(Cpus(10, 4, {60}), kNow, true),
       EntryOf(Cpus(10, 4, {60}), {1060}, false)},
      kNow);
  ASSERT_EQ(verdict.size(), 3u);
  EXPECT_EQ(verdict[0].kind, VerdictKind::kAccepted);
  EXPECT_EQ(verdict[0].taken[0], (ResourceSet{{"ncpus", 32}}));
  EXPECT_EQ(verdict[0].taken[1], (ResourceSet{{"ncpus", 8}}));
  EXPECT_EQ(verdict[1].kind, VerdictKind::kCountered);
  EXPECT_EQ(verdict[1].start, Instant{1060});
  EXPECT_EQ(verdict[1].starts.FirstFrom({0}), Instant{1060});
  EXPECT_EQ(verdict[2].start, Instant{1120});
  EXPECT_EQ(planner.revision(), before);
  EXPECT_EQ(planner.Capacity(kNow).free_now, planner.Capacity(kNow).total);
}

TEST(SitePlanner, AlternativesAreAnsweredOnWhatIsBookedBeforeThemAndAreNotBookedForWhatFollows) {
  SitePlanner planner(TenNodes({0}));
  const auto alternative = [](schemas::ProposalEntry entry) {
    entry.alternative = true;
    return entry;
  };
  const schemas::ProposalEntry whole = EntryOf(Cpus(10, 4, {60}), kNow, true);
  const auto verdict =
      planner.Verify({alternative(whole), alternative(whole), whole, alternative(whole),
                      alternative(EntryOf(Cpus(10, 4, {30}), kNow, true)), whole},
                     kNow);
  ASSERT_EQ(verdict.size(), 6u);
  EXPECT_EQ(verdict[0].start, kNow);
  EXPECT_EQ(verdict[1].start, kNow) << "nothing of the other is booked";
  EXPECT_EQ(verdict[2].start, kNow);
  EXPECT_EQ(verdict[3].start, (Instant{1060})) << "the entry before it is";
  EXPECT_EQ(verdict[4].start, (Instant{1060}));
  EXPECT_EQ(verdict[5].start, (Instant{1060}));
}

TEST(SitePlanner, AnAlternativeThatIgnoresABookingLeavesItBookedForTheNext) {
  SitePlanner planner(TenNodes({0}));
  planner.Book(MetaFence(1), DemandOf(Cpus(10, 4, {60})), kNow, {});
  schemas::ProposalEntry instead = EntryOf(Cpus(10, 4, {60}), kNow, true);
  instead.alternative = true;
  instead.ignoring = {MetaFence(1)};
  const schemas::ProposalEntry beside = EntryOf(Cpus(10, 4, {60}), kNow, true);
  const auto verdict = planner.Verify({instead, beside}, kNow);
  EXPECT_EQ(verdict[0].start, kNow);
  EXPECT_EQ(verdict[1].start, (Instant{1060}));
}

TEST(SitePlanner, AsManyIntervalsOfStartsAreToldAsAreWanted) {
  SitePlanner planner(TenNodes({0}));
  // Every other ten seconds all nodes are in use.
  for (int64_t i = 0; i < 40; ++i) {
    planner.Book(MetaFence(static_cast<uint64_t>(i + 1)),
                 DemandOf(Cpus(10, 4, {10}), IntervalSet::Only({1010 + 20 * i})), kNow, {});
  }
  schemas::ProposalEntry entry = EntryOf(Cpus(1, 4, {10}), kNow, true);
  EXPECT_EQ(planner.Verify({entry}, kNow)[0].starts.intervals().size(), schemas::kStartIntervals);
  entry.intervals = 32;
  const schemas::VerdictEntry more = planner.Verify({entry}, kNow)[0];
  EXPECT_EQ(more.starts.intervals().size(), 32u);
  EXPECT_EQ(more.complete_until, (Instant{1000 + 20 * 32}));
}

TEST(SitePlanner, ARunOfVerdictsAnswersAsOneOverAllItsEntries) {
  Random random(3);
  for (int round = 0; round < 40; ++round) {
    SitePlanner planner(TenNodes());
    for (uint64_t i = 1; i <= 6; ++i) {
      planner.Book(MetaFence(i), DemandOf(Cpus(random.Between(1, 8), 2, {random.Between(10, 99)})),
                   kNow, {});
    }
    std::vector<schemas::ProposalEntry> all;
    for (int i = 0; i < 20; ++i) {
      all.push_back(
          EntryOf(Cpus(random.Between(1, 10), random.Between(1, 4), {random.Between(10, 99)}),
                  {random.Between(1000, 1200)}, random.Chance(300)));
      if (random.Chance(200)) all.back().ignoring = {MetaFence(random.Between(1, 6))};
    }
    const PlanRevision before = planner.revision();
    const std::vector<schemas::VerdictEntry> whole = planner.Verify(all, kNow);
    std::shared_ptr<SitePlanner::Run> run;
    std::vector<schemas::VerdictEntry> pieces;
    while (pieces.size() < all.size()) {
      const size_t left = all.size() - pieces.size();
      const auto from = all.begin() + static_cast<long>(pieces.size());
      const auto to = from + random.Between(1, static_cast<int64_t>(left));
      const auto piece = planner.Continue({from, to}, kNow, run);
      pieces.insert(pieces.end(), piece.begin(), piece.end());
    }
    EXPECT_EQ(pieces, whole);
    EXPECT_EQ(planner.revision(), before);
    EXPECT_EQ(planner.Verify(all, kNow), whole) << "nothing of a run stays in the plan";
  }
}

TEST(SitePlanner, WhatHasNoAllowedStartIsBlockedNamesWhoBindsAndBooksNothing) {
  SitePlanner planner(TenNodes({0}));
  planner.Book(MetaFence(1), DemandOf(Cpus(10, 4, {60}), IntervalSet::From({0}), "41"), kNow, {});
  schemas::ProposalEntry entry = EntryOf(Cpus(1, 4, {60}), {1010}, false);
  entry.allowed = IntervalSet::Only({1010});
  const auto verdict = planner.Verify({entry, EntryOf(Cpus(10, 4, {60}), {1060}, false)}, kNow);
  EXPECT_EQ(verdict[0].kind, VerdictKind::kBlocked);
  EXPECT_TRUE(verdict[0].starts.empty());
  EXPECT_EQ(verdict[0].reason->subject.job, "41");
  EXPECT_EQ(verdict[0].reason->until, Instant{1060});
  EXPECT_EQ(verdict[1].kind, VerdictKind::kAccepted);
}

TEST(SitePlanner, OffersNoStartBeyondTheHorizon) {
  Options options = TenNodes({0});
  options.horizon = {100};
  SitePlanner planner(options);
  planner.Book(MetaFence(1), DemandOf(Cpus(10, 4, {100})), kNow, {});
  const auto last = planner.Book(MetaFence(2), DemandOf(Cpus(10, 4, {100})), kNow, {});
  EXPECT_EQ(std::get<verifier::Booked>(last).start, Instant{1100});
  const auto beyond = planner.Book(MetaFence(3), DemandOf(Cpus(1, 4, {100})), kNow, {});
  const auto& entry = std::get<schemas::VerdictEntry>(beyond);
  EXPECT_EQ(entry.kind, VerdictKind::kBlocked);
  EXPECT_TRUE(entry.starts.empty());
  EXPECT_EQ(entry.complete_until, Instant{1101});
  EXPECT_EQ(entry.reason->code, schemas::ReasonCode::kHorizon);
  EXPECT_EQ(entry.reason->text, "no start within the next 1m40s");
}

TEST(SitePlanner, PlansLessFarAheadForTheMetaThanForItsOwnUsers) {
  Options options = TenNodes({0});
  options.horizon = {7200};
  options.federation_horizon = Span{3600};
  SitePlanner planner(options);
  const IntervalSet far = IntervalSet::From(kNow + Span{5000});
  const auto refused = planner.Book(MetaFence(1), DemandOf(Cpus(1, 1, {60}), far), kNow, {});
  const auto& entry = std::get<schemas::VerdictEntry>(refused);
  EXPECT_EQ(entry.kind, VerdictKind::kBlocked);
  EXPECT_EQ(entry.reason->code, schemas::ReasonCode::kHorizon);
  EXPECT_EQ(entry.reason->text, "starts are planned at most 1h ahead");
  EXPECT_EQ(entry.reason->until, kNow + Span{1400});  // then it is an hour away
  const auto own = planner.Book(Fence{{}, 1}, DemandOf(Cpus(1, 1, {60}), far), kNow, {});
  EXPECT_EQ(std::get<verifier::Booked>(own).start, kNow + Span{5000});
}

TEST(SitePlanner, ExclusivePartsWaitForWholeNodesAndKeepThem) {
  SitePlanner planner(TenNodes({0}));
  planner.Book(MetaFence(1), DemandOf(Cpus(9, 1, {60})), kNow, {});  // n1 to n3
  schemas::PartDemand part = Cpus(8, 1, {60});
  part.exclusive = true;
  part.place = schemas::Place::kScatter;
  const auto later = planner.Book(MetaFence(2), DemandOf(part), kNow, {});
  EXPECT_EQ(std::get<verifier::Booked>(later).start, Instant{1060});
  part.chunks[0].count = 7;
  const auto now = planner.Book(MetaFence(3), DemandOf(part), kNow, {});
  EXPECT_EQ(std::get<verifier::Booked>(now).start, kNow);
  EXPECT_EQ(NodesOf(std::get<verifier::Booked>(now).places[0]).front(), "n4");
  EXPECT_EQ(planner.Capacity(kNow).free_now.Get("ncpus"), 3);
}

TEST(SitePlanner, AnIgnoredHoldIsCountedOnce) {
  SitePlanner planner(TenNodes({0}));
  planner.Book(MetaFence(1), DemandOf(Cpus(10, 4, {60})), kNow, {});
  schemas::ProposalEntry entry = EntryOf(Cpus(10, 4, {60}), kNow, false);
  entry.ignoring = {MetaFence(1)};
  const auto verdict = planner.Verify({entry, entry}, kNow);
  EXPECT_EQ(verdict[0].kind, VerdictKind::kAccepted);
  EXPECT_EQ(verdict[1].kind, VerdictKind::kCountered);
  EXPECT_EQ(verdict[1].start, Instant{1060});
}

TEST(SitePlanner, NonsenseFromTheWireIsNeverAndBooksNothing) {
  SitePlanner planner(TenNodes());
  schemas::PartDemand huge = Cpus(4000000000u, INT64_MAX, {60});
  schemas::PartDemand negative = Cpus(1, -5, {60});
  schemas::PartDemand endless = Cpus(1, 1, {INT64_MAX});
  endless.tail = {INT64_MAX};
  schemas::PartDemand early = Cpus(1, 1, {60});
  early.offset = {INT64_MIN};
  schemas::PartDemand nothing;
  uint64_t number = 0;
  for (const schemas::PartDemand& part : {huge, negative, endless, early, nothing}) {
    const auto answer = planner.Book(MetaFence(++number), DemandOf(part), kNow, {});
    ASSERT_TRUE(std::holds_alternative<schemas::VerdictEntry>(answer)) << number;
    EXPECT_EQ(std::get<schemas::VerdictEntry>(answer).kind, VerdictKind::kNever) << number;
  }
  EXPECT_EQ(planner.Capacity(kNow).free_now, planner.Capacity(kNow).total);
}

TEST(SitePlanner, TheProfileShowsLocalJobsOnlyAndFreeNowShowsAll) {
  SitePlanner planner(TenNodes({0}));
  planner.Book(MetaFence(1), DemandOf(Cpus(2, 4, {60})), kNow, {});
  schemas::Capacity capacity = planner.Capacity(kNow);
  ASSERT_EQ(capacity.profile.size(), 1u);
  ASSERT_EQ(capacity.classes.size(), 2u);
  EXPECT_EQ(capacity.classes[0].count, 8u);
  EXPECT_EQ(capacity.profile[0].free[0].Get("ncpus"), 32);
  EXPECT_EQ(capacity.free_now.Get("ncpus"), 32);
  EXPECT_EQ(capacity.total.Get("ncpus"), 40);
  planner.Book({{0}, 1}, DemandOf(Cpus(2, 4, {60})), kNow, {});
  capacity = planner.Capacity(kNow);
  ASSERT_EQ(capacity.profile.size(), 2u);
  EXPECT_EQ(capacity.profile[0].free[0].Get("ncpus"), 24);
  EXPECT_EQ(capacity.profile[1].from, Instant{1060});
  EXPECT_EQ(capacity.profile[1].free[0].Get("ncpus"), 32);
  EXPECT_EQ(capacity.free_now.Get("ncpus"), 24);
}

TEST(SitePlanner, ALongProfileIsExactNearbyAndALowerEnvelopeFarther) {
  SitePlanner planner(TenNodes({0}));
  for (uint64_t i = 0; i < 200; ++i) {
    const Instant start{1000 + static_cast<int64_t>(i) * 20};
    planner.Book({{0}, i + 1}, DemandOf(Cpus(1 + i % 7, 4, {10}), IntervalSet::Only(start)), kNow,
                 {});
  }
  const schemas::Capacity capacity = planner.Capacity(kNow);
  ASSERT_EQ(capacity.profile.size(), schemas::kProfileSteps);
  EXPECT_EQ(capacity.profile[0].free[0].Get("ncpus"), 28);
  EXPECT_EQ(capacity.profile[1].from, Instant{1010});
  EXPECT_EQ(capacity.profile[62].free[0].Get("ncpus"), 32 - 28);
  EXPECT_EQ(capacity.profile[63].free[0].Get("ncpus"), 32);
}

TEST(SitePlanner, ACopyGoesItsOwnWay) {
  SitePlanner planner(TenNodes());
  planner.Book(MetaFence(1), DemandOf(Cpus(10, 4, {60})), kNow, {});
  SitePlanner copy = planner;
  copy.Free(MetaFence(1));
  EXPECT_EQ(copy.Capacity(kNow).free_now.Get("ncpus"), 40);
  EXPECT_EQ(planner.Capacity(kNow).free_now.Get("ncpus"), 0);
}

TEST(SitePlanner, APartMayGoOnUntilAnotherIsBookedOnOneOfItsNodes) {
  SitePlanner planner(TenNodes());
  planner.Book(MetaFence(1), DemandOf(Cpus(2, 4, {60}), IntervalSet::Only({1000})), kNow, {});
  EXPECT_EQ(planner.EndOf(MetaFence(1), 1), Instant{1060});
  EXPECT_EQ(planner.RoomUntil(MetaFence(1), 1, {5000}), Instant{5000});
  planner.Book(MetaFence(2), DemandOf(Cpus(10, 1, {60}), IntervalSet::Only({1101})), kNow, {});
  // It begins a turnover before its start.
  EXPECT_EQ(planner.RoomUntil(MetaFence(1), 1, {5000}), Instant{1100});
  EXPECT_EQ(planner.RoomUntil(MetaFence(1), 1, {1080}), Instant{1080});
  EXPECT_EQ(planner.Beside(MetaFence(1), 1, {1100}, {1101}), (std::vector<Fence>{MetaFence(2)}));
  EXPECT_TRUE(planner.Beside(MetaFence(1), 1, {1060}, {1100}).empty());
}

TEST(SitePlanner, APartMayHaveItsNodesEarlierIfTheyHaveRoomUntilItsBooking) {
  SitePlanner planner(TenNodes());
  planner.Book(MetaFence(1), DemandOf(Cpus(10, 3, {60}), IntervalSet::Only({1000})), kNow, {});
  planner.Book(MetaFence(2), DemandOf(Cpus(1, 1, {60}), IntervalSet::Only({1070})), kNow, {});
  EXPECT_TRUE(planner.HasRoomFrom(MetaFence(2), 1, {1050})) << "beside the first";
  planner.Book(MetaFence(3), DemandOf(Cpus(10, 4, {60}), IntervalSet::Only({1200})), kNow, {});
  EXPECT_FALSE(planner.HasRoomFrom(MetaFence(3), 1, {1125})) << "the second is there";
  EXPECT_TRUE(planner.HasRoomFrom(MetaFence(3), 1, {1130}));
  EXPECT_TRUE(planner.HasRoomFrom(MetaFence(3), 1, {1300}));
}

TEST(SitePlanner, AnotherThatLeavesRoomOnItsNodeIsNotInItsWay) {
  SitePlanner planner(TenNodes());
  planner.Book(MetaFence(1), DemandOf(Cpus(1, 2, {60}), IntervalSet::Only({1000})), kNow, {});
  planner.Book(MetaFence(2), DemandOf(Cpus(1, 2, {60}), IntervalSet::Only({1061})), kNow, {});
  EXPECT_EQ(planner.Beside(MetaFence(1), 1, {1060}, {1090}), (std::vector<Fence>{MetaFence(2)}));
  EXPECT_EQ(planner.RoomUntil(MetaFence(1), 1, {1090}), Instant{1090});
}

TEST(SitePlanner, APartThatGoesOnIsBookedSoAndFreedWhole) {
  SitePlanner planner(TenNodes());
  const SitePlanner empty = planner;
  planner.Book(MetaFence(1), DemandOf(Cpus(10, 4, {60}), IntervalSet::Only({1000})), kNow, {});
  const PlanRevision before = planner.revision();
  planner.Lengthen(MetaFence(1), 1, {1200});
  EXPECT_NE(planner.revision(), before);
  EXPECT_EQ(planner.EndOf(MetaFence(1), 1), Instant{1200});
  planner.Lengthen(MetaFence(1), 1, {1100});
  EXPECT_EQ(planner.EndOf(MetaFence(1), 1), Instant{1200}) << "never less than it was told";
  const auto next = planner.Book(MetaFence(2), DemandOf(Cpus(1, 1, {10})), kNow, {});
  EXPECT_EQ(std::get<verifier::Booked>(next).start, Instant{1201});
  planner.Free(MetaFence(1));
  planner.Free(MetaFence(2));
  EXPECT_EQ(planner.Capacity(kNow).free_now, empty.Capacity(kNow).free_now);
}

// The ten nodes below two switches, five each.
Options TwoSwitches() {
  Options options = TenNodes(Span{0});
  options.switches = {{"s1", {"n1", "n2", "n3", "n4", "g1"}, {}},
                      {"s2", {"n5", "n6", "n7", "n8", "g2"}, {}}};
  return options;
}

TEST(SitePlanner, APartGroupedBySwitchStaysBelowOne) {
  // OpenCCS Sect. 5.2 leaves topology open; scheduling.md section 8.
  SitePlanner planner(TwoSwitches());
  planner.Book(MetaFence(1), DemandOf(Cpus(1, 4, {60})), kNow, {});
  schemas::PartDemand part = Cpus(5, 4, {60});
  part.set = "switch";
  const auto answer = planner.Book(MetaFence(2), DemandOf(part), kNow, {});
  const auto& booked = std::get<verifier::Booked>(answer);
  EXPECT_EQ(booked.start, kNow);
  EXPECT_EQ(NodesOf(booked.places[0]), (std::vector<std::string>{"n5", "n6", "n7", "n8", "g2"}));
  part.chunks[0].count = 6;
  const auto never = planner.Book(MetaFence(3), DemandOf(part), kNow, {});
  const auto& refused = std::get<schemas::VerdictEntry>(never);
  EXPECT_EQ(refused.kind, VerdictKind::kNever);
  EXPECT_EQ(refused.reason->code, schemas::ReasonCode::kTopology);
  EXPECT_EQ(refused.largest.at(0).count, 5u);
}

TEST(SitePlanner, ASwitchIsAPropertyOfItsNodes) {
  // sw=g03 of Example 2 of OpenCCS.
  SitePlanner planner(TwoSwitches());
  schemas::PartDemand part = Cpus(1, 4, {60});
  part.chunks[0].properties["sw"] = "s2";
  const auto answer = planner.Book(MetaFence(1), DemandOf(part), kNow, {});
  EXPECT_EQ(NodesOf(std::get<verifier::Booked>(answer).places[0]),
            (std::vector<std::string>{"n5"}));
  EXPECT_EQ(planner.Capacity(kNow).classes.size(), 2u) << "the meta is told nothing of switches";
}

TEST(SitePlanner, ThePolicyOfTheSiteChoosesNodes) {
  Options options = TenNodes(Span{0});
  options.policy = plan::Policy::kBestFit;
  options.rules.node_rules = {{}, {.weight = -5}};
  options.rules.rule_of_node = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0};  // n8 is the cheapest
  SitePlanner planner(options);
  const auto first = planner.Book(MetaFence(1), DemandOf(Cpus(1, 3, {60})), kNow, {});
  EXPECT_EQ(NodesOf(std::get<verifier::Booked>(first).places[0]), (std::vector<std::string>{"n8"}));
  const auto small = planner.Book(MetaFence(2), DemandOf(Cpus(1, 1, {60})), kNow, {});
  EXPECT_EQ(NodesOf(std::get<verifier::Booked>(small).places[0]), (std::vector<std::string>{"n8"}))
      << "nothing is left over there";
}

}  // namespace
}  // namespace muster::site
