// Texts about a configuration reload. protocol.md section 2b (act reload).
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/time.h"
#include "schemas/client.h"
#include "schemas/hold.h"
#include "site/driver/facts.h"
#include "site/options.h"

namespace muster::site {

// "reloaded: 4 nodes, 2 users".
std::string SummaryOf(const Options& options);

// What a machine has become, one line each: "n5 is new", "n2 has 3 ncpus, before 4", "there is 2
// licence_x, before 4". Ends with how many more there are, where they are many.
std::vector<std::string> WhatChanged(const driver::Facts& before, const driver::Facts& now);

// One line for each reason why some of these holds cannot stay on their nodes: the new options lack
// the node or exclude the hold from it. Empty if all can stay. Such bookings move as soon as the
// core runs (H14 to H16, cause node_lost or policy_changed); running parts go on. If the options
// include lost resources (Core::Measured), holds that no longer fit are listed too.
std::vector<std::string> StrandedBy(const Options& options,
                                    const std::vector<schemas::HoldRecord>& holds, Instant now);

// Refusals of a reload: for an error at a place in the file; for any other reason.
schemas::Refused NotReloaded(const Diagnostic& diagnostic);
schemas::Refused NotReloaded(const std::string& why);

}  // namespace muster::site
