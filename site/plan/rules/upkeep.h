// Keeps the rules of one plan up to date: percentages follow the nodes in service, and repeated
// validities are known far enough ahead. A value, copied with its plan.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "site/plan/plan.h"
#include "site/plan/rules/keeps.h"
#include "site/plan/rules/site_rules.h"

namespace muster::rules {

// No booking is judged further beyond its last start than this: what begins later of a repeated
// validity is taken to hold.
inline constexpr Span kLongestJudged{366 * 86400};

class Upkeep {
 public:
  Upkeep(RuleSet rules, std::shared_ptr<const machine::Machine> machine, Span turnover,
         Span horizon);

  // For a plan that is about to begin, with every node in service.
  std::shared_ptr<const plan::Rules> First() const { return current_; }
  // A node of the plan goes out of use or comes back.
  void ServiceChanged() { stale_ = stale_ || current_->DependsOnService(); }
  // To be called before the plan is asked anything as of `now`: gives it fresh rules if it needs
  // any. What they are is a function of the plan's nodes in use and of `now`.
  void Renew(plan::Plan& plan, Instant now);

  // The order as the plan must see it: with the values of its consumer, and with what it takes as
  // one of those for whom nothing is kept.
  void Prepare(plan::Order& order) const;

  const RuleSet& rules() const { return *rules_; }
  const std::vector<Keep>& keeps() const { return keeps_; }
  const SiteRules& current() const { return *current_; }

 private:
  std::shared_ptr<const SiteRules> Make(std::vector<bool> usable, Instant now) const;

  std::shared_ptr<const RuleSet> rules_;
  std::shared_ptr<const machine::Machine> machine_;
  std::shared_ptr<const Kinds> kinds_;
  std::vector<Keep> keeps_;
  Span turnover_;
  Span ahead_;
  std::shared_ptr<const SiteRules> current_;
  bool stale_ = false;
};

}  // namespace muster::rules
