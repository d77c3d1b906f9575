// Plans of machines with a geometry against a naive one that knows partitions as lists of units and
// time second by second: every start the earliest there is, every feasible-start set exact, every
// part on one whole partition that it has alone. CCS Sect. 4, scheduling.md sections 3 and 8.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "site/machine/layout.h"
#include "site/machine/partitions_oracle.h"
#include "site/plan/plan.h"

namespace muster::plan::shaped_plan_property_test {
namespace {

using machine::Layout;
using machine::oracle::Partitions;
using machine::oracle::UnitSet;

constexpr int64_t kCpus = 4;  // of a unit
constexpr Instant kNow{1000};
constexpr Span kHorizon{60};

struct Box {
  UnitSet units;
  Instant begin;  // with turnover
  Instant end;
};

class Naive {
 public:
  explicit Naive(const Layout& layout)
      : partitions_(machine::oracle::Of(layout)), usable_(machine::UnitsOf(layout), true) {}

  // Sizes of the partitions that a request for `units` units may get.
  std::set<size_t> Sizes(size_t units) const {
    std::set<size_t> out;
    for (const auto& [size, all] : partitions_) {
      if (size < units) continue;
      if (out.empty() || (size - units) * 100 <= units * 25) out.insert(size);
    }
    return out;
  }
  bool IsPartition(const UnitSet& units, size_t wanted) const {
    return Sizes(wanted).contains(units.size()) && partitions_.at(units.size()).contains(units);
  }
  bool IsFree(const UnitSet& units, Instant begin, Instant end) const {
    return std::all_of(units.begin(), units.end(), [&](uint32_t unit) {
      return usable_[unit] && std::none_of(boxes_.begin(), boxes_.end(), [&](const auto& box) {
               return box.second.units.contains(unit) && box.second.begin < end &&
                      begin < box.second.end;
             });
    });
  }
  bool Fits(size_t units, Instant start, Span length) const {
    for (const size_t size : Sizes(units)) {
      for (const UnitSet& set : partitions_.at(size)) {
        if (IsFree(set, start - Span{1}, start + length)) return true;
      }
    }
    return false;
  }
  // Starts of `allowed` within the horizon that work.
  IntervalSet Starts(size_t units, Span length, const IntervalSet& allowed) const {
    std::vector<Interval> out;
    for (Instant t = kNow; t <= kNow + kHorizon; t = t + Span{1}) {
      if (allowed.Contains(t) && Fits(units, t, length)) out.push_back({t, t + Span{1}});
    }
    return IntervalSet(std::move(out));
  }

  void Put(uint64_t number, Box box) { boxes_[number] = std::move(box); }
  void Drop(uint64_t number) { boxes_.erase(number); }
  void SetUsable(uint32_t unit, bool usable) { usable_[unit] = usable; }
  bool IsUsable(uint32_t unit) const { return usable_[unit]; }

 private:
  Partitions partitions_;
  std::vector<bool> usable_;
  std::map<uint64_t, Box> boxes_;
};

struct Asked {
  int64_t cpus;
  Span length;
  size_t units() const { return static_cast<size_t>((cpus + kCpus - 1) / kCpus); }
  Order order() const {
    Part part{.exclusive = true, .length = length};
    part.chunks.push_back({static_cast<uint32_t>(cpus), {{"ncpus", 1}}, {}});
    return {{part}, "", {}};
  }
};

UnitSet UnitsIn(const Mapping& mapping) {
  UnitSet units;
  for (const Assignment& a : mapping.front()) units.insert(a.node);
  return units;
}

std::shared_ptr<const machine::Machine> MachineOf(const Layout& layout) {
  std::vector<machine::Node> nodes;
  machine::Units units{machine::MakeGeometry(layout), {}, 25};
  for (size_t u = 0; u < units.geometry->unit_count(); ++u) {
    units.nodes.push_back("u" + std::to_string(u));
    nodes.push_back({units.nodes.back(), {{"ncpus", kCpus}}, {}});
  }
  return std::make_shared<const machine::Machine>(std::move(nodes), 8,
                                                  std::vector<machine::Switch>{}, units);
}

class ShapedPlan : public testing::TestWithParam<std::pair<Layout, machine::Choice>> {
 protected:
  ShapedPlan()
      : naive_(GetParam().first),
        plan_(MachineOf(GetParam().first),
              {.turnover = Span{1}, .horizon = kHorizon, .choice = GetParam().second}),
        units_(machine::UnitsOf(GetParam().first)) {}

