// Handles the messages of sites and their silence: calls the rooms in the order of a turn.
// protocol.md sections 2, 3.4, 6, 7.
#pragma once

#include <string>

#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

void OnSite(ServiceLayer& f, Turn& t, const SiteSays& says);
// Counts a message that no correct site sends; too many in a minute quarantine the site.
void OnNonsense(ServiceLayer& f, Turn& t, Site& site, const std::string& why);
// Marks the site SILENT: ends the questions to it and has its attempts evaluated.
void GoSilent(ServiceLayer& f, Turn& t, Site& site);
// Marks the sites SILENT that have missed kMissedHeartbeats. Ends the wait for sites to dial after
// a start (kDialWait).
void NoticeSilence(ServiceLayer& f, Turn& t);

}  // namespace muster::meta
