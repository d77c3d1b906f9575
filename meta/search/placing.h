// Seeking a place for a request: whom to ask, and the common start. partitioner/ does the
// arithmetic; this is its application to requests that wait. scheduling.md section 4, protocol.md
// section 5 (replace before release).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meta/requests/horizon.h"
#include "meta/search/layer.h"
#include "meta/turn/turn.h"
#include "partitioner/choose.h"
#include "partitioner/meeting.h"

namespace muster::meta {

// Who asks, and as what, for limits and reservations.
void SayWho(schemas::ProposalEntry& entry, const Request& request);
void SayWho(schemas::ProposalEntry& entry, const SearchLayer& f, const schemas::RequestSpec& spec,
            const std::string& user, Moment now);

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
// What is booked after each part of a request on several sites.
Span TailOf(const SearchLayer& f);

// What sites answered about the parts of one request: by part (from 0), by site.
using Answers = std::map<uint32_t, std::map<std::string, schemas::VerdictEntry>>;

// What decides between the sites of a part (from 0) by R5, if the request starts then.
partitioner::Candidate CandidateAt(const SearchLayer& f, const Turn& t, const Request& request,
                                   size_t part, const std::string& site, Instant start);

// The best of the sites that answered with a start; none if none did.
std::optional<partitioner::Candidate> BestOf(
    const SearchLayer& f, const Turn& t, const Request& request,
    const std::map<std::string, schemas::VerdictEntry>& by_site);

// Whether the last event of its timeline says already that its sites were asked.
bool SaidProposed(const Request& request);

// A first try without questions: only one site can take it, or the shadows of all agree on a start.
// False if the sites have to be asked first. REQUIRES: every part has a site that is up.
bool PlaceByShadow(SearchLayer& f, Turn& t, Request& request);

// The second step: holds where the answers allow, else back to the waiting room with the reason.
void PlaceByAnswers(SearchLayer& f, Turn& t, Request& request, const Answers& answers);

// The same of a request of several parts, by what its sites answered to its search.
void PlaceByMeeting(SearchLayer& f, Turn& t, Request& request, const partitioner::Meeting& search);

// C2: the attempt in HOLDING failed; the request is tried again, or waits with the reason.
void PlacingFailed(SearchLayer& f, Turn& t, Request& request, const PlacingRefused& news);

// Lets a request sleep until its first start is within the horizon, or a file may say another one.
void SleepUntil(SearchLayer& f, const Turn& t, const Request& request, Instant near);

}  // namespace muster::meta