  Asked SomeAsked() {
    return {1 + static_cast<int64_t>(random_.Below(units_ * 3)),
            Span{1 + static_cast<int64_t>(random_.Below(20))}};
  }
  IntervalSet SomeAllowed() {
    return IntervalSet::From(kNow + Span{static_cast<int64_t>(random_.Below(15))});
  }
  // The order got a partition that was free, and none was free at an earlier start.
  void Check(const Naive& naive, const Asked& asked, const Placed& placed, Instant earliest) {
    ASSERT_EQ(placed.start, earliest);
    const UnitSet units = UnitsIn(placed.mapping);
    ASSERT_TRUE(naive.IsPartition(units, asked.units()));
    ASSERT_TRUE(naive.IsFree(units, placed.start - Span{1}, placed.start + asked.length));
    int64_t cpus = 0;
    for (const Assignment& a : placed.mapping.front()) {
      ASSERT_LE(a.count, kCpus);
      cpus += a.count;
    }
    ASSERT_EQ(cpus, asked.cpus);
    ASSERT_EQ(placed.taken.front().Get("ncpus"), static_cast<int64_t>(units.size()) * kCpus)
        << "told is what is really blocked";
  }
  static Box BoxOf(const Placed& placed, const Asked& asked) {
    return {UnitsIn(placed.mapping), placed.start - Span{1}, placed.start + asked.length};
  }

