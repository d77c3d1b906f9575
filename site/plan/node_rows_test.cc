// Compares rows with a model that has one number per node and second.
#include "site/plan/node_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/random.h"

namespace muster::plan {
namespace {

constexpr int64_t kSeconds = 400;

machine::Machine SomeNodes(uint32_t count) {
  std::vector<machine::Node> nodes;
  for (uint32_t n = 0; n < count; ++n) {
    machine::Node node{"n" + std::to_string(n), {{"ncpus", 4 + n % 3}}, {}};
    if (n % 4 == 1) node.resources.Set("ngpus", 2);
    nodes.push_back(std::move(node));
  }
  return machine::Machine(std::move(nodes), 8);
}

// The plain model: the amount of a resource that is free on a node at a second.
struct Plain {
  explicit Plain(const machine::Machine& m) : machine(m) {}
  int64_t Free(uint32_t node, uint32_t resource, int64_t t) const {
    const auto it = used.find({node, resource, t});
    return machine.Amount(node, resource) - (it == used.end() ? 0 : it->second);
  }
  void Change(const std::vector<NodeRows::Amount>& amounts, int64_t begin, int64_t end, int sign) {
    for (const NodeRows::Amount& a : amounts) {
      for (int64_t t = begin; t < std::min(end, kSeconds); ++t) {
        used[{a.node, a.resource, t}] += sign * a.amount;
      }
    }
  }
  const machine::Machine& machine;
  std::map<std::tuple<uint32_t, uint32_t, int64_t>, int64_t> used;
};

struct Taken {
  std::vector<NodeRows::Amount> amounts;
  int64_t begin;
  int64_t end;
};

Taken Draw(const machine::Machine& machine, Random& random) {
  Taken out{{}, random.Between(0, kSeconds - 50), 0};
  out.end = random.Chance(20) ? kFarFuture.seconds : out.begin + random.Between(1, 90);
  for (uint32_t n = 0; n < machine.node_count(); ++n) {
    if (!random.Chance(200)) continue;
    const uint32_t r = static_cast<uint32_t>(random.Below(machine.resource_count()));
    out.amounts.push_back({n, r, random.Between(1, 3)});
    // Two parts of a booking may be on one node.
    if (random.Chance(100)) out.amounts.push_back({n, r, 1});
  }
  return out;
}

// No window that begins before `until` has more than these pieces leave.
void ExpectBound(const NodeRows& rows, uint32_t resource, std::vector<RowPiece> pieces,
                 int64_t begin, int64_t until, Span length) {
  NodeRows::Row least;
  NodeRows::Row scratch;
  for (int64_t t = begin; t < std::min(until, kSeconds - length.seconds); t += 7) {
    rows.Least(resource, {t}, Instant{t} + length, least, scratch);
    for (const RowPiece& piece : pieces) {
      for (size_t p = 0; p < least.size(); ++p) {
        const size_t at = rows.OffsetOf(resource) + p;
        const int more = piece.more == nullptr ? 0 : (*piece.more)[at];
        ASSERT_LE(least[p], (*piece.row)[at] + more);
      }
    }
  }
}

// Each piece of `least` bounds all windows that begin before it; `stretch` and `block` bound the
// windows that begin within them.
void ExpectBounds(const NodeRows& rows, uint32_t resource, int64_t begin, Span length) {
  CommonRows common;
  rows.FindCommon({begin}, length, common);
  ASSERT_LE(common.beyond, common.least.size());
  ASSERT_GT(common.stretch.at, Instant{begin});
  ASSERT_GE(common.block.at, common.stretch.at);
  int64_t until = INT64_MAX;
  for (size_t i = 0; i < common.least.size(); ++i) {
    const RowPiece& piece = common.least[i];
    ASSERT_LT(piece.at.seconds, until);
    ASSERT_GE(piece.at, i < common.beyond ? common.block.at : common.stretch.at);
    until = piece.at.seconds;
    ExpectBound(rows, resource, {piece}, begin, until, length);
  }
  ExpectBound(rows, resource, {common.stretch}, begin, common.stretch.at.seconds, length);
  ExpectBound(rows, resource, {common.block}, begin, common.block.at.seconds, length);
}

void ExpectEqual(const NodeRows& rows, const Plain& plain, Random& random, int64_t from) {
  const machine::Machine& machine = plain.machine;
  std::vector<uint32_t> resources;
  for (uint32_t r = 0; r < machine.resource_count(); ++r) resources.push_back(r);
  const int64_t begin = random.Between(from, kSeconds - 2);
  const int64_t end = std::min(kSeconds, begin + random.Between(1, 120));
  NodeRows::Row least;
  NodeRows::Row scratch;
  for (const uint32_t r : resources) {
    rows.Least(r, {begin}, {end}, least, scratch);
    for (uint32_t n = 0; n < machine.node_count(); ++n) {
      if (machine.Amount(n, r) == 0) continue;
      int64_t expected = INT64_MAX;
      for (int64_t t = begin; t < end; ++t) expected = std::min(expected, plain.Free(n, r, t));
      ASSERT_EQ(least[rows.PlaceOf(n, r)], expected) << "node " << n << " " << begin;
    }
    ExpectBounds(rows, r, begin, Span{random.Between(1, 150)});
  }
  // GivenWithin lists every second after `begin` at which a node has more of a resource than just
  // before. Its `least` is no less than what the node has in a window from there.
  std::vector<NodeRows::Given> given;
  NodeRows::Levels levels;
  const Span length{random.Between(1, 60)};
  rows.GivenWithin(resources, {{begin}, {end}, length}, given, levels);
  for (const NodeRows::Given& g : given) {
    int64_t in_window = INT64_MAX;
    for (int64_t t = g.at.seconds; t < std::min(kSeconds, g.at.seconds + length.seconds); ++t) {
      in_window = std::min(in_window, plain.Free(g.node, resources[g.which], t));
    }
    ASSERT_GE(g.least, in_window);
    const bool seen = g.at.seconds + length.seconds <= kSeconds;
    if (g.whole && seen) ASSERT_EQ(g.least, in_window);
    ASSERT_LE(g.least, plain.Free(g.node, resources[g.which], g.at.seconds));
  }
  std::set<std::pair<int64_t, uint32_t>> found;
  for (const NodeRows::Given& g : given) found.emplace(g.at.seconds, g.node);
  std::set<std::pair<int64_t, uint32_t>> expected;
  for (int64_t t = begin + 1; t < end; ++t) {
    for (uint32_t n = 0; n < machine.node_count(); ++n) {
      const bool rises = std::any_of(resources.begin(), resources.end(), [&](uint32_t r) {
        return machine.Amount(n, r) > 0 && plain.Free(n, r, t) > plain.Free(n, r, t - 1);
      });
      if (rises) expected.emplace(t, n);
    }
  }
  ASSERT_EQ(found, expected);
}

TEST(NodeRows, SayWhatANaiveCountSays) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const machine::Machine machine = SomeNodes(static_cast<uint32_t>(random.Between(1, 40)));
    NodeRows rows(machine, random.Chance(500) ? 6 : 0);
    Plain plain(machine);
    std::vector<Taken> all;
    int64_t from = 0;
    for (int step = 0; step < 250; ++step) {
      if (all.empty() || random.Chance(step < 150 ? 800 : 300)) {
        Taken one = Draw(machine, random);
        one.begin = std::max(one.begin, from);
        if (one.begin >= one.end) continue;
        rows.Take(one.amounts, {one.begin}, {one.end});
        plain.Change(one.amounts, one.begin, one.end, 1);
        all.push_back(std::move(one));
      } else {
        std::swap(all[random.Below(all.size())], all.back());
        Taken one = std::move(all.back());
        all.pop_back();
        one.begin = std::max(one.begin, from);
        if (one.begin >= one.end) continue;
        rows.Give(one.amounts, {one.begin}, {one.end});
        plain.Change(one.amounts, one.begin, one.end, -1);
      }
      if (random.Chance(10)) {
        from = std::min(kSeconds - 60, from + 20);
        rows.ForgetBefore({from});
      }
      ExpectEqual(rows, plain, random, from);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(NodeRows, ACopyDoesNotSeeWhatChangesLater) {
  const machine::Machine machine = SomeNodes(3);
  NodeRows rows(machine);
  const std::vector<NodeRows::Amount> some{{1, *machine.FindResource("ncpus"), 2}};
  rows.Take(some, {10}, {20});
  const NodeRows before = rows;
  rows.Take(some, {10}, {20});
  NodeRows::Row least;
  NodeRows::Row scratch;
  const uint32_t cpus = *machine.FindResource("ncpus");
  before.Least(cpus, {5}, {15}, least, scratch);
  EXPECT_EQ(least[1], 3);
  rows.Least(cpus, {5}, {15}, least, scratch);
  EXPECT_EQ(least[1], 1);
}

TEST(NodeRows, RoundsInFavourOfTheNode) {
  const int64_t gb = int64_t{1} << 30;
  const machine::Machine machine({{"n", {{"mem", 1024 * gb + 1}}, {}}}, 8);
  NodeRows rows(machine);
  rows.Take({{0, 0, gb / 4}}, {0}, {10});
  NodeRows::Row least;
  NodeRows::Row scratch;
  rows.Least(0, {0}, {5}, least, scratch);
  EXPECT_EQ(least, rows.Empty(0));
  EXPECT_GE(static_cast<double>(least[0]), rows.InUnits(0, 1024 * gb + 1 - gb / 4));
}

}  // namespace
}  // namespace muster::plan
