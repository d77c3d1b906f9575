// Splitting, static fit, shadows, meeting and choosing: scheduling.md sections 1 (R5, R6, Shadow)
// and 4.
#include <gtest/gtest.h>

#include "base/random.h"
#include "partitioner/choose.h"
#include "partitioner/fits.h"
#include "partitioner/meet.h"
#include "partitioner/shadow.h"
#include "partitioner/split.h"
#include "partitioner/transfer.h"
#include "schemas/limits.h"

namespace muster::partitioner {
namespace {

using schemas::Chunk;
using schemas::PartSpec;
using schemas::RequestSpec;

PartSpec Part(uint32_t count, ResourceSet resources) {
  PartSpec part;
  part.chunks = {{.count = count, .resources = std::move(resources)}};
  return part;
}

schemas::Capacity Nodes(uint32_t count, ResourceSet per_node) {
  schemas::Capacity c;
  c.classes = {{.count = count, .up = count, .per_node = per_node}};
  c.profile = {{Instant{0}, {per_node * count}}};
  return c;
}

TEST(Split, AWindowIsFromItsBeginToTheLastStartThatMeetsTheDeadline) {
  RequestSpec spec;
  spec.duration = Span{100};
  spec.parts = {Part(1, {{"ncpus", 1}}), Part(1, {{"ncpus", 1}})};
  spec.parts[1].offset = Span{50};
  EXPECT_EQ(AllowedStarts(spec), IntervalSet::From(Instant{0}));
  spec.from = Instant{1000};
  spec.deadline = Instant{2000};
  EXPECT_EQ(AllowedStarts(spec), IntervalSet({{Instant{1000}, Instant{1851}}}));
  spec.start_by = Instant{1500};
  EXPECT_EQ(LastAllowedStart(spec), Instant{1500});
  spec.deadline = Instant{1100};
  EXPECT_TRUE(AllowedStarts(spec).empty());
  spec.at = Instant{1234};
  EXPECT_EQ(AllowedStarts(spec), IntervalSet::Only(Instant{1234}));
}

TEST(Split, SitesAreThoseNamedLessThoseExcluded) {
  PartSpec part;
  const std::vector<std::string> all = {"hills", "lakes", "woods"};
  EXPECT_EQ(EligibleSites(part, all), all);
  part.sites = {"woods", "lakes"};
  part.not_sites = {"woods"};
  EXPECT_EQ(EligibleSites(part, all), std::vector<std::string>{"lakes"});
}

TEST(Split, PartsOfOneRequestMayShareASite) {
  RequestSpec spec;
  spec.duration = Span{60};
  spec.parts = {Part(1, {{"ncpus", 1}}), Part(2, {{"ncpus", 1}}), Part(3, {{"ncpus", 1}})};
  const auto demands = DemandsAt(spec, {"a", "b", "a"}, "a", Span{400}, Span{90});
  ASSERT_EQ(demands.size(), 2u);
  EXPECT_EQ(demands[1].index, 3u);
  EXPECT_EQ(demands[1].tail, Span{90});
  EXPECT_EQ(MembersOf({"b", "a", "b"}), (std::vector<std::string>{"a", "b"}));
}

TEST(Fits, AChunkLargerThanEveryNodeNeverFitsAndTheLargestIsNamed) {
  const auto why = WhyNever(Part(2, {{"ncpus", 64}}), Nodes(4, {{"ncpus", 4}}));
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->text, "no node has more than 4 cpus");
  EXPECT_EQ(ChunksOption(why->largest), "2:ncpus=4");
}

TEST(Fits, TooManyChunksNeverFitAndTheMostIsNamed) {
  const auto why = WhyNever(Part(9, {{"ncpus", 2}}), Nodes(4, {{"ncpus", 4}}));
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->text, "at most 8 × (2 cpus)");
  EXPECT_EQ(ChunksOption(why->largest), "8:ncpus=2");
  EXPECT_FALSE(WhyNever(Part(8, {{"ncpus", 2}}), Nodes(4, {{"ncpus", 4}})).has_value());
}

