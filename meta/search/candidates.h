// What decides between sites: which of them are up, how near to the user, and what each would cost
// a part. scheduling.md section 1 (R5).
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

// Sites that may run part `part` (from 0) and are up.
std::vector<std::string> UpSites(const SearchLayer& f, const schemas::RequestSpec& spec,
                                 size_t part);

// Sites without which its parts cannot be placed, though they could with all that are listed; empty
// if those that are up are enough.
std::vector<std::string> SitesMissed(const SearchLayer& f, const schemas::RequestSpec& spec);

// Whether `site` is the home of the request's user, and how far it is from there; 0 without a home.
bool IsHome(const SearchLayer& f, const std::string& user, const std::string& site);
int64_t TransferFromHome(const SearchLayer& f, const Request& request, const std::string& site);
// How far sites of parts are from each other; none if no link is listed.
partitioner::TransferOf TransferOfSites(const SearchLayer& f);

// What decides between the sites of a part (from 0) by R5, if the request starts then.
partitioner::Candidate CandidateAt(const SearchLayer& f, const Turn& t, const Request& request,
                                   size_t part, const std::string& site, Instant start);

// The best of the sites that answered with a start; none if none did.
std::optional<partitioner::Candidate> BestOf(
    const SearchLayer& f, const Turn& t, const Request& request,
    const std::map<std::string, schemas::VerdictEntry>& by_site);

}  // namespace muster::meta
