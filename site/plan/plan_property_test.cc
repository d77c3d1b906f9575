// The plan against its oracle: random orders on small machines, every answer checked second by
// second.
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "base/random.h"
#include "site/plan/plan.h"
#include "site/plan/plan_oracle.h"

namespace muster::plan::plan_property_test {
namespace {

constexpr int64_t kHorizon = 120;

std::shared_ptr<const machine::Machine> RandomMachine(Random& random) {
  std::vector<machine::Node> nodes;
  const int64_t count = random.Between(1, 4);
  for (int64_t i = 0; i < count; ++i) {
    machine::Node node{"n" + std::to_string(i + 1), {{"ncpus", random.Between(1, 4)}}, {}};
    if (random.Chance(700)) node.resources.Set("mem", random.Between(2, 8));
    if (random.Chance(400)) node.resources.Set("ngpus", random.Between(1, 2));
    if (random.Chance(400)) node.properties["net"] = random.Chance(500) ? "ib" : "opa";
    nodes.push_back(std::move(node));
  }
  return std::make_shared<const machine::Machine>(std::move(nodes), 8);
}

Chunk RandomChunk(Random& random) {
  Chunk chunk;
  chunk.count = static_cast<uint32_t>(random.Between(1, 3));
  if (random.Chance(900)) chunk.resources.Set("ncpus", random.Between(1, 3));
  if (random.Chance(300)) chunk.resources.Set("mem", random.Between(1, 4));
  if (random.Chance(150)) chunk.resources.Set("ngpus", 1);
  if (random.Chance(250)) chunk.properties["net"] = "ib";
  return chunk;
}

Order RandomOrder(Random& random, uint64_t number) {
  Order order{{}, std::to_string(number)};
  const int64_t parts = random.Chance(700) ? 1 : random.Between(2, 3);
  for (int64_t p = 0; p < parts; ++p) {
    Part part;
    const int64_t chunks = random.Chance(500) ? 1 : random.Between(2, 3);
    for (int64_t c = 0; c < chunks; ++c) part.chunks.push_back(RandomChunk(random));
    part.place = static_cast<Place>(random.Below(3));
    part.exclusive = random.Chance(200);
    part.offset = {random.Chance(500) ? 0 : random.Between(0, 20)};
    part.length = {random.Between(1, 30)};
    order.parts.push_back(std::move(part));
  }
  return order;
}

IntervalSet RandomAllowed(Random& random, Instant now) {
  if (random.Chance(600)) return IntervalSet::From(now);
  std::vector<Interval> out;
  for (int i = 0; i < 3; ++i) {
    const Instant begin = now + Span{random.Between(-10, 100)};
    out.push_back({begin, begin + Span{random.Between(1, 30)}});
  }
  return IntervalSet(std::move(out));
}

// A plan, what was booked in it, and the oracle that counts the same.
struct World {
  explicit World(uint64_t seed)
      : random(seed),
        machine(RandomMachine(random)),
        turnover{random.Between(0, 3)},
        plan(machine, {turnover, {kHorizon}}),
        oracle(*machine, turnover) {
    oracle.Clear();
  }

  struct Live {
    Order order;
    Placed placed;
    uint64_t group;
    std::map<size_t, Instant> cut;  // parts freed from an instant on
  };

  std::vector<Oracle::Row> RowsOf(uint64_t group, int64_t t) const {
    std::vector<Oracle::Row> out;
    for (const auto& [fence, live] : bookings) {
      if (live.group != group) continue;
      Mapping mapping = live.placed.mapping;
      for (const auto& [part, from] : live.cut) {
        if (t >= from.seconds) mapping[part].clear();
      }
      out.push_back(oracle.BlockedAt(live.order, live.placed.start, mapping, t));
    }
    return out;
  }

  // Counts all bookings anew, except those of group `without`.
  void Recount(std::optional<uint64_t> without = std::nullopt) {
    oracle.Clear();
    std::map<uint64_t, bool> groups;
    for (const auto& [fence, live] : bookings) groups[live.group] = true;
    for (int64_t t = 0; t < kOracleSeconds; ++t) {
      for (const auto& [group, there] : groups) {
        if (group != without) oracle.Count(RowsOf(group, t), t);
      }
    }
  }

  std::optional<Instant> EarliestByForce(const Order& order, const IntervalSet& allowed) const {
    for (Instant t = now; t <= now + Span{kHorizon}; t = t + Span{1}) {
      if (allowed.Contains(t) && oracle.Maps(order, t)) return t;
    }
    return std::nullopt;
  }

  void ExpectPlanEqualsOracle() {
    Recount();
    for (int64_t t = 0; t < kOracleSeconds; ++t) {
      for (uint32_t n = 0; n < machine->node_count(); ++n) {
        for (uint32_t d = 0; d < oracle.Dimensions(); ++d) {
          const int64_t used = oracle.UsedAt(t, n, d);
          ASSERT_LE(used, oracle.Capacity(n, d)) << "G2: node " << n << " at " << t;
          ASSERT_EQ(plan.occupancy().Of(n, d).At({t}), used)
              << "node " << n << " dimension " << d << " at " << t;
        }
      }
    }
  }

