// The verification loop against sites that book honestly. scheduling.md section 3 (Proposal, what
// the site does, Reorganise, "Bounded, proof"); CCS Sect. 4.2.
#include "partitioner/verification.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "schemas/limits.h"

namespace muster::partitioner {
namespace {

using schemas::VerdictEntry;
using schemas::VerdictKind;

IntervalSet Starts(int64_t begin, int64_t end) {
  return IntervalSet({{Instant{begin}, Instant{end}}});
}
VerdictEntry Accepted(int64_t start, IntervalSet starts = {}) {
  return {.kind = VerdictKind::kAccepted, .start = Instant{start}, .starts = std::move(starts)};
}
VerdictEntry Countered(int64_t start, IntervalSet starts = {}) {
  return {.kind = VerdictKind::kCountered, .start = Instant{start}, .starts = std::move(starts)};
}

TEST(Reorganise, ASingleSiteEntryTakesTheStartOfItsSite) {
  const Reorganised r = Reorganise(Instant{5}, Instant{0}, Starts(0, 100), {Countered(9)});
  EXPECT_EQ(r.agreement, Agreement::kAgreed);
  EXPECT_EQ(r.start, Instant{9});
}

TEST(Reorganise, ACoAllocationTakesTheLeastCommonStartAndAgreesOnlyWhereAllBookedIt) {
  const std::vector<VerdictEntry> apart = {Accepted(5, Starts(5, 50)),
                                           Countered(20, Starts(20, 90))};
  Reorganised r = Reorganise(Instant{5}, Instant{0}, Starts(0, 100), apart);
  EXPECT_EQ(r.agreement, Agreement::kOpen);
  EXPECT_EQ(r.start, Instant{20});
  r = Reorganise(Instant{20}, Instant{0}, Starts(0, 100),
                 {Accepted(20, Starts(5, 50)), Accepted(20, Starts(20, 90))});
  EXPECT_EQ(r.agreement, Agreement::kAgreed) << "5 would do at one of them, 20 is the first common";
  EXPECT_EQ(r.start, Instant{20});
}

TEST(Reorganise, WithoutACommonStartTheBoundRisesToWhatIsKnownCompletely) {
  VerdictEntry a = Countered(10, Starts(10, 20));
  a.complete_until = Instant{60};
  VerdictEntry b = Countered(30, Starts(30, 40));
  b.complete_until = Instant{45};
  Reorganised r = Reorganise(Instant{5}, Instant{0}, Starts(0, 100), {a, b});
  EXPECT_EQ(r.agreement, Agreement::kOpen);
  EXPECT_EQ(r.not_before, Instant{45});
  EXPECT_EQ(r.start, Instant{45});
  a.complete_until = b.complete_until = kFarFuture;
  r = Reorganise(Instant{5}, Instant{0}, Starts(0, 100), {a, b});
  EXPECT_EQ(r.agreement, Agreement::kNoStart);
}

TEST(Reorganise, NeverAndBlockedAreSaidBeforeAnythingElse) {
  const VerdictEntry never{.kind = VerdictKind::kNever};
  const VerdictEntry blocked{.kind = VerdictKind::kBlocked};
  EXPECT_EQ(Reorganise({}, {}, Starts(0, 9), {blocked, never}).agreement, Agreement::kNever);
  EXPECT_EQ(Reorganise({}, {}, Starts(0, 9), {Accepted(0), blocked}).agreement,
            Agreement::kBlocked);
  EXPECT_EQ(Reorganise({}, {}, Starts(0, 9), {Accepted(0), VerdictEntry{}}).agreement,
            Agreement::kUnanswered);
}

// A machine of equal units, second by second.
class NaiveSite {
 public:
  static constexpr int64_t kHorizon = 2500;
  explicit NaiveSite(int64_t units) : free_(kHorizon, units) {}

  bool Fits(int64_t t, int64_t length, int64_t units) const {
    if (t + length > kHorizon) return false;
    return std::all_of(free_.begin() + t, free_.begin() + t + length,
                       [units](int64_t free) { return free >= units; });
  }
  void Book(int64_t t, int64_t length, int64_t units) {
    for (int64_t i = t; i < t + length; ++i) free_[static_cast<size_t>(i)] -= units;
  }
  IntervalSet Feasible(const IntervalSet& allowed, int64_t length, int64_t units) const {
    std::vector<Interval> out;
    for (int64_t t = 0; t + length <= kHorizon; ++t) {
      if (!allowed.Contains(Instant{t}) || !Fits(t, length, units)) continue;
      if (!out.empty() && out.back().end == Instant{t}) {
        out.back().end = Instant{t + 1};
      } else {
        out.push_back({Instant{t}, Instant{t + 1}});
      }
    }
    return IntervalSet(std::move(out));
  }

