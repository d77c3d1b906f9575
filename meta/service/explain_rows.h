// What `explain` tells of a job, from what its sites said and which changes were proved: its start,
// what that follows from, how it waits, and what would help. cli.md section 3 (explain).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meta/service/explaining.h"
#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// What has started has no earlier start.
bool StartsYet(const Request& request);
// Where one that waits was laid out; null: nowhere, or it has a place by now.
const LaidOut* LaidOutOf(const ServiceLayer& f, const Request& request);
// Those who wait and are laid out before it.
std::vector<LaidOut> LaidOutBefore(const ServiceLayer& f, const Request& request);
// Where each part is, or is laid out; empty: nowhere yet.
std::vector<std::string> SitesOf(const ServiceLayer& f, const Request& request);
// When it starts there.
std::optional<Instant> PlannedStart(const ServiceLayer& f, const Request& request);

schemas::ExplainRows ExplainedRows(const ServiceLayer& f, const Turn& t, const Request& request,
                                   const Explanations::Gathering& explained);

}  // namespace muster::meta
