// Numbers the counters, makes empty accounts, and applies every rule but limits (limits.cc).
#include "site/plan/rules/site_rules.h"

#include <algorithm>

#include "base/check.h"
#include "base/units.h"
#include "site/plan/rules/judgement.h"
#include "site/plan/rules/keeps.h"
#include "site/plan/rules/request_values.h"

namespace muster::rules {

using plan::Account;
using plan::Refused;
using plan::Why;
using rusv::Rusv;

namespace {

constexpr Instant kSinceEver{INT64_MIN};

// The vector of an account in which nothing is booked: `items` may be used where `valid` holds, and
// any number elsewhere.
Rusv WithItems(int64_t items, const IntervalSet& valid, bool always) {
  if (always) return Rusv(items);
  Rusv out(kUnbound + items);
  for (const Interval& interval : valid.intervals()) {
    out.Increment({interval.begin, interval.end, kUnbound});
  }
  return out;
}

}  // namespace

SiteRules::SiteRules(std::shared_ptr<const RuleSet> rules, Site site, Instant from, Span ahead)
    : rules_(std::move(rules)), site_(std::move(site)) {
  MUSTER_CHECK(ahead > Span{0} && site_.usable.size() == site_.machine->node_count());
  const Instant until = from + ahead + ahead;
  const auto times_of = [&](const Validity& validity) {
    Times times = TimesOf(validity, rules_->zone, from, until);
    if (times.known_until < kFarFuture) {
      const Instant half{from.seconds + (times.known_until - from).seconds / 2};
      renew_at_ = std::min(renew_at_, half);
    }
    return times;
  };
  forces_duration_ = std::any_of(rules_->forced.begin(), rules_->forced.end(),
                                 [](const RequestValues& values) { return values.duration; });
  std::vector<std::string> resources;
  for (uint32_t r = 0; r < site_.machine->resource_count(); ++r) {
    const std::string& resource = site_.machine->resource(r);
    if (!IsOfOthers(resource)) resources.push_back(resource);
  }
  for (const auto& [name, amount] : rules_->jobwide.entries()) {
    resources.push_back(name);
    AddCounter(Aspect::kJobwide, 0, name, Quota{amount, std::nullopt}, false);
  }
  for (uint32_t l = 0; l < rules_->limits.size(); ++l) {
    const Limit& limit = rules_->limits[l];
    limit_times_.push_back(times_of(limit.valid));
    limits_of_[{limit.who, limit.each}].push_back(l);
    if (limit.duration) AddCounter(Aspect::kDuration, l, "", Quota{0, std::nullopt}, false);
    std::vector<std::string> covered{limit.resource};
    if (limit.resource == kEvery) covered = resources;
    for (const std::string& resource : covered) {
      if (!limit.items.unlimited()) AddCounter(Aspect::kItems, l, resource, limit.items, false);
      if (!limit.area) continue;
      AddCounter(Aspect::kArea, l, resource, Quota{0, std::nullopt}, false);
      AddCounter(Aspect::kAreaGate, l, resource, Quota{0, std::nullopt}, false);
    }
  }
  for (uint32_t p = 0; p < rules_->pools.size(); ++p) {
    const Pool& pool = rules_->pools[p];
    pool_times_.push_back(times_of(pool.valid));
    AddCounter(Aspect::kPool, p, pool.resource, pool.keep, true);
  }
  if (rules_->federation_percent >= 100) return;
  for (const std::string& resource : resources) {
    AddCounter(Aspect::kShare, 0, resource, Quota{std::nullopt, rules_->federation_percent}, false);
  }
}

// How much of a resource is in service, and how much there is.
std::pair<int64_t, int64_t> SiteRules::InService(const std::string& resource) const {
  const std::optional<uint32_t> index = site_.machine->FindResource(resource);
  if (!index.has_value()) {
    const int64_t amount = rules_->jobwide.Get(resource);
    return {amount, amount};
  }
  int64_t up = 0;
  for (uint32_t n = 0; n < site_.usable.size(); ++n) {
    if (site_.usable[n]) up += site_.machine->Amount(n, *index);
  }
  return {up, site_.machine->Total(*index)};
}

void SiteRules::AddCounter(Aspect aspect, uint32_t rule, const std::string& resource,
                           const Quota& quota, bool keeps) {
  const auto [up, all] = InService(resource);
  const auto items = [&](int64_t there) {
    const int64_t of = quota.Of(there);
    return std::clamp<int64_t>(keeps ? there - of : of, 0, kUnbound / 2);
  };
  const auto number = static_cast<uint32_t>(counters_.size());
  counter_of_.try_emplace({{aspect, rule}, resource}, number);
  counters_.push_back({aspect, rule, resource, items(up), items(all)});
}

uint32_t SiteRules::CounterOf(Aspect aspect, uint32_t rule, const std::string& resource) const {
  const auto it = counter_of_.find({{aspect, rule}, resource});
  return it == counter_of_.end() ? UINT32_MAX : it->second;
}

bool SiteRules::DependsOnService() const {
  return std::any_of(counters_.begin(), counters_.end(), [this](const Counter& counter) {
    if (counter.aspect == Aspect::kPool || counter.aspect == Aspect::kShare) return true;
    return counter.aspect == Aspect::kItems && rules_->limits[counter.rule].items.percent;
  });
}

Rusv SiteRules::Empty(const Account& account) const {
  const Counter& counter = counters_.at(account.rule);
  switch (counter.aspect) {
    case Aspect::kItems:
    case Aspect::kDuration:
    case Aspect::kAreaGate: {
      const Numbers over = OverriddenBy(account);
      const bool always = Holds(counter.rule) && over.empty();
      return WithItems(counter.items, ValidOf(counter.rule, over), always);
    }
    case Aspect::kArea:
      return Rusv(kUnbound);
    case Aspect::kPool: {
      const Times& times = pool_times_[counter.rule];
      return WithItems(counter.items, times.valid, times.always);
    }
    case Aspect::kJobwide:
    case Aspect::kShare:
      break;
  }
  return Rusv(counter.items);
}

plan::Ruling SiteRules::On(const plan::Order& order, const plan::Accounts& accounts,
                           Instant now) const {
  const bool plain = std::all_of(order.parts.begin(), order.parts.end(),
                                 [](const plan::Part& part) { return part.jobwide.empty(); });
  if (order.outside && plain) return {};
  if (plain && counters_.empty() && rules_->rule_of_node.empty() && !forces_duration_) return {};
  Judgement judged(order, accounts, now, site_.turnover);
  if (order.outside) {  // it is there, and only what it has of the machine counts
    JudgeJobwide(judged);
    judged.ruling.refuses.reset();
    return std::move(judged.ruling);
  }
  JudgeDuration(judged);
  JudgeJobwide(judged);
  JudgeLimits(judged);
  JudgeShare(judged);
  JudgePools(judged);
  JudgeHosts(judged);
  return std::move(judged.ruling);
}

// Counts every part. An order that exceeds an `absolute` rule by itself is refused.
void SiteRules::Bind(Judgement& judged, uint32_t number, const std::string& consumer,
                     const std::vector<int64_t>& amounts, bool absolute, Instant from) const {
  const Counter& counter = counters_[number];
  for (uint32_t p = 0; p < amounts.size(); ++p) {
    if (amounts[p] > 0) judged.Count(p, {number, consumer}, amounts[p], true, from);
  }
  if (!absolute) return;
  const int64_t peak = judged.Peak(amounts);
  if (peak > counter.whole) {
    judged.Refuse(Refused::Kind::kNever, WhyOf(counter, TextOf(counter)));
  } else if (peak > counter.items) {
    judged.Refuse(Refused::Kind::kBlocked,
                  WhyOf(counter, TextOf(counter) + ", with nodes that are out of use"));
  }
}

// An order submitted at this site already has the forced duration. One of the federation may have a
// longer duration because of another site.
void SiteRules::JudgeDuration(Judgement& judged) const {
  if (!forces_duration_ || !judged.order.who.federated) return;
  const plan::Consumer& who = judged.order.who;
  const Span forced = Values(*rules_, who.user, who.groups).Duration(judged.duration);
  if (forced >= judged.duration) return;
  judged.Refuse(Refused::Kind::kNever,
                {.code = Why::Code::kPolicy,
                 .text = "jobs of " + who.user + " last " + DurationText(forced) + " here"});
}

void SiteRules::JudgeJobwide(Judgement& judged) const {
  for (const ResourceSet::Entry& e : rules_->jobwide.entries()) {
    std::vector<int64_t> amounts;
    for (const plan::Part& part : judged.order.parts) {
      amounts.push_back(std::min(part.jobwide.Get(e.first), kMost));
    }
    Bind(judged, CounterOf(Aspect::kJobwide, 0, e.first), "", amounts, true, kSinceEver);
  }
  for (const plan::Part& part : judged.order.parts) {
    for (const auto& [name, amount] : part.jobwide.entries()) {
      if (CounterOf(Aspect::kJobwide, 0, name) != UINT32_MAX) continue;
      Why why{Why::Code::kPolicy, "", "", name, std::nullopt, "no job-wide " + name + " here"};
      judged.Refuse(Refused::Kind::kNever, std::move(why));
    }
  }
}

void SiteRules::JudgeShare(Judgement& judged) const {
  if (!judged.order.who.federated || rules_->federation_percent >= 100) return;
  for (uint32_t number = 0; number < counters_.size(); ++number) {
    const Counter& counter = counters_[number];
    if (counter.aspect != Aspect::kShare) continue;
    Bind(judged, number, "", BlockedBy(judged, counter.resource), true, kSinceEver);
  }
}

// The amount of a resource that each part may block: for an exclusive part, all that its nodes
// have. A resource that it does not ask for counts only if every node has it: if only some have
// it, the part need not get one of those.
std::vector<int64_t> SiteRules::BlockedBy(const Judgement& judged,
                                          const std::string& resource) const {
  std::vector<int64_t> amounts = judged.AmountsOf(resource);
  for (size_t p = 0; p < amounts.size(); ++p) {
    const plan::Part& part = judged.order.parts[p];
    if (!part.exclusive || (amounts[p] == 0 && !site_.kinds->IsEverywhere(resource))) continue;
    amounts[p] = std::max(amounts[p], site_.kinds->MostBlocked(part, resource));
  }
  return amounts;
}

void SiteRules::JudgePools(Judgement& judged) const {
  const plan::Consumer& who = judged.order.who;
  for (uint32_t p = 0; p < rules_->pools.size(); ++p) {
    const Pool& pool = rules_->pools[p];
    const std::map<std::string, std::string> none;
    const bool lent = who.lent && pool.lend;
    const bool open = lent || muster::Holds(pool.open_to, {.user = who.user,
                                                           .groups = who.groups,
                                                           .duration = judged.duration,
                                                           .amounts = judged.all,
                                                           .properties = none,
                                                           .account = who.account,
                                                           .qos = who.qos,
                                                           .queue = who.queue,
                                                           .interactive = who.interactive});
    const uint32_t number = CounterOf(Aspect::kPool, p, pool.resource);
    const std::vector<int64_t> amounts = BlockedBy(judged, pool.resource);
    if (!open) {
      Bind(judged, number, "", amounts, pool_times_[p].always, kSinceEver);
      KeepOff(judged, pool, amounts);
      continue;
    }
    for (uint32_t part = 0; part < amounts.size(); ++part) {
      if (amounts[part] > 0) judged.Count(part, {number, ""}, amounts[part], false, kSinceEver);
    }
  }
}

std::vector<bool>& SiteRules::HostsOf(Judgement& judged, size_t part, size_t chunk) const {
  plan::Hosts& hosts = judged.ruling.hosts;
  if (hosts.open.empty()) {
    hosts.kind_of = site_.kinds->of_node();
    const std::vector<bool> all(site_.kinds->all().size(), true);
    for (const plan::Part& p : judged.order.parts) {
      hosts.open.emplace_back(p.chunks.size(), all);
    }
  }
  return hosts.open[part][chunk];
}

// Bars exclusive parts that do not ask for the pool's resource from nodes that have it.
void SiteRules::KeepOff(Judgement& judged, const Pool& pool,
                        const std::vector<int64_t>& amounts) const {
  for (size_t p = 0; p < amounts.size(); ++p) {
    if (!judged.order.parts[p].exclusive || amounts[p] > 0) continue;
    for (size_t k = 0; k < site_.kinds->all().size(); ++k) {
      const machine::Node& node = site_.machine->node(site_.kinds->all()[k].first);
      if (node.resources.Get(pool.resource) == 0) continue;
      for (size_t c = 0; c < judged.order.parts[p].chunks.size(); ++c) {
        HostsOf(judged, p, c)[k] = false;
      }
      judged.ruling.hosts.why = node.name + ": pool " + pool.name + " keeps its " + pool.resource;
    }
  }
}

// Sect. 5.4: applies `only` per chunk, and bars exclusive parts from nodes that keep something for
// others.
void SiteRules::JudgeHosts(Judgement& judged) const {
  if (rules_->rule_of_node.empty()) return;
  const plan::Consumer& who = judged.order.who;
  for (size_t k = 0; k < site_.kinds->all().size(); ++k) {
    const Kind& kind = site_.kinds->all()[k];
    if (kind.rule >= rules_->node_rules.size()) continue;
    const NodeRule& rule = rules_->node_rules[kind.rule];
    const std::string& name = site_.machine->node(kind.first).name;
    for (size_t p = 0; p < judged.order.parts.size(); ++p) {
      const plan::Part& part = judged.order.parts[p];
      const bool kept = part.exclusive && !rule.keep.empty() && !AsksForOneOf(part, rule.keep_for);
      for (size_t c = 0; c < part.chunks.size(); ++c) {
        const plan::Chunk& chunk = part.chunks[c];
        const bool holds = muster::Holds(rule.only, {.user = who.user,
                                                     .groups = who.groups,
                                                     .duration = part.duration(),
                                                     .amounts = chunk.resources,
                                                     .properties = chunk.properties,
                                                     .account = who.account,
                                                     .qos = who.qos,
                                                     .queue = who.queue,
                                                     .interactive = who.interactive});
        if (holds && !kept) continue;
        HostsOf(judged, p, c)[k] = false;
        judged.ruling.hosts.why =
            kept ? name + " is not for jobs alone that ask for none of its " + rule.keep_for.front()
                 : name + " takes only " + rule.only_text;
      }
    }
  }
}

}  // namespace muster::rules
