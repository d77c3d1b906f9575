// What a plan asks of its site's rules: limits, FreePools, job-wide resources and nodes' own
// conditions, as far as an order meets them (OpenCCS Sect. 3, 5.1). The plan knows no rule: it
// counts in the accounts that a ruling names, and keeps the counts that it must keep.
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

// One vector that a rule counts in: of a rule, for a consumer where each has its own (usdRS).
struct Account {
  uint32_t rule = 0;
  std::string consumer;
  auto operator<=>(const Account&) const = default;
};

// `amount` items of the account over the window of one part of an order.
struct Count {
  uint32_t part = 0;
  Account account;
  int64_t amount = 0;  // > 0
  // The part may only be where so many items are free (uRS); else it is counted and asks nothing.
  bool binds = true;
  // Binds starts of the order from then on only: a soft rule leaves what can start at once alone.
  Instant from{INT64_MIN};
};

// Nodes that host some chunks and no others (Sect. 5.4), by kinds of nodes that rules tell apart.
struct Hosts {
  std::shared_ptr<const std::vector<uint32_t>> kind_of;  // by node
  std::vector<std::vector<std::vector<bool>>> open;      // by part, chunk and kind
  std::string why;  // what keeps a node closed, for people: "g1 is for ngpus >= 1 only"

  bool May(size_t part, size_t chunk, uint32_t node) const {
    return open.empty() || open[part][chunk][(*kind_of)[node]];
  }
};

// No start will do, whatever is free: kNever, by an absolute rule; kBlocked, for as long as nodes
// are out of use; kLater, as things are planned now.
struct Refusal {
  Refused::Kind kind = Refused::Kind::kNever;
  Why why;
};

// What the rules say of one order. It counts even where it is refused: what is booked may break a
// rule that came later.
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
  // `accounts` are as the order would find them.
  virtual Ruling On(const Order& order, const Accounts& accounts, Instant now) const = 0;
  // The account when nothing is booked: of kind used; what a validity leaves out is free, so that
  // counts there never bind.
  virtual rusv::Rusv Empty(const Account& account) const = 0;
  // Why an order waits that this account binds until then; kFarFuture: for as far as is known.
  virtual Why Binding(const Account& account, Instant until) const = 0;
};

// The accounts of a plan. A copy shares its vectors until it changes them.
class Accounts {
 public:
  explicit Accounts(std::shared_ptr<const Rules> rules) : rules_(std::move(rules)) {}

  const rusv::Rusv& Of(const Account& account) const;
  void Add(const Account& account, const rusv::Slot& slot);
  void Remove(const Account& account, const rusv::Slot& slot);
  void ForgetBefore(Instant t);
  bool operator==(const Accounts& other) const;

 private:
  rusv::Rusv& Mutable(const Account& account);

  std::shared_ptr<const Rules> rules_;
  // Opened at the first look, so that a search holds a vector by its address.
  mutable std::map<Account, std::shared_ptr<rusv::Rusv>> open_;
  Instant forgotten_{INT64_MIN / 4};
};

}  // namespace muster::plan
