// The rows of `explain`, from the sites' answers and the proved changes: the start of a job, what
// determines it, how the job waits, and what would help. cli.md section 3 (explain).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meta/service/explaining.h"
#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// True while the request is WAITING or PROMISED; otherwise there is no earlier start to explain.
bool StartsYet(const Request& request);
// The layout of a waiting request; null if it has none, or if an attempt binds it by now.
const LaidOut* LaidOutOf(const ServiceLayer& f, const Request& request);
// Waiting requests that are laid out before this one; empty if this one is not laid out.
std::vector<LaidOut> LaidOutBefore(const ServiceLayer& f, const Request& request);
// Site of each part, bound or laid out; empty if there is none yet.
std::vector<std::string> SitesOf(const ServiceLayer& f, const Request& request);
// Start of the request at these sites; none if it has none yet.
std::optional<Instant> PlannedStart(const ServiceLayer& f, const Request& request);

schemas::ExplainRows ExplainedRows(const ServiceLayer& f, const Turn& t, const Request& request,
                                   const Explanations::Gathering& explained);

}  // namespace muster::meta
