// How the bound of a request that waits has moved, each time with why: somebody more urgent came,
// others joined those that wait, or a site has less room by its own users and hardware. Unlike a
// promise a bound may get later, and its user sees by what. Kept while the meta lives.
// scheduling.md section 5 (bound).
#pragma once

#include <cstddef>
#include <vector>

#include "base/time.h"
#include "schemas/views.h"

namespace muster::meta {

struct BoundHistory;
struct ForecastLayer;
struct Known;
struct Turn;

inline constexpr size_t kBoundsKept = 16;  // of one request: the first and the newest
// A rise is noted from here on; less is how turns fall into seconds.
inline constexpr Span kRisen{5};
// A bound that moved by no more than this is about the same.
inline constexpr Span kMoved{60};

// Notes every bound that fell by more than kMoved, or rose by more than kRisen, since the last that
// was noted of its request; and why a promise is later than the bound before it.
void NoteBounds(const ForecastLayer& f, Known& known, const Turn& t);

// With what was told before it, in the order of time.
void AddBounds(const BoundHistory& bounds, std::vector<schemas::FigureChange>& history);

}  // namespace muster::meta
