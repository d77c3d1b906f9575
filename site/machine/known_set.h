// Which of the free placements a request takes, with the coming requests in view: verification
// brings a known set of them, and mapping it at once leaves fewer holes (CCS Sect. 4.2,
// scheduling.md sections 3 and 8). A pure function of what is busy, the start and the forms that
// come: asked starts are not looked at.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/time.h"
#include "site/machine/geometry.h"
#include "site/machine/timetable.h"

namespace muster::machine {

// Coming requests that are looked at.
inline constexpr size_t kLookAhead = 32;
// Requests that are placed together by search, with the one that is asked for.
inline constexpr size_t kSearchedTogether = 6;
// Placements that one search tries, and that one verdict tries and ranks: some tenths of a second.
// On machines of more than 64 units each counts once for every 64.
inline constexpr uint64_t kSearchNodes = 10'000;
inline constexpr uint64_t kVerdictNodes = 100'000;

enum class Choice : uint8_t {
  kFirstFit,     // least waste, then the lowest corner
  kLeastDamage,  // the placement that destroys least room for what comes
  kKnownSet      // by search where that is affordable, else by least damage
};

// A request as far as geometry goes: busy in [start + shift, start + shift + length).
struct Wanted {
  std::vector<Form> forms;  // in the order of Geometry::FormsFor
  Bits hosts;               // units that it may be on
  Span shift;
  Span length;
};

// The placement of a request at `start`, all of it within `free`, which are of its hosts and free
// over its window; `table` says what is busy at any time. `coming`: those after it, the next first.
// What is tried and ranked is taken from `nodes`; where they do not suffice a search ends with the
// least damage, and a ranking with the first fit. REQUIRES that there is a placement.
Placement Choose(const Geometry& geometry, const Timetable& table, Instant start,
                 const Wanted& wanted, const Bits& free, std::span<const Wanted> coming, Choice how,
                 uint64_t& nodes);

// Earliest start from `from` on; kFarFuture: none.
Instant EarliestStart(const Geometry& geometry, const Timetable& table, const Wanted& wanted,
                      Instant from);

}  // namespace muster::machine
