// The interface between a plan and its site's rules: limits, FreePools, job-wide resources and
// nodes' own conditions (OpenCCS Sect. 3, 5.1). The plan itself contains no rules. It counts
// bookings in the accounts that a ruling names, and starts an order only where its binding counts
// have room.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "site/plan/order.h"
#include "site/rusv/rusv.h"

namespace muster::plan {

// Names one vector in which a rule counts (usdRS). `consumer` is empty unless the rule counts each
// consumer by itself.
struct Account {
  uint32_t rule = 0;
  std::string consumer;
  auto operator<=>(const Account&) const = default;
};

// One part of an order takes `amount` items of the account over its window.
struct Count {
  uint32_t part = 0;
  Account account;
  int64_t amount = 0;  // > 0
  // If set, the part may run only while `amount` items are free (uRS). If not, it is counted, but
  // not restricted.
  bool binds = true;
  // Binds only starts of the order from then on: a soft rule does not restrict immediate starts.
  Instant from{INT64_MIN};
};

// Which nodes may host which chunks (Sect. 5.4), by the kinds of nodes that rules distinguish.
struct Hosts {
  std::shared_ptr<const std::vector<uint32_t>> kind_of;  // by node
  std::vector<std::vector<std::vector<bool>>> open;      // by part, chunk and kind
  std::string why;  // what keeps a node closed, for people: "g1 is for ngpus >= 1 only"

  bool May(size_t part, size_t chunk, uint32_t node) const {
    return open.empty() || open[part][chunk][(*kind_of)[node]];
  }
};

// A refusal of every start, whatever is free. kNever: by an absolute rule. kBlocked: for as long as
// nodes are out of use. kLater: because of what is planned now.
struct Refusal {
  Refused::Kind kind = Refused::Kind::kNever;
  Why why;
};

// The rules' judgement of one order. `counts` is filled even if the order is refused, since a
// booking may break a rule that came later.
struct Ruling {
  std::vector<Count> counts;
  Hosts hosts;
  std::optional<Refusal> refuses;
};

class Accounts;

// Immutable; shared by copies of a plan.
class Rules {
 public:
  virtual ~Rules() = default;
  // Judges an order. `accounts` are those of the plan without the order.
  virtual Ruling On(const Order& order, const Accounts& accounts, Instant now) const = 0;
  // The account's vector of used items when nothing is booked. Outside of the rule's validity so
  // much is free that counts never bind.
  virtual rusv::Rusv Empty(const Account& account) const = 0;
  // The reason for an order that this account keeps from starting before `until`; kFarFuture: the
  // end is not known.
  virtual Why Binding(const Account& account, Instant until) const = 0;
};

// The accounts of a plan. A copy shares its vectors until it changes them.
class Accounts {
 public:
  explicit Accounts(std::shared_ptr<const Rules> rules) : rules_(std::move(rules)) {}

  const rusv::Rusv& Of(const Account& account) const;
  // The consumers of all accounts, ascending; also of those in which nothing is booked.
  std::vector<std::string> Consumers() const;
  void Add(const Account& account, const rusv::Slot& slot);
  void Remove(const Account& account, const rusv::Slot& slot);
  void ForgetBefore(Instant t);
  bool operator==(const Accounts& other) const;

 private:
  rusv::Rusv& Mutable(const Account& account);

  std::shared_ptr<const Rules> rules_;
  // Made at first access. Pointers, so that a search can keep the address of a vector.
  mutable std::map<Account, std::shared_ptr<rusv::Rusv>> open_;
  Instant forgotten_{INT64_MIN / 4};
};

}  // namespace muster::plan
