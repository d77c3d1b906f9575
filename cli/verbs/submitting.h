// Shared by `submit` and `reserve`: sends a request so that repeating is safe, and fetches its
// first figures.
#pragma once

#include <optional>
#include <string>

#include "cli/verbs/verb.h"

namespace muster::cli {

// A client key: the TEXT of --once, or a new random one.
schemas::ClientKey NewKey(const std::optional<std::string>& once);
// Submits, and repeats once if no answer arrives: the same key makes the same job. `named`: the key
// is from --once.
Expect<schemas::Accepted> AcceptSubmission(MetaClient& client, const schemas::Submit& submit,
                                           bool named);
// The job as soon as it has figures; after one second, as it is then.
Expect<schemas::Rows> FirstFigures(MetaClient& client, RequestId id);

}  // namespace muster::cli
