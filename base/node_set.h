// A node set as a value: which nodes a part wants together, and what a speed makes of a duration.
// Maui Sect. IV (node sets), scheduling.md (node sets).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace muster {

// The reference speed of nodes; speeds are in thousandths of it.
inline constexpr int64_t kFullSpeed = 1000;
inline constexpr int64_t kLeastSpeed = 10;     // 1 %
inline constexpr int64_t kMostSpeed = 10'000;  // 1000 %
// Most groups that a set may choose among: each is searched by itself.
inline constexpr size_t kSetGroups = 16;

// Attributes that are no property of a node.
inline constexpr char kSpeedAttribute[] = "speed";
inline constexpr char kSwitchAttribute[] = "switch";

// How far apart the values of one group may be.
struct Tolerance {
  bool relative = false;  // in per cent of the least value; else in the values' own unit
  int64_t most = 0;       // > 0
  bool operator==(const Tolerance&) const = default;
};

struct NodeSet {
  // kOneOf: all nodes of one group, whichever is best. kAnyOf: nodes of any group. kFirstOf: all
  // nodes of one group, the first in the order of `values` that starts soon enough.
  enum class Choice : uint8_t { kOneOf, kAnyOf, kFirstOf };

  std::string attribute;            // "speed", "switch" or a property
  std::vector<std::string> values;  // of these; empty: of all that there are
  std::optional<Tolerance> tolerance;
  Choice choice = Choice::kOneOf;
  bool best = false;  // if no group starts soon enough, a mixture of the least loss
  Span wait;          // how much later than the earliest start is soon enough
  bool operator==(const NodeSet&) const = default;

  // All nodes below one switch, whichever: it has no groups to name.
  bool IsOneSwitch() const {
    return attribute == kSwitchAttribute && values.empty() && choice == Choice::kOneOf && !best;
  }
};

// How long what takes `duration` at the reference speed takes at `speed`, rounded up. REQUIRES:
// `duration` in [0, 2^50), `speed` in [kLeastSpeed, kMostSpeed].
inline Span AtSpeed(Span duration, int64_t speed) {
  if (speed == kFullSpeed) return duration;
  return {(duration.seconds * kFullSpeed + speed - 1) / speed};
}

}  // namespace muster
