// The waiting room: the paper's formula, and that nothing starves. CCS Sect. 3.1, scheduling.md
// sections 1 (Waiting room, Extraction, Gap rule) and 7.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/random.h"
#include "meta/search/packing/packing.h"
#include "meta/waiting/block_order.h"
#include "meta/waiting/committed_plan.h"
#include "meta/waiting/queues.h"

namespace muster::room {
namespace {

TEST(BlockSizes, FollowTheFormulaOfThePaper) {
  EXPECT_EQ(BlockSizes({{10, 4}, {10, 2}, {10, 1}}, 1000), (std::vector<size_t>{10, 5, 3}));
  EXPECT_EQ(BlockSizes({{0, 4}, {10, 2}, {9, 1}}, 1000), (std::vector<size_t>{0, 10, 5}))
      << "an empty queue has no say in Em";
  EXPECT_EQ(BlockSizes({{0, 4}, {0, 1}}, 1000), (std::vector<size_t>{0, 0}));
  EXPECT_EQ(BlockSizes({{3, 1}}, 1000), (std::vector<size_t>{3}));
}

TEST(BlockSizes, AboveTheCapEveryQueueKeepsItsShareAndAtLeastOne) {
  EXPECT_EQ(BlockSizes({{900, 4}, {600, 2}, {1, 1}}, 100), (std::vector<size_t>{74, 24, 1}));
  EXPECT_EQ(BlockSizes({{1'000'000, 1'000'000}, {1, 1}}, 2), (std::vector<size_t>{1, 1}));
}

TEST(Queues, ABlockIsRankedByPriorityThenArrival) {
  Queues queues({4, 1});
  for (uint64_t id : {5, 3, 1}) queues.Enter({0, 0, {id}}, {"hills"});
  for (uint64_t id : {4, 2}) queues.Enter({-1, 0, {id}}, {"hills", "lakes"});
  const std::vector<Rank> block = queues.Block(1000);
  EXPECT_EQ(block, (std::vector<Rank>{{-1, 0, {2}}, {-1, 0, {4}}, {0, 0, {1}}}));
  EXPECT_EQ(queues.Wanted("hills"), 5u);
  EXPECT_EQ(queues.Wanted("lakes"), 2u);
  for (const Rank& rank : block) queues.Leave(rank.id);
  EXPECT_EQ(queues.Wanted("lakes"), 0u);
  EXPECT_EQ(queues.wanted().size(), 1u);
  EXPECT_EQ(queues.After(std::nullopt), (Rank{0, 0, {3}}));
  EXPECT_EQ(queues.After(Rank{-1, 0, {9}}), (Rank{0, 0, {3}}));
  EXPECT_EQ(queues.After(Rank{0, 0, {5}}), std::nullopt);
  queues.Enter({0, 0, {1}}, {"hills"});
  EXPECT_EQ(queues.Block(1)[0].id, RequestId{1}) << "who comes back is at the head of its queue";
}

TEST(Queues, OneStandsInTheBlockThatTakesItIfNobodyComes) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    Queues queues({4, 2, 1});
    const bool points = round % 2 == 1;
    for (uint64_t id = 1; id <= static_cast<uint64_t>(random.Between(1, 60)); ++id) {
      queues.Enter(
          {-static_cast<int32_t>(random.Between(0, 2)), points ? random.Between(-9, 9) : 0, {id}},
          {"hills"});
    }
    const auto block_max = static_cast<size_t>(random.Between(3, 20));
    std::map<Rank, Queues::Standing> said;
    for (auto rank = queues.After(std::nullopt); rank; rank = queues.After(rank)) {
      said[*rank] = queues.StandingOf(*rank, block_max);
      EXPECT_LE(said[*rank].place, queues.size(queues.QueueOf(*rank)));
    }
    for (size_t block = 1; queues.size() > 0; ++block) {
      const std::vector<Rank> taken = queues.Block(block_max);
      for (const Rank& rank : taken) EXPECT_EQ(said.at(rank).block, block);
      const auto same = [&](const Rank& rank) { return rank.order == taken[0].order; };
      const auto leaving = std::count_if(taken.begin(), taken.end(), same);
      if (block == 1) EXPECT_EQ(said.at(taken[0]).leaving, static_cast<size_t>(leaving));
      for (const Rank& rank : taken) queues.Leave(rank.id);
    }
  }
}

