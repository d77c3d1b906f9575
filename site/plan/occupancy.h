// What is booked on every node and in the whole machine over time (nRS and sRS of OpenCCS Sect. 4),
// and who ends when on which node. Copying one is cheap: nodes are shared until one copy changes
// them, so that a verdict plans on a copy (scheduling.md section 3).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "base/time.h"
#include "site/machine/machine.h"
#include "site/plan/frontier.h"
#include "site/plan/node_rows.h"
#include "site/plan/node_starts.h"
#include "site/plan/occupants.h"
#include "site/plan/rules.h"
#include "site/plan/system_vector.h"
#include "site/rusv/rusv.h"

namespace muster::plan {

// The share of a node is one more dimension after the resources: a part takes 1 of kWholeNode, an
// exclusive one all of it. So exclusive use needs no rule of its own.
inline constexpr int64_t kWholeNode = int64_t{1} << 24;

// `amount` of one dimension of one node in [begin, end).
struct Use {
  uint32_t node = 0;
  uint32_t dimension = 0;
  Instant begin;
  Instant end;
  int64_t amount = 0;
};

class Occupancy {
 public:
  Occupancy(std::shared_ptr<const machine::Machine> machine, std::shared_ptr<const Rules> rules);

  const machine::Machine& machine() const { return *machine_; }
  uint32_t dimensions() const { return share() + 1; }
  uint32_t share() const { return static_cast<uint32_t>(machine_->resource_count()); }
  // What is there of a dimension, without its defect; and what there would be if all were in order.
  int64_t Capacity(uint32_t node, uint32_t dimension) const {
    return nodes_[node]->used[dimension].avl();
  }
  int64_t Whole(uint32_t node, uint32_t dimension) const {
    return dimension == share() ? kWholeNode : machine_->Amount(node, dimension);
  }
  // So much of a resource of a node is out of order (OpenCCS Sect. 4). What is booked stays.
  // REQUIRES: 0 <= items <= what the machine has.
  void SetDefect(uint32_t node, uint32_t resource, int64_t items);

  // Books and revokes (OpenCCS Sect. 5.3); what lies before the forgotten instant is dropped.
  void Add(const std::vector<Use>& uses);
  // Not `for_good`, the same is added again next, or Release is told and then something added.
  void Remove(const std::vector<Use>& uses, bool for_good = true);
  void AddOccupant(uint32_t node, const Occupant& occupant) {
    Mutable(node).occupants.Add(occupant);
  }
  void RemoveOccupant(uint32_t node, const Occupant& occupant) {
    Mutable(node).occupants.Remove(occupant);
  }

  // Used items of a dimension of a node; of a resource over all nodes.
  const rusv::Rusv& Of(uint32_t node, uint32_t dimension) const {
    return nodes_[node]->used[dimension];
  }
  const SystemVector& System(uint32_t resource) const { return system_[resource]; }
  // The same for all nodes at once, as an upper bound of what is free.
  const NodeRows& rows() const { return rows_; }
  // Looks at single nodes since the beginning: what planning costs, as a count. A budget in looks,
  // unlike one in time, ends at the same place in every run.
  uint64_t looks() const { return looks_; }
  void Look(uint64_t looks) const { looks_ += looks; }
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
  const Occupants& OccupantsOf(uint32_t node) const { return nodes_[node]->occupants; }

  // Drops everything before `t`; no question about earlier instants may follow.
  void ForgetBefore(Instant t);
  Instant forgotten() const { return forgotten_; }

  // Equal usage of every node and of the machine.
  bool operator==(const Occupancy& other) const;

 private:
  struct NodeUsage {
    absl::InlinedVector<rusv::Rusv, 5> used;  // by dimension
    Occupants occupants;
    bool operator==(const NodeUsage&) const = default;
  };
  NodeUsage& Mutable(uint32_t node);
  void Prefetch(const std::vector<Use>& uses) const;
  void ChangeAll(const std::vector<Use>& uses, bool add);
  bool IsOverbooked() const;

  std::shared_ptr<const machine::Machine> machine_;
  std::vector<std::shared_ptr<NodeUsage>> nodes_;  // written only while not shared
  std::vector<SystemVector> system_;
  NodeRows rows_;
  mutable Frontier frontier_;
  mutable NodeStarts starts_;
  std::vector<uint32_t> lent_;
  mutable uint64_t looks_ = 0;
  Accounts accounts_;
  Instant forgotten_{INT64_MIN / 4};
  bool overbooked_ = false;
};

}  // namespace muster::plan
