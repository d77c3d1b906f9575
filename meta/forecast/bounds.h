// History of a waiting request's bound: each change with its cause. A bound may rise because
// requests of higher priority arrive, because others join the queue, or because a site's own users
// or hardware leave less room. Unlike a promise a bound may get later, so the user is shown the
// cause. Kept in memory only. scheduling.md section 5 (bound).
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

inline constexpr size_t kBoundsKept = 16;  // changes kept per request: the first and the newest
// A rise of at most this is not noted: it comes from rounding to whole seconds.
inline constexpr Span kRisen{5};
// A fall of at most this is not noted. A bound within this of its verified value counts as
// unchanged.
inline constexpr Span kMoved{60};

// Notes the first bound of every request, and every bound that fell by more than kMoved or rose by
// more than kRisen since it was last noted. Also notes the cause when a promise is later than the
// last bound by more than kRisen.
void NoteBounds(const ForecastLayer& f, Known& known, const Turn& t);

// Merges the noted bounds into `history`, by time. If the promise that followed was later than the
// last bound, the promise is shown with the noted cause, unless it has its own.
void AddBounds(const BoundHistory& bounds, std::vector<schemas::FigureChange>& history);

}  // namespace muster::meta
