// Whole plans under random rules, judged by the independent checker after every booking, revoking,
// cutting and backfilling.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "base/random.h"
#include "sim/plan_checker/plan_checker.h"
#include "site/plan/plan.h"
#include "site/plan/rules/kinds.h"
#include "site/plan/rules/site_rules.h"

namespace muster::sim {
namespace {

constexpr Span kHorizon{30 * 86400};
constexpr int64_t kBegin = 1'800'000'000;  // a Friday at 08:00 UTC
constexpr int64_t kHour = 3600;

std::vector<machine::Node> RandomNodes(Random& random) {
  std::vector<machine::Node> nodes;
  const int64_t count = random.Between(2, 9);
  for (int64_t n = 1; n <= count; ++n) {
    machine::Node node{"n" + std::to_string(n), {{"ncpus", random.Between(2, 8)}, {"mem", 16}}, {}};
    if (n % 3 == 0) node.resources.Set("ngpus", 2);
    if (n % 2 == 0) node.properties["net"] = "ib";
    nodes.push_back(std::move(node));
  }
  return nodes;
}

Validity RandomValidity(Random& random) {
  if (random.Chance(400)) return {};
  if (random.Chance(400)) {
    const Civil end = ToCivil({kBegin + random.Between(1, 60) * kHour});
    return {.kind = Validity::Kind::kBetween,
            .end = {.civil = end, .whole_day = false, .utc = true}};
  }
  Validity daily{.kind = Validity::Kind::kCron, .length = {random.Between(1, 12) * kHour}};
  daily.times = {.minutes = 1,
                 .hours = uint32_t{1} << random.Below(24),
                 .days = CronTimes::kAllDays,
                 .months = CronTimes::kAllMonths,
                 .weekdays = random.Chance(500) ? CronTimes::kAllWeekdays : 0x3Eu};
  return daily;
}

Condition RandomCondition(Random& random) {
  const Condition shorter({.subject = Comparison::Subject::kDuration,
                           .op = Comparison::Operator::kLess,
                           .numbers = {random.Between(1, 6) * kHour}});
  const Condition group({.subject = Comparison::Subject::kGroup,
                         .op = Comparison::Operator::kIn,
                         .texts = {"s", "t"}});
  const Condition few({.subject = Comparison::Subject::kAmount,
                       .op = Comparison::Operator::kLess,
                       .name = "ncpus",
                       .numbers = {random.Between(2, 6)}});
  switch (random.Below(3)) {
    case 0:
      return Condition::And(few, shorter);
    case 1:
      return Condition::Or(group, shorter);
    default:
      return Condition::Not(few);
  }
}

rules::Limit RandomLimit(Random& random) {
  constexpr const char* kWho[] = {"*", "*", "@s", "@t", "u1", "u2"};
  constexpr const char* kWhat[] = {"*", "ncpus", "ncpus", "ngpus", "jobs", "arrayjobs", "lic"};
  rules::Limit limit;
  limit.who = kWho[random.Below(std::size(kWho))];
  limit.resource = kWhat[random.Below(std::size(kWhat))];
  limit.valid = RandomValidity(random);
  const bool counted = limit.resource == "jobs" || limit.resource == "arrayjobs";
  if (counted || random.Chance(600)) limit.items.items = random.Between(1, 12);
  if (!counted && random.Chance(300))
    limit.items.percent = static_cast<int>(random.Between(10, 80));
  if (!counted && random.Chance(300)) limit.duration = Span{random.Between(1, 10) * kHour};
  if (!counted && limit.resource != "*" && random.Chance(300)) {
    limit.area = random.Between(1, 60) * kHour;
  }
  limit.soft = random.Chance(200);
  limit.each = limit.who.starts_with("@") && random.Chance(400);
  return limit;
}

rules::RuleSet RandomRules(Random& random, size_t nodes) {
  rules::RuleSet out;
  out.jobwide = {{"lic", 3}};
  const uint64_t limits = random.Below(6);
  for (uint64_t i = 0; i < limits; ++i) out.limits.push_back(RandomLimit(random));
  const uint64_t pools = random.Below(3);
  for (uint64_t i = 0; i < pools; ++i) {
    rules::Pool pool{.name = "p" + std::to_string(i),
                     .resource = random.Chance(700) ? "ncpus" : "ngpus",
                     .open_to = RandomCondition(random),
                     .valid = RandomValidity(random)};
    pool.keep.items = random.Between(1, 2);
    if (random.Chance(500)) pool.keep.percent = static_cast<int>(random.Between(5, 50));
    out.pools.push_back(std::move(pool));
  }
  if (random.Chance(500)) {
    out.node_rules.push_back({.only = RandomCondition(random)});
    for (size_t n = 0; n < nodes; ++n) out.rule_of_node.push_back(n % 2 == 0 ? 0 : UINT32_MAX);
  }
  if (random.Chance(300)) out.federation_percent = static_cast<int>(random.Between(20, 90));
  return out;
}

plan::Order RandomOrder(Random& random, uint64_t number) {
  plan::Order order;
  order.label = std::to_string(number);
  const int64_t user = random.Between(1, 4);
  order.who.user = "u" + std::to_string(user);
  if (user % 2 == 0) order.who.groups.push_back("s");
  if (user > 2) order.who.groups.push_back("t");
  order.who.federated = random.Chance(500);
  order.element = random.Chance(300);
  const int64_t parts = random.Chance(850) ? 1 : 2;
  for (int64_t p = 0; p < parts; ++p) {
    plan::Part part;
    const int64_t chunks = random.Chance(700) ? 1 : 2;
    for (int64_t c = 0; c < chunks; ++c) {
      plan::Chunk chunk{.count = static_cast<uint32_t>(random.Between(1, 4)),
                        .resources = {{"ncpus", random.Between(1, 3)}}};
      if (random.Chance(300)) chunk.resources.Set("mem", random.Between(1, 8));
      if (random.Chance(150)) chunk.resources.Set("ngpus", 1);
      if (random.Chance(150)) chunk.properties["net"] = "ib";
      part.chunks.push_back(std::move(chunk));
    }
    part.place = static_cast<plan::Place>(random.Below(3));
    part.exclusive = random.Chance(150);
    part.length = {random.Between(60, 8 * kHour)};
    if (random.Chance(200)) part.jobwide = {{"lic", random.Between(1, 2)}};
    order.parts.push_back(std::move(part));
  }
  return order;
}

PlanFacts FactsOf(const std::vector<machine::Node>& nodes, const rules::RuleSet& rules) {
  PlanFacts out{.jobwide = rules.jobwide, .federation_percent = rules.federation_percent};
  for (size_t n = 0; n < nodes.size(); ++n) {
    out.nodes.push_back({nodes[n].name, nodes[n].resources, nodes[n].properties, "", {}, {}, {}});
    if (n < rules.rule_of_node.size() && rules.rule_of_node[n] < rules.node_rules.size()) {
      out.nodes[n].only = rules.node_rules[rules.rule_of_node[n]].only;
    }
  }
  for (const rules::Limit& limit : rules.limits) {
    LimitFacts facts{.who = limit.who,
                     .resource = limit.resource,
                     .duration = limit.duration,
                     .area = limit.area,
                     .valid = limit.valid,
                     .soft = limit.soft,
                     .each = limit.each};
    if (!limit.items.unlimited()) facts.items = {limit.items.items, limit.items.percent};
    out.limits.push_back(std::move(facts));
  }
  for (const rules::Pool& pool : rules.pools) {
    out.pools.push_back(
        {pool.name, pool.resource, {pool.keep.items, pool.keep.percent}, pool.open_to, pool.valid});
  }
  return out;
}

// A plan and the checker that is told of everything in it.
class Judged {
 public:
  explicit Judged(uint64_t seed)
      : random_(seed),
        nodes_(RandomNodes(random_)),
        rules_(std::make_shared<const rules::RuleSet>(RandomRules(random_, nodes_.size()))),
        machine_(std::make_shared<const machine::Machine>(nodes_, 8)),
        turnover_{random_.Between(0, 2)},
        plan_(machine_, {turnover_, kHorizon}, MakeRules()),
        checker_(FactsOf(nodes_, *rules_)) {}

