// What only a site knows, fetched for a client: bookings for the Gantt, output of parts. Read-only;
// a site that does not answer within answer_wait is shown as it was, marked stale. protocol.md
// section 2b (inspect, view).
#pragma once

#include "meta/service/client_service.h"
#include "meta/service/layer.h"

namespace muster::meta {

void AskBookings(ServiceLayer& f, Turn& t, const Asker& asker, std::vector<std::string> sites);
void AskNodes(ServiceLayer& f, Turn& t, const Asker& asker, std::vector<std::string> sites);
// What the asker may use.
// What an act on nodes would move at these sites; `steer` names the nodes with their site.
void AskMoves(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act,
              std::vector<std::string> sites, schemas::Steer steer);
void AskLimits(ServiceLayer& f, Turn& t, const Asker& asker, std::vector<std::string> sites);
// Where a request of one part fits.
void AskSlots(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);
// Jobs submitted at a site itself: Get::locals of the one site named.
void AskLocals(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);
void AskOutput(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);

void OnView(ServiceLayer& f, Turn& t, Site& site, const schemas::View& view);
// A site went away: it will not answer.
void EndInspectionsOf(ServiceLayer& f, Turn& t, const std::string& site);
void EndOverdueInspections(ServiceLayer& f, Turn& t);
std::optional<BootInstant> NextInspectionEnd(const ServiceLayer& f);

}  // namespace muster::meta