  Random random;
  std::shared_ptr<const machine::Machine> machine;
  Span turnover;
  Plan plan;
  Oracle oracle;
  Instant now{10};
  std::map<Fence, Live> bookings;
  uint64_t last = 0;

  void BookOne();
  void FreeOne();
  void CutOne();
  void RebookOne();
  void AskWhereElse();
};

void World::BookOne() {
  const Fence fence{{1 + random.Below(2)}, ++last};
  const Order order = RandomOrder(random, last);
  const IntervalSet allowed = RandomAllowed(random, now);
  std::optional<Fence> beside;
  uint64_t group = last;
  if (!bookings.empty() && random.Chance(250)) {
    auto it = bookings.begin();
    std::advance(it, static_cast<long>(random.Below(bookings.size())));
    beside = it->first;
    group = it->second.group;
  }
  Recount(group);
  const std::optional<Instant> expected = EarliestByForce(order, allowed);
  const Answer answer = plan.Book(fence, order, allowed, now, beside, 16);
  const auto* placed = std::get_if<Placed>(&answer);
  ASSERT_EQ(placed != nullptr, expected.has_value());
  if (placed == nullptr) return;
  ASSERT_EQ(placed->start, *expected);
  bookings.emplace(fence, Live{order, *placed, group, {}});
}

void World::FreeOne() {
  if (bookings.empty()) return;
  auto it = bookings.begin();
  std::advance(it, static_cast<long>(random.Below(bookings.size())));
  plan.Free(it->first);
  bookings.erase(it);
}

void World::CutOne() {
  if (bookings.empty()) return;
  auto it = bookings.begin();
  std::advance(it, static_cast<long>(random.Below(bookings.size())));
  const size_t part = random.Below(it->second.order.parts.size());
  const Instant from = now + Span{random.Between(0, 60)};
  plan.FreePartFrom(it->first, part, from);
  Instant& cut = it->second.cut.try_emplace(part, from).first->second;
  cut = std::min(cut, from);
}

void World::RebookOne() {
  if (bookings.empty()) return;
  auto it = bookings.begin();
  std::advance(it, static_cast<long>(random.Below(bookings.size())));
  const IntervalSet allowed = RandomAllowed(random, now);
  Recount(it->second.group);
  const std::optional<Instant> expected = EarliestByForce(it->second.order, allowed);
  const uint64_t before = plan.revision();
  const Answer answer = plan.Rebook(it->first, allowed, now, 16);
  const auto* placed = std::get_if<Placed>(&answer);
  ASSERT_EQ(placed != nullptr, expected.has_value());
  ASSERT_EQ(plan.revision() != before, placed != nullptr);
  if (placed == nullptr) return;
  ASSERT_EQ(placed->start, *expected);
  it->second.placed = *placed;
  it->second.cut.clear();
}

void World::AskWhereElse() {
  if (bookings.empty()) return;
  auto it = bookings.begin();
  std::advance(it, static_cast<long>(random.Below(bookings.size())));
  const IntervalSet allowed = RandomAllowed(random, now);
  Recount(it->second.group);
  const Order& order = it->second.order;
  const std::optional<Instant> first = EarliestByForce(order, allowed);
  const uint64_t before = plan.revision();
  const size_t most = random.Chance(500) ? 16 : 2;
  const IntervalSet starts = plan.OtherStarts(it->first, allowed, now, most);
  ASSERT_EQ(plan.revision(), before);
  ASSERT_EQ(starts.FirstFrom(now), first);
  ASSERT_LE(starts.intervals().size(), most);
  if (!first.has_value()) return;
  // They are all there are up to the last one.
  const Instant end = starts.intervals().back().end;
  for (Instant t = *first; t < std::min(end, *first + Span{40}); t = t + Span{1}) {
    ASSERT_EQ(starts.Contains(t),
              EarliestByForce(order, allowed.Intersect(IntervalSet::Only(t))).has_value())
        << t.seconds;
  }
}

TEST(PlanProperty, BooksAtTheEarliestStartAndNeverANodeTwice) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    for (int step = 0; step < 14; ++step) {
      const uint64_t what = world.random.Below(11);
      if (what == 10) {
        world.AskWhereElse();
      } else if (what < 6) {
        world.BookOne();
      } else if (what < 7) {
        world.FreeOne();
      } else if (what < 8) {
        world.CutOne();
      } else {
        world.RebookOne();
      }
      if (!HasFatalFailure()) world.ExpectPlanEqualsOracle();
      if (HasFatalFailure()) return;
    }
  }
}

