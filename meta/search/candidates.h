// Criteria for choosing between sites: which are up, how near they are to the user, and what each
// would cost a part. scheduling.md section 1 (R5).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meta/search/layer.h"
#include "meta/turn/turn.h"
#include "partitioner/choose.h"
#include "schemas/proposal.h"

namespace muster::meta {

// Sites that may run part `part` (from 0), are up, and have room on their disk.
std::vector<std::string> UpSites(const SearchLayer& f, const schemas::RequestSpec& spec,
                                 size_t part);

// Sites that cannot be asked now and without which the parts cannot be placed. Empty if the sites
// that are up are enough.
std::vector<std::string> SitesMissed(const SearchLayer& f, const schemas::RequestSpec& spec);

// The distance of a site from the user's home, 0 if the user has no home.
int64_t TransferFromHome(const SearchLayer& f, const Request& request, const std::string& site);
// Distances between the sites of parts; null if no link is configured.
partitioner::TransferOf TransferOfSites(const SearchLayer& f);

// The criteria of R5 for a part (from 0) at a site, if the request starts at `start`.
partitioner::Candidate CandidateAt(const SearchLayer& f, const Turn& t, const Request& request,
                                   size_t part, const std::string& site, Instant start);

// Of these sites those where the account can pay for the part (from 0) if it starts now; of several
// parts, those where it costs less than where it was found too dear. All if there is none.
std::vector<std::string> PaidOf(const SearchLayer& f, const Turn& t, const Request& request,
                                size_t part, std::vector<std::string> sites);

// The best of the sites that are up and whose verdict names a start; none if there is none. For
// requests of one part.
std::optional<partitioner::Candidate> BestOf(
    const SearchLayer& f, const Turn& t, const Request& request,
    const std::map<std::string, schemas::VerdictEntry>& by_site);

}  // namespace muster::meta
