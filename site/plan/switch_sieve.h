// Rules out starts for a part that stays below one switch: those at which none of its switches can
// have room, by the counts of sieve.h over the switch's nodes. The condition is necessary, not
// sufficient: the mapper decides.
#pragma once

#include <memory>
#include <vector>

#include "base/time.h"
#include "site/plan/occupancy.h"
#include "site/plan/shape.h"
#include "site/plan/sieve.h"

namespace muster::plan {

// REQUIRES that the constructor's arguments outlive the sieve and do not change, that the part
// stays below one switch, and that successive calls never go back in time.
class SwitchSieve {
 public:
  SwitchSieve(const Occupancy& occupancy, const PartShape& part);

  // Returns t if one of the switches may have room at t, else a later start before which none has.
  Instant Leap(Instant t);

 private:
  struct Candidate {
    std::unique_ptr<const std::vector<Group>> groups;  // with the hosts below this switch only
    std::vector<Sieve> sieves;
    Instant at{INT64_MIN};  // the switch lacks room for starts before it
  };
  static void Advance(Candidate& candidate);

  std::vector<Candidate> candidates_;
};

}  // namespace muster::plan