TEST(Queues, ABlockTakesThoseWithMostPointsAndAQuarterByAge) {
  Queues queues({1});
  for (uint64_t id = 1; id <= 12; ++id) queues.Enter({0, -static_cast<int64_t>(id), {id}}, {"s"});
  std::vector<uint64_t> taken;
  for (const Rank& rank : queues.Block(8)) taken.push_back(rank.id.value);
  EXPECT_EQ(taken, (std::vector<uint64_t>{1, 2, 12, 11, 10, 9, 8, 7}));
  EXPECT_EQ(queues.StandingOf({0, -1, {1}}, 8).block, 1u);
  EXPECT_EQ(queues.StandingOf({0, -1, {1}}, 8).place, 12u);
  EXPECT_EQ(queues.StandingOf({0, -3, {3}}, 8).block, 2u);
  queues.Reorder({0, -100, {3}});
  EXPECT_EQ(queues.After(std::nullopt), (Rank{0, -100, {3}}));
  EXPECT_EQ(queues.StandingOf({0, -100, {3}}, 8).block, 1u);
}

// Where all have the same points, whatever they are, the order is that of arrival.
TEST(Queues, EqualPointsLeaveTheOrderOfArrival) {
  Queues queues({1});
  for (uint64_t id : {3, 1, 2}) queues.Enter({0, -70, {id}}, {"s"});
  EXPECT_EQ(queues.Block(2), (std::vector<Rank>{{0, -70, {1}}, {0, -70, {2}}}));
}

// Of a hundred of one account and ten of another the two take turns, but for the oldest quarter.
TEST(Queues, WhereSharesCountEachWhoLeavesCountsBeforeTheNextIsChosen) {
  Queues queues({4, 1});
  std::map<RequestId, policy::Entrant> entrants;
  const auto enter = [&](uint64_t id, int32_t order, size_t share) {
    queues.Enter({order, 0, {id}}, {"s"});
    entrants[{id}] = {.from = {share}, .adds_to = {share}, .booked = 10};
  };
  for (uint64_t id = 1; id <= 100; ++id) enter(id, 0, 0);
  for (uint64_t id = 101; id <= 110; ++id) enter(id, 0, 1);
  policy::Uses uses;
  uses.own.resize(2);
  BlockOrder order(policy::Progressive({.shares = {{.who = "account a", .target = 500},
                                                   {.who = "account b", .target = 500}}},
                                       1000, std::move(uses)),
                   std::move(entrants));
  std::vector<uint64_t> taken;
  const std::vector<Rank> block = queues.Block(16, &order);
  for (const Rank& rank : block) taken.push_back(rank.id.value);
  EXPECT_EQ(taken, (std::vector<uint64_t>{1, 2, 3, 4, 101, 102, 103, 104, 5, 105, 6, 106, 7, 107, 8,
                                          108}));
  taken.clear();
  const std::vector<Rank> laid_out = order.InOrder(block);
  for (const Rank& rank : laid_out) taken.push_back(rank.id.value);
  EXPECT_EQ(taken, (std::vector<uint64_t>{1, 101, 2, 102, 3, 103, 4, 104, 5, 105, 6, 106, 7, 107, 8,
                                          108}));
  order.Leave({{0, 0, {1}}, {0, 0, {2}}, {0, 0, {3}}});
  EXPECT_EQ(order.InOrder({{0, 0, {9}}, {0, 0, {109}}, {0, 0, {110}}}),
            (std::vector<Rank>{{0, 0, {109}}, {0, 0, {110}}, {0, 0, {9}}}))
      << "what an earlier block promised counts in the next";
}

