// Sends the orders of verbs: no promise is broken without consent. cli.md section 1.8.
#pragma once

#include <string>
#include <vector>

#include "cli/replies.h"
#include "cli/verbs/verb.h"

namespace muster::cli {

// Declares --yes.
Options& YesOption(Options& options);

// Sends the order. If promises would move, shows which and asks the user; without a terminal, goes
// ahead only with --yes. Error: conflict, exit 8.
Expect<schemas::Accepted> SendAct(Session& session, schemas::Act act);

// Sends a cancellation likewise, since jobs inside of a reservation may be promised.
Expect<schemas::Accepted> SendCancel(Session& session, schemas::Cancel cancel);

// Prints the result: muster.act/1 with --json, the ids with -q, else one line each.
void ShowAct(const Context& context, const ActDocument& document);

}  // namespace muster::cli
