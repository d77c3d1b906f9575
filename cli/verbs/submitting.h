// How `submit` and `reserve` hand a request over: safe to repeat, and its first figures.
#pragma once

#include <optional>
#include <string>

#include "cli/verbs/verb.h"

namespace muster::cli {

// The TEXT of --once, or one that was never used.
schemas::ClientKey NewKey(const std::optional<std::string>& once);
// Accepted, though the first answer may get lost: the same key makes the same job. `named`: the key
// is the user's.
Expect<schemas::Accepted> AcceptSubmission(MetaClient& client, const schemas::Submit& submit,
                                           bool named);
// The job as soon as it has figures, at the latest after a second as it then is.
Expect<schemas::Rows> FirstFigures(MetaClient& client, RequestId id);

}  // namespace muster::cli
