// Plans under random rules against a second-by-second reading of the same rules: every answered
// start is the earliest there is, and no rule is ever exceeded.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "site/plan/rules/naive_site_fixture.h"
#include "site/plan/rules/rules_fixture.h"

namespace muster::rules::rules_property_test {
namespace {

template <typename T>
const T& OneOf(const T* begin, size_t size) {
  return begin[*rc::gen::inRange<size_t>(0, size)];
}

Quota AnyQuota(int64_t most) {
  Quota quota;
  const int kind = *rc::gen::inRange(0, 3);
  if (kind != 1) quota.items = *rc::gen::inRange<int64_t>(0, most + 1);
  if (kind != 0) quota.percent = 10 * *rc::gen::inRange(0, 11);
  return quota;
}

NaiveLimit AnyLimit() {
  NaiveLimit out;
  const std::string whos[] = {"kim", "@g", "@h", "*", "*"};
  const std::string resources[] = {"ncpus", "ncpus", "ngpus", "lic", "*", kJobs, kArrayJobs};
  out.when = &OneOf(kWhens, std::size(kWhens));
  out.limit.who = OneOf(whos, std::size(whos));
  out.limit.resource = OneOf(resources, std::size(resources));
  out.limit.valid = Valid(out.when->written);
  out.limit.soft = *rc::gen::inRange(0, 5) == 0;
  out.limit.each = out.limit.who.starts_with("@") && *rc::gen::inRange(0, 2) == 0;
  const bool pseudo = out.limit.resource == kJobs || out.limit.resource == kArrayJobs;
  const int what = pseudo ? 0 : *rc::gen::inRange(0, 4);
  if (what <= 1) out.limit.items = pseudo ? Quota{2, {}} : AnyQuota(6);
  if (what == 2) out.limit.duration = Span{*rc::gen::inRange<int64_t>(5, 40)};
  if (what == 3) out.limit.area = *rc::gen::inRange<int64_t>(20, 200);
  return out;
}

Naive AnySite() {
  Naive site;
  site.nodes = *rc::gen::inRange<int64_t>(1, 4);
  site.ncpus = *rc::gen::inRange<int64_t>(1, 5);
  site.ngpus = *rc::gen::inRange<int64_t>(0, 3);
  site.lic = *rc::gen::inRange<int64_t>(0, 4);
  for (int64_t n = 0; n < site.nodes; ++n) {
    site.usable.push_back(*rc::gen::inRange(0, 6) > 0);
    const bool any = *rc::gen::inRange(0, 4) == 0;
    site.only.push_back(any ? &OneOf(kOnlys, std::size(kOnlys)) : nullptr);
  }
  const int limits = *rc::gen::inRange(0, 5);
  for (int l = 0; l < limits; ++l) site.limits.push_back(AnyLimit());
  const int pools = *rc::gen::inRange(0, 3);
  for (int p = 0; p < pools; ++p) {
    NaivePool pool;
    const std::string resources[] = {"ncpus", "ngpus", "lic"};
    pool.when = &OneOf(kWhens, std::size(kWhens));
    pool.open = &OneOf(kOpens, std::size(kOpens));
    pool.pool = {"p" + std::to_string(p),
                 OneOf(resources, std::size(resources)),
                 AnyQuota(3),
                 If(pool.open->written),
                 Valid(pool.when->written),
                 ""};
    site.pools.push_back(std::move(pool));
  }
  if (*rc::gen::inRange(0, 3) == 0) site.percent = 10 * *rc::gen::inRange(2, 10);
  return site;
}

Request AnyRequest(const Naive& site) {
  const std::string users[] = {"kim", "lee", "ann"};
  const std::vector<std::string> groups[] = {{}, {"g"}, {"g", "h"}};
  Request r;
  const size_t user = *rc::gen::inRange<size_t>(0, 3);
  r.user = users[user];
  r.groups = groups[user];
  r.ncpus = *rc::gen::inRange<int64_t>(0, site.ncpus + 1);
  r.ngpus = *rc::gen::inRange<int64_t>(0, site.ngpus + 1);
  r.count = *rc::gen::inRange<int64_t>(1, 4);
  r.lic = *rc::gen::inRange<int64_t>(0, 3) * (*rc::gen::inRange(0, 3) == 0 ? 1 : 0);
  r.seconds = *rc::gen::inRange<int64_t>(1, 40);
  r.exclusive = *rc::gen::inRange(0, 4) == 0;
  r.federated = *rc::gen::inRange(0, 2) == 0;
  r.element = *rc::gen::inRange(0, 3) == 0;
  return r;
}

plan::Order OrderOf(const Request& r) {
  plan::Order order = Asks(r.user, {{"ncpus", r.ncpus}, {"ngpus", r.ngpus}}, r.seconds,
                           static_cast<uint32_t>(r.count));
  order.parts[0].exclusive = r.exclusive;
  order.parts[0].jobwide = {{"lic", r.lic}};
  order.who.groups = r.groups;
  order.who.federated = r.federated;
  order.element = r.element;
  return order;
}

RuleSet RulesOf(const Naive& site) {
  RuleSet rules;
  for (const NaiveLimit& l : site.limits) rules.limits.push_back(l.limit);
  for (const NaivePool& p : site.pools) rules.pools.push_back(p.pool);
  if (site.lic > 0) rules.jobwide = {{"lic", site.lic}};
  rules.federation_percent = site.percent;
  for (const Open* only : site.only) {
    rules.rule_of_node.push_back(static_cast<uint32_t>(rules.node_rules.size()));
    rules.node_rules.emplace_back();
    if (only != nullptr) rules.node_rules.back().only = If(only->written);
  }
  return rules;
}

std::string TextOf(const Naive& site) {
  std::string out = std::to_string(site.nodes) + " nodes of " + std::to_string(site.ncpus) + "+" +
                    std::to_string(site.ngpus) + ", lic " + std::to_string(site.lic) + ", " +
                    std::to_string(site.percent) + "%\n";
  for (const NaiveLimit& l : site.limits) {
    out += "limit " + l.limit.who + " " + l.limit.resource + " " + l.when->written;
    if (l.limit.items.items) out += " items " + std::to_string(*l.limit.items.items);
    if (l.limit.items.percent) out += " percent " + std::to_string(*l.limit.items.percent);
    if (l.limit.duration) out += " duration " + std::to_string(l.limit.duration->seconds);
    if (l.limit.area) out += " area " + std::to_string(*l.limit.area);
    out += l.limit.soft ? " soft\n" : "\n";
  }
  for (const NaivePool& p : site.pools) {
    out += "pool " + p.pool.resource + " " + p.when->written + " open to " + p.open->written +
           " keep " + std::to_string(p.pool.keep.items.value_or(0)) + "/" +
           std::to_string(p.pool.keep.percent.value_or(0)) + "\n";
  }
  return out;
}

std::string TextOf(const Request& r) {
  return r.user + " " + std::to_string(r.count) + " x " + std::to_string(r.ncpus) + "+" +
         std::to_string(r.ngpus) + " lic " + std::to_string(r.lic) + " for " +
         std::to_string(r.seconds) + (r.exclusive ? " alone" : "") +
         (r.federated ? " federated" : "") + (r.element ? " element" : "");
}

// Hard limits, pools and the share as they stand, whatever was asked when.
void CheckNothingIsExceeded(const Naive& site) {
  for (int64_t t = kNow; t < kNow + kHorizon + 40; ++t) {
    for (const Booked& b : site.booked) {
      if (t < b.begin() || t >= b.end()) continue;
      for (const std::string resource : {"ncpus", "ngpus", "lic", kJobs, kArrayJobs}) {
        if (Naive::Asked(b.request, resource) == 0) continue;
        for (const auto& [l, consumer] : site.Limiting(b.request, resource, t)) {
          if (l->limit.soft || l->limit.items.unlimited()) continue;
          RC_ASSERT(site.Counted(l, consumer, resource, t) <=
                    Naive::Of(l->limit.items, site.Up(resource)));
        }
      }
    }
    for (const NaivePool& p : site.pools) {
      int64_t others = 0;
      for (const Booked& b : site.booked) {
        if (t < b.begin() || t >= b.end() || p.open->holds(b.request)) continue;
        others += site.Taken(b.request, p.pool.resource);
      }
      const int64_t up = site.Up(p.pool.resource);
      if (p.when->holds(t))
        RC_ASSERT(others <= std::max<int64_t>(0, up - Naive::Of(p.pool.keep, up)));
    }
    RC_ASSERT(site.TakenAt("lic", t, false) <= site.lic);
  }
}

// One site, and requests to it one after another.
void PlanOneSite() {
  Naive site = AnySite();
  std::vector<machine::Node> nodes =
      Nodes(static_cast<size_t>(site.nodes), {{"ncpus", site.ncpus}, {"ngpus", site.ngpus}});
  World world(std::move(nodes), RulesOf(site), {kNow}, {kTurnover}, {kHorizon});
  for (uint32_t n = 0; n < site.usable.size(); ++n) world.SetUsable(n, site.usable[n]);
  const int requests = *rc::gen::inRange(1, 12);
  std::string told = TextOf(site);
  for (int i = 0; i < requests; ++i) {
    const Request request = AnyRequest(site);
    const std::optional<int64_t> expected = site.Earliest(request);
    const plan::Answer answer = world.Book(OrderOf(request));
    told += TextOf(request) + ": " + (expected ? std::to_string(*expected) : "none");
    const auto* placed = std::get_if<plan::Placed>(&answer);
    if (placed != nullptr) told += ", planned " + std::to_string(placed->start.seconds);
    if (placed == nullptr) told += ", " + std::get<plan::Refused>(answer).why.text;
    told += "\n";
    RC_LOG() << told;
    RC_ASSERT((placed != nullptr) == expected.has_value());
    if (placed == nullptr) continue;
    RC_ASSERT(placed->start.seconds == *expected);
    Booked booked{request, *expected, std::vector<int64_t>(site.usable.size())};
    for (const plan::Assignment& a : placed->mapping[0]) booked.sets[a.node] += a.count;
    site.booked.push_back(std::move(booked));
  }
  CheckNothingIsExceeded(site);
}

TEST(RulesProperty, EveryStartIsTheEarliestAllowedAndNothingIsExceeded) {
  const bool ok = rc::check([] {
    for (int site = 0; site < 4; ++site) PlanOneSite();
  });
  EXPECT_TRUE(ok);
}

}  // namespace
}  // namespace muster::rules::rules_property_test