TEST(Fits, PlacementAndPropertiesAreCounted) {
  const schemas::Capacity nodes = Nodes(4, {{"ncpus", 4}});
  PartSpec part = Part(5, {{"ncpus", 1}});
  EXPECT_FALSE(WhyNever(part, nodes).has_value());
  part.place = schemas::Place::kScatter;
  EXPECT_TRUE(WhyNever(part, nodes).has_value());
  part.place = schemas::Place::kPack;
  EXPECT_TRUE(WhyNever(part, nodes).has_value());
  part = Part(1, {{"ncpus", 1}});
  part.chunks[0].properties["arch"] = "arm64";
  EXPECT_EQ(WhyNever(part, nodes)->text, "no node has arch=arm64");
  part.chunks[0].properties = {{"sw", "g03"}};  // Example 2 of OpenCCS: only the site knows
  EXPECT_FALSE(WhyNever(part, nodes).has_value());
  EXPECT_EQ(WhyNever(Part(1, {{"ngpus", 1}}), nodes)->text, "no node has any gpus");
}

TEST(Fits, ChunksReadAsPeopleSayThem) {
  const std::vector<Chunk> chunks = {
      {.count = 2, .resources = {{"ncpus", 4}, {"mem", int64_t{2} << 30}}},
      {.count = 1, .resources = {{"ngpus", 1}}}};
  EXPECT_EQ(ChunksText(chunks), "2 × (4 cpus, 2gb) + 1 × (1 gpu)");
  EXPECT_EQ(ChunksOption(chunks), "2:ncpus=4:mem=2gb+1:ngpus=1");
}

TEST(Shadow, BooksFreesAndFindsTheEarliestGap) {
  Shadow shadow;
  EXPECT_FALSE(shadow.EarliestFit({{"ncpus", 1}}, Instant{0}, Span{10}).has_value());
  shadow.SetCapacity(Nodes(2, {{"ncpus", 4}}));
  const Fence a{Epoch{1}, 1};
  const Fence b{Epoch{1}, 2};
  shadow.Book(a, {{{Instant{0}, Instant{100}}, {{"ncpus", 6}}}});
  shadow.Book(b, {{{Instant{120}, Instant{200}}, {{"ncpus", 8}}}});
  EXPECT_EQ(shadow.EarliestFit({{"ncpus", 2}}, Instant{0}, Span{100}), Instant{0});
  EXPECT_EQ(shadow.EarliestFit({{"ncpus", 4}}, Instant{0}, Span{20}), Instant{100});
  EXPECT_EQ(shadow.EarliestFit({{"ncpus", 4}}, Instant{0}, Span{21}), Instant{200});
  EXPECT_FALSE(shadow.EarliestFit({{"ncpus", 9}}, Instant{0}, Span{1}).has_value());
  EXPECT_FALSE(shadow.EarliestFit({{"ngpus", 1}}, Instant{0}, Span{1}).has_value());
  EXPECT_GT(shadow.Load(Instant{0}), 0);
  shadow.Free(b);
  EXPECT_EQ(shadow.EarliestFit({{"ncpus", 4}}, Instant{0}, Span{21}), Instant{100});
  shadow.Free(a);
  EXPECT_EQ(shadow.Load(Instant{0}), 0);
}

