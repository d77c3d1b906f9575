// All algorithms on random blocks over booked terrain. Compares them with a literal reading of the
// rules, second by second, and checks the conditions that every schedule must meet. scheduling.md
// section 1 (R1 to R6, Compaction).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/random.h"
#include "meta/search/packing/packing.h"

namespace muster::packing {
namespace {

constexpr int64_t kHorizon = 6000;
constexpr int64_t kUnits = 8;

// Free units of one site, second by second.
using Seconds = std::vector<int64_t>;

bool Fits(const Seconds& free, int64_t t, int64_t length, int64_t amount) {
  return std::all_of(free.begin() + t, free.begin() + t + length,
                     [amount](int64_t f) { return f >= amount; });
}
void Book(Seconds& free, int64_t t, int64_t length, int64_t amount) {
  for (int64_t i = t; i < t + length; ++i) free[static_cast<size_t>(i)] -= amount;
}

// Sites with bookings of others.
std::vector<Seconds> Terrain(Random& random, Problem& problem, int sites) {
  std::vector<Seconds> out;
  for (int s = 0; s < sites; ++s) {
    out.emplace_back(kHorizon, kUnits);
    problem.bins.push_back(
        Bin(std::string(1, static_cast<char>('a' + s)), {{"ncpus", kUnits}}, Instant{0}));
    for (int i = 0; i < 6; ++i) {
      const int64_t t = random.Between(0, 250);
      const int64_t length = random.Between(1, 50);
      const int64_t amount = random.Between(1, kUnits);
      if (!Fits(out.back(), t, length, amount)) continue;
      Book(out.back(), t, length, amount);
      problem.bins.back().Take({{"ncpus", amount}}, Instant{t}, Span{length});
    }
  }
  return out;
}

Choice At(size_t bin, int64_t amount, int64_t length) {
  return {.bin = bin, .amounts = {{"ncpus", amount}}, .length = Span{length}};
}

// One site that follows the rules literally.
struct NaiveSite {
  struct Level {
    int64_t begin;
    int64_t end;
  };
  std::vector<Level> levels;

  int64_t Offer(const Seconds& free, int64_t length, int64_t amount, bool gaps) const {
    for (size_t l = 0; l < levels.size(); ++l) {
      const auto& [b, e] = levels[l];
      const bool newest = l + 1 == levels.size();
      if (Fits(free, b, length, amount) && (b + length <= e || newest)) return b;  // R1
      for (int64_t t = b + 1; gaps && t <= e - length; ++t) {                      // R2
        if (Fits(free, t, length, amount)) return t;
      }
    }
    int64_t t = levels.empty() ? 0 : levels.back().end;  // R4
    while (!Fits(free, t, length, amount)) ++t;
    return t;
  }
  void Place(int64_t t, int64_t length) {
    if (levels.empty() || t >= levels.back().end) {
      if (!levels.empty()) levels.back().end = t;
      levels.push_back({t, t + length});
    } else if (t == levels.back().begin) {
      levels.back().end = std::max(levels.back().end, t + length);
    }
  }
};

TEST(Levels, FollowTheRulesAsTheyAreWritten) {
  Random random(29);
  for (int run = 0; run < 200; ++run) {
    Problem problem{.now = Instant{0}};
    const int sites = run % 3 + 1;
    const std::vector<Seconds> terrain = Terrain(random, problem, sites);
    for (int i = 0; i < 30; ++i) {
      Entry entry{.duration = Span{random.Between(1, 30)},
                  .allowed = IntervalSet::From(Instant{0})};
      const int64_t amount = random.Between(1, kUnits);
      Part part;
      for (int s = 0; s < sites; ++s) {
        // Sites differ in speed.
        const int64_t length = (entry.duration.seconds * (s + 2) + s + 1) / (s + 2);
        part.choices.push_back(At(static_cast<size_t>(s), amount, length));
      }
      entry.parts = {part};
      problem.entries.push_back(std::move(entry));
    }
    for (const auto& [algorithm, gaps, longest] : {std::tuple{Algorithm::kFfdh, false, true},
                                                   {Algorithm::kFfdhStar, true, true},
                                                   {Algorithm::kFfih, false, false},
                                                   {Algorithm::kFfihStar, true, false}}) {
      std::vector<Seconds> free = terrain;
      std::vector<NaiveSite> naive(static_cast<size_t>(sites));
      std::vector<size_t> order;
      for (size_t i = 0; i < problem.entries.size(); ++i) order.push_back(i);
      std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        const Span x = problem.entries[a].duration;
        const Span y = problem.entries[b].duration;
        return longest ? x > y : x < y;
      });
      const Layout layout = PackInLevels(algorithm, problem);
      for (const size_t i : order) {
        std::optional<std::tuple<int64_t, int64_t, size_t>> best;  // start, finish, site
        int64_t amount = 0;
        for (const Choice& c : problem.entries[i].parts[0].choices) {
          amount = c.amounts.Get("ncpus");
          const int64_t t = naive[c.bin].Offer(free[c.bin], c.length.seconds, amount, gaps);
          const std::tuple key{t, t + c.length.seconds, c.bin};
          if (!best || key < *best) best = key;
        }
        const auto [start, finish, site] = *best;
        ASSERT_EQ(layout.schedule[i], (Place{{site}, Instant{start}}))
            << NameOf(algorithm) << ", run " << run << ", entry " << i;
        Book(free[site], start, finish - start, amount);
        naive[site].Place(start, finish - start);
      }
      for (size_t s = 0; s < naive.size(); ++s) {
        ASSERT_EQ(layout.points[s].size(), naive[s].levels.size());
      }
    }
  }
}

