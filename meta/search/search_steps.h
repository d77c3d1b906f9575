// Applies the table of meta/search/search_table.h: derives the goal and the stage of a request's
// search, and carries out the step that the table gives.
#pragma once

#include <string>
#include <vector>

#include "meta/search/layer.h"
#include "meta/search/search_table.h"
#include "meta/turn/turn.h"

namespace muster::meta {

Goal GoalOf(const SearchLayer& f, const Turn& t, const Request& request);
Stage StageOf(const SearchLayer& f, const Request& request);

// Notes that the sites are about to be asked; or orders a hold at these sites (one per part), at
// one of the allowed starts (meta/attempts/attempts.h), or ends the search as far as it goes if the
// account cannot pay for the place. REQUIRES: the search has no hold yet.
void AskSites(SearchLayer& f, const Turn& t, const Request& request);
void HoldPlace(SearchLayer& f, Turn& t, Request& request, std::vector<std::string> part_sites,
               IntervalSet allowed, Instant estimate);

// Lets the request wait until its account has more.
void WaitForCredit(SearchLayer& f, const Turn& t, Request& request, const schemas::Reason& why);

// Lets the request wait until less counts under the limits that bind it.
void WaitForLimit(SearchLayer& f, const Turn& t, Request& request, const schemas::Reason& why);

// Applies an event that finds no place, because of `why`. True if the search is over: the present
// place is kept, the trial is given up, or the request ends. False if the request is to be tried
// again. `ever`: sites said that they can never run it.
bool SearchEnds(SearchLayer& f, Turn& t, Request& request, SearchEvent event,
                const schemas::Reason& why, bool ever = false);

// Ends the search if all eligible sites of a part said never, or if the request's window or
// reservation is gone. A request whose sites are bound stays, since they may still start it. True
// if the search ended.
bool EndIfHopeless(SearchLayer& f, Turn& t, Request& request);

}  // namespace muster::meta
