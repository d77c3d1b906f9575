// The order inside a block: each one who leaves counts as promised before the next is chosen. So
// of a hundred alike of one account and ten of another the two take turns, though no promise has
// been given yet. Maui Sect. III (Fairshare); scheduling.md section 12. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "policy/shares.h"

namespace muster::policy {

// One who waits.
struct Entrant {
  int64_t points = 0;  // by all factors but that of the share
  // By rules.shares; the one with the least value gives the factor. Empty: it has no share.
  std::vector<size_t> from = {};
  std::vector<size_t> adds_to = {};  // those that have more once it is promised, by rules.shares
  int64_t booked = 0;                // what it adds, in the unit of the uses
};

// Value type.
class Progressive {
 public:
  // `weight`: of the factor, in points.
  Progressive(FairshareRules rules, int64_t weight, Uses uses)
      : rules_(std::move(rules)), weight_(weight), uses_(std::move(uses)) {}

  // Counts one who leaves.
  void Leave(const Entrant& entrant);
  // The first `count` in the order in which they leave, as indices; each counts. Equal ones leave
  // as they stand. REQUIRES: so many are there.
  std::vector<size_t> Take(const std::vector<const Entrant*>& entrants, size_t count);

 private:
  FairshareRules rules_;
  int64_t weight_;
  Uses uses_;
};

}  // namespace muster::policy
