// Proposals and answers of a job, round by round, for those who want to know how its place was
// found: `muster verdicts`. Volatile and bounded; it is not needed to go on after a restart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Sites are about to be asked about the job: what they answer is of this round.
void LogRound(Request& request);
// What a site answered about these parts, from 0, that were to start together at `asked`.
void LogAnswer(const Turn& t, Request& request, const Site& site, const std::vector<size_t>& parts,
               Instant asked, const schemas::VerdictEntry& verdict);
// A site refused to create a hold, and its way out.
void LogRefusal(RequestsLayer& f, const Turn& t, const Attempt& attempt, const Site& site,
                const std::optional<schemas::VerdictEntry>& verdict);
// A site holds, prepared or committed what it was ordered to create.
void LogGrant(const Turn& t, Request& request, const Attempt& attempt, const Site& site,
              const schemas::HoldChanged& change);

// Why a part can never run, in the words of those of these sites that said so; in words of its own
// if none is on record any more.
schemas::Reason WhyNever(const Request& request, size_t part,
                         const std::vector<std::string>& sites);

}  // namespace muster::meta