  void Step() {
    now_ = now_ + Span{random_.Between(0, kHour)};
    const uint64_t what = random_.Below(10);
    if (what < 6 || booked_.empty()) return Book();
    auto it = booked_.begin();
    std::advance(it, static_cast<int64_t>(random_.Below(booked_.size())));
    if (what < 8) {
      plan_.Free(it->first);
      checker_.Remove(ToText(it->first));
      booked_.erase(it);
    } else {
      Cut(it->first, it->second);
    }
    for (auto& [fence, live] : booked_) Backfill(fence, live);
  }
  std::vector<Violation> Check() { return checker_.Check(now_); }
  size_t placed() const { return placed_; }
  size_t moved() const { return moved_; }

 private:
  struct Live {
    plan::Order order;
    BookedOrder told;
    Instant start;
    bool cut = false;
  };

  std::shared_ptr<const plan::Rules> MakeRules() {
    rules::Site site{.machine = machine_,
                     .kinds = std::make_shared<const rules::Kinds>(machine_, *rules_),
                     .usable = std::vector<bool>(nodes_.size(), true),
                     .turnover = turnover_};
    return std::make_shared<const rules::SiteRules>(rules_, std::move(site), now_,
                                                    kHorizon + Span{86400 * 3});
  }

  void Tell(const Fence& fence, Live& live, const plan::Placed& placed) {
    live.start = placed.start;
    live.told = {.name = ToText(fence),
                 .user = live.order.who.user,
                 .groups = live.order.who.groups,
                 .element = live.order.element,
                 .at_once = placed.start <= now_ + Span{60},
                 .federated = live.order.who.federated};
    for (size_t p = 0; p < live.order.parts.size(); ++p) {
      const plan::Part& part = live.order.parts[p];
      const Instant start = placed.start + part.offset;
      BookedPart told{.name = ToText(fence),
                      .span = {start - turnover_, start + part.length},
                      .duration = part.duration(),
                      .spread = static_cast<Spread>(part.place),
                      .exclusive = part.exclusive,
                      .jobwide = part.jobwide};
      for (const plan::Chunk& chunk : part.chunks) {
        told.wanted.push_back({int64_t{chunk.count}, chunk.resources, chunk.properties});
      }
      for (const plan::Assignment& a : placed.mapping[p]) {
        for (uint32_t n = 0; n < a.count; ++n) {
          told.placed.push_back({nodes_[a.node].name, part.chunks[a.chunk].resources});
        }
      }
      live.told.parts.push_back(std::move(told));
    }
    checker_.Put(live.told);
  }

