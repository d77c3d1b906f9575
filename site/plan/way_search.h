// Searches the ways of an order together: each is searched by itself (search.h), and what they
// find is one answer. Maui Sect. IV (node sets), scheduling.md (node sets).
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "site/plan/occupancy.h"
#include "site/plan/search.h"
#include "site/plan/set_choice.h"
#include "site/plan/shape.h"
#include "site/plan/ways.h"

namespace muster::plan {

// The ways of an order, each compiled. `shapes` has as many as `ways.all`, at least one.
struct CompiledWays {
  Ways ways;
  std::vector<Shape> shapes;

  bool single() const { return shapes.size() == 1; }
};

// A mapping at a start, and by which way.
struct Picked {
  Found found;
  size_t way = 0;
};

// What the order has already, where it is planned anew: a lesser way is worth a move only if it
// starts more than the wait earlier.
struct Present {
  Instant start;
  std::vector<uint32_t> wish;
};

// The starts in `inside` that way `way` may take, given what the order has.
IntervalSet InsideOf(const Ways& ways, size_t way, const IntervalSet& inside,
                     const std::optional<Present>& present);

// The first start of one way in these starts.
using FirstStart = std::function<std::optional<Found>(const Shape&, const IntervalSet&)>;
// The chosen way at its earliest start in `inside` (ChooseSet). Asks `first` only for starts that
// could still be chosen.
std::optional<Picked> PickFirst(const Occupancy& occupancy, const CompiledWays& compiled,
                                const IntervalSet& inside, const std::optional<Present>& present,
                                const FirstStart& first);
// The same, of what maps at exactly this start.
std::optional<Picked> PickAt(const Occupancy& occupancy, const CompiledWays& compiled,
                             Instant start);

// The feasible starts in `allowed` by any way, as Search::Feasible gives them for one.
Starts FeasibleBy(const Occupancy& occupancy, const CompiledWays& compiled,
                  const IntervalSet& allowed, size_t intervals);

}  // namespace muster::plan
