// Validities are expanded twice as far ahead as is needed, so that fresh rules are seldom made.
#include "site/plan/rules/upkeep.h"

#include <utility>

#include "site/plan/rules/request_values.h"
#include "site/plan/rules/standing.h"

namespace muster::rules {
namespace {

// Validities are expanded from this long before now, since they also apply to what is booked
// already.
constexpr Span kBefore{86400};

}  // namespace

Upkeep::Upkeep(RuleSet rules, std::shared_ptr<const machine::Machine> machine, Span turnover,
               Span horizon)
    : rules_(std::make_shared<const RuleSet>(std::move(rules))),
      machine_(std::move(machine)),
      kinds_(std::make_shared<const Kinds>(machine_, *rules_)),
      keeps_(KeepsOf(*rules_)),
      turnover_(turnover),
      ahead_(kBefore + horizon + kLongestJudged),
      current_(Make(std::vector<bool>(machine_->node_count(), true), Instant{0})) {}

std::shared_ptr<const SiteRules> Upkeep::Make(std::vector<bool> usable, Instant now) const {
  Site site{machine_, kinds_, std::move(usable), turnover_};
  return std::make_shared<const SiteRules>(rules_, std::move(site), now - kBefore, ahead_);
}

void Upkeep::Prepare(plan::Order& order) const {
  Fill(*rules_, order);
  TakeAsOthers(keeps_, order);
  TakeUnreserved(*rules_, order);
  order.waits_for_lent = !CoversOneOf(rules_->recalled_for, order.who);
}

void Upkeep::Renew(plan::Plan& plan, Instant now) {
  if (!stale_ && now < current_->RenewAt()) return;
  std::vector<bool> usable;
  for (uint32_t n = 0; n < machine_->node_count(); ++n) usable.push_back(plan.IsUsable(n));
  current_ = Make(std::move(usable), now);
  plan.SetRules(current_, now, !stale_);
  stale_ = false;
}

}  // namespace muster::rules
