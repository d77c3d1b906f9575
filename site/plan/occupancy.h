// What is booked over time on every node (node_usage.h) and on the whole machine (sRS of OpenCCS
// Sect. 4), with the bounds that searches have learned. Copying is cheap, so that a verdict plans
// on a copy (scheduling.md section 3).
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

  // Sets how many `items` of a node's resource are out of order (OpenCCS Sect. 4). Bookings stay.
  // REQUIRES: 0 <= items <= the node's amount.
  void SetDefect(uint32_t node, uint32_t resource, int64_t items);

  // Books and revokes (OpenCCS Sect. 5.3). Time before forgotten() is ignored.
  void Add(const std::vector<Use>& uses);
  // Without `for_good`, Remove is temporary: next the caller adds the same uses again, or calls
  // Release and then adds something.
  void Remove(const std::vector<Use>& uses, bool for_good = true);

  // Used items of a resource over all nodes.
  const SystemVector& System(uint32_t resource) const { return system_[resource]; }
  // Upper bounds of what every node has free, for all nodes at once.
  const NodeRows& rows() const { return rows_; }
  // Learned bounds of starts that do not work. They change no answer.
  Frontier& frontier() const { return frontier_; }
  NodeStarts& starts() const { return starts_; }
  void Release(const Interval& booked, std::vector<uint32_t> nodes) const;
  // The nodes of uses that are removed temporarily.
  const std::vector<uint32_t>& lent() const { return lent_; }
  const Accounts& accounts() const { return accounts_; }
  Accounts& accounts() { return accounts_; }
  // False if a node is overbooked: sums over nodes then say nothing about single nodes.
  bool SumsAreExact() const { return !overbooked_; }

  // Drops everything before `t`; no question about earlier instants may follow.
  void ForgetBefore(Instant t);

  // Compares usage of nodes, machine and accounts.
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
