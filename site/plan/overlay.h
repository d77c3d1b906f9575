// The working state of a verdict. Only for the sources of Plan.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "site/machine/known_set.h"
#include "site/plan/plan.h"

namespace muster::plan {

// What a verdict on a machine with a geometry knows of later questions: their forms and their
// order, but not their asked starts.
struct Plan::Ahead {
  // of questions with one part whose answers are booked, in order
  std::vector<machine::Wanted> wanted;
  std::vector<size_t> after;                // by question: index in `wanted` of the first later one
  std::optional<machine::Timetable> table;  // none: must be made anew
  uint64_t nodes = machine::kVerdictNodes;  // what is left of the budget of machine::Choose
};

// The plan's bookings with the answers so far. The first answer that ignores a group of bookings,
// and no other group, is booked as one more member of that group. All other answers are booked in
// full, so that no node is booked twice.
struct Plan::Overlay {
  const Occupancy& plan;  // the plan's bookings without the answers
  std::optional<Ahead> ahead;
  // made at the first change; a single question that ignores no booking makes none
  std::optional<Occupancy> copy;
  bool continued = false;  // a later call may continue this verdict
  bool last = false;       // no question follows, so that the answer need not be booked
  std::map<Fence, std::pair<Fence, Booking>> partner;  // by a group's first member: the answer that
                                                       // joined it
  uint64_t before = 0;  // questions of earlier calls, which have the first numbers

  const Occupancy& occupancy() const { return copy ? *copy : plan; }
  Occupancy& Changing() {
    if (!copy) copy.emplace(plan);
    return *copy;
  }
};

// The parts of an overlay that are kept for the next call, which continues the verdict.
struct Plan::Draft {
  uint64_t revision = 0;  // of the plan when the draft was made
  std::optional<Occupancy> copy;
  std::map<Fence, std::pair<Fence, Booking>> partner;
  uint64_t asked = 0;
};

}  // namespace muster::plan
