// Copies rules, and makes the texts that people read.
#include "site/settings/rules_of.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <sstream>

#include "base/text/condition.h"
#include "base/text/validity.h"
#include "site/plan/plan.h"

namespace muster::site {
namespace {

// "08", or "08:30" if either end of the span has minutes; 24 is the end of the day.
std::string TimeText(int64_t minute_of_day, bool with_minutes) {
  char text[16];
  const auto hour = static_cast<int>(minute_of_day / 60);
  const auto minute = static_cast<int>(minute_of_day % 60);
  std::snprintf(text, sizeof text, with_minutes ? "%02d:%02d" : "%02d", hour, minute);
  return text;
}

rules::RequestValues ValuesOf(const config::RequestValues& values) {
  return {values.who, values.duration, values.resources, values.properties, values.jobwide};
}

rules::NodeRule NodeRuleOf(const config::NodeRange& range) {
  rules::NodeRule rule{.only = range.only,
                       .only_text = text::ConditionText(range.only),
                       .weight = range.weight,
                       .keep = {},
                       .keep_for = {}};
  if (range.keep) {
    rule.keep = range.keep->amounts;
    rule.keep_for = range.keep->for_each;
  }
  return rule;
}

}  // namespace

plan::Policy PolicyOf(const config::PlanningConfig& planning) {
  switch (planning.policy) {
    case config::PlanningConfig::Policy::kBestFit:
      return plan::Policy::kBestFit;
    case config::PlanningConfig::Policy::kSwitch:
      return plan::Policy::kSwitch;
    case config::PlanningConfig::Policy::kGreedy:
      break;
  }
  return plan::Policy::kGreedy;
}

uint64_t LooksOf(const config::PlanningConfig& planning) {
  return static_cast<uint64_t>(planning.budget.milliseconds) * plan::kLooksPerMillisecond;
}

std::string WhenText(const Validity& validity) {
  if (validity.kind == Validity::Kind::kAlways) return "";
  const std::string written = text::ValidityText(validity);
  const CronTimes& times = validity.times;
  constexpr int64_t kDay = 24 * 60;
  const int64_t begin = std::countr_zero(times.hours) * 60 + std::countr_zero(times.minutes);
  const int64_t end = begin + validity.length.seconds / 60;
  const bool of_days = validity.kind == Validity::Kind::kCron &&
                       times.days == CronTimes::kAllDays && times.months == CronTimes::kAllMonths;
  const bool once_a_day = std::has_single_bit(times.hours) && std::has_single_bit(times.minutes);
  if (!of_days || !once_a_day || end > kDay || validity.length.seconds % 60 != 0) return written;
  std::string word;
  std::istringstream words(written);  // cron MINUTE HOUR DAY MONTH WEEKDAY for SPAN
  for (int i = 0; i < 6; ++i) words >> word;
  const bool with_minutes = begin % 60 != 0 || end % 60 != 0;
  return (word == "*" ? "daily" : word) + " " + TimeText(begin, with_minutes) + "-" +
         TimeText(end, with_minutes);
}

rules::RuleSet RulesOf(const config::SiteConfig& config) {
  rules::RuleSet rules;
  for (const config::LimitConfig& limit : config.limits) {
    rules.limits.push_back({limit.who, limit.resource, limit.items, limit.duration, limit.area,
                            limit.soft, limit.valid, WhenText(limit.valid), limit.each});
  }
  for (const config::PoolConfig& pool : config.pools) {
    rules.pools.push_back({pool.name, pool.resource, pool.keep, pool.open_to, pool.valid,
                           WhenText(pool.valid), pool.lend});
  }
  rules.jobwide = config.jobwide;
  bool any = false;
  for (const config::NodeRange& range : config.ranges) {
    rules.node_rules.push_back(NodeRuleOf(range));
    any = any || !range.only.empty() || range.weight != 0 || range.keep;
  }
  for (const config::NodeConfig& node : config.nodes) {
    if (any) rules.rule_of_node.push_back(static_cast<uint32_t>(node.range));
  }
  if (!any) rules.node_rules.clear();
  for (const config::ReservationConfig& reservation : config.reservations) {
    rules::Standing standing{.name = reservation.name,
                             .nodes = {},
                             .allow = reservation.allow,
                             .valid = reservation.valid};
    standing.open_to = reservation.open_to;
    standing.lend = reservation.lend;
    for (const std::string& name : reservation.nodes) {
      const auto node = std::find_if(config.nodes.begin(), config.nodes.end(),
                                     [&name](const auto& n) { return n.name == name; });
      standing.nodes.push_back(static_cast<uint32_t>(node - config.nodes.begin()));
    }
    rules.standing.push_back(std::move(standing));
  }
  for (size_t r = 0; r < config.ranges.size(); ++r) {
    const config::NodeRange& range = config.ranges[r];
    if (range.valid.kind == Validity::Kind::kAlways) continue;
    rules::Standing& standing = rules.standing.emplace_back();
    standing.name = "[[nodes]] " + range.names;
    standing.valid = range.valid;
    standing.outside = true;
    standing.when = WhenText(range.valid);
    for (uint32_t n = 0; n < config.nodes.size(); ++n) {
      if (config.nodes[n].range == r) standing.nodes.push_back(n);
    }
  }
  rules.recalled_for = config.lent_recalled_for;
  rules.federation_percent = config.federation.max_share_percent;
  for (const config::RequestValues& values : config.defaults) {
    rules.defaults.push_back(ValuesOf(values));
  }
  for (const config::RequestValues& values : config.forced) {
    rules.forced.push_back(ValuesOf(values));
  }
  rules.zone = config.zone;
  return rules;
}

}  // namespace muster::site