TEST(PlanProperty, FeasibleStartsAreSoundAndComplete) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    for (int step = 0; step < 8; ++step) world.BookOne();
    if (HasFatalFailure()) return;
    world.Recount();
    const Order order = RandomOrder(world.random, 99);
    const IntervalSet allowed = RandomAllowed(world.random, world.now);
    const size_t intervals = world.random.Chance(500) ? 16 : 2;
    const std::vector<Reply> replies =
        world.plan.Verify({{order, {11}, allowed, intervals, true, {}}}, world.now);
    const Starts& starts = replies[0].feasible;
    ASSERT_LE(starts.starts.intervals().size(), intervals);
    for (int64_t t = 0; t <= 10 + kHorizon; ++t) {
      const bool there =
          Instant{t} >= world.now && allowed.Contains({t}) && world.oracle.Maps(order, {t});
      if (starts.starts.Contains({t})) ASSERT_TRUE(there) << "unsound at " << t;
      if (Instant{t} < starts.complete_until) {
        ASSERT_EQ(starts.starts.Contains({t}), there) << "incomplete at " << t;
      }
    }
  }
}

TEST(PlanProperty, AVerdictIsTheScheduleThatBookingInTurnGives) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    for (int step = 0; step < 4; ++step) world.BookOne();
    if (HasFatalFailure()) return;
    std::vector<Question> questions;
    for (uint64_t i = 0; i < 8; ++i) {
      const Instant asked = world.now + Span{world.random.Between(0, 60)};
      questions.push_back({RandomOrder(world.random, i),
                           asked,
                           RandomAllowed(world.random, world.now),
                           16,
                           false,
                           {}});
    }
    const uint64_t revision = world.plan.revision();
    const Plan before = world.plan;
    const std::vector<Reply> replies = world.plan.Verify(questions, world.now);
    EXPECT_EQ(world.plan.revision(), revision);
    EXPECT_TRUE(world.plan.occupancy() == before.occupancy());
    Plan in_turn = world.plan;
    for (size_t i = 0; i < questions.size(); ++i) {
      const Question& q = questions[i];
      const Fence fence{{9}, i + 1};
      const IntervalSet only = IntervalSet::Only(q.asked).Intersect(q.allowed);
      Answer answer = in_turn.Book(fence, q.order, only, world.now, {}, 1);
      const bool as_asked = std::holds_alternative<Placed>(answer);
      if (!as_asked) answer = in_turn.Book(fence, q.order, q.allowed, world.now, {}, 1);
      const auto* placed = std::get_if<Placed>(&answer);
      const auto* replied = std::get_if<Placed>(&replies[i].answer);
      ASSERT_EQ(placed != nullptr, replied != nullptr) << "question " << i;
      EXPECT_EQ(replies[i].why.has_value(), !as_asked);
      if (placed == nullptr) continue;
      ASSERT_EQ(*placed, *replied) << "question " << i;
      if (!as_asked) {
        EXPECT_EQ(replies[i].feasible.starts.FirstFrom({0}), placed->start);
      }
    }
  }
}

TEST(PlanProperty, RevokingRestoresTheExactState) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    for (int step = 0; step < 6; ++step) world.BookOne();
    if (HasFatalFailure()) return;
    const Plan before = world.plan;
    const Order order = RandomOrder(world.random, 99);
    const Fence fence{{0}, 99};
    std::optional<Fence> beside;
    if (!world.bookings.empty() && seed % 2 == 0) beside = world.bookings.begin()->first;
    world.plan.Book(fence, order, IntervalSet::From({0}), world.now, beside, 1);
    world.plan.Free(fence);
    EXPECT_TRUE(world.plan.occupancy() == before.occupancy());
    EXPECT_EQ(world.plan.FreeNow(world.now), before.FreeNow(world.now));
    EXPECT_EQ(world.plan.ProfileWithoutMeta(world.now, 64).size(), 1u);
  }
}

TEST(PlanProperty, ForgettingThePastChangesNoAnswer) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    for (int step = 0; step < 8; ++step) world.BookOne();
    if (HasFatalFailure()) return;
    const Instant later{world.random.Between(20, 60)};
    Plan forgetful = world.plan;
    forgetful.ForgetBefore(later - world.turnover);
    while (!world.bookings.empty() && world.random.Chance(500)) {
      const Fence fence = world.bookings.begin()->first;
      world.plan.Free(fence);
      forgetful.Free(fence);
      world.bookings.erase(fence);
    }
    for (uint64_t i = 0; i < 6; ++i) {
      const Order order = RandomOrder(world.random, i);
      const IntervalSet allowed = RandomAllowed(world.random, later);
      const Answer one = world.plan.Book({{9}, i}, order, allowed, later, {}, 1);
      const Answer two = forgetful.Book({{9}, i}, order, allowed, later, {}, 1);
      ASSERT_EQ(one.index(), two.index());
      if (one.index() == 0) EXPECT_EQ(std::get<Placed>(one), std::get<Placed>(two));
    }
  }
}

}  // namespace
}  // namespace muster::plan::plan_property_test
