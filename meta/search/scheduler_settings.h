// The scheduler as operators set and see it. cli.md section 3 (scheduler).
#pragma once

#include <optional>
#include <string>

#include "meta/search/layer.h"
#include "meta/turn/turn.h"
#include "schemas/client.h"

namespace muster::meta {

// The operator `by` sets it: all of the change or, where a word of it is wrong, nothing.
std::optional<schemas::Refused> SetScheduler(SearchLayer& f, Turn& t, const std::string& by,
                                             const schemas::SchedulerChange& change);

schemas::SchedulerView SchedulerNow(const SearchLayer& f, const Turn& t);

}  // namespace muster::meta
