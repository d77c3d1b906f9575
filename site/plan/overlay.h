// A verdict in the making. Only for the sources of Plan.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "site/machine/known_set.h"
#include "site/plan/plan.h"

namespace muster::plan {

// What a verdict on a machine with a geometry knows of the questions to come: their forms and
// order, never when they are asked to start.
struct Plan::Ahead {
  std::vector<machine::Wanted> wanted;      // of questions with one part, in order
  std::vector<size_t> after;                // by question: the first of these that comes later
  std::optional<machine::Timetable> table;  // none: to be made anew
  uint64_t nodes = machine::kVerdictNodes;  // that searches may still try
};

// What is booked, with what was answered so far. An answer that ignores a group of bookings is
// booked beside it, the first such answer as one more member; later ones count in full, which never
// books a node twice.
struct Plan::Overlay {
  const Occupancy& plan;  // as it is
  std::optional<Ahead> ahead;
  std::optional<Occupancy> copy;  // from the first change on; one question alone makes none
  bool continued = false;         // others may follow these
  bool last = false;              // no question follows: nothing is booked for one
  std::map<Fence, std::pair<Fence, Booking>> partner;  // of a group, by its first member
  uint64_t before = 0;  // questions that these continue: they have the first numbers

  const Occupancy& occupancy() const { return copy ? *copy : plan; }
  Occupancy& Changing() {
    if (!copy) copy.emplace(plan);
    return *copy;
  }
};

// What stays of an overlay between questions that continue each other.
struct Plan::Draft {
  uint64_t revision = 0;  // of the plan, as it was
  std::optional<Occupancy> copy;
  std::map<Fence, std::pair<Fence, Booking>> partner;
  uint64_t asked = 0;
};

}  // namespace muster::plan
