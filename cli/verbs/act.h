// How verbs that order something send it: nothing breaks a promise silently. cli.md section 1.8.
#pragma once

#include <string>
#include <vector>

#include "cli/replies.h"
#include "cli/verbs/verb.h"

namespace muster::cli {

// Declares --yes.
Options& YesOption(Options& options);

// Sends the order. Where promises would move, what would is shown and asked for; without a terminal
// only --yes goes ahead (conflict, exit 8).
Expect<schemas::Accepted> SendAct(Session& session, schemas::Act act);

// The same for a cancellation: jobs inside of a reservation may be promised.
Expect<schemas::Accepted> SendCancel(Session& session, schemas::Cancel cancel);

// What became of it: muster.act/1, the ids with -q, else a line each.
void ShowAct(const Context& context, const ActDocument& document);

}  // namespace muster::cli
