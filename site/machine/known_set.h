// Chooses which of the free placements a request takes, with the coming requests in view:
// verification brings a known set of them, and mapping the set together leaves fewer holes (CCS
// Sect. 4.2, scheduling.md sections 3 and 8). The choice never depends on the starts that coming
// requests ask for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/time.h"
#include "site/machine/geometry.h"
#include "site/machine/timetable.h"

namespace muster::machine {

// Maximum number of coming requests whose forms count for the damage of a placement.
inline constexpr size_t kLookAhead = 32;
// Maximum number of requests that a search places together, the present one included.
inline constexpr size_t kSearchedTogether = 6;
// Budgets: how many placements one search may try, and how many one verdict may try and rank (some
// tenths of a second). A placement counts once for every 64 units of the machine, rounded up.
inline constexpr uint64_t kSearchNodes = 10'000;
inline constexpr uint64_t kVerdictNodes = 100'000;

enum class Choice : uint8_t {
  kFirstFit,     // least waste, then the lowest corner
  kLeastDamage,  // the placement that destroys least room for coming requests
  kKnownSet      // by search within its budget, else by least damage
};

// A request as the geometry sees it. Its units are busy in [start + shift, start + shift + length).
struct Wanted {
  std::vector<Form> forms;  // in the order of Geometry::FormsFor
  Bits hosts;               // units that it may be on
  Span shift;
  Span length;
};

// Places a request at `start`. `free`: its host units that are free over its window. `table`: which
// units are busy when. `coming`: the requests after it, the next first. `nodes`: the remaining
// budget; every placement that is tried or ranked lowers it. If the budget does not suffice, a
// search falls back to least damage, and a ranking to first fit. REQUIRES that there is a
// placement.
Placement Choose(const Geometry& geometry, const Timetable& table, Instant start,
                 const Wanted& wanted, const Bits& free, std::span<const Wanted> coming, Choice how,
                 uint64_t& nodes);

// Earliest start of a request from `from` on; kFarFuture: none.
Instant EarliestStart(const Geometry& geometry, const Timetable& table, const Wanted& wanted,
                      Instant from);

}  // namespace muster::machine
