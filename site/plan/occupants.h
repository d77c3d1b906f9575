// Which bookings are on one node, and when, to tell people what is in their way. Bookings change
// far more often than they are looked up, so they are unsorted, and one is found by a pass over an
// array of short tags.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace muster::plan {

// A part of a booking on a node.
struct Occupant {
  Instant end;
  Instant begin;
  Fence fence;
  uint32_t part = 0;
  auto operator<=>(const Occupant&) const = default;
};

class Occupants {
 public:
  void Add(const Occupant& occupant);
  // REQUIRES: it was added.
  void Remove(const Occupant& occupant);
  // Occupants that end exactly at `end`, and those that are there at any time of [begin, end). Both
  // are sorted by fence.
  std::vector<Occupant> EndingAt(Instant end) const;
  std::vector<Occupant> Within(Instant begin, Instant end) const;

  // Prefetches the memory that the next Add or Remove uses.
  void Prefetch() const;
  // True if both hold the same occupants, in any order.
  bool operator==(const Occupants& other) const;

 private:
  static int32_t TagOf(Instant end) { return static_cast<int32_t>(end.seconds); }
  // Index of the first occupant at or after index `from` that may end at `end`; their number if
  // none may.
  size_t Next(Instant end, size_t from) const;

  std::vector<Occupant> all_;
  std::vector<int32_t> tags_;  // by index in all_: tag of the end
};

}  // namespace muster::plan
