// A site's rules as its plan asks them: every limit, FreePool, job-wide resource and the
// federation's share becomes accounts that orders count in (OpenCCS Sect. 3, 5.1; ADR 14).
//
// - Limits count what orders ask for (jRS), chunks and job-wide; pools and the share count what may
//   be blocked, which for whole nodes is all they have (Kinds::MostBlocked).
// - What binds by itself for ever is refused as never (judged with every node in service), or
//   blocked if nodes out of use are all it needs; what binds for a time moves the order.
// - A job counts once among `jobs`, with its longest part.
// - An order from elsewhere that lasts longer than the site insists on is never taken.
// - An order beyond a limit's duration or, with what else is planned, its area stays out of the
//   limit's validity altogether.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "site/plan/rules.h"
#include "site/plan/rules/kinds.h"
#include "site/plan/rules/rule_set.h"
#include "site/plan/rules/times.h"

namespace muster::rules {

// A start not later than this from now takes what is idle, whatever a soft limit says.
inline constexpr Span kAtOnce{60};

// What the rules are applied to. The plan's machine and settings.
struct Site {
  std::shared_ptr<const machine::Machine> machine;
  std::shared_ptr<const Kinds> kinds;  // of this machine and these rules
  std::vector<bool> usable;            // by node
  Span turnover;
};

// A rule as it stands for somebody, for people.
struct Row {
  std::string who = {};
  std::string what = {};         // a resource or pseudo-resource, kEvery
  int64_t used = 0;              // now; of an area all that is planned, times seconds
  std::string limit = {};        // "30/45%", "at most 7d", "500h", "10/20% kept for quick"
  std::string when = {};         // "always", "Mon-Fri 08-18"
  std::string if_exceeded = {};  // "refused", "later start", "no later start"
  bool operator==(const Row&) const = default;
};

struct Judgement;

// Immutable. Rules that count in the same accounts for the same rule set, whatever is in service
// and whenever they are made.
class SiteRules : public plan::Rules {
 public:
  // Repeated validities are worked out in [from, from + 2 * ahead). REQUIRES ahead > 0.
  SiteRules(std::shared_ptr<const RuleSet> rules, Site site, Instant from, Span ahead);

  plan::Ruling On(const plan::Order& order, const plan::Accounts& accounts,
                  Instant now) const override;
  rusv::Rusv Empty(const plan::Account& account) const override;
  plan::Why Binding(const plan::Account& account, Instant until) const override;

  // From then on fresh ones must take their place, as validities are not known far enough ahead;
  // kFarFuture: never.
  Instant RenewAt() const { return renew_at_; }
  // Nodes that go out of use or come back change what is allowed.
  bool DependsOnService() const;

  // The rules that meet this user; `accounts` as of now.
  std::vector<Row> Rows(const std::string& user, const std::vector<std::string>& groups,
                        const plan::Accounts& accounts, Instant now) const;

 private:
  enum class Aspect : uint8_t { kItems, kDuration, kArea, kAreaGate, kPool, kJobwide, kShare };
  // What accounts of one number count: a rule, and of limits and the share one resource.
  struct Counter {
    Aspect aspect = Aspect::kItems;
    uint32_t rule = 0;
    std::string resource;
    int64_t items = 0;  // that may be used, with what is in service
    int64_t whole = 0;  // with every node in service
  };
  using Numbers = std::vector<uint32_t>;  // of limits

  void AddCounter(Aspect aspect, uint32_t rule, const std::string& resource, const Quota& quota,
                  bool keeps);
  uint32_t CounterOf(Aspect aspect, uint32_t rule, const std::string& resource) const;
  std::pair<int64_t, int64_t> InService(const std::string& resource) const;

  void JudgeDuration(Judgement& judged) const;
  void JudgeJobwide(Judgement& judged) const;
  void JudgeShare(Judgement& judged) const;
  void JudgePools(Judgement& judged) const;
  void JudgeHosts(Judgement& judged) const;
  std::vector<int64_t> BlockedBy(const Judgement& judged, const std::string& resource) const;
  std::vector<bool>& HostsOf(Judgement& judged, size_t part, size_t chunk) const;
  void KeepOff(Judgement& judged, const Pool& pool, const std::vector<int64_t>& amounts) const;
  // limits.cc
  void JudgeLimits(Judgement& judged) const;
  // A limit that speaks of a resource to a consumer, valid only where none of others is.
  struct Reach {
    uint32_t limit = 0;
    std::string consumer;  // of its accounts: with overridden_by
    Numbers overridden_by;
  };
  std::vector<Reach> ReachOf(const std::string& user, const std::vector<std::string>& groups,
                             const std::string& resource) const;
  Numbers Matching(const std::string& who, const std::string& resource) const;
  void Apply(Judgement& judged, const Reach& reach, const std::string& resource) const;
  void ApplyDuration(Judgement& judged, const Reach& reach, const std::string& resource) const;
  void ApplyArea(Judgement& judged, const Reach& reach, const std::string& resource) const;
  void Bind(Judgement& judged, uint32_t counter, const std::string& consumer,
            const std::vector<int64_t>& amounts, bool absolute, Instant from) const;
  IntervalSet ValidOf(uint32_t limit, const Numbers& overridden_by) const;
  bool Holds(uint32_t limit) const { return limit_times_[limit].always; }
  bool IsAbsolute(const Reach& reach) const;
  void KeepOut(Judgement& judged, uint32_t gate, const Reach& reach, uint32_t part) const;
  Numbers OverriddenBy(const plan::Account& account) const;
  int64_t AreaPlanned(const Reach& reach, const std::string& resource,
                      const plan::Accounts& accounts, Instant now) const;
  // texts.cc
  std::vector<Row> LimitRows(const Reach& reach, const std::string& resource,
                             const std::string& user, const plan::Accounts& accounts,
                             Instant now) const;
  std::string TextOf(const Counter& counter) const;
  plan::Why WhyOf(const Counter& counter, std::string text) const;

  std::shared_ptr<const RuleSet> rules_;
  Site site_;
  bool forces_duration_ = false;
  Instant renew_at_ = kFarFuture;
  std::vector<Times> limit_times_;
  std::vector<Times> pool_times_;
  std::map<std::string, Numbers> limits_of_;  // by who
  std::vector<Counter> counters_;
  std::map<std::pair<std::pair<Aspect, uint32_t>, std::string>, uint32_t> counter_of_;
};

}  // namespace muster::rules
