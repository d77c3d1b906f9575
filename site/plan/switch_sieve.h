// Rules out starts for a part that stays below one switch: before the first of its switches may
// have the room, by the same counts that are taken of all nodes (sieve.h). Necessary, not
// sufficient: the mapper decides.
#pragma once

#include <memory>
#include <vector>

#include "base/time.h"
#include "site/plan/occupancy.h"
#include "site/plan/shape.h"
#include "site/plan/sieve.h"

namespace muster::plan {

// REQUIRES that what it is given outlives it and does not change, that the part stays below one
// switch, and that successive calls never go back in time.
class SwitchSieve {
 public:
  SwitchSieve(const Occupancy& occupancy, const PartShape& part);

  // t if one of the switches may have the room there; else a later start before which none may.
  Instant Leap(Instant t);

 private:
  struct Candidate {
    std::unique_ptr<const std::vector<Group>> groups;  // with the hosts below this switch only
    std::vector<Sieve> sieves;
    Instant at{INT64_MIN};  // it may not before
  };
  static void Advance(Candidate& candidate);

  std::vector<Candidate> candidates_;
};

}  // namespace muster::plan
