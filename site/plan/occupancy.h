// What is booked on every node (node_usage.h) and in the whole machine over time (sRS of OpenCCS
// Sect. 4), with what searches know of it. Copying one is cheap, so that a verdict plans on a copy
// (scheduling.md section 3).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/interval.h"
#include "base/time.h"
#include "site/machine/machine.h"
#include "site/plan/frontier.h"
#include "site/plan/node_rows.h"
#include "site/plan/node_starts.h"
#include "site/plan/node_usage.h"
#include "site/plan/rules.h"
#include "site/plan/system_vector.h"

namespace muster::plan {

// `amount` of one dimension of one node in [begin, end).
struct Use {
  uint32_t node = 0;
  uint32_t dimension = 0;
  Instant begin;
  Instant end;
  int64_t amount = 0;
};

class Occupancy : public NodeUsage {
 public:
  Occupancy(std::shared_ptr<const machine::Machine> machine, std::shared_ptr<const Rules> rules);

  // So much of a resource of a node is out of order (OpenCCS Sect. 4). What is booked stays.
  // REQUIRES: 0 <= items <= what the machine has.
  void SetDefect(uint32_t node, uint32_t resource, int64_t items);

  // Books and revokes (OpenCCS Sect. 5.3); what lies before the forgotten instant is dropped.
  void Add(const std::vector<Use>& uses);
  // Not `for_good`, the same is added again next, or Release is told and then something added.
  void Remove(const std::vector<Use>& uses, bool for_good = true);

  // Used items of a resource over all nodes.
  const SystemVector& System(uint32_t resource) const { return system_[resource]; }
  // The same for all nodes at once, as an upper bound of what is free.
  const NodeRows& rows() const { return rows_; }
  // What is known of starts that do not work. It changes no answer.
  Frontier& frontier() const { return frontier_; }
  NodeStarts& starts() const { return starts_; }
  void Release(const Interval& booked, std::vector<uint32_t> nodes) const;
  // The nodes of what is out, but not for good.
  const std::vector<uint32_t>& lent() const { return lent_; }
  const Accounts& accounts() const { return accounts_; }
  Accounts& accounts() { return accounts_; }
  // False once more than there is was booked on a node: then sums over nodes say nothing of single
  // ones.
  bool SumsAreExact() const { return !overbooked_; }

  // Drops everything before `t`; no question about earlier instants may follow.
  void ForgetBefore(Instant t);

  // Equal usage of every node and of the machine.
  bool operator==(const Occupancy& other) const;

 private:
  void Prefetch(const std::vector<Use>& uses) const;
  void ChangeAll(const std::vector<Use>& uses, bool add);

  std::vector<SystemVector> system_;
  NodeRows rows_;
  mutable Frontier frontier_;
  mutable NodeStarts starts_;
  std::vector<uint32_t> lent_;
  Accounts accounts_;
  bool overbooked_ = false;
};

}  // namespace muster::plan
