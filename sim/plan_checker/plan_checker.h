// The independent checker of whole plans. It is updated with every booking that is made, changed or
// removed, and reports every rule of OpenCCS Sect. 3 and 5 that the present and future bookings
// break together. Written from the paper's text; it shares no code with the planner.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/plan_checker/facts.h"

namespace muster::sim {

enum class Breach : uint8_t {
  kNode,         // the node does not exist
  kSplit,        // a chunk set is not whole on one node, or there are too few or too many sets
  kProperty,     // the node lacks a requested property
  kCondition,    // the node's condition excludes the chunk
  kPlacement,    // packed sets on several nodes, or scattered sets on one
  kTopology,     // not below one switch, or not below the lowest that could hold it
  kTwice,        // a node's resources are overbooked
  kExclusive,    // another booking on a node with an exclusive part
  kKept,         // uses the amount kept for users of an expensive resource
  kJobwide,      // more job-wide items booked than exist
  kLimit,        // a consumer or the federation has more than its limit
  kPool,         // uses what a FreePool keeps free for others
  kReservation,  // in somebody else's reservation, above its amounts, or outside of its time
};

struct Violation {
  Breach breach = Breach::kNode;
  std::string text;  // who, where, when
};

class PlanChecker {
 public:
  // REQUIRES: names are unique.
  explicit PlanChecker(PlanFacts facts);
  PlanChecker(PlanChecker&&) noexcept;
  ~PlanChecker();

  // Adds or replaces a booking / removes it.
  void Put(BookedOrder order);
  void Remove(const std::string& name);

  // Violations at `from` or later that involve anything changed since the last call.
  std::vector<Violation> Check(Instant from);
  // The same for all bookings.
  std::vector<Violation> CheckAll(Instant from);

  size_t booked() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::sim
