// Who is booked on one node, and when: what people are told when it is in their way. Bookings come
// and go far more often than anybody asks, so they lie in no order, and one is found by a pass over
// short numbers that lie side by side.
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
  // REQUIRES: it is there.
  void Remove(const Occupant& occupant);
  // Those that end exactly then, and those that are there at any time of [begin, end): by fence.
  std::vector<Occupant> EndingAt(Instant end) const;
  std::vector<Occupant> Within(Instant begin, Instant end) const;

  // One will be added or removed.
  void Prefetch() const;
  // Do they have the same ones?
  bool operator==(const Occupants& other) const;

 private:
  static int32_t TagOf(Instant end) { return static_cast<int32_t>(end.seconds); }
  // The first at `from` or behind it that may end then; how many there are if none may.
  size_t Next(Instant end, size_t from) const;

  std::vector<Occupant> all_;
  std::vector<int32_t> tags_;  // of their ends, in the same order
};

}  // namespace muster::plan
