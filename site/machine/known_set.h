// Chooses which of the free placements a request takes, with the coming requests in view:
// verification brings a known set of them, and mapping it at once leaves fewer holes (CCS Sect.
// 4.2, scheduling.md sections 3 and 8). The choice depends only on what is busy, the start and the
// coming forms, not on the starts that coming requests ask for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/time.h"
#include "site/machine/geometry.h"
#include "site/machine/timetable.h"

namespace muster::machine {

// Most coming requests whose forms count for the damage of a placement.
inline constexpr size_t kLookAhead = 32;
// Most requests that a search places together, the present one included.
inline constexpr size_t kSearchedTogether = 6;
// Budgets: placements that one search may try, and that one verdict may try and rank (some tenths
// of a second). A placement costs one per 64 units of the machine, rounded up.
inline constexpr uint64_t kSearchNodes = 10'000;
inline constexpr uint64_t kVerdictNodes = 100'000;

enum class Choice : uint8_t {
  kFirstFit,     // least waste, then the lowest corner
  kLeastDamage,  // the placement that destroys least room for coming requests
  kKnownSet      // by search within its budget, else by least damage
};

// A request as the geometry sees it. It is busy in [start + shift, start + shift + length).
struct Wanted {
  std::vector<Form> forms;  // in the order of Geometry::FormsFor
  Bits hosts;               // units that it may be on
  Span shift;
  Span length;
};

// Places a request at `start`. `free`: its host units that are free over its window. `table`: what
// is busy at any time. `coming`: the requests after it, the next first. `nodes`: the remaining
// budget, from which tried and ranked placements are taken. If it does not suffice, a search falls
// back to least damage, and a ranking to first fit. REQUIRES that there is a placement.
Placement Choose(const Geometry& geometry, const Timetable& table, Instant start,
                 const Wanted& wanted, const Bits& free, std::span<const Wanted> coming, Choice how,
                 uint64_t& nodes);

// Earliest start of a request from `from` on; kFarFuture: none.
Instant EarliestStart(const Geometry& geometry, const Timetable& table, const Wanted& wanted,
                      Instant from);

}  // namespace muster::machine
