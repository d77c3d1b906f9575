// The independent checker of whole plans: told of every booking as it comes, changes and goes, it
// says every rule of OpenCCS Sect. 3 and 5 that the bookings of now and later break together.
// Written from the paper's text; it shares no code with the planner.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/plan_checker/facts.h"

namespace muster::sim {

enum class Breach : uint8_t {
  kNode,         // a node that is not there
  kSplit,        // a chunk that is not whole on one node, or too few or too many of them
  kProperty,     // a node without a property asked for
  kCondition,    // a node that is not for such chunks
  kPlacement,    // packed ones apart, scattered ones together
  kTopology,     // below several switches
  kTwice,        // a node's items booked twice
  kExclusive,    // beside one that has the node for itself
  kKept,         // what a node keeps for those who need its expensive resource
  kJobwide,      // more job-wide items than there are
  kLimit,        // more than a consumer may have
  kPool,         // what a FreePool keeps free of others
  kReservation,  // in one of others, beyond its own, or outside of it
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

  // It is booked so from now on, whatever it was before / is not booked any more.
  void Put(BookedOrder order);
  void Remove(const std::string& name);

  // What is wrong at `from` or later with anything that touches what changed since the last call.
  std::vector<Violation> Check(Instant from);
  // The same of everything.
  std::vector<Violation> CheckAll(Instant from);

  size_t booked() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::sim
