// Packing against the figures the papers print, and against a machine looked at second by second.
// CCS Sect. 3.2, Fig. 4 and 8; scheduling.md section 1 (R5, R6, FCFS*, Compaction).
#include "meta/search/packing/packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/random.h"

namespace muster::packing {
namespace {

Entry Rectangle(int64_t amount, int64_t length, size_t bin = 0) {
  return {.duration = Span{length},
          .allowed = IntervalSet::From(Instant{0}),
          .parts = {{.choices = {{bin, {{"ncpus", amount}}, Span{length}}}}}};
}

// Percent of processors times 100, and time units, in submission order (Fig. 4).
Problem PaperSample() {
  Problem out{.now = Instant{0}, .bins = {Bin("gcel", {{"ncpus", 10000}}, Instant{0})}};
  constexpr std::pair<int64_t, int64_t> kRequests[] = {
      {625, 25},  {10000, 50}, {625, 10},  {10000, 5}, {1250, 20},
      {5000, 40}, {1250, 20},  {5000, 10}, {2500, 15}, {2500, 30}};
  for (const auto& [amount, length] : kRequests) {
    out.entries.push_back(Rectangle(amount, length));
  }
  return out;
}

std::vector<int64_t> StartsOf(const Schedule& schedule) {
  std::vector<int64_t> out;
  for (const auto& place : schedule) out.push_back(place ? place->start.seconds : -1);
  return out;
}

struct Figure {
  Algorithm algorithm;
  std::vector<int64_t> starts;
  int64_t makespan;
  int64_t utilisation;  // percent times 100, cut off
  int64_t waits;        // their sum: ten times the mean
};

// FFIH* leaves the sample as FFIH does: its levels have no gap that a longer one could use.
TEST(Sample, OfThePaperGivesItsFiguresToTheUnit) {
  const Figure figures[] = {
      {Algorithm::kFfdh, {50, 0, 50, 110, 50, 50, 90, 90, 90, 50}, 115, 8559, 630},
      {Algorithm::kFfdhStar, {50, 0, 50, 105, 50, 50, 70, 90, 90, 50}, 110, 8948, 605},
      {Algorithm::kFfih, {25, 65, 5, 0, 5, 25, 25, 5, 5, 25}, 115, 8559, 185},
      {Algorithm::kFfihStar, {25, 65, 5, 0, 5, 25, 25, 5, 5, 25}, 115, 8559, 185},
      {Algorithm::kFcfsStar, {0, 25, 0, 75, 0, 80, 0, 0, 10, 80}, 120, 8203, 270},
  };
  const Problem problem = PaperSample();
  for (const Figure& figure : figures) {
    SCOPED_TRACE(std::string(NameOf(figure.algorithm)));
    const std::vector<int64_t> starts = StartsOf(Pack(figure.algorithm, problem));
    EXPECT_EQ(starts, figure.starts);
    int64_t makespan = 0;
    int64_t area = 0;
    for (size_t i = 0; i < starts.size(); ++i) {
      const Entry& entry = problem.entries[i];
      makespan = std::max(makespan, starts[i] + entry.duration.seconds);
      area += entry.parts[0].choices[0].amounts.Get("ncpus") * entry.duration.seconds;
    }
    EXPECT_EQ(makespan, figure.makespan);
    EXPECT_EQ(area / makespan, figure.utilisation);
    EXPECT_EQ(std::accumulate(starts.begin(), starts.end(), int64_t{0}), figure.waits);
  }
}

TEST(Fcfs, NobodyStartsBeforeTheOneAhead) {
  const std::vector<int64_t> starts = StartsOf(Pack(Algorithm::kFcfs, PaperSample()));
  EXPECT_EQ(starts, (std::vector<int64_t>{0, 25, 75, 85, 90, 90, 90, 110, 120, 120}));
}

TEST(Algorithms, HaveNamesThatReadBack) {
  for (const Algorithm algorithm : kAlgorithms) {
    EXPECT_EQ(ParseAlgorithm(NameOf(algorithm)), algorithm);
  }
  EXPECT_EQ(ParseAlgorithm("ffdh**"), std::nullopt);
  EXPECT_EQ(ParseAlgorithm(""), std::nullopt);
  EXPECT_EQ(AlgorithmNames(), "fcfs, fcfs*, ffdh, ffdh*, ffih, ffih*");
}

TEST(FcfsStar, IsCompactAlready) {
  const Problem problem = PaperSample();
  const Schedule packed = Pack(Algorithm::kFcfsStar, problem);
  EXPECT_EQ(Compact(problem, packed), packed);
}

TEST(Choose, TheEarliestStartWinsThenFinishHomeSpoilsLoadCostTransferAndName) {
  Problem problem{.now = Instant{0}};
  for (const char* name : {"a", "b", "c"}) {
    problem.bins.push_back(Bin(name, {{"ncpus", 1}}, Instant{0}));
  }
  const auto chosen = [&problem](std::vector<Choice> choices) {
    Entry entry{.duration = Span{10},
                .allowed = IntervalSet::From(Instant{0}),
                .parts = {{.choices = std::move(choices)}}};
    problem.entries = {entry};
    return Pack(Algorithm::kFcfsStar, problem)[0]->bins[0];
  };
  const ResourceSet one = {{"ncpus", 1}};
  EXPECT_EQ(chosen({{2, one, {10}}, {1, one, {10}}}), 1u);
  EXPECT_EQ(chosen({{2, one, {10}, 0, 0, true}, {1, one, {10}}}), 2u);
  EXPECT_EQ(chosen({{2, one, {10}, 1, 1, true}, {1, one, {10}}}), 2u);
  EXPECT_EQ(chosen({{2, one, {10}, 0, 1}, {1, one, {10}, 1, 0}}), 2u);
  EXPECT_EQ(chosen({{2, one, {10}, 9}, {1, one, {10}, 0, 0, false, 5}}), 2u) << "spoils nothing";
  EXPECT_EQ(chosen({{2, one, {10}}, {1, one, {9}, 5}}), 1u) << "a faster site ends earlier";
  problem.bins[1].Take(one, Instant{20}, Span{40'000});
  EXPECT_EQ(chosen({{2, one, {10}, 9}, {1, one, {10}}}), 2u) << "half of the next day is taken";
  EXPECT_EQ(chosen({{2, one, {10}, 9, 0, false, 1}, {1, one, {10}}}), 1u);
  problem.bins[1].Take(one, Instant{0}, Span{5});
  EXPECT_EQ(chosen({{2, one, {10}}, {1, one, {1}}}), 2u) << "start before finish";
}

TEST(Choose, PartsGoToTheBestOfAllTheirSitesAndNotToTheFirstByName) {
  Problem problem{.now = Instant{0}};
  std::vector<Choice> choices;
  for (size_t s = 0; s < 12; ++s) {
    const std::string name(1, static_cast<char>('a' + s));
    problem.bins.push_back(Bin(name, {{"ncpus", 4}}, Instant{0}));
    // Only k and l are free now.
    if (s < 10) problem.bins[s].Take({{"ncpus", 4}}, Instant{0}, Span{500});
    choices.push_back({.bin = s, .amounts = {{"ncpus", 4}}, .length = Span{20}});
  }
  Entry both{.duration = Span{20}, .allowed = IntervalSet::From(Instant{0})};
  both.parts = {{.choices = choices}, {.choices = choices}};
  both.apart = true;
  problem.entries = {both};
  for (const Algorithm algorithm : kAlgorithms) {
    EXPECT_EQ(Pack(algorithm, problem)[0], (Place{{10, 11}, Instant{0}})) << NameOf(algorithm);
  }
}

TEST(FcfsStar, SeveralPartsMeetAtTheirOffsetsWithTailAndLead) {
  Problem problem{.now = Instant{100}};
  for (const char* name : {"a", "b"}) {
    problem.bins.push_back(Bin(name, {{"ncpus", 4}}, Instant{100}));
  }
  const ResourceSet all = {{"ncpus", 4}};
  problem.bins[0].Take(all, Instant{100}, Span{50});   // a: free from 150
  problem.bins[1].Take(all, Instant{190}, Span{100});  // b: free in [100,190) and from 290
  Entry both{.duration = Span{20}, .allowed = IntervalSet::From(Instant{0})};
  both.parts = {{.choices = {{0, all, {20}}}}, {.offset = {10}, .choices = {{1, all, {20}}}}};
  both.tail = Span{5};
  both.joint_from = Instant{130};
  problem.entries = {both, Rectangle(4, 10, 0), Rectangle(4, 160, 1)};
  const Schedule packed = Pack(Algorithm::kFcfsStar, problem);
  // At b it needs [t+10, t+35) free: t <= 155; at a from 150 on.
  EXPECT_EQ(packed[0], (Place{{0, 1}, Instant{150}}));
  EXPECT_EQ(packed[1], (Place{{0}, Instant{175}})) << "behind duration and tail";
  EXPECT_EQ(packed[2], (Place{{1}, Instant{290}}));
}

TEST(FcfsStar, PartsOnOneSiteNeedNoTail) {
  Problem problem{.now = Instant{0}, .bins = {Bin("a", {{"ncpus", 4}}, Instant{0})}};
  Entry two{.duration = Span{10}, .allowed = IntervalSet::From(Instant{0})};
  two.parts = {{.choices = {{0, {{"ncpus", 2}}, {10}}}}, {.choices = {{0, {{"ncpus", 2}}, {10}}}}};
  two.tail = Span{90};
  two.joint_from = Instant{30};
  problem.entries = {two, Rectangle(4, 5)};
  const Schedule packed = Pack(Algorithm::kFcfsStar, problem);
  EXPECT_EQ(packed[0]->start, Instant{0});
  EXPECT_EQ(packed[1]->start, Instant{10});
  problem.entries[0].apart = true;
  EXPECT_FALSE(Pack(Algorithm::kFcfsStar, problem)[0].has_value()) << "apart needs two sites";
}

TEST(FcfsStar, WindowsAndPredecessorsRestrictTheSearch) {
  Problem problem{.now = Instant{0}, .bins = {Bin("a", {{"ncpus", 4}}, Instant{0})}};
  problem.entries = {Rectangle(1, 10), Rectangle(4, 10), Rectangle(1, 5), Rectangle(4, 10)};
  problem.entries[1].allowed = IntervalSet({{Instant{0}, Instant{5}}, {Instant{40}, kFarFuture}});
  problem.entries[2].after = {3};
  problem.entries[3].allowed = IntervalSet::Only(Instant{20});
  EXPECT_EQ(StartsOf(Pack(Algorithm::kFcfsStar, problem)), (std::vector<int64_t>{0, 40, 30, 20}));
  problem.entries[3].allowed = IntervalSet::Only(Instant{5});
  EXPECT_EQ(StartsOf(Pack(Algorithm::kFcfsStar, problem)), (std::vector<int64_t>{0, 40, 0, -1}));
}

TEST(Bin, TurnoverLiesBeforeEveryBooking) {
  partitioner::Shadow shadow;
  shadow.SetCapacity({.classes = {{.count = 1, .up = 1, .per_node = {{"ncpus", 4}}}},
                      .profile = {{Instant{0}, {{{"ncpus", 4}}}}}});
  shadow.Book({{1}, 1}, {{{Instant{100}, Instant{200}}, {{"ncpus", 4}}}});
  Bin bin("a", shadow, Instant{50}, Span{3});
  EXPECT_EQ(bin.EarliestFit({{"ncpus", 1}}, Instant{50}, Span{10}), Instant{53});
  EXPECT_EQ(bin.EarliestFit({{"ncpus", 1}}, Instant{50}, Span{47}), Instant{53});
  EXPECT_EQ(bin.EarliestFit({{"ncpus", 1}}, Instant{50}, Span{48}), Instant{203});
  bin.Take({{"ncpus", 4}}, Instant{53}, Span{10});
  EXPECT_EQ(bin.EarliestFit({{"ncpus", 1}}, Instant{50}, Span{10}), Instant{66});
  EXPECT_FALSE(bin.EarliestFit({{"ngpus", 1}}, Instant{50}, Span{1}).has_value());
  EXPECT_FALSE(Bin("b", partitioner::Shadow(), Instant{0}, Span{0})
                   .EarliestFit({{"ncpus", 1}}, Instant{0}, Span{1})
                   .has_value());
}

// Random blocks on booked terrain: each entry at the first second at which it fits behind those of
// higher rank, and compaction leaves none later, whatever schedule it is given.
TEST(FcfsStar, AgreesWithANaiveArrayAndCompactionMakesNothingLater) {
  constexpr int64_t kHorizon = 2000;
  Random random(17);
  for (int run = 0; run < 150; ++run) {
    Problem problem{.now = Instant{0}};
    std::vector<std::vector<int64_t>> free(2, std::vector<int64_t>(kHorizon, 8));
    const auto book = [&free](size_t bin, int64_t t, int64_t length, int64_t amount) {
      for (int64_t i = t; i < t + length; ++i) free[bin][static_cast<size_t>(i)] -= amount;
    };
    const auto fits = [&free](size_t bin, int64_t t, int64_t length, int64_t amount) {
      return std::all_of(free[bin].begin() + t, free[bin].begin() + t + length,
                         [amount](int64_t f) { return f >= amount; });
    };
    for (size_t bin = 0; bin < 2; ++bin) {
      problem.bins.push_back(Bin(bin == 0 ? "a" : "b", {{"ncpus", 8}}, Instant{0}));
      for (int i = 0; i < 6; ++i) {
        const int64_t t = random.Between(0, 200);
        const int64_t length = random.Between(1, 50);
        const int64_t amount = random.Between(1, 8);
        if (!fits(bin, t, length, amount)) continue;
        book(bin, t, length, amount);
        problem.bins[bin].Take({{"ncpus", amount}}, Instant{t}, Span{length});
      }
    }
    for (int i = 0; i < 25; ++i) {
      Entry entry = Rectangle(random.Between(1, 8), random.Between(1, 30));
      Choice other = entry.parts[0].choices[0];
      other.bin = 1;
      if (random.Chance(700)) entry.parts[0].choices.push_back(other);
      problem.entries.push_back(std::move(entry));
    }
    const Schedule packed = Pack(Algorithm::kFcfsStar, problem);
    for (size_t i = 0; i < packed.size(); ++i) {
      const Entry& entry = problem.entries[i];
      const int64_t amount = entry.parts[0].choices[0].amounts.Get("ncpus");
      std::optional<std::pair<int64_t, size_t>> best;
      for (const Choice& choice : entry.parts[0].choices) {
        int64_t t = 0;
        while (!fits(choice.bin, t, entry.duration.seconds, amount)) ++t;
        if (!best || std::pair(t, choice.bin) < *best) best = {t, choice.bin};
      }
      ASSERT_EQ(packed[i], (Place{{best->second}, Instant{best->first}})) << "run " << run;
      book(best->second, best->first, entry.duration.seconds, amount);
    }
    // The same block, packed one entry after the other far out.
    Schedule loose = packed;
    int64_t at = 500;
    for (auto& place : loose) {
      place->start = Instant{at};
      at += 40;
    }
    const Schedule compact = Compact(problem, loose);
    for (size_t i = 0; i < loose.size(); ++i) EXPECT_LE(compact[i]->start, loose[i]->start);
    EXPECT_LT(compact.back()->start, loose.back()->start);
  }
}

// Bin::Load (forward run) must equal Shadow::Load (gap rule, waves).
TEST(Bin, LoadIsThatOfItsShadowAlsoAsTimeGoesOn) {
  Random random(5);
  for (int run = 0; run < 200; ++run) {
    schemas::Capacity capacity;
    capacity.classes = {{.count = 4, .up = 4, .per_node = {{"mem", 50}, {"ncpus", 4}}}};
    for (int64_t t = 0; t < 200'000; t += random.Between(1, 60'000)) {
      capacity.profile.push_back({Instant{t}, {{{"mem", 200}, {"ncpus", random.Between(8, 16)}}}});
    }
    partitioner::Shadow shadow;
    shadow.SetCapacity(capacity);
    Bin bin("a", shadow, Instant{0}, Span{});
    for (uint64_t i = 1; i < 8; ++i) {
      const Instant begin{random.Between(0, 150'000)};
      const Span length{random.Between(1, 90'000)};
      const ResourceSet amounts = {{"mem", random.Between(0, 20)}, {"ncpus", 1}};
      shadow.Book({Epoch{1}, i}, {{{begin, begin + length}, amounts}});
      bin.Take(amounts, begin, length);
      ASSERT_DOUBLE_EQ(bin.Load(), shadow.Load(Instant{0}));
    }
    bin.GoTo(Instant{50'000});
    ASSERT_DOUBLE_EQ(bin.Load(), shadow.Load(Instant{50'000}));
  }
}

TEST(Compaction, KeepsTheScheduleWhereAnOffsetPartWouldPushAnotherBack) {
  Problem problem{
      .now = Instant{0},
      .bins = {Bin("a", {{"ncpus", 1}}, Instant{0}), Bin("b", {{"ncpus", 1}}, Instant{0})}};
  const ResourceSet one = {{"ncpus", 1}};
  Entry offset{.duration = Span{10}, .allowed = IntervalSet::From(Instant{0})};
  offset.parts = {{.choices = {{0, one, {10}}}}, {.offset = {100}, .choices = {{1, one, {10}}}}};
  // The offset part could move left to [100,110), into what the other one needs from 5 on.
  problem.entries = {offset, Rectangle(1, 99, 1)};
  problem.entries[1].allowed = IntervalSet::From(Instant{5});
  const Schedule packed = {Place{{0, 1}, Instant{4}}, Place{{1}, Instant{5}}};
  EXPECT_EQ(Compact(problem, packed), packed);
}

}  // namespace
}  // namespace muster::packing
