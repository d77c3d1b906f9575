// Limits: which of them apply to an order, and what of the order they count (OpenCCS Sect. 3,
// Example 1).
#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "site/plan/rules/judgement.h"
#include "site/plan/rules/site_rules.h"
#include "site/plan/shape.h"

namespace muster::rules {

using plan::Account;
using plan::Refused;

namespace {

// In an account's consumer: separates the consumer from the limits that override the account's
// limit where they are valid.
constexpr char kOver = '\n';
// In the consumer of a limit for each user of an account, QoS or queue: before the user.
constexpr char kMember[] = ", ";

bool IsPseudo(const std::string& resource) { return resource == kJobs || resource == kArrayJobs; }

// Item-seconds of all that is used within `valid` from `from` on.
int64_t AreaIn(const rusv::Rusv& used, const IntervalSet& valid, Instant from) {
  int64_t sum = 0;
  for (const rusv::Slot& slot : used.Slots()) {
    const IntervalSet inside =
        IntervalSet({{std::max(slot.start, from), slot.stop}}).Intersect(valid);
    for (const Interval& interval : inside.intervals()) {
      const int64_t area =
          plan::SaturatingProduct(slot.items, (interval.end - interval.begin).seconds);
      sum = area > INT64_MAX - sum ? INT64_MAX : sum + area;
    }
  }
  return sum;
}

}  // namespace

SiteRules::Numbers SiteRules::OverriddenBy(const Account& account) const {
  Numbers out;
  const char* const end = account.consumer.data() + account.consumer.size();
  const size_t mark = account.consumer.find(kOver);
  if (mark == std::string::npos) return out;
  for (const char* at = account.consumer.data() + mark; at < end;) {
    uint32_t number = 0;
    at = std::from_chars(at + 1, end, number).ptr;
    out.push_back(number);
  }
  return out;
}

IntervalSet SiteRules::ValidOf(uint32_t limit, const Numbers& overridden_by) const {
  IntervalSet valid = limit_times_[limit].valid;
  for (const uint32_t other : overridden_by) valid = Minus(valid, limit_times_[other].valid);
  return valid;
}

// Limits of exactly this consumer and resource, by number.
SiteRules::Numbers SiteRules::Matching(const std::string& who, bool each,
                                       const std::string& resource) const {
  Numbers out;
  const auto it = limits_of_.find({who, each});
  if (it == limits_of_.end()) return out;
  for (const uint32_t l : it->second) {
    if (rules_->limits[l].resource == resource) out.push_back(l);
  }
  return out;
}

SiteRules::Numbers SiteRules::Take(const std::string& who, bool each, const std::string& consumer,
                                   const Numbers& over, const std::string& resource,
                                   std::vector<Reach>& out) const {
  const auto any_always = [this](const Numbers& numbers) {
    return std::any_of(numbers.begin(), numbers.end(), [this](uint32_t l) { return Holds(l); });
  };
  Numbers taken;
  if (any_always(over)) return taken;
  const Numbers exact = Matching(who, each, resource);
  for (const uint32_t l : exact) out.push_back({l, consumer, over});
  taken = exact;
  if (IsPseudo(resource) || any_always(exact)) return taken;
  Numbers before = over;
  before.insert(before.end(), exact.begin(), exact.end());
  for (const uint32_t l : Matching(who, each, kEvery)) {
    out.push_back({l, consumer, before});
    taken.push_back(l);
  }
  return taken;
}

void SiteRules::ReachUser(const plan::Consumer& who, const std::string& resource,
                          std::vector<Reach>& out) const {
  Numbers first =
      who.user == kEvery ? Numbers() : Take(who.user, false, who.user, {}, resource, out);
  if (first.empty()) {
    for (const std::string& group : std::set<std::string>(who.groups.begin(), who.groups.end())) {
      for (const bool each : {false, true}) {
        const Numbers taken =
            Take("@" + group, each, each ? who.user : "@" + group, {}, resource, out);
        first.insert(first.end(), taken.begin(), taken.end());
      }
    }
  }
  Take(kEvery, false, who.user, first, resource, out);
}

// The account's, QoS's or queue's own limits, else those of each of them.
void SiteRules::ReachLadder(const std::string& word, const std::string& name,
                            const std::string& user, const std::string& resource,
                            std::vector<Reach>& out) const {
  if (name.empty()) return;
  const std::string named = word + " " + name;
  Numbers first;
  for (const std::string& who : {named, word + " " + kEvery}) {
    Numbers here;
    for (const bool each : {false, true}) {
      const Numbers taken =
          Take(who, each, each ? named + kMember + user : named, first, resource, out);
      here.insert(here.end(), taken.begin(), taken.end());
    }
    first.insert(first.end(), here.begin(), here.end());
  }
}

std::vector<SiteRules::Reach> SiteRules::ReachOf(const plan::Consumer& who,
                                                 const std::string& resource) const {
  std::vector<Reach> out;
  ReachUser(who, resource, out);
  ReachLadder("account", who.account, who.user, resource, out);
  ReachLadder("qos", who.qos, who.user, resource, out);
  ReachLadder("queue", who.queue, who.user, resource, out);
  for (Reach& reach : out) {
    for (size_t i = 0; i < reach.overridden_by.size(); ++i) {
      reach.consumer += (i == 0 ? kOver : ',') + std::to_string(reach.overridden_by[i]);
    }
  }
  return out;
}

void SiteRules::JudgeLimits(Judgement& judged) const {
  if (rules_->limits.empty()) return;
  std::set<std::string> resources;
  for (const auto& own : judged.by_part) {
    for (const auto& [name, amount] : own) resources.insert(name);
  }
  for (const std::string& resource : resources) {
    for (const Reach& reach : ReachOf(judged.order.who, resource)) {
      Apply(judged, reach, resource);
    }
  }
}

void SiteRules::Apply(Judgement& judged, const Reach& reach, const std::string& resource) const {
  const Limit& limit = rules_->limits[reach.limit];
  const Instant from = limit.soft ? judged.now + kAtOnce + Span{1} : Instant{INT64_MIN};
  const uint32_t number = CounterOf(Aspect::kItems, reach.limit, resource);
  if (number != UINT32_MAX) {
    const bool absolute = IsAbsolute(reach) && !limit.soft;
    Bind(judged, number, reach.consumer, judged.AmountsOf(resource), absolute, from);
  }
  if (limit.duration) ApplyDuration(judged, reach, resource);
  if (limit.area) ApplyArea(judged, reach, resource);
}

bool SiteRules::IsAbsolute(const Reach& reach) const {
  return Holds(reach.limit) && reach.overridden_by.empty();
}

// Keeps a part out of the limit's validity: the part counts one item in the account of `gate`,
// which has no item while the limit is valid.
void SiteRules::KeepOut(Judgement& judged, uint32_t gate, const Reach& reach, uint32_t part) const {
  const Account account{gate, reach.consumer};
  const auto& counts = judged.ruling.counts;
  const bool known = std::any_of(counts.begin(), counts.end(), [&](const plan::Count& count) {
    return count.part == part && count.account == account;
  });
  if (known) return;
  const bool soft = rules_->limits[reach.limit].soft;
  judged.Count(part, account, 1, true, soft ? judged.now + kAtOnce + Span{1} : Instant{INT64_MIN});
}

void SiteRules::ApplyDuration(Judgement& judged, const Reach& reach,
                              const std::string& resource) const {
  const Limit& limit = rules_->limits[reach.limit];
  const std::vector<int64_t> amounts = judged.AmountsOf(resource);
  const uint32_t gate = CounterOf(Aspect::kDuration, reach.limit, "");
  for (uint32_t p = 0; p < amounts.size(); ++p) {
    if (amounts[p] == 0 || judged.order.parts[p].duration() <= *limit.duration) continue;
    KeepOut(judged, gate, reach, p);
    if (IsAbsolute(reach) && !limit.soft) {
      judged.Refuse(Refused::Kind::kNever, WhyOf(counters_[gate], TextOf(counters_[gate])));
    }
  }
}

int64_t SiteRules::AreaPlanned(const Reach& reach, const std::string& resource,
                               const plan::Accounts& accounts, Instant now) const {
  const Account account{CounterOf(Aspect::kArea, reach.limit, resource), reach.consumer};
  return AreaIn(accounts.Of(account), ValidOf(reach.limit, reach.overridden_by), now);
}

void SiteRules::ApplyArea(Judgement& judged, const Reach& reach,
                          const std::string& resource) const {
  const Limit& limit = rules_->limits[reach.limit];
  const std::vector<int64_t> amounts = judged.AmountsOf(resource);
  const Account account{CounterOf(Aspect::kArea, reach.limit, resource), reach.consumer};
  const uint32_t gate = CounterOf(Aspect::kAreaGate, reach.limit, resource);
  if (gate == UINT32_MAX) return;
  int64_t own = 0;
  for (uint32_t p = 0; p < amounts.size(); ++p) {
    if (amounts[p] == 0) continue;
    judged.Count(p, account, amounts[p], false, Instant{INT64_MIN});
    const int64_t seconds = std::max<int64_t>(judged.order.parts[p].duration().seconds, 0);
    const int64_t area = plan::SaturatingProduct(amounts[p], seconds);
    own = area > INT64_MAX - own ? INT64_MAX : own + area;
  }
  const int64_t planned = AreaPlanned(reach, resource, judged.accounts, judged.now);
  if (own <= *limit.area && planned <= *limit.area - own) return;
  for (uint32_t p = 0; p < amounts.size(); ++p) {
    if (amounts[p] > 0) KeepOut(judged, gate, reach, p);
  }
  if (!IsAbsolute(reach) || limit.soft) return;
  const Counter& counter = counters_[gate];
  if (own > *limit.area) {
    judged.Refuse(Refused::Kind::kNever, WhyOf(counter, TextOf(counter)));
  } else {
    judged.Refuse(Refused::Kind::kLater,
                  WhyOf(counter, TextOf(counter) + ", used up by what is planned"));
  }
}

}  // namespace muster::rules