TEST(CommittedPlan, KnowsItsEndAndTheLastStartOfABlock) {
  CommittedPlan plan;
  EXPECT_EQ(BlockDueAt(plan.LastBlockStart(), Span{3600}), Instant{0});
  plan.Set({{1}, 1}, Instant{5000}, Instant{6000}, true);
  plan.Set({{1}, 2}, Instant{7000}, Instant{9000}, false);
  EXPECT_EQ(plan.End(), Instant{9000});
  EXPECT_EQ(plan.LastBlockStart(), Instant{5000}) << "fillers cannot postpone a block";
  EXPECT_EQ(BlockDueAt(plan.LastBlockStart(), Span{3600}), Instant{1401});
  plan.Set({{1}, 1}, Instant{100}, Instant{200}, true);
  EXPECT_EQ(plan.LastBlockStart(), Instant{100});
  plan.Erase({{1}, 2});
  plan.Erase({{1}, 1});
  EXPECT_EQ(plan.End(), std::nullopt);
  EXPECT_EQ(BlockDueAt(plan.LastBlockStart(), Span{3600}), Instant{0});
}

// Section 7 (i), exactly: whatever arrives, a request with q at or before it in its queue leaves
// after at most B(q) blocks; B = 1 + ln q / -ln(1 - E/Em), 1 if E = Em, and q where capped.
TEST(NeverStarves, ARequestLeavesAfterAtMostBBlocks) {
  Random random(23);
  for (int run = 0; run < 300; ++run) {
    std::vector<int64_t> orders;
    const int64_t n = random.Between(1, 5);
    for (int64_t i = 0; i < n; ++i) orders.push_back(random.Between(1, 20));
    const bool capped = random.Chance(500);
    const size_t block_max = capped ? static_cast<size_t>(random.Between(1, 30)) : 1'000'000;
    Queues queues(orders);
    uint64_t last = 0;
    const auto arrive = [&](int64_t most) {
      for (int64_t i = random.Between(0, most); i > 0; --i) {
        const auto queue = static_cast<int32_t>(random.Below(orders.size()));
        queues.Enter({queue - static_cast<int32_t>(orders.size()) + 1, 0, {++last}}, {"hills"});
      }
    };
    arrive(200);
    queues.Enter({0, 0, {++last}}, {"hills"});  // the lowest queue
    const RequestId watched{last};
    size_t q = queues.size(orders.size() - 1);
    const double share = static_cast<double>(orders.back()) /
                         static_cast<double>(*std::max_element(orders.begin(), orders.end()));
    const double bound =
        capped ? static_cast<double>(q)
               : (share >= 1 ? 1 : 1 + std::log(static_cast<double>(q)) / -std::log(1 - share));
    int blocks = 0;
    while (queues.Has(watched)) {
      arrive(100);  // the adversary: floods of any priority between the blocks
      for (const Rank& rank : queues.Block(block_max)) queues.Leave(rank.id);
      ++blocks;
      ASSERT_LE(blocks, static_cast<int>(bound + 1e-9)) << "run " << run << ", q " << q;
    }
  }
}

