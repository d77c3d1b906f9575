// What sites say: links, heartbeats, the feed, answers to orders. protocol.md sections 2, 3.4,
// 6, 7.
#pragma once

#include <string>

#include "meta/turn/turn.h"

namespace muster::meta {

// An ideal link (scheduling.md section 10) has no heartbeat: a site tells its plan whenever that
// changed, however often, is never silent, and counts as heard at every moment.
bool IsIdeal(const schemas::ProtocolValues& values);

void OnSite(Federation& f, Turn& t, const SiteSays& says);
// Something that can only be nonsense; too much of it in a minute quarantines the site.
void OnNonsense(Federation& f, Turn& t, Site& site, const std::string& why);
// Nothing is to be expected of it from now on.
void GoSilent(Federation& f, Turn& t, Site& site);
// Sends every site that listens a welcome: the [protocol] values are others.
void WelcomeAgain(Federation& f, Turn& t);
// Sites that have missed kMissedHeartbeats go silent.
void NoticeSilence(Federation& f, Turn& t);
// When a site would go silent next.
std::optional<BootInstant> NextSilence(const Federation& f);

}  // namespace muster::meta
