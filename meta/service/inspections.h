// What only a site knows, fetched for a client: bookings for the Gantt, output of parts. Read-only;
// a site that does not answer within answer_wait is shown as it was, marked stale. protocol.md
// section 2b (inspect, view).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void AskBookings(ServiceLayer& f, Turn& t, const Asker& asker, std::vector<std::string> sites);
void AskNodes(ServiceLayer& f, Turn& t, const Asker& asker, std::vector<std::string> sites);
// What an act on nodes would move at these sites; `steer` names the nodes with their site. Returns
// what is known if no site has to be waited for.
std::optional<SiteQueries::Gathering> AskMoves(ServiceLayer& f, Turn& t, const Asker& asker,
                                               const schemas::Act& act,
                                               std::vector<std::string> sites,
                                               schemas::Steer steer);
// What the asker may use.
void AskLimits(ServiceLayer& f, Turn& t, const Asker& asker, std::vector<std::string> sites);
// Where a request of one part fits.
void AskSlots(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);
// Jobs submitted at a site itself: Get::locals of the one site named.
void AskLocals(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);
void AskOutput(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get);

// Tells who asked what the sites said. REQUIRES: the question is no act (AskMoves).
void AnswerInspection(ServiceLayer& f, Turn& t, const SiteQueries::Gathering& query);
std::optional<BootInstant> NextInspectionEnd(const ServiceLayer& f);

}  // namespace muster::meta