// The same with points that an adversary gives: each arrival has more than all before it, and those
// who wait are given others between the blocks. B = 1 + ln q / -ln(1 - E/(4 Em)); where capped, q.
TEST(NeverStarves, WhateverThePointsARequestLeavesAfterAtMostBBlocks) {
  Random random(29);
  int longest = 0;
  for (int run = 0; run < 300; ++run) {
    std::vector<int64_t> orders;
    const int64_t n = random.Between(1, 4);
    for (int64_t i = 0; i < n; ++i) orders.push_back(random.Between(1, 9));
    const bool capped = random.Chance(500);
    const size_t block_max = capped ? static_cast<size_t>(random.Between(1, 30)) : 1'000'000;
    Queues queues(orders);
    uint64_t last = 0;
    const auto order_of = [&](size_t queue) {
      return static_cast<int32_t>(queue) - static_cast<int32_t>(orders.size()) + 1;
    };
    const auto arrive = [&](int64_t most) {
      for (int64_t i = random.Between(0, most); i > 0; --i) {
        ++last;
        const int64_t points = static_cast<int64_t>(last) + random.Between(1, 1000);
        queues.Enter({order_of(random.Below(orders.size())), -points, {last}}, {"hills"});
      }
    };
    arrive(200);
    const Rank watched{0, 1'000'000, {++last}};  // the lowest queue, and the fewest points
    queues.Enter(watched, {"hills"});
    const size_t q = queues.size(orders.size() - 1);
    const double share = static_cast<double>(orders.back()) /
                         static_cast<double>(*std::max_element(orders.begin(), orders.end())) /
                         static_cast<double>(kOldestShare);
    const double bound = capped ? static_cast<double>(q)
                                : 1 + std::log(static_cast<double>(q)) / -std::log(1 - share);
    int blocks = 0;
    while (queues.Has(watched.id)) {
      arrive(100);
      for (auto rank = queues.After(std::nullopt); rank; rank = queues.After(rank)) {
        if (rank->id == watched.id || !random.Chance(100)) continue;
        Rank other = *rank;
        other.points -= random.Between(0, 500);
        queues.Reorder(other);
      }
      for (const Rank& rank : queues.Block(block_max)) queues.Leave(rank.id);
      ++blocks;
      ASSERT_LE(blocks, static_cast<int>(bound + 1e-9)) << "run " << run << ", q " << q;
    }
    longest = std::max(longest, blocks);
  }
  EXPECT_GT(longest, 5) << "the adversary did its worst";
}

// Section 7 (ii): one site in virtual time, with extraction at the threshold, the gap rule, blocks
// packed by FCFS* and bookings of its own users. Wait <= (P0 - now) + sum over the blocks until its
// own of sum(d + Omega).
class VirtualSite {
 public:
  static constexpr int64_t kUnits = 8;
  VirtualSite(Random& random, std::vector<int64_t> orders, size_t block_max, Span threshold)
      : random_(random), queues_(std::move(orders)), block_max_(block_max), threshold_(threshold) {
    int64_t at = 0;
    for (int i = 0; i < 6; ++i) {
      at += random.Between(20, 200);
      const int64_t length = random.Between(5, 60);
      local_.push_back({at, length});
      omega_ += length;
      at += length;
    }
    // Between two local bookings there may be a gap that is too short for an entry.
    omega_ += static_cast<int64_t>(local_.size()) * kLongest;
  }

  void Arrive(int64_t now, int32_t order) {
    const Job job{random_.Between(1, kUnits), random_.Between(1, kLongest), now, order};
    jobs_.push_back(job);
    const RequestId id{jobs_.size()};
    // The gap rule: it ends within the plan, or starts now while nobody waits.
    packing::Bin bin = Terrain(now);
    const auto fit = bin.EarliestFit({{"ncpus", job.units}}, Instant{now}, Span{job.length});
    const bool fills = fit->seconds + job.length <= PlanEnd(now);
    if (fills || (fit->seconds == now && queues_.size() == 0)) {
      Commit(id, fit->seconds, false);
      return;
    }
    queues_.Enter({order, 0, id}, {"site"});
    bounds_[id] = PlanEnd(now);
  }

