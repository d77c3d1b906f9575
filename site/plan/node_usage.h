// The use of every node over time (nRS of OpenCCS Sect. 4), and the bookings on it with their
// times. The use is exact, and thus the authority on single nodes. Copying is cheap: copies share
// nodes until one of them changes a node.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "base/time.h"
#include "site/machine/machine.h"
#include "site/plan/occupants.h"
#include "site/rusv/rusv.h"

namespace muster::plan {

// The share of a node is one more dimension after the resources: a part takes 1 of kWholeNode, an
// exclusive part all of it. So exclusive use needs no rule of its own.
inline constexpr int64_t kWholeNode = int64_t{1} << 24;

class NodeUsage {
 public:
  explicit NodeUsage(std::shared_ptr<const machine::Machine> machine);

  const machine::Machine& machine() const { return *machine_; }
  uint32_t dimensions() const { return share() + 1; }
  uint32_t share() const { return static_cast<uint32_t>(machine_->resource_count()); }
  // The amount of a dimension that the node has. Capacity leaves out items that are out of order;
  // Whole includes them.
  int64_t Capacity(uint32_t node, uint32_t dimension) const {
    return nodes_[node]->used[dimension].avl();
  }
  int64_t Whole(uint32_t node, uint32_t dimension) const {
    return dimension == share() ? kWholeNode : machine_->Amount(node, dimension);
  }

  // Used items of a dimension of a node.
  const rusv::Rusv& Of(uint32_t node, uint32_t dimension) const {
    return nodes_[node]->used[dimension];
  }
  const Occupants& OccupantsOf(uint32_t node) const { return nodes_[node]->occupants; }
  void AddOccupant(uint32_t node, const Occupant& occupant) {
    Mutable(node).occupants.Add(occupant);
  }
  void RemoveOccupant(uint32_t node, const Occupant& occupant) {
    Mutable(node).occupants.Remove(occupant);
  }

  // Number of looks at single nodes since the beginning: the cost of planning. A budget in looks,
  // unlike one in time, ends at the same place in every run.
  uint64_t looks() const { return looks_; }
  void Look(uint64_t looks) const { looks_ += looks; }

  // Earlier instants must not be looked up.
  Instant forgotten() const { return forgotten_; }

  // Compares the usage of all nodes.
  bool operator==(const NodeUsage& other) const;

 protected:
  // Used items of a dimension of a node, to be changed.
  rusv::Rusv& Used(uint32_t node, uint32_t dimension) { return Mutable(node).used[dimension]; }
  // Is some node booked beyond its capacity?
  bool IsOverbooked() const;
  // REQUIRES: not before forgotten().
  void ForgetBefore(Instant t);

 private:
  struct One {
    absl::InlinedVector<rusv::Rusv, 5> used;  // by dimension
    Occupants occupants;
    bool operator==(const One&) const = default;
  };
  One& Mutable(uint32_t node);

  std::shared_ptr<const machine::Machine> machine_;
  std::vector<std::shared_ptr<One>> nodes_;  // written only while not shared
  mutable uint64_t looks_ = 0;
  Instant forgotten_{INT64_MIN / 4};
};

}  // namespace muster::plan