  void Book() {
    const Fence fence{{1}, ++last_};
    Live live{.order = RandomOrder(random_, last_), .told = {}, .start = {}};
    const plan::Answer answer =
        plan_.Book(fence, live.order, IntervalSet::From(now_), now_, std::nullopt, 4);
    const auto* placed = std::get_if<plan::Placed>(&answer);
    if (placed == nullptr) return;
    ++placed_;
    Tell(fence, live, *placed);
    booked_.emplace(fence, std::move(live));
  }

  // A part ends early.
  void Cut(const Fence& fence, Live& live) {
    BookedPart& part = live.told.parts[random_.Below(live.told.parts.size())];
    const Instant from = std::max(now_, part.span.begin);
    if (from >= part.span.end) return;
    plan_.FreePartFrom(fence, static_cast<size_t>(&part - live.told.parts.data()), from);
    part.span.end = from;
    live.cut = true;
    checker_.Put(live.told);
  }

  // Revoke one, plan it, keep the better: never later.
  void Backfill(const Fence& fence, Live& live) {
    if (live.cut || live.start <= now_) return;
    const plan::Answer answer = plan_.Rebook(fence, IntervalSet({{now_, live.start}}), now_, 0);
    const auto* placed = std::get_if<plan::Placed>(&answer);
    ASSERT_EQ(plan_.StartOf(fence), placed != nullptr ? placed->start : live.start);
    if (placed == nullptr) return;
    ASSERT_LT(placed->start, live.start);
    ++moved_;
    Tell(fence, live, *placed);
  }

  Random random_;
  Instant now_{kBegin};
  const std::vector<machine::Node> nodes_;
  const std::shared_ptr<const rules::RuleSet> rules_;
  const std::shared_ptr<const machine::Machine> machine_;
  const Span turnover_;
  plan::Plan plan_;
  PlanChecker checker_;
  std::map<Fence, Live> booked_;
  uint64_t last_ = 0;
  size_t placed_ = 0;
  size_t moved_ = 0;
};

TEST(JudgedPlans, KeepEveryRuleAfterEveryChange) {
  size_t placed = 0;
  size_t moved = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Judged judged(seed);
    for (int step = 0; step < 60; ++step) {
      judged.Step();
      if (HasFatalFailure()) return;
      for (const Violation& violation : judged.Check()) {
        ADD_FAILURE() << "seed " << seed << " step " << step << ": " << violation.text;
      }
      if (HasFailure()) return;
    }
    placed += judged.placed();
    moved += judged.moved();
  }
  EXPECT_GT(placed, 4000u) << "enough was planned to mean something";
  EXPECT_GT(moved, 100u);
}

}  // namespace
}  // namespace muster::sim
