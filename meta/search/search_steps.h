// The table of meta/search/search_table.h, applied: what a request seeks and how far that has come
// follows from what it has; what the table says is carried out.
#pragma once

#include <string>
#include <vector>

#include "meta/search/layer.h"
#include "meta/search/search_table.h"
#include "meta/turn/turn.h"

namespace muster::meta {

Goal GoalOf(const SearchLayer& f, const Turn& t, const Request& request);
Stage StageOf(const SearchLayer& f, const Request& request);

// Its sites are about to be asked, or a hold at these (of each part) is ordered, at one of the
// allowed starts (meta/attempts/attempts.h). REQUIRES a search that nothing is held for.
void AskSites(SearchLayer& f, const Turn& t, const Request& request);
void HoldPlace(SearchLayer& f, Turn& t, Request& request, std::vector<std::string> part_sites,
               IntervalSet allowed, Instant estimate);

// True if the search is over with this: the place that is there is kept, what was tried is given
// up, or the request ends, because of `why`. Else its request is to be tried again. `ever`: sites
// have said that they can never run it.
bool SearchEnds(SearchLayer& f, Turn& t, Request& request, SearchEvent event,
                const schemas::Reason& why, bool ever = false);

// Ends the search of a request whose eligible sites have all said never, or whose window or
// reservation is gone, unless it is bound to sites that may still start it. True if it ended.
bool EndIfHopeless(SearchLayer& f, Turn& t, Request& request);

}  // namespace muster::meta
