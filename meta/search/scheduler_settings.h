// Sets and shows the scheduler for operators. cli.md section 3 (scheduler).
#pragma once

#include <optional>
#include <string>

#include "meta/search/layer.h"
#include "meta/turn/turn.h"
#include "schemas/client.h"

namespace muster::meta {

// Applies a change made by operator `by`. If any value of it is wrong, applies nothing and returns
// why.
std::optional<schemas::Refused> SetScheduler(SearchLayer& f, Turn& t, const std::string& by,
                                             const schemas::SchedulerChange& change);

schemas::SchedulerView SchedulerNow(const SearchLayer& f, const Turn& t);

}  // namespace muster::meta
