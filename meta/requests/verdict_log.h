// Log of proposals and answers of a job, round by round, for `muster verdicts`: how its place was
// found. Volatile and bounded; a restart does not need it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Begins a round of questions to sites about the job; the next answers belong to it.
void LogRound(Request& request);
// Logs a site's answer about these parts (from 0), which were to start together at `asked`.
void LogAnswer(const Turn& t, Request& request, const Site& site, const std::vector<size_t>& parts,
               Instant asked, const schemas::VerdictEntry& verdict);
// Logs that a site refused to create a hold, with its counter if it gave one.
void LogRefusal(RequestsLayer& f, const Turn& t, const Attempt& attempt, const Site& site,
                const std::optional<schemas::VerdictEntry>& verdict);
// Logs that a site created the hold it was ordered: held, prepared or committed.
void LogGrant(const Turn& t, Request& request, const Attempt& attempt, const Site& site,
              const schemas::HoldChanged& change);

// Why a part can never run: the texts of those of `sites` that said so, or a general text if none
// is on record any more.
schemas::Reason WhyNever(const Request& request, size_t part,
                         const std::vector<std::string>& sites);

}  // namespace muster::meta