// scheduling.md section 1 (R5, load).
TEST(Shadow, LoadIsWhatIsTakenWithinADayByWhomever) {
  schemas::Capacity capacity = Nodes(2, {{"ncpus", 4}, {"mem", 100}});
  capacity.profile = {{Instant{0}, {{{"ncpus", 8}, {"mem", 200}}}},
                      {Instant{43'200}, {{{"ncpus", 4}, {"mem", 200}}}}};
  Shadow shadow;
  shadow.SetCapacity(capacity);
  EXPECT_DOUBLE_EQ(shadow.Load(Instant{0}), 0.25) << "half of the processors for half of the day";
  shadow.Book({Epoch{1}, 1}, {{{Instant{0}, Instant{86'400}}, {{"ncpus", 2}, {"mem", 20}}}});
  EXPECT_DOUBLE_EQ(shadow.Load(Instant{0}), 0.5);
  EXPECT_DOUBLE_EQ(shadow.Load(Instant{43'200}), 0.625) << "the booking is over after half a day";
}

// Waiting requests look for a gap when a site's own users free resources or its nodes come back.
TEST(Shadow, SaysWhetherMoreIsFreeAtSomeTime) {
  const auto with = [](std::vector<std::pair<int64_t, int64_t>> steps) {
    schemas::Capacity out = Nodes(2, {{"ncpus", 4}});
    out.profile.clear();
    for (const auto& [from, free] : steps) {
      out.profile.push_back({Instant{from}, {{{"ncpus", free}}}});
    }
    return out;
  };
  Shadow shadow;
  EXPECT_TRUE(shadow.SetCapacity(with({{0, 4}, {100, 8}})));
  EXPECT_FALSE(shadow.SetCapacity(with({{0, 4}, {100, 8}}))) << "the same";
  EXPECT_FALSE(shadow.SetCapacity(with({{10, 4}, {200, 8}}))) << "less from 100 to 200";
  EXPECT_TRUE(shadow.SetCapacity(with({{20, 4}, {150, 8}}))) << "more from 150 to 200";
  EXPECT_TRUE(shadow.SetCapacity(with({{20, 4}, {60, 5}, {80, 4}, {150, 8}}))) << "in between";
  EXPECT_TRUE(shadow.SetCapacity(with({{150, 8}}))) << "what was booked is over";
  EXPECT_FALSE(shadow.SetCapacity(Nodes(1, {{"ncpus", 4}}))) << "a node is lost";
  EXPECT_TRUE(shadow.SetCapacity(Nodes(2, {{"ncpus", 4}}))) << "and back";
  EXPECT_TRUE(shadow.SetCapacity(Nodes(2, {{"ncpus", 4}, {"ngpus", 1}})));
}

TEST(Shadow, CountsHowOftenSomethingWasFreed) {
  Shadow shadow;
  EXPECT_EQ(shadow.freed(), 0u);
  shadow.SetCapacity(Nodes(2, {{"ncpus", 4}}));
  EXPECT_EQ(shadow.freed(), 1u);
  shadow.SetCapacity(Nodes(1, {{"ncpus", 4}}));
  const Fence job{Epoch{1}, 1};
  shadow.Book(job, {{{Instant{0}, Instant{100}}, {{"ncpus", 2}}}});
  EXPECT_EQ(shadow.freed(), 1u) << "less is free";
  shadow.Book(job, {{{Instant{0}, Instant{90}}, {{"ncpus", 2}}}});
  EXPECT_EQ(shadow.freed(), 2u);
  shadow.Free(job);
  shadow.Free(job);
  EXPECT_EQ(shadow.freed(), 3u) << "the second time nothing was booked";
}

// A place that its site moved leaves room behind, at its old end or at its old beginning.
TEST(Shadow, SaysWhetherABookingGivesSomethingBack) {
  Shadow shadow;
  shadow.SetCapacity(Nodes(2, {{"ncpus", 4}}));
  const Fence fence{Epoch{1}, 1};
  const auto book = [&](int64_t begin, int64_t end, int64_t cpus) {
    return shadow.Book(fence, {{{Instant{begin}, Instant{end}}, {{"ncpus", cpus}}}});
  };
  EXPECT_FALSE(book(100, 200, 4)) << "it had nothing";
  EXPECT_FALSE(book(100, 200, 4));
  EXPECT_TRUE(book(50, 150, 4)) << "free from 150 on";
  EXPECT_TRUE(book(60, 160, 4)) << "free until 60";
  EXPECT_FALSE(book(60, 190, 4)) << "longer";
  EXPECT_FALSE(book(60, 190, 6));
  EXPECT_TRUE(book(60, 190, 5));
  EXPECT_TRUE(shadow.Book(fence, {})) << "no part of it is here any more";
}

// Against a per-second array, also after forgetting the past.
TEST(Shadow, AgreesWithANaiveArray) {
  constexpr int64_t kHorizon = 200;
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    Shadow shadow;
    shadow.SetCapacity(Nodes(1, {{"ncpus", 10}}));
    std::vector<std::vector<int64_t>> taken(20, std::vector<int64_t>(kHorizon, 0));
    for (int step = 0; step < 40; ++step) {
      const size_t i = random.Below(20);
      std::fill(taken[i].begin(), taken[i].end(), 0);
      const Fence fence{Epoch{1}, i + 1};
      if (random.Chance(300)) {
        shadow.Free(fence);
      } else {
        const int64_t begin = random.Between(0, kHorizon - 20);
        const int64_t end = begin + random.Between(1, 19);
        const int64_t amount = random.Between(1, 4);
        shadow.Book(fence, {{{Instant{begin}, Instant{end}}, {{"ncpus", amount}}}});
        for (int64_t t = begin; t < end; ++t) taken[i][static_cast<size_t>(t)] = amount;
      }
      const int64_t from = random.Between(0, kHorizon);
      if (random.Chance(100)) shadow.Forget(Instant{0});
      const int64_t need = random.Between(1, 10);
      const int64_t length = random.Between(1, 30);
      int64_t want = from;
      for (int64_t t = from; t < std::min(want + length, kHorizon); ++t) {
        int64_t sum = 0;
        for (const auto& row : taken) sum += row[static_cast<size_t>(t)];
        if (sum + need > 10) want = t + 1;
      }
      ASSERT_EQ(shadow.EarliestFit({{"ncpus", need}}, Instant{from}, Span{length}), Instant{want});
      const auto out_of_the_way = static_cast<size_t>(random.Below(20));
      const auto fits = [&](int64_t start) {
        for (int64_t t = start; t < std::min(start + length, kHorizon); ++t) {
          int64_t sum = need;
          for (size_t row = 0; row < taken.size(); ++row) {
            if (row != out_of_the_way) sum += taken[row][static_cast<size_t>(t)];
          }
          if (sum > 10) return false;
        }
        return true;
      };
      const auto most = static_cast<size_t>(random.Between(1, 20));
      const Shadow without = shadow.Without({Fence{Epoch{1}, out_of_the_way + 1}});
      const Shadow::Starts told =
          without.StartsIn({{"ncpus", need}}, {Instant{from}, Instant{250}}, Span{length}, most);
      EXPECT_TRUE(told.complete_until == Instant{250} || told.starts.intervals().size() == most);
      for (int64_t t = from; t < 250; ++t) {
        if (told.starts.Contains(Instant{t})) ASSERT_TRUE(fits(t)) << "at " << t;
        if (Instant{t} >= told.complete_until) continue;
        ASSERT_EQ(told.starts.Contains(Instant{t}), fits(t)) << "at " << t;
      }
    }
  }
}

// The last but one step of a full profile stands for all that were merged into it.
TEST(Shadow, IsCompleteAsFarAsASiteToldAllSteps) {
  schemas::Capacity capacity = Nodes(1, {{"ncpus", 10}});
  capacity.profile.clear();
  for (size_t i = 0; i < schemas::kProfileSteps; ++i) {
    const auto free = static_cast<int64_t>(i % 2 == 0 ? 10 : 2);
    capacity.profile.push_back(
        {Instant{static_cast<int64_t>(i) * 10}, {ResourceSet{{"ncpus", free}}}});
  }
  Shadow shadow;
  shadow.SetCapacity(capacity);
  const Interval within{Instant{0}, Instant{2000}};
  EXPECT_EQ(shadow.StartsIn({{"ncpus", 8}}, within, Span{5}, 100).complete_until, Instant{616});
  EXPECT_EQ(shadow.StartsIn({{"ncpus", 8}}, within, Span{5}, 2).complete_until, Instant{26});
  capacity.profile.pop_back();
  shadow.SetCapacity(capacity);
  EXPECT_EQ(shadow.StartsIn({{"ncpus", 8}}, within, Span{5}, 100).complete_until, within.end);
}

TEST(Meet, IntersectsShiftedSets) {
  const IntervalSet a({{Instant{10}, Instant{20}}, {Instant{50}, Instant{90}}});
  const IntervalSet b({{Instant{25}, Instant{70}}});
  EXPECT_EQ(CommonStarts({a, b.Shifted(Span{-10})}),
            IntervalSet({{Instant{15}, Instant{20}}, {Instant{50}, Instant{60}}}));
}

TEST(Meet, LeapsToTheFirstStartAllName) {
  const auto every = [](int64_t n, int64_t phase) {
    return [=](Instant t) -> std::optional<Instant> {
      return Instant{phase + (t.seconds - phase + n - 1) / n * n};
    };
  };
  EXPECT_EQ(MeetFrom({every(3, 0), every(5, 0)}, Instant{1}), Instant{15});
  EXPECT_EQ(MeetFrom({every(2, 0), every(2, 1)}, Instant{1}), std::nullopt);
}

TEST(Meet, TriesTheBestSlotThenLaterOnesThenGivesUp) {
  EXPECT_EQ(MeetSlack(2, 3), Span{0});
  EXPECT_EQ(MeetSlack(3, 3), Span{300});
  EXPECT_EQ(MeetSlack(6, 3), Span{2400});
  EXPECT_EQ(MeetSlack(7, 3), std::nullopt);
}

TEST(Choose, TheEarliestStartWinsThenFinishHomeLoadCostTransferAndName) {
  const Candidate base{
      .site = "m", .start = Instant{10}, .length = Span{60}, .load = 0.5, .cost = 3, .transfer = 7};
  const auto other = [&base](auto change) {
    Candidate out = base;
    out.site = "z";
    change(out);
    return out;
  };
  EXPECT_FALSE(Better(base, base));
  EXPECT_FALSE(Better(other([](Candidate&) {}), base)) << "the name is last";
  EXPECT_TRUE(Better(other([](Candidate& c) { c.start = Instant{9}, c.length = Span{90}; }), base));
  EXPECT_TRUE(Better(base, other([](Candidate& c) { c.unpaid = true, c.start = Instant{9}; })));
  EXPECT_TRUE(Better(other([](Candidate& c) { c.length = Span{59}, c.load = 0.9; }), base));
  EXPECT_TRUE(Better(other([](Candidate& c) { c.home = true, c.load = 0.9; }), base));
  EXPECT_TRUE(Better(other([](Candidate& c) { c.load = 0.4, c.cost = 9; }), base));
  EXPECT_FALSE(Better(other([](Candidate& c) { c.load = 0.49999, c.cost = 9; }),
                      other([](Candidate& c) { c.load = 0.4, c.cost = 3; })))
      << "loads of one tenth are alike";
  EXPECT_TRUE(Better(other([](Candidate& c) { c.cost = 2, c.transfer = 9; }), base));
  EXPECT_TRUE(Better(other([](Candidate& c) { c.transfer = 6; }), base));
}

TEST(Choose, OfAssignmentsThatStartTogetherTheFasterThenTheCheaperOneWins) {
  const auto at = [](std::string site, int64_t length, int64_t cost) {
    return Candidate{
        .site = std::move(site), .start = Instant{5}, .length = Span{length}, .cost = cost};
  };
  const StartOf together = [](const std::vector<std::string>&) { return Instant{5}; };
  const auto faster = Assign({{at("a", 90, 0), at("b", 60, 5)}, {at("c", 60, 9)}}, true, together);
  EXPECT_EQ(faster->part_sites, (std::vector<std::string>{"b", "c"}));
  const auto cheaper = Assign({{at("a", 60, 5), at("b", 60, 1)}, {at("c", 60, 9)}}, true, together);
  EXPECT_EQ(cheaper->part_sites, (std::vector<std::string>{"b", "c"}));
}

TEST(Choose, NearerSitesWinWhereStartAndLoadAreEqual) {
  TransferMatrix far;
  ASSERT_TRUE(far.Set("a", "b", 1000, Milliseconds(10)).ok());
  ASSERT_TRUE(far.Set("c", "b", 10'000, Milliseconds(1)).ok());
  EXPECT_EQ(far.Between("a", "b"), far.Between("b", "a"));
  EXPECT_EQ(far.Between("a", "a"), 0);
  EXPECT_LT(far.Between("b", "c"), far.Between("a", "b"));
  EXPECT_EQ(far.Between("a", "c"), far.Between("a", "b")) << "not listed: as the slowest one";
  EXPECT_EQ(TransferMatrix().Between("a", "b"), 0);
  const std::vector<std::vector<Candidate>> parts = {{{"a", Instant{0}}, {"c", Instant{0}}},
                                                     {{"b", Instant{0}}}};
  const StartOf at_once = [](const auto&) { return Instant{0}; };
  const TransferOf transfer = [&far](const auto& sites) { return far.Among(sites); };
  EXPECT_EQ(Assign(parts, true, at_once)->part_sites[0], "a");
  EXPECT_EQ(Assign(parts, true, at_once, transfer)->part_sites[0], "c");
}

TEST(Transfer, WrongLinksAreRefusedAndSayWhy) {
  TransferMatrix far;
  EXPECT_EQ(Text(far.Set("a", "b", -5, BootSpan{})),
            "the link between a and b has a bandwidth of -5 Mbit/s; it is above 0");
  EXPECT_EQ(Text(far.Set("a", "b", 5, Milliseconds(-1))),
            "the link between a and b has a latency of -1 ms; it is not negative");
  EXPECT_EQ(Text(far.Set("a", "a", 5, BootSpan{})), "a link of a to itself");
  EXPECT_EQ(far.Between("a", "b"), 0);
}

TEST(Choose, ApartGivesEveryPartItsOwnSite) {
  const std::vector<Candidate> all = {
      {"a", Instant{0}}, {"b", Instant{0}}, {"c", Instant{0}}, {"d", Instant{0}}};
  const StartOf start = [](const std::vector<std::string>&) { return Instant{5}; };
  const auto found = Assign({all, all, all, all}, true, start);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(MembersOf(found->part_sites).size(), 4u);
  EXPECT_FALSE(Assign({{all[0]}, {all[0]}}, true, start).has_value());
}

TEST(Choose, TheAssignmentWithTheEarliestCommonStartWins) {
  const std::vector<Candidate> both = {{"a", Instant{0}}, {"b", Instant{0}}};
  const StartOf start = [](const std::vector<std::string>& sites) -> std::optional<Instant> {
    if (sites[0] == sites[1]) return Instant{100};
    return Instant{sites[0] == "b" ? 20 : 30};
  };
  const auto found = Assign({both, both}, false, start);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->part_sites, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(found->start, Instant{20});
}

// Equal sites are tried in the order of their names, and only a later one gives an early common
// start.
TEST(Choose, AFourthSiteIsFoundWhereOnlyItStartsEarlier) {
  std::vector<Candidate> all;
  for (char name = 'a'; name < 'a' + 16; ++name) {
    all.push_back({.site = std::string(1, name), .start = Instant{10}, .length = Span{60}});
  }
  for (const bool apart : {false, true}) {
    for (const char fourth : {'d', 'h'}) {
      const StartOf start = [&](const std::vector<std::string>& sites) {
        const bool early = sites[0][0] == fourth || sites[1][0] == fourth;
        return Instant{early ? 20 : 500};
      };
      const auto found = Assign({all, all}, apart, start);
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(found->start, Instant{20}) << fourth;
    }
  }
}

// All assignments start together, so the further criteria of R5 decide.
TEST(Choose, OfAssignmentsThatStartTogetherOneSiteThenHomeThenSpoilsThenLoadWins) {
  const StartOf together = [](const std::vector<std::string>&) { return Instant{5}; };
  const auto best = [&](std::vector<Candidate> all, bool apart) {
    for (Candidate& candidate : all) candidate.start = Instant{5};
    return Assign({all, all}, apart, together)->part_sites;
  };
  using Sites = std::vector<std::string>;
  EXPECT_EQ(best({{.site = "a", .load = 0.9}, {.site = "b", .load = 0.2}}, false),
            (Sites{"b", "b"}));
  EXPECT_EQ(best({{.site = "a"}, {.site = "b"}, {.site = "c", .load = 0.9, .home = true}}, true),
            (Sites{"a", "c"}));
  EXPECT_EQ(best({{.site = "a", .spoils = 5}, {.site = "b", .load = 0.9}, {.site = "c"}}, true),
            (Sites{"b", "c"}));
  EXPECT_EQ(best({{.site = "a", .load = 0.9}, {.site = "b"}, {.site = "c"}}, true),
            (Sites{"b", "c"}));
}

// Assignments that cannot be better are not asked about, so the limit is spent on those that may.
TEST(Choose, AsksOnlyWhatMayStartEarlierOrIsBetter) {
  std::vector<Candidate> all;
  for (int64_t i = 0; i < 16; ++i) {
    all.push_back({.site = std::string(1, static_cast<char>('a' + i)), .start = Instant{i}});
  }
  size_t asked = 0;
  const StartOf start = [&](const std::vector<std::string>& sites) {
    ++asked;
    return Instant{std::max(sites[0], sites[1])[0] - 'a'};
  };
  EXPECT_EQ(Assign({all, all}, false, start)->part_sites, (std::vector<std::string>{"a", "a"}));
  EXPECT_EQ(asked, 1u);
}

// All assignments of the kept candidates are looked at if they do not exceed the limit.
TEST(Choose, FindsTheBestOfAllWhereTheyAreFew) {
  Random random(11);
  for (int run = 0; run < 500; ++run) {
    std::vector<std::vector<Candidate>> parts(2);
    for (auto& candidates : parts) {
      for (char name = 'a'; name < 'h'; ++name) {
        candidates.push_back({.site = std::string(1, name),
                              .start = Instant{random.Between(0, 3)},
                              .length = Span{random.Between(1, 2)},
                              .spoils = random.Between(0, 1),
                              .cost = random.Between(0, 2)});
      }
    }
    std::map<std::vector<std::string>, Instant> starts;
    std::optional<Instant> least;
    for (const Candidate& x : parts[0]) {
      for (const Candidate& y : parts[1]) {
        const Instant start = std::max(x.start, y.start) + Span{random.Between(0, 2)};
        starts[{x.site, y.site}] = start;
        least = std::min(least.value_or(start), start);
      }
    }
    const auto found = Assign(parts, false, [&](const auto& sites) { return starts.at(sites); });
    ASSERT_EQ(found->start, *least) << "run " << run;
  }
}

TEST(Choose, KnowsWhenPartsCannotBeApart) {
  EXPECT_TRUE(CanBeApart({{"a", "b"}, {"a"}}));
  EXPECT_FALSE(CanBeApart({{"a"}, {"a"}}));
  EXPECT_FALSE(CanBeApart({{"a", "b"}, {"a", "b"}, {"a", "b"}}));
}

}  // namespace
}  // namespace muster::partitioner
