// Keeps the rules of one plan up to date: percentages follow the nodes in service, and repeated
// validities are known far enough ahead. A value that is copied with its plan.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "site/plan/plan.h"
#include "site/plan/rules/keeps.h"
#include "site/plan/rules/site_rules.h"

namespace muster::rules {

// Repeated validities are expanded at least this far beyond the horizon, which is the last start
// that is planned, unless kMostIntervals ends the expansion sooner. All times beyond count as
// valid.
inline constexpr Span kLongestJudged{366 * 86400};

class Upkeep {
 public:
  Upkeep(RuleSet rules, std::shared_ptr<const machine::Machine> machine, Span turnover,
         Span horizon);

  // The rules of a new plan, with every node in service.
  std::shared_ptr<const plan::Rules> First() const { return current_; }
  // To be called when a node of the plan goes out of use or comes back.
  void ServiceChanged() { stale_ = stale_ || current_->DependsOnService(); }
  // Gives the plan fresh rules if it needs any. To be called before every question to the plan as
  // of `now`. The rules depend only on the plan's nodes in use and on `now`.
  void Renew(plan::Plan& plan, Instant now);

  // Completes an order for the plan: applies its consumer's default and forced values, and adds
  // what it takes of the dimensions of keeps.h and standing.h, and whether it waits for lent work.
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
