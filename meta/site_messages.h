// What a message of a site leads to, and its silence: each room in turn, in the order of a turn.
// protocol.md sections 2, 3.4, 6, 7.
#pragma once

#include <string>

#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

void OnSite(ServiceLayer& f, Turn& t, const SiteSays& says);
// Something that can only be nonsense; too much of it in a minute quarantines the site.
void OnNonsense(ServiceLayer& f, Turn& t, Site& site, const std::string& why);
// Nothing is to be expected of it from now on.
void GoSilent(ServiceLayer& f, Turn& t, Site& site);
// Sites that have missed kMissedHeartbeats go silent.
void NoticeSilence(ServiceLayer& f, Turn& t);

}  // namespace muster::meta
