// What is told of a configuration that was read again. protocol.md section 2b (act reload).
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/time.h"
#include "schemas/client.h"
#include "schemas/hold.h"
#include "site/options.h"

namespace muster::site {

// "reloaded: 4 nodes, 2 users".
std::string SummaryOf(const Options& options);

// What of these holds is booked on nodes that the new options no longer have, or no longer let them
// have, in a line each; empty if nothing is. Such bookings move as soon as the core runs (H14 to
// H16, cause node_lost or policy_changed); what runs there goes on.
// With what their nodes have lost (Core::Measured) the options tell what no longer fits there.
std::vector<std::string> StrandedBy(const Options& options,
                                    const std::vector<schemas::HoldRecord>& holds, Instant now);

// Refusals: with the place in the file; for any other reason.
schemas::Refused NotReloaded(const Diagnostic& diagnostic);
schemas::Refused NotReloaded(const std::string& why);

}  // namespace muster::site
