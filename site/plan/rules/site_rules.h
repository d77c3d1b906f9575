// A site's rules behind the interface plan::Rules: every limit, FreePool, job-wide resource and the
// federation's share becomes accounts in which orders count (OpenCCS Sect. 3, 5.1; ADR 14).
//
// - Limits count what orders ask for (jRS), chunks and job-wide. Pools and the federation's share
//   count what orders may block; for exclusive parts that is all their nodes have
//   (Kinds::MostBlocked).
// - An order that exceeds an always valid rule by itself is refused: as never if it does so with
//   every node in service, else as blocked. A rule that binds for some time only delays the order.
// - An order counts once among `jobs`, with its longest part.
// - An order of the federation that lasts longer than the site's forced duration is refused as
//   never.
// - An order that exceeds a limit's duration or, with what else is planned, its area may not
//   overlap the limit's validity at all.
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

// Starts up to this far from now may take idle resources whatever a soft limit says.
inline constexpr Span kAtOnce{60};

// What the rules apply to: the plan's machine and settings.
struct Site {
  std::shared_ptr<const machine::Machine> machine;
  std::shared_ptr<const Kinds> kinds;  // of this machine and these rules
  std::vector<bool> usable;            // by node
  Span turnover;
};

// One rule as it applies to a user, as text for people.
struct Row {
  std::string who = {};
  std::string what = {};         // a resource or pseudo-resource, kEvery
  int64_t used = 0;              // now; for an area: planned item-seconds
  std::string limit = {};        // "30/45%", "at most 7d", "500h", "10/20% kept for quick"
  std::string when = {};         // "always", "Mon-Fri 08-18"
  std::string if_exceeded = {};  // "refused", "later start", "no later start"
  bool operator==(const Row&) const = default;
};

struct Judgement;

// Immutable. The numbers of accounts depend on the rule set only, not on the nodes in service or
// the time of construction.
class SiteRules : public plan::Rules {
 public:
  // Repeated validities are worked out in [from, from + 2 * ahead). REQUIRES ahead > 0.
  SiteRules(std::shared_ptr<const RuleSet> rules, Site site, Instant from, Span ahead);

  plan::Ruling On(const plan::Order& order, const plan::Accounts& accounts,
                  Instant now) const override;
  rusv::Rusv Empty(const plan::Account& account) const override;
  plan::Why Binding(const plan::Account& account, Instant until) const override;

  // When fresh rules must replace these, since validities are not known far enough ahead;
  // kFarFuture: never.
  Instant RenewAt() const { return renew_at_; }
  // Do nodes that go out of use or come back change what is allowed?
  bool DependsOnService() const;

  // The rules that apply to this user; `accounts` as of now.
  // Those of accounts, QoS and queues are shown for each of these that a limit names or that has
  // something planned.
  std::vector<Row> Rows(const std::string& user, const std::vector<std::string>& groups,
                        const plan::Accounts& accounts, Instant now) const;

 private:
  enum class Aspect : uint8_t { kItems, kDuration, kArea, kAreaGate, kPool, kJobwide, kShare };
  // The meaning of an account number: an aspect of a rule and, except for durations, one resource.
  struct Counter {
    Aspect aspect = Aspect::kItems;
    uint32_t rule = 0;
    std::string resource;
    int64_t items = 0;  // items that may be used, with the nodes in service
    int64_t whole = 0;  // the same with every node in service
  };
  using Numbers = std::vector<uint32_t>;  // numbers of limits

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
  // A limit on a resource that applies to a consumer, at times when none of overridden_by is valid.
  struct Reach {
    uint32_t limit = 0;
    std::string consumer;  // as in its accounts, where the text includes overridden_by
    Numbers overridden_by;
  };
  // Each kind of credential is a ladder of its own; what is found on every ladder binds.
  std::vector<Reach> ReachOf(const plan::Consumer& who, const std::string& resource) const;
  void ReachUser(const plan::Consumer& who, const std::string& resource,
                 std::vector<Reach>& out) const;
  void ReachLadder(const std::string& word, const std::string& name, const std::string& user,
                   const std::string& resource, std::vector<Reach>& out) const;
  // Adds the limits of one consumer, valid only where none of `over` is. Returns those that it
  // added.
  Numbers Take(const std::string& who, bool each, const std::string& consumer, const Numbers& over,
               const std::string& resource, std::vector<Reach>& out) const;
  Numbers Matching(const std::string& who, bool each, const std::string& resource) const;
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
  std::vector<plan::Consumer> Consumers(const plan::Consumer& user,
                                        const plan::Accounts& accounts) const;
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
  std::map<std::pair<std::string, bool>, Numbers> limits_of_;  // by who and each
  std::vector<Counter> counters_;
  std::map<std::pair<std::pair<Aspect, uint32_t>, std::string>, uint32_t> counter_of_;
};

}  // namespace muster::rules