  void ExtractWhileDue(int64_t now) {
    while (queues_.size() > 0 && BlockDueAt(plan_.LastBlockStart(), threshold_) <= Instant{now}) {
      packing::Problem problem{.now = Instant{now}, .bins = {Terrain(now)}};
      const std::vector<Rank> block = queues_.Block(block_max_);
      int64_t sum = 0;
      for (const Rank& rank : block) {
        const Job& job = jobs_[rank.id.value - 1];
        sum += job.length + omega_;
        problem.entries.push_back(
            {.duration = Span{job.length},
             .allowed = IntervalSet::From(Instant{now}),
             .parts = {{.choices = {{0, {{"ncpus", job.units}}, Span{job.length}}}}}});
      }
      for (auto& [id, bound] : bounds_) bound += sum;
      // Whatever the vote says: each level, or entry, is at most one more behind the plan's end.
      const packing::Algorithm algorithm =
          packing::kAlgorithms[random_.Below(std::size(packing::kAlgorithms))];
      const packing::Schedule schedule =
          packing::Compact(problem, packing::Pack(algorithm, problem));
      for (size_t i = 0; i < block.size(); ++i) {
        const RequestId id = block[i].id;
        ASSERT_LE(schedule[i]->start.seconds, bounds_.at(id))
            << "request " << id.value << " of second " << jobs_[id.value - 1].arrived;
        Commit(id, schedule[i]->start.seconds, true);
        queues_.Leave(id);
        bounds_.erase(id);
        ++extracted_;
      }
    }
  }
  // When extraction is due next if nothing arrives.
  int64_t NextDue() const {
    const auto last = plan_.LastBlockStart();
    return last ? last->seconds - threshold_.seconds + 1 : 0;
  }
  bool Waits() const { return queues_.size() > 0; }
  size_t extracted() const { return extracted_; }

 private:
  static constexpr int64_t kLongest = 40;
  struct Job {
    int64_t units;
    int64_t length;
    int64_t arrived;
    int32_t order;
  };
  struct Booked {
    int64_t start;
    int64_t length;
    int64_t units;
  };

  int64_t PlanEnd(int64_t now) const {
    const auto end = plan_.End();
    return end ? std::max(end->seconds, now) : now;
  }
  packing::Bin Terrain(int64_t now) const {
    packing::Bin bin("site", {{"ncpus", kUnits}}, Instant{now});
    const auto take = [&](int64_t start, int64_t length, int64_t units) {
      if (start + length <= now) return;
      const int64_t begin = std::max(start, now);
      bin.Take({{"ncpus", units}}, Instant{begin}, Span{start + length - begin});
    };
    for (const auto& [start, length] : local_) take(start, length, kUnits);
    for (const Booked& b : booked_) take(b.start, b.length, b.units);
    return bin;
  }
  void Commit(RequestId id, int64_t start, bool of_block) {
    const Job& job = jobs_[id.value - 1];
    booked_.push_back({start, job.length, job.units});
    plan_.Set({{1}, id.value}, Instant{start}, Instant{start + job.length}, of_block);
  }

  Random& random_;
  Queues queues_;
  size_t block_max_;
  Span threshold_;
  int64_t omega_ = 0;
  std::vector<std::pair<int64_t, int64_t>> local_;
  std::vector<Job> jobs_;
  std::vector<Booked> booked_;
  CommittedPlan plan_;
  std::map<RequestId, int64_t> bounds_;  // of those that wait: latest start, growing with blocks
  size_t extracted_ = 0;
};

TEST(NeverStarves, WaitsAreBoundedByThePlanAndTheBlocksUntilItsOwn) {
  Random random(31);
  size_t extracted = 0;
  for (int run = 0; run < 60; ++run) {
    const size_t block_max = random.Chance(500) ? 3 : 1000;
    const Span threshold{random.Between(0, 1) * random.Between(1, 200)};
    VirtualSite site(random, {random.Between(2, 9), 1}, block_max, threshold);
    int64_t now = 0;
    for (int step = 0; step < 60; ++step) {
      // Mostly the high queue, so that the low one would starve if anything could.
      for (int64_t i = random.Between(1, 3); i > 0; --i)
        site.Arrive(now, random.Chance(850) ? -1 : 0);
      site.ExtractWhileDue(now);
      if (HasFatalFailure()) return;
      now += random.Between(0, 15);
    }
    for (int step = 0; site.Waits(); ++step) {
      ASSERT_LT(step, 10000);
      now = std::max(now + 1, site.NextDue());
      site.ExtractWhileDue(now);
      if (HasFatalFailure()) return;
    }
    extracted += site.extracted();
  }
  EXPECT_GT(extracted, 1000u);
}

}  // namespace
}  // namespace muster::room