  void BookOne() {
    const Asked asked = SomeAsked();
    const IntervalSet allowed = SomeAllowed();
    const IntervalSet starts = naive_.Starts(asked.units(), asked.length, allowed);
    const Fence fence{{1}, ++last_};
    const Answer answer = plan_.Book(fence, asked.order(), allowed, kNow, std::nullopt, 100);
    if (const auto* refused = std::get_if<Refused>(&answer)) {
      ASSERT_TRUE(starts.empty());
      if (refused->kind == Refused::Kind::kNever) {
        ASSERT_TRUE(naive_.Sizes(asked.units()).empty());
        ASSERT_EQ(refused->why.code, Why::Code::kTopology);
        ASSERT_FALSE(naive_.Sizes((refused->largest.front().count + kCpus - 1) / kCpus).empty());
        ASSERT_TRUE(naive_.Sizes((refused->largest.front().count + kCpus) / kCpus).empty());
      }
      return;
    }
    ASSERT_FALSE(starts.empty());
    Check(naive_, asked, std::get<Placed>(answer), starts.intervals().front().begin);
    naive_.Put(last_, BoxOf(std::get<Placed>(answer), asked));
    booked_[last_] = asked;
  }
  void FreeOne() {
    if (booked_.empty()) return;
    auto it = booked_.begin();
    std::advance(it, static_cast<long>(random_.Below(booked_.size())));
    plan_.Free({{1}, it->first});
    naive_.Drop(it->first);
    booked_.erase(it);
  }
  void RebookOne() {
    if (booked_.empty()) return;
    auto it = booked_.begin();
    std::advance(it, static_cast<long>(random_.Below(booked_.size())));
    Naive without = naive_;
    without.Drop(it->first);
    const IntervalSet allowed = SomeAllowed();
    const IntervalSet starts = without.Starts(it->second.units(), it->second.length, allowed);
    const Answer answer = plan_.Rebook({{1}, it->first}, allowed, kNow, 0);
    const auto* placed = std::get_if<Placed>(&answer);
    ASSERT_EQ(placed != nullptr, !starts.empty());
    if (placed == nullptr) return;
    Check(without, it->second, *placed, starts.intervals().front().begin);
    naive_.Put(it->first, BoxOf(*placed, it->second));
  }
  void VerifySome() {
    std::vector<Asked> all;
    std::vector<Question> questions;
    for (uint64_t i = 0; i < 1 + random_.Below(8); ++i) {
      all.push_back(SomeAsked());
      const IntervalSet allowed = SomeAllowed();
      questions.push_back({all.back().order(),
                           kNow + Span{static_cast<int64_t>(random_.Below(30))},
                           allowed,
                           100,
                           true,
                           {}});
    }
    const std::vector<Reply> replies = plan_.Verify(questions, kNow);
    ASSERT_EQ(replies.size(), questions.size());
    Naive naive = naive_;
    for (size_t i = 0; i < replies.size(); ++i) {
      const IntervalSet starts = naive.Starts(all[i].units(), all[i].length, questions[i].allowed);
      const auto* placed = std::get_if<Placed>(&replies[i].answer);
      ASSERT_EQ(placed != nullptr, !starts.empty()) << i;
      if (placed == nullptr) continue;
      const bool as_asked = starts.Contains(questions[i].asked);
      Check(naive, all[i], *placed,
            as_asked ? questions[i].asked : starts.intervals().front().begin);
      ASSERT_EQ(replies[i].feasible.starts, starts) << "the feasible-start set is exact";
      naive.Put(1'000'000 + i, BoxOf(*placed, all[i]));
    }
    BookAsVerified(all, questions, replies);
  }
  // Booked one after the other at an unchanged plan, everything gets the place of its verdict.
  void BookAsVerified(const std::vector<Asked>& all, const std::vector<Question>& questions,
                      const std::vector<Reply>& replies) {
    Plan copy = plan_;
    for (size_t i = 0; i < replies.size(); ++i) {
      const auto* placed = std::get_if<Placed>(&replies[i].answer);
      if (placed == nullptr) continue;
      const Answer booked = copy.Book({{2}, i + 1}, questions[i].order,
                                      IntervalSet::Only(placed->start), kNow, std::nullopt, 1);
      ASSERT_TRUE(std::holds_alternative<Placed>(booked));
      if (all[i].cpus > 0) ASSERT_EQ(std::get<Placed>(booked), *placed);
    }
  }
  void ToggleOne() {
    const uint32_t unit = static_cast<uint32_t>(random_.Below(units_));
    const bool usable = !naive_.IsUsable(unit) || random_.Below(4) > 0;
    naive_.SetUsable(unit, usable);
    plan_.SetUsable(unit, usable);
  }

  Random random_{7};
  Naive naive_;
  Plan plan_;
  size_t units_;
  uint64_t last_ = 0;
  std::map<uint64_t, Asked> booked_;
};

TEST_P(ShapedPlan, AgreesWithTheNaiveOne) {
  for (int step = 0; step < 250 && !HasFatalFailure(); ++step) {
    switch (random_.Below(6)) {
      case 0:
      case 1:
        BookOne();
        break;
      case 2:
        FreeOne();
        break;
      case 3:
        RebookOne();
        break;
      case 4:
        ToggleOne();
        break;
      default:
        VerifySome();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Machines, ShapedPlan,
    testing::Values(
        std::pair{Layout{machine::Kind::kMesh, {4, 4}}, machine::Choice::kKnownSet},
        std::pair{Layout{machine::Kind::kMesh, {4, 4}, {5, 10}}, machine::Choice::kKnownSet},
        std::pair{Layout{machine::Kind::kMesh, {4, 4}, machine::BorderOf(4, 4)},
                  machine::Choice::kLeastDamage},
        std::pair{Layout{machine::Kind::kHypercube, {4}}, machine::Choice::kKnownSet},
        std::pair{Layout{machine::Kind::kTorus, {4, 2, 2}}, machine::Choice::kKnownSet},
        std::pair{Layout{machine::Kind::kTorus, {3, 2, 2}}, machine::Choice::kFirstFit}));

}  // namespace
}  // namespace muster::plan::shaped_plan_property_test
