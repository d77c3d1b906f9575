// Rules as people read them: in reasons, refusals and `muster limits`.
#include <algorithm>
#include <set>
#include <utility>

#include "base/units.h"
#include "site/plan/rules/judgement.h"
#include "site/plan/rules/keeps.h"
#include "site/plan/rules/site_rules.h"

namespace muster::rules {

using plan::Why;

namespace {

constexpr char kLater[] = "later start";
constexpr char kRefused[] = "refused";

bool IsSize(const std::string& resource) { return resource == "mem" || resource == "vmem"; }

std::string ItemsText(int64_t items, const std::string& resource) {
  return IsSize(resource) ? SizeText(items) : std::to_string(items);
}

std::string QuotaText(const Quota& quota, const std::string& resource) {
  std::string out = quota.items ? ItemsText(*quota.items, resource) : "";
  if (quota.percent) out += (out.empty() ? "" : "/") + std::to_string(*quota.percent) + "%";
  return out;
}

// "500h", or in seconds where that is no whole number of hours.
std::string AreaText(int64_t area) {
  return area % 3600 == 0 ? std::to_string(area / 3600) + "h" : std::to_string(area) + "s";
}

std::string ForWhom(const Limit& limit) {
  if (limit.who == kEvery) return " for each user";
  if (const size_t star = limit.who.find(" *"); star != std::string::npos)
    return (limit.each ? " for each user of each " : " for each ") + limit.who.substr(0, star);
  return (limit.each ? " for each user of " : " for ") + limit.who;
}

std::string Then(const std::string& when) { return when.empty() ? "" : ", " + when; }

std::string WhenText(const std::string& when) { return when.empty() ? "always" : when; }

}  // namespace

std::string SiteRules::TextOf(const Counter& counter) const {
  switch (counter.aspect) {
    case Aspect::kPool: {
      const Pool& pool = rules_->pools[counter.rule];
      return "pool " + pool.name + " keeps " + QuotaText(pool.keep, pool.resource) + " of " +
             pool.resource + " free" + Then(pool.when);
    }
    case Aspect::kJobwide:
      return "there are " + ItemsText(counter.items, counter.resource) + " " + counter.resource;
    case Aspect::kShare:
      return "the federation may have " + std::to_string(rules_->federation_percent) + "% of " +
             counter.resource;
    case Aspect::kItems:
    case Aspect::kDuration:
    case Aspect::kArea:
    case Aspect::kAreaGate:
      break;
  }
  const Limit& limit = rules_->limits[counter.rule];
  std::string what = limit.resource == kEvery ? "anything" : limit.resource;
  if (counter.aspect == Aspect::kItems) {
    what = QuotaText(limit.items, counter.resource) + " of " + counter.resource;
  } else if (counter.aspect == Aspect::kDuration) {
    what = DurationText(*limit.duration) + " of " + what;
  } else {
    what = AreaText(*limit.area) + " in all of " + counter.resource;
  }
  return "limit " + what + ForWhom(limit) + Then(limit.when);
}

Why SiteRules::WhyOf(const Counter& counter, std::string text) const {
  const bool pool = counter.aspect == Aspect::kPool;
  std::string resource = counter.resource;
  const bool of_limit = counter.aspect == Aspect::kDuration;
  if (of_limit && rules_->limits[counter.rule].resource != kEvery) {
    resource = rules_->limits[counter.rule].resource;
  }
  return {pool ? Why::Code::kFreepool : Why::Code::kLimit,
          "",
          "",
          std::move(resource),
          std::nullopt,
          std::move(text)};
}

Why SiteRules::Binding(const plan::Account& account, Instant until) const {
  const Counter& counter = counters_.at(account.rule);
  Why why = WhyOf(counter, TextOf(counter));
  if (until < kFarFuture) why.until = until;
  return why;
}

std::vector<Row> SiteRules::LimitRows(const Reach& reach, const std::string& resource,
                                      const std::string& user, const plan::Accounts& accounts,
                                      Instant now) const {
  const Limit& limit = rules_->limits[reach.limit];
  Row row{.who = limit.who == kEvery || (limit.each && limit.who.starts_with('@'))
                     ? user
                     : reach.consumer.substr(0, reach.consumer.find('\n')),
          .what = resource,
          .when = WhenText(limit.when),
          .if_exceeded = limit.soft          ? "no later start"
                         : IsAbsolute(reach) ? kRefused
                                             : kLater};
  const IntervalSet valid = ValidOf(reach.limit, reach.overridden_by);
  std::vector<Row> out;
  if (const uint32_t number = CounterOf(Aspect::kItems, reach.limit, resource);
      number != UINT32_MAX) {
    Row items = row;
    items.used = accounts.Of({number, reach.consumer}).At(now);
    if (!IsAbsolute(reach) && valid.Contains(now)) items.used -= kUnbound;
    items.limit = QuotaText(limit.items, resource);
    if (IsAbsolute(reach) && !limit.soft)
      items.if_exceeded = kLater;  // it may start once other
                                   // orders end
    out.push_back(std::move(items));
  }
  if (limit.area && CounterOf(Aspect::kArea, reach.limit, resource) != UINT32_MAX) {
    Row area = row;
    area.used = AreaPlanned(reach, resource, accounts, now);
    area.limit = AreaText(*limit.area);
    out.push_back(std::move(area));
  }
  if (limit.duration) {
    row.what = limit.resource;
    row.limit = "at most " + DurationText(*limit.duration);
    out.push_back(std::move(row));
  }
  return out;
}

// The user alone, and with each account, QoS and queue for which there may be rows.
std::vector<plan::Consumer> SiteRules::Consumers(const plan::Consumer& user,
                                                 const plan::Accounts& accounts) const {
  std::vector<plan::Consumer> out{user};
  std::set<std::string> names;
  for (const Limit& limit : rules_->limits) names.insert(limit.who);
  for (const std::string& consumer : accounts.Consumers()) {
    names.insert(consumer.substr(0, consumer.find_first_of(",\n")));
  }
  for (const std::string& text : names) {
    const CredentialName name = CredentialOf(text);
    if (name.name == kEverybody) continue;
    plan::Consumer& one = out.emplace_back(user);
    const std::string value(name.name);
    switch (name.kind) {
      case CredentialName::Kind::kAccount:
        one.account = value;
        break;
      case CredentialName::Kind::kQos:
        one.qos = value;
        break;
      case CredentialName::Kind::kQueue:
        one.queue = value;
        break;
      default:
        out.pop_back();
    }
  }
  return out;
}

std::vector<Row> SiteRules::Rows(const std::string& user, const std::vector<std::string>& groups,
                                 const plan::Accounts& accounts, Instant now) const {
  std::vector<Row> out;
  const auto add = [&out](Row row) {
    if (std::find(out.begin(), out.end(), row) == out.end()) out.push_back(std::move(row));
  };
  std::set<std::string> resources{kJobs, kArrayJobs};
  for (uint32_t r = 0; r < site_.machine->resource_count(); ++r) {
    const std::string& resource = site_.machine->resource(r);
    if (!IsOfOthers(resource)) resources.insert(resource);
  }
  for (const auto& [name, amount] : rules_->jobwide.entries()) resources.insert(name);
  for (const plan::Consumer& who : Consumers({{.user = user, .groups = groups}, false}, accounts)) {
    for (const std::string& resource : resources) {
      for (const Reach& reach : ReachOf(who, resource)) {
        for (Row& row : LimitRows(reach, resource, user, accounts, now)) add(std::move(row));
      }
    }
  }
  for (uint32_t number = 0; number < counters_.size(); ++number) {
    const Counter& counter = counters_[number];
    Row row{.who = kEvery, .what = counter.resource, .when = "always", .if_exceeded = kLater};
    if (counter.aspect == Aspect::kPool) {
      const Pool& pool = rules_->pools[counter.rule];
      row.limit = QuotaText(pool.keep, pool.resource) + " kept for " + pool.name +
                  (pool.lend ? ", lent meanwhile" : "");
      row.when = WhenText(pool.when);
    } else if (counter.aspect == Aspect::kJobwide) {
      row.limit = ItemsText(counter.items, counter.resource);
    } else if (counter.aspect == Aspect::kShare) {
      row.who = "federation";
      row.limit = std::to_string(rules_->federation_percent) + "%";
    } else {
      continue;
    }
    row.used = accounts.Of({number, ""}).At(now);
    const bool surplus = counter.aspect == Aspect::kPool && !pool_times_[counter.rule].always &&
                         pool_times_[counter.rule].valid.Contains(now);
    if (surplus) row.used -= kUnbound;
    add(std::move(row));
  }
  return out;
}

}  // namespace muster::rules
