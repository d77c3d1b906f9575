// Fetches from sites what only they know, for a client: bookings for the Gantt chart, nodes,
// limits, slots, local jobs, output of parts. Read-only. If a site does not answer within
// answer_wait, its last known bookings or nodes are shown, marked stale. protocol.md section 2b
// (inspect, view).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void AskBookings(ServiceLayer& f, Turn& t, const Asker& asker, std::vector<std::string> sites);
void AskNodes(ServiceLayer& f, Turn& t, const Asker& asker, std::vector<std::string> sites);
// Asks these sites what an act on nodes would move; `steer` names the nodes with their site
// ("lakes/n1"). Returns the answers at once if no site has to be awaited.
std::optional<SiteQueries::Gathering> AskMoves(ServiceLayer& f, Turn& t, const Asker& asker,
                                               const schemas::Act& act,
                                               std::vector<std::string> sites,
                                               schemas::Steer steer);
// Asks for the limits that apply to the asker.
void AskLimits(ServiceLayer& f, Turn& t, const Asker& asker, std::vector<std::string> sites);
// Asks for the starts at which a request of one part fits.
void AskSlots(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);
// Asks about jobs submitted at a site itself: Get::locals of the one site in Get::sites.
void AskLocals(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);
// Asks how the shares of one site stand; in which order it moves holds to earlier starts.
void AskSiteShares(ServiceLayer& f, Turn& t, const Asker& asker, std::string site);
void AskRanks(ServiceLayer& f, Turn& t, const Asker& asker, std::string site);
// Asks the sites that have promised the request room, and order by points of their own, for its
// place there. False if there is none.
bool AskPlaces(ServiceLayer& f, Turn& t, const Asker& asker, const Request& request);
void AskOutput(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);

// Sends the sites' answers to the client. REQUIRES: the question is not an act (AskMoves).
void AnswerInspection(ServiceLayer& f, Turn& t, const SiteQueries::Gathering& query);
std::optional<BootInstant> NextInspectionEnd(const ServiceLayer& f);

}  // namespace muster::meta