// Random requests of one part at three sites of equal speed. The sites are empty, or each unit is
// busy until a random time, or others have bookings as in Terrain.
enum class Ground { kEmpty, kRunning, kBooked };
Problem Plain(Random& random, Ground ground) {
  Problem problem{.now = Instant{0}};
  constexpr size_t kSites = 3;
  if (ground == Ground::kBooked) {
    Terrain(random, problem, kSites);
  } else {
    for (const char* name : {"a", "b", "c"}) {
      Bin& bin = problem.bins.emplace_back(name, ResourceSet{{"ncpus", kUnits}}, Instant{0});
      for (int64_t i = 0; ground == Ground::kRunning && i < kUnits; ++i) {
        bin.Take({{"ncpus", 1}}, Instant{0}, Span{random.Between(1, 50)});
      }
    }
  }
  for (int i = 0; i < 30; ++i) {
    Entry entry{.duration = Span{random.Between(1, 30)}, .allowed = IntervalSet::From(Instant{0})};
    Part& part = entry.parts.emplace_back();
    const int64_t amount = random.Between(1, kUnits);
    for (size_t s = 0; s < kSites; ++s) {
      part.choices.push_back(At(s, amount, entry.duration.seconds));
    }
    problem.entries.push_back(std::move(entry));
  }
  return problem;
}

// Shortest first, a later entry is never shorter than the level, so it fits behind the scheduling
// point only in a strip that bookings of others left idle.
TEST(Levels, ShortestFirstHasNoGapsToFillUnlessOthersLeaveThem) {
  Random random(31);
  size_t longest_first = 0;
  size_t behind_running = 0;  // compacted
  size_t among_others = 0;
  for (int run = 0; run < 300; ++run) {
    const Problem empty = Plain(random, Ground::kEmpty);
    EXPECT_EQ(Pack(Algorithm::kFfih, empty), Pack(Algorithm::kFfihStar, empty));
    if (Pack(Algorithm::kFfdh, empty) != Pack(Algorithm::kFfdhStar, empty)) ++longest_first;
    const Problem running = Plain(random, Ground::kRunning);
    const Schedule plain = Pack(Algorithm::kFfih, running);
    const Schedule starred = Pack(Algorithm::kFfihStar, running);
    if (Compact(running, plain) != Compact(running, starred)) ++behind_running;
    const Problem booked = Plain(random, Ground::kBooked);
    if (Pack(Algorithm::kFfih, booked) != Pack(Algorithm::kFfihStar, booked)) ++among_others;
  }
  EXPECT_GT(longest_first, 250u);
  EXPECT_GT(behind_running, 200u);
  EXPECT_GT(among_others, 100u);
}

// Mixed blocks: windows, entries that follow others, parts with offsets on several sites.
Problem Mixed(Random& random, std::vector<Seconds>& terrain) {
  Problem problem{.now = Instant{0}};
  terrain = Terrain(random, problem, 3);
  for (size_t i = 0; i < 30; ++i) {
    Entry entry{.duration = Span{random.Between(1, 30)}, .allowed = IntervalSet::From(Instant{0})};
    if (random.Chance(200)) {
      const int64_t opens = random.Between(0, 300);
      entry.allowed = IntervalSet(
          {{Instant{opens}, Instant{opens + 60}}, {Instant{opens + 100}, Instant{opens + 3000}}});
    }
    for (int64_t p = random.Chance(300) ? random.Between(2, 3) : 1; p > 0; --p) {
      Part part{.offset = Span{random.Chance(300) ? random.Between(0, 20) : 0}};
      const int64_t amount = random.Between(1, 4);
      for (size_t s = 0; s < 3; ++s) {
        if (s == 0 || random.Chance(700)) {
          part.choices.push_back(At(s, amount, entry.duration.seconds));
        }
      }
      entry.parts.push_back(std::move(part));
    }
    entry.apart = random.Chance(100);
    entry.tail = Span{random.Between(0, 5)};
    entry.joint_from = Instant{random.Between(0, 20)};
    if (i > 0 && i < 29 && random.Chance(200)) entry.after = {random.Below(i)};
    if (i == 3 && random.Chance(500)) entry.after = {29};  // of lower rank
    problem.entries.push_back(std::move(entry));
  }
  return problem;
}

