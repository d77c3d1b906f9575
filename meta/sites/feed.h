// The feed of a site at the meta: changes applied to the mirror, told in timelines and figures, and
// put before the attempts they concern. protocol.md sections 2 (report, resync, answers), 5
// (moved), 7.5.
#pragma once

#include "meta/turn/turn.h"

namespace muster::meta {

void OnReport(Federation& f, Turn& t, Site& site, const schemas::Report& report);
void OnListing(Federation& f, Turn& t, Site& site, const schemas::Listing& page);
void OnAnswers(Federation& f, Turn& t, Site& site, const schemas::Answers& answers);

// Of a place that was being given back, so that its moves were told to nobody, and that is kept or
// has started: tells the promise as it is now, unless that was told last.
void TellStaying(Federation& f, Turn& t, Request& request, const Attempt& attempt);

// A heartbeat's position against the mirror's: a gap is asked for, another history is listed.
void CheckPosition(Federation& f, Turn& t, Site& site, const schemas::FeedPosition& position);
// Asks for a listing of all holds, unless one is under way.
void AskListing(Federation& f, Turn& t, Site& site);

}  // namespace muster::meta