 private:
  std::vector<int64_t> free_;
};

struct Wish {
  int64_t length = 0;
  int64_t units = 0;
};

VerdictEntry Judge(NaiveSite& site, const Verification::Entry& entry, const Wish& wish) {
  const IntervalSet allowed = entry.allowed.NotBefore(entry.not_before);
  IntervalSet feasible = site.Feasible(allowed, wish.length, wish.units);
  VerdictEntry out{.kind = VerdictKind::kBlocked};
  if (feasible.empty()) return out;
  out.kind = feasible.Contains(entry.start) ? VerdictKind::kAccepted : VerdictKind::kCountered;
  out.start = out.kind == VerdictKind::kAccepted ? entry.start : feasible.intervals()[0].begin;
  if (feasible.intervals().size() > schemas::kStartIntervals) {
    out.complete_until = feasible.intervals()[schemas::kStartIntervals].begin;
    feasible = feasible.FirstIntervals(schemas::kStartIntervals);
  }
  out.starts = std::move(feasible);
  site.Book(out.start.seconds, wish.length, wish.units);
  return out;
}

struct Block {
  std::map<std::string, NaiveSite> sites;
  std::vector<Verification::Entry> entries;
  std::vector<Wish> wishes;
  int co_allocations = 0;
};

Block DrawBlock(Random& random, size_t entries) {
  Block out;
  const std::vector<std::string> names = {"hills", "lakes", "woods"};
  for (const std::string& name : names) {
    NaiveSite& site = out.sites.emplace(name, NaiveSite(8)).first->second;
    for (int i = 0; i < 8; ++i) {
      const int64_t begin = random.Between(0, 300);
      const int64_t length = random.Between(5, 60);
      const int64_t units = random.Between(1, 8);
      if (site.Fits(begin, length, units)) site.Book(begin, length, units);
    }
  }
  for (size_t i = 0; i < entries; ++i) {
    Verification::Entry entry{.start = {}, .allowed = IntervalSet::From(Instant{0})};
    const size_t first = random.Below(3);
    entry.members = {names[first]};
    if (random.Chance(300)) {
      entry.members = {names[0], names[1], names[2]};
      if (random.Chance(600)) entry.members.erase(entry.members.begin() + static_cast<long>(first));
      ++out.co_allocations;
    }
    entry.start = Instant{random.Between(0, 50)};
    out.entries.push_back(std::move(entry));
    out.wishes.push_back({random.Between(1, 40), random.Between(1, 8)});
  }
  return out;
}

// One round of honest sites; returns how many entries they were asked.
size_t Answer(Verification& loop, const Block& block, PlanRevision plan) {
  size_t asked = 0;
  for (const auto& [name, indices] : loop.Questions()) {
    NaiveSite site = block.sites.at(name);
    std::vector<VerdictEntry> verdicts;
    for (const size_t i : indices) {
      verdicts.push_back(Judge(site, loop.entries()[i], block.wishes[i]));
    }
    asked += indices.size();
    loop.Take(name, plan, &verdicts);
  }
  return asked;
}

TEST(Verification, OneRoundSufficesWithoutCoAllocations) {
  Random random(11);
  for (int run = 0; run < 50; ++run) {
    Block block = DrawBlock(random, 30);
    for (auto& entry : block.entries) entry.members.resize(1);
    Verification loop(block.entries);
    Answer(loop, block, {1});
    EXPECT_FALSE(loop.NextRound());
    EXPECT_EQ(loop.rounds(), 1);
  }
}

TEST(Verification, EndsWithinItsBoundAndWhatAgreedFitsTogether) {
  Random random(7);
  int most = 0;
  for (int run = 0; run < 100; ++run) {
    const Block block = DrawBlock(random, static_cast<size_t>(random.Between(1, 40)));
    Verification loop(block.entries, {.rounds_max = 1000});
    do {
      ASSERT_GT(Answer(loop, block, {1}), 0u);
    } while (loop.NextRound());
    // The sets are short here: rounds <= 3 + co-allocations + what raises a bound.
    EXPECT_LE(loop.rounds(), 3 + 2 * block.co_allocations) << "run " << run;
    most = std::max(most, loop.rounds());
    std::map<std::string, NaiveSite> sites = block.sites;
    for (size_t i = 0; i < loop.entries().size(); ++i) {
      const Verification::Entry& entry = loop.entries()[i];
      ASSERT_EQ(entry.agreement, Agreement::kAgreed);
      const Wish& wish = block.wishes[i];
      for (const std::string& name : entry.members) {
        NaiveSite& site = sites.at(name);
        ASSERT_TRUE(site.Fits(entry.start.seconds, wish.length, wish.units)) << "run " << run;
        site.Book(entry.start.seconds, wish.length, wish.units);
      }
    }
  }
  EXPECT_GT(most, 2) << "the runs were too easy to show anything";
}

TEST(Verification, CutAtItsBoundTheAgreedEntriesStillFitTogether) {
  Random random(3);
  size_t open = 0;
  for (int run = 0; run < 40; ++run) {
    const Block block = DrawBlock(random, 40);
    Verification loop(block.entries, {.rounds_max = 2});
    do {
      Answer(loop, block, {1});
    } while (loop.NextRound());
    EXPECT_LE(loop.rounds(), 2);
    std::map<std::string, NaiveSite> sites = block.sites;
    for (size_t i = 0; i < loop.entries().size(); ++i) {
      const Verification::Entry& entry = loop.entries()[i];
      if (entry.agreement == Agreement::kOpen) ++open;
      if (entry.agreement != Agreement::kAgreed) continue;
      const Wish& wish = block.wishes[i];
      for (const std::string& name : entry.members) {
        NaiveSite& site = sites.at(name);
        ASSERT_TRUE(site.Fits(entry.start.seconds, wish.length, wish.units)) << "run " << run;
        site.Book(entry.start.seconds, wish.length, wish.units);
      }
    }
  }
  EXPECT_GT(open, 0u);
}

TEST(Verification, AnUnansweredTailIsAskedAgainAndIsNoRound) {
  const std::vector<Verification::Entry> entries(
      2, {.members = {"hills"}, .start = Instant{5}, .allowed = Starts(0, 100)});
  Verification loop(entries);
  const std::vector<VerdictEntry> cut = {Accepted(5), VerdictEntry{}};
  loop.Take("hills", {1}, &cut);
  EXPECT_TRUE(loop.NextRound());
  EXPECT_EQ(loop.rounds(), 0);
  EXPECT_EQ(loop.Questions().at("hills").size(), 2u) << "the tail is judged behind its prefix";
  const std::vector<VerdictEntry> whole = {Accepted(5), Accepted(5)};
  loop.Take("hills", {1}, &whole);
  EXPECT_FALSE(loop.NextRound());
  EXPECT_EQ(loop.rounds(), 1);
}

TEST(Verification, ASiteThatNeverAnswersLosesItsEntriesOnly) {
  Verification loop({{.members = {"hills"}, .start = Instant{5}, .allowed = Starts(0, 100)},
                     {.members = {"woods"}, .start = Instant{5}, .allowed = Starts(0, 100)}});
  int asked = 0;
  do {
    const std::vector<VerdictEntry> fine = {Accepted(5)};
    loop.Take("hills", {1}, &fine);
    loop.Take("woods", {1}, nullptr);
    ASSERT_LT(++asked, 10);
  } while (loop.NextRound());
  EXPECT_EQ(loop.entries()[0].agreement, Agreement::kAgreed);
  EXPECT_EQ(loop.entries()[1].agreement, Agreement::kUnanswered);
  EXPECT_TRUE(loop.Questions().empty());
}

TEST(Verification, AChangedPlanRestartsItAtMostTwice) {
  Random random(5);
  const Block block = DrawBlock(random, 2);
  std::vector<Verification::Entry> entries = {
      {.members = {"hills", "lakes"}, .start = Instant{0}, .allowed = IntervalSet::From({0})}};
  Verification loop(entries, {.rounds_max = 8});
  uint64_t plan = 0;
  do {
    // Sites that never agree: each names only the other's counter.
    const int64_t t = static_cast<int64_t>(plan) * 10;
    const std::vector<VerdictEntry> a = {Countered(t + 1, Starts(t + 1, t + 9))};
    const std::vector<VerdictEntry> b = {Countered(t + 8, Starts(t + 8, t + 10))};
    ++plan;
    loop.Take("hills", {plan}, &a);
    loop.Take("lakes", {plan}, &b);
    ASSERT_LT(plan, 50u);
  } while (loop.NextRound());
  EXPECT_EQ(loop.restarts(), 3) << "the third change ends it: holds decide";
  EXPECT_EQ(loop.entries()[0].agreement, Agreement::kOpen);
}

}  // namespace
}  // namespace muster::partitioner