Instant EndOf(const Entry& entry, const Place& place) {
  Instant end = place.start;
  for (const Part& part : entry.parts) {
    end = std::max(end, place.start + part.offset + part.choices[0].length);
  }
  return end;
}

bool OnSeveral(const Place& place) {
  return std::set<size_t>(place.bins.begin(), place.bins.end()).size() > 1;
}

// The time that one entry occupies at each of its sites, from first to last second.
std::map<size_t, Interval> HullsOf(const Entry& entry, const Place& place) {
  std::map<size_t, Interval> out;
  const Span tail = OnSeveral(place) ? entry.tail : Span{0};
  for (size_t p = 0; p < entry.parts.size(); ++p) {
    const Instant begin = place.start + entry.parts[p].offset;
    const Instant end = begin + entry.parts[p].choices[0].length + tail;
    const auto [it, first] = out.emplace(place.bins[p], Interval{begin, end});
    if (first) continue;
    it->second.begin = std::min(it->second.begin, begin);
    it->second.end = std::max(it->second.end, end);
  }
  return out;
}

// Checks that the schedule respects windows, predecessors, lead, allowed sites and capacities.
void Judge(const Problem& problem, const Schedule& schedule, std::vector<Seconds> free) {
  for (size_t i = 0; i < schedule.size(); ++i) {
    if (!schedule[i]) continue;
    const Entry& entry = problem.entries[i];
    const Place& place = *schedule[i];
    ASSERT_TRUE(entry.allowed.Contains(place.start)) << i;
    ASSERT_GE(place.start, problem.now);
    if (OnSeveral(place)) ASSERT_GE(place.start, entry.joint_from) << i;
    if (entry.apart) {
      ASSERT_EQ(std::set<size_t>(place.bins.begin(), place.bins.end()).size(), place.bins.size());
    }
    for (const size_t before : entry.after) {
      if (!schedule[before]) continue;
      ASSERT_GE(place.start, EndOf(problem.entries[before], *schedule[before])) << i;
    }
    const Span tail = OnSeveral(place) ? entry.tail : Span{0};
    for (size_t p = 0; p < entry.parts.size(); ++p) {
      const Part& part = entry.parts[p];
      ASSERT_TRUE(std::any_of(part.choices.begin(), part.choices.end(),
                              [&](const Choice& c) { return c.bin == place.bins[p]; }));
      Book(free[place.bins[p]], (place.start + part.offset).seconds,
           (part.choices[0].length + tail).seconds, part.choices[0].amounts.Get("ncpus"));
    }
  }
  for (const Seconds& site : free) {
    ASSERT_GE(*std::min_element(site.begin(), site.end()), 0) << "overbooked";
  }
}

TEST(EveryAlgorithm, OverbooksNothingCrossesNoPointAndKeepsWindowsAndOrder) {
  Random random(41);
  size_t placed = 0;
  size_t together = 0;
  for (int run = 0; run < 150; ++run) {
    std::vector<Seconds> terrain;
    const Problem problem = Mixed(random, terrain);
    for (const Algorithm algorithm : kAlgorithms) {
      SCOPED_TRACE(std::string(NameOf(algorithm)) + ", run " + std::to_string(run));
      const Layout layout = PackInLevels(algorithm, problem);
      Judge(problem, layout.schedule, terrain);
      if (HasFatalFailure()) return;
      for (size_t i = 0; i < layout.schedule.size(); ++i) {
        if (!layout.schedule[i]) continue;
        ++placed;
        together += OnSeveral(*layout.schedule[i]) ? 1 : 0;
        for (const auto& [bin, hull] : HullsOf(problem.entries[i], *layout.schedule[i])) {
          for (const Instant point : layout.points[bin]) {
            ASSERT_FALSE(hull.begin < point && point < hull.end) << "entry " << i;
          }
        }
      }
      const Schedule compact = Compact(problem, layout.schedule);
      Judge(problem, compact, terrain);
      if (HasFatalFailure()) return;
      for (size_t i = 0; i < compact.size(); ++i) {
        ASSERT_EQ(compact[i].has_value(), layout.schedule[i].has_value());
        if (compact[i]) ASSERT_LE(compact[i]->start, layout.schedule[i]->start) << i;
      }
    }
  }
  EXPECT_GT(placed, 20'000u);
  EXPECT_GT(together, 2'000u);
}

TEST(EveryAlgorithm, PlacesAnEntryWithoutAWindowIfAnySiteCouldEverHoldIt) {
  Random random(43);
  for (int run = 0; run < 50; ++run) {
    std::vector<Seconds> terrain;
    Problem problem = Mixed(random, terrain);
    for (Entry& entry : problem.entries) {
      entry.allowed = IntervalSet::From(Instant{0});
      entry.apart = false;
      entry.parts.resize(1);
    }
    for (const Algorithm algorithm : kAlgorithms) {
      for (const auto& place : Pack(algorithm, problem)) ASSERT_TRUE(place.has_value());
    }
  }
}

}  // namespace
}  // namespace muster::packing
