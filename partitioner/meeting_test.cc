// The search for a common start, at sites whose feasible starts are all known, so that its result
// can be compared with all assignments at all instants.
#include "partitioner/meeting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.h"

namespace muster::partitioner {
namespace {

using schemas::VerdictEntry;
using schemas::VerdictKind;

constexpr Instant kEnd{400};  // of the windows in these tests

IntervalSet Set(std::vector<Interval> intervals) { return IntervalSet(std::move(intervals)); }

// Feasible starts of each set of parts at one site, by bit mask.
using Feasible = std::map<uint32_t, IntervalSet>;

struct World {
  std::vector<size_t> kinds;
  bool apart = false;
  std::map<std::string, Feasible> sites;
  std::map<std::string, MeetingSite> facts;
  std::map<std::string, uint64_t> plan;
};

uint32_t MaskOf(const std::vector<size_t>& parts) {
  uint32_t mask = 0;
  for (const size_t part : parts) mask |= 1u << part;
  return mask;
}

VerdictEntry AnswerTo(const MeetingQuestion& question, const IntervalSet& feasible) {
  const IntervalSet starts = feasible.Intersect(question.allowed);
  VerdictEntry out;
  if (starts.empty()) {
    out.kind = VerdictKind::kBlocked;
    return out;
  }
  out.kind = VerdictKind::kCountered;
  out.start = starts.intervals().front().begin;
  out.starts = starts.FirstIntervals(question.intervals);
  if (starts.intervals().size() > question.intervals) {
    out.complete_until = starts.intervals()[question.intervals].begin;
  }
  return out;
}

void Answer(World& world, Meeting& meeting) {
  const auto questions = meeting.questions();
  for (const auto& [name, asked] : questions) {
    std::vector<VerdictEntry> verdicts;
    for (const MeetingQuestion& question : asked) {
      verdicts.push_back(AnswerTo(question, world.sites[name][MaskOf(question.parts)]));
    }
    meeting.Take(name, PlanRevision{world.plan[name]}, &verdicts);
  }
}

std::optional<Met> Search(World& world, Meeting& meeting) {
  do {
    Answer(world, meeting);
  } while (meeting.NextRound());
  return meeting.Best({});
}

MeetingSite Facts(const std::string& name, size_t kinds, Instant shadow = {0}) {
  return {.name = name,
          .may_run = std::vector<bool>(kinds, true),
          .alone = Set({{{0}, kEnd}}),
          .beside = Set({{{30}, kEnd}}),
          .shadow = shadow,
          .length = {60},
          .spoils = std::vector<int64_t>(kinds, 0)};
}

Meeting MeetingIn(const World& world, MeetingLimits limits = {}) {
  std::vector<MeetingSite> facts;
  for (const auto& [name, site] : world.facts) facts.push_back(site);
  const size_t count = *std::max_element(world.kinds.begin(), world.kinds.end()) + 1;
  return Meeting(world.kinds, std::vector<Span>(count), world.apart, std::move(facts), limits);
}

// The earliest instant at which some assignment works, by trying all of them.
std::optional<Instant> BruteForce(const World& world) {
  std::vector<std::string> names;
  for (const auto& [name, site] : world.sites) names.push_back(name);
  const size_t parts = world.kinds.size();
  size_t assignments = 1;
  for (size_t i = 0; i < parts; ++i) assignments *= names.size();
  for (Instant t{0}; t < kEnd; t = t + Span{1}) {
    for (size_t a = 0; a < assignments; ++a) {
      std::map<std::string, uint32_t> masks;
      bool possible = true;
      for (size_t part = 0, rest = a; part < parts; ++part, rest /= names.size()) {
        const std::string& name = names[rest % names.size()];
        possible = possible && !(world.apart && masks.contains(name));
        possible = possible && world.facts.at(name).may_run[world.kinds[part]];
        masks[name] |= 1u << part;
      }
      for (const auto& [name, mask] : masks) {
        const MeetingSite& facts = world.facts.at(name);
        const IntervalSet& allowed = masks.size() == 1 ? facts.alone : facts.beside;
        possible = possible && allowed.Contains(t) && world.sites.at(name).at(mask).Contains(t);
      }
      if (possible) return t;
    }
  }
  return std::nullopt;
}

World TwoSites() {
  World world{.kinds = {0, 0}};
  for (const char* name : {"lakes", "woods"}) world.facts[name] = Facts(name, 1);
  return world;
}

TEST(Meeting, AlternativesOfOneRequestAreNotInEachOthersWay) {
  World world = TwoSites();
  // Each site has room for one part from 100 on, and for both from 250 on.
  for (const char* name : {"lakes", "woods"}) {
    world.sites[name] = {
        {1, Set({{{100}, kEnd}})}, {2, Set({{{100}, kEnd}})}, {3, Set({{{250}, kEnd}})}};
  }
  Meeting meeting = MeetingIn(world);
  const auto met = Search(world, meeting);
  ASSERT_TRUE(met);
  EXPECT_EQ(met->start, Instant{100});
  EXPECT_EQ(met->part_sites, (std::vector<std::string>{"lakes", "woods"}));
  EXPECT_TRUE(met->proved);
  EXPECT_EQ(meeting.rounds(), 1);
}

TEST(Meeting, OneSiteAloneMayStartBeforeTheLeadOfSeveral) {
  World world = TwoSites();
  world.sites["lakes"] = {
      {1, Set({{{0}, kEnd}})}, {2, Set({{{0}, kEnd}})}, {3, Set({{{5}, kEnd}})}};
  world.sites["woods"] = {
      {1, Set({{{0}, kEnd}})}, {2, Set({{{0}, kEnd}})}, {3, Set({{{90}, kEnd}})}};
  Meeting meeting = MeetingIn(world);
  const auto met = Search(world, meeting);
  ASSERT_TRUE(met);
  EXPECT_EQ(met->start, Instant{5});
  EXPECT_EQ(met->part_sites, (std::vector<std::string>{"lakes", "lakes"}));
}

TEST(Meeting, OfThoseThatStartTogetherTheUsersHomeComesBeforeLoadAndName) {
  World world{.kinds = {0, 0}, .apart = true};
  for (const char* name : {"a", "b", "c", "home"}) {
    world.facts[name] = Facts(name, 1);
    world.sites[name] = {{1, Set({{{50}, kEnd}})}, {2, Set({{{50}, kEnd}})}, {3, {}}};
  }
  world.facts["home"].home = true;
  world.facts["home"].load = 0.9;
  world.facts["a"].spoils = {500};
  Meeting meeting = MeetingIn(world);
  const auto met = Search(world, meeting);
  ASSERT_TRUE(met);
  EXPECT_EQ(met->part_sites, (std::vector<std::string>{"b", "home"}));
}

TEST(Meeting, EqualPartsHaveTheirSitesByNameWhateverTheirShadows) {
  World world{.kinds = {0, 0, 0}, .apart = true};
  int64_t shadow = 0;
  for (const char* name : {"woods", "hills", "lakes"}) {
    world.facts[name] = Facts(name, 1, Instant{++shadow});
    world.sites[name] = {
        {1, Set({{{50}, kEnd}})}, {2, Set({{{50}, kEnd}})}, {4, Set({{{50}, kEnd}})}};
  }
  Meeting meeting = MeetingIn(world);
  const auto met = Search(world, meeting);
  ASSERT_TRUE(met);
  EXPECT_EQ(met->part_sites, (std::vector<std::string>{"hills", "lakes", "woods"}));
}

TEST(Meeting, WhatIsNotToldYetIsAskedForBeforeALaterStartIsTaken) {
  World world = TwoSites();
  world.apart = true;
  // The sites' windows meet only in the 41st of each.
  std::vector<Interval> odd;
  std::vector<Interval> even;
  for (int64_t i = 0; i < 40; ++i) {
    odd.push_back({{40 + 4 * i}, {41 + 4 * i}});
    even.push_back({{42 + 4 * i}, {43 + 4 * i}});
  }
  odd.push_back({{300}, {301}});
  even.push_back({{300}, {301}});
  world.sites["lakes"] = {{1, Set(odd)}, {2, Set(odd)}};
  world.sites["woods"] = {{1, Set(even)}, {2, Set(even)}};
  Meeting meeting = MeetingIn(world);
  const auto met = Search(world, meeting);
  ASSERT_TRUE(met);
  EXPECT_EQ(met->start, Instant{300});
  EXPECT_TRUE(met->proved);
  EXPECT_EQ(meeting.rounds(), 2) << "16 windows, then those beyond";
}

TEST(Meeting, ASiteThatWasNotAskedIsAskedIfItsShadowLeavesItAChance) {
  World world{.kinds = {0, 0}, .apart = true};
  for (int i = 0; i < 6; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    world.facts[name] = Facts(name, 1, Instant{40 + i});
    world.sites[name] = {{1, Set({{{i < 4 ? 300 : 60}, kEnd}})},
                         {2, Set({{{i < 4 ? 300 : 60}, kEnd}})}};
  }
  Meeting meeting = MeetingIn(world, {.ask_sites = 2});
  const auto met = Search(world, meeting);
  ASSERT_TRUE(met);
  EXPECT_EQ(met->start, Instant{60});
  EXPECT_EQ(met->part_sites, (std::vector<std::string>{"e", "f"}));
  EXPECT_TRUE(met->proved);
}

TEST(Meeting, ASilentSiteIsLeftOutAndNothingIsProved) {
  World world = TwoSites();
  for (const char* name : {"lakes", "woods"}) {
    world.sites[name] = {
        {1, Set({{{40}, kEnd}})}, {2, Set({{{40}, kEnd}})}, {3, Set({{{90}, kEnd}})}};
  }
  Meeting meeting = MeetingIn(world);
  std::vector<VerdictEntry> verdicts;
  for (const MeetingQuestion& question : meeting.questions().at("lakes")) {
    verdicts.push_back(AnswerTo(question, world.sites["lakes"][MaskOf(question.parts)]));
  }
  meeting.Take("lakes", PlanRevision{1}, &verdicts);
  meeting.Take("woods", PlanRevision{1}, nullptr);
  EXPECT_FALSE(meeting.NextRound());
  const auto met = meeting.Best({});
  ASSERT_TRUE(met);
  EXPECT_EQ(met->start, Instant{90});
  EXPECT_FALSE(met->proved);
  EXPECT_EQ(meeting.Silent(), std::vector<std::string>{"woods"});
}

TEST(Meeting, APlanThatChangedBetweenRoundsIsAskedAnew) {
  World world = TwoSites();
  world.apart = true;
  std::vector<Interval> odd;
  std::vector<Interval> even;
  for (int64_t i = 0; i < 30; ++i) {
    odd.push_back({{40 + 4 * i}, {41 + 4 * i}});
    even.push_back({{42 + 4 * i}, {43 + 4 * i}});
  }
  even.push_back({{380}, {390}});
  odd.push_back({{380}, {390}});
  world.sites["lakes"] = {{1, Set(odd)}, {2, Set(odd)}};
  world.sites["woods"] = {{1, Set(even)}, {2, Set(even)}};
  Meeting meeting = MeetingIn(world);
  Answer(world, meeting);
  ASSERT_TRUE(meeting.NextRound());
  // Now lakes has room at 42, too, which its first answer did not contain.
  odd.push_back({{42}, {43}});
  world.sites["lakes"] = {{1, Set(odd)}, {2, Set(odd)}};
  world.plan["lakes"] = 2;
  const auto met = Search(world, meeting);
  ASSERT_TRUE(met);
  EXPECT_EQ(met->start, Instant{42});
  EXPECT_TRUE(met->proved);
}

TEST(Meeting, WithoutAnAllowedStartNobodyIsAsked) {
  World world = TwoSites();
  for (auto& [name, facts] : world.facts) facts.alone = facts.beside = {};
  Meeting meeting = MeetingIn(world);
  EXPECT_TRUE(meeting.questions().empty());
  EXPECT_EQ(meeting.rounds(), 0);
  EXPECT_FALSE(meeting.Best({}));
}

TEST(Meeting, ManyUnlikePartsAreMetByUnitsEvenSpreadsAndAllTogether) {
  World world;
  for (size_t part = 0; part < 8; ++part) world.kinds.push_back(part);
  for (const char* name : {"lakes", "woods"}) {
    world.facts[name] = Facts(name, 8);
    for (uint32_t mask = 1; mask < 256; ++mask) {
      const bool half = mask == 0x0f || mask == 0xf0;
      world.sites[name][mask] = Set({{{half ? 70 : 200}, kEnd}});
    }
  }
  Meeting meeting = MeetingIn(world);
  const auto met = Search(world, meeting);
  ASSERT_TRUE(met);
  EXPECT_EQ(met->start, Instant{70});
  EXPECT_FALSE(met->proved) << "not all groups were asked about";
}

IntervalSet Drawn(Random& random, int64_t intervals) {
  std::vector<Interval> out;
  for (int64_t i = 0; i < intervals; ++i) {
    const Instant begin{random.Between(0, kEnd.seconds - 2)};
    out.push_back({begin, begin + Span{random.Between(1, 6)}});
  }
  return Set(std::move(out)).Intersect(Set({{{0}, kEnd}}));
}

World DrawnWorld(Random& random) {
  World world;
  const size_t parts = static_cast<size_t>(random.Between(2, 4));
  const size_t kinds = static_cast<size_t>(random.Between(1, static_cast<int64_t>(parts)));
  for (size_t part = 0; part < parts; ++part) {
    world.kinds.push_back(part < kinds ? part : static_cast<size_t>(random.Between(0, 99)) % kinds);
  }
  world.apart = random.Chance(300);
  const int64_t sites = random.Between(2, 4);
  for (int64_t i = 0; i < sites; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    MeetingSite& facts = world.facts[name] = Facts(name, kinds);
    for (size_t kind = 0; kind < kinds; ++kind) {
      if (random.Chance(150)) facts.may_run[kind] = false;
    }
    const int64_t many = random.Chance(200) ? 60 : random.Between(0, 20);
    // Equal parts have equal sets.
    std::map<Group, IntervalSet> of_group;
    for (uint32_t mask = 1; mask < (1u << parts); ++mask) {
      Group group(kinds, 0);
      for (size_t part = 0; part < parts; ++part) group[world.kinds[part]] += mask >> part & 1;
      const auto [at, fresh] = of_group.try_emplace(group);
      if (fresh) at->second = Drawn(random, many);
      world.sites[name][mask] = at->second;
    }
    // Shadows of sites that are not asked must not be too late; those here are as good as can be.
    for (Instant t{0}; t < kEnd; t = t + Span{1}) {
      facts.shadow = t;
      const bool any = std::any_of(of_group.begin(), of_group.end(),
                                   [t](const auto& g) { return g.second.Contains(t); });
      if (any) break;
    }
  }
  return world;
}

TEST(Meeting, FindsWhatTryingEverythingFinds) {
  int rounds_most = 0;
  for (uint64_t seed = 1; seed <= 4000; ++seed) {
    Random random(seed);
    World world = DrawnWorld(random);
    const size_t ask_sites = static_cast<size_t>(random.Between(1, 4));
    Meeting meeting = MeetingIn(world, {.ask_sites = ask_sites});
    const auto met = Search(world, meeting);
    const auto best = BruteForce(world);
    ASSERT_EQ(met.has_value(), best.has_value()) << "seed " << seed;
    if (!met) continue;
    ASSERT_EQ(met->start, *best) << "seed " << seed;
    if (ask_sites >= world.sites.size()) {
      ASSERT_TRUE(met->proved) << "seed " << seed;
    }
    rounds_most = std::max(rounds_most, meeting.rounds());
    // The sites that it names can all start their parts at this start.
    std::map<std::string, uint32_t> masks;
    for (size_t part = 0; part < met->part_sites.size(); ++part) {
      masks[met->part_sites[part]] |= 1u << part;
    }
    for (const auto& [name, mask] : masks) {
      ASSERT_TRUE(world.sites[name][mask].Contains(met->start)) << "seed " << seed;
    }
  }
  EXPECT_LE(rounds_most, MeetingLimits{}.rounds_max);
  EXPECT_GT(rounds_most, 2);
}

}  // namespace
}  // namespace muster::partitioner
