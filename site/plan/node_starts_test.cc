// Compares NodeStarts with a check of each single node at each second: after any bookings and
// releases, for any windows, on copies as on the original.
#include "site/plan/node_starts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/random.h"
#include "site/plan/node_sets.h"
#include "site/plan/occupancy.h"

namespace muster::plan {
namespace {

constexpr int64_t kEnd = 300;  // nothing is booked from then on
constexpr uint32_t kNodes = 70;

std::shared_ptr<const machine::Machine> Nodes() {
  std::vector<machine::Node> nodes;
  for (uint32_t n = 0; n < kNodes; ++n) {
    nodes.push_back({"n" + std::to_string(n), {{"ncpus", 4}, {"mem", n % 9 == 0 ? 40 : 10}}, {}});
  }
  return std::make_shared<const machine::Machine>(std::move(nodes), 8);
}

PartShape DrawPart(Random& random) {
  PartShape part;
  part.length = {random.Between(1, 60)};
  part.exclusive = random.Chance(200);
  part.place = random.Chance(300) ? Place::kScatter : Place::kFree;
  Group group;
  group.count = random.Chance(600) ? 1 : random.Between(2, 30);
  group.needs = {{0, random.Between(1, 4)}};  // memory, by itself or before cores
  if (random.Chance(500)) group.needs = {{0, random.Between(1, 14)}, {1, random.Between(1, 4)}};
  part.groups.push_back(std::move(group));
  return part;
}

class Naive {
 public:
  Naive(uint64_t seed) : random_(seed), occupancy_(Nodes(), nullptr) {}

  void BookOne() {
    const Instant begin{random_.Between(0, kEnd - 2)};
    const Instant end{random_.Between(begin.seconds + 1, kEnd)};
    const int64_t nodes = random_.Chance(100) ? 20 : random_.Between(1, 4);
    const bool whole = random_.Chance(200);
    std::vector<Use> uses;
    for (uint32_t n = 0; n < kNodes && static_cast<int64_t>(uses.size()) < 3 * nodes; ++n) {
      if (!random_.Chance(300) || !TakesOne(n, begin, end, whole)) continue;
      const machine::Machine& machine = occupancy_.machine();
      for (uint32_t r = 0; r < machine.resource_count(); ++r) {
        uses.push_back({n, r, begin, end, whole ? machine.Amount(n, r) : 1});
      }
      uses.push_back({n, occupancy_.share(), begin, end, whole ? kWholeNode : 1});
    }
    if (uses.empty()) return;
    occupancy_.Add(uses);
    booked_.push_back(std::move(uses));
  }
  void FreeOne() {
    if (booked_.empty()) return;
    const size_t which = random_.Below(booked_.size());
    occupancy_.Remove(booked_[which]);
    booked_.erase(booked_.begin() + static_cast<long>(which));
  }
  // Asks with something out that is put back afterwards.
  void AskBesideOneThatIsOut(Instant from) {
    if (booked_.empty()) return;
    const std::vector<Use>& uses = booked_[random_.Below(booked_.size())];
    occupancy_.Remove(uses, false);
    Ask(occupancy_, from);
    occupancy_.Add(uses);
  }
  void AskACopy(Instant from) {
    Occupancy copy = occupancy_;
    if (!booked_.empty()) copy.Remove(booked_.front());
    Ask(copy, from);
  }
  void Ask(Instant from) { Ask(occupancy_, from); }
  void Forget(Instant t) { occupancy_.ForgetBefore(t); }

  Random& draws() { return random_; }
  size_t answered() const { return answered_; }

 private:
  bool TakesOne(uint32_t node, Instant begin, Instant end, bool whole) const {
    return occupancy_.Of(node, 1).FreeIn(begin, end) > 0 &&
           occupancy_.Of(node, 0).FreeIn(begin, end) > 0 &&
           occupancy_.Of(node, occupancy_.share()).FreeIn(begin, end) >= (whole ? kWholeNode : 1);
  }
  void Ask(const Occupancy& occupancy, Instant from) {
    PartShape part = DrawPart(random_);
    Group& group = part.groups.front();
    std::vector<uint32_t> hosts;
    for (uint32_t n = 0; n < kNodes; ++n) {
      const bool could = std::all_of(group.needs.begin(), group.needs.end(), [&](const auto& need) {
        return need.second <= occupancy.Capacity(n, need.first);
      });
      if (could) hosts.push_back(n);
    }
    if (random_.Chance(300)) std::reverse(hosts.begin(), hosts.end());
    group.hosts = HostList(hosts);
    const Instant until{random_.Chance(500) ? kEnd + 5 : random_.Between(from.seconds, kEnd)};
    const std::optional<NodeStarts::First> first =
        occupancy.starts().Find(occupancy, {group, part.exclusive, part.place != Place::kFree,
                                            part.length, from, until, occupancy.lent()});
    if (!first.has_value()) return;
    ++answered_;
    // By hand, second by second.
    Instant t = from;
    size_t host = SIZE_MAX;
    for (; t < until; t = t + Span{1}) {
      int64_t sum = 0;
      for (size_t h = 0; h < hosts.size(); ++h) {
        const int64_t sets = SetsAt(occupancy, part, group, hosts[h], t);
        if (sets > 0 && sum == 0) host = h;
        sum += sets;
      }
      if (sum >= group.count) break;
    }
    if (group.count > 1) {
      ASSERT_LE(first->start, std::max(from, t));
      return;
    }
    ASSERT_EQ(first->start, from < until ? std::min(t, until) : until);
    if (t < until) ASSERT_EQ(first->host, host);
  }

  Random random_;
  Occupancy occupancy_;
  std::vector<std::vector<Use>> booked_;
  size_t answered_ = 0;
};

TEST(NodeStartsProperty, TheFirstWindowIsThatOfNodesAskedOneByOne) {
  size_t answered = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Naive naive(seed);
    Random& random = naive.draws();
    Instant now{0};
    for (int step = 0; step < 300; ++step) {
      // Mostly from now on, which moves on at times.
      if (random.Chance(20)) now = now + Span{random.Between(1, 20)};
      if (random.Chance(20)) naive.Forget(now);
      const Instant from = random.Chance(850) ? now : now + Span{random.Between(0, 60)};
      const uint64_t what = random.Below(20);
      if (step < 60 || what < 5) {
        naive.BookOne();
      } else if (what < 9) {
        naive.FreeOne();
      } else if (what < 11) {
        naive.AskBesideOneThatIsOut(from);
      } else if (what < 13) {
        naive.AskACopy(from);
      } else {
        naive.Ask(from);
      }
      if (::testing::Test::HasFatalFailure()) return;
    }
    answered += naive.answered();
  }
  EXPECT_GT(answered, 5000u);
}

}  // namespace
}  // namespace muster::plan
