// Acts of operators on nodes and sites: drain nodes, resume them, give up a site. protocol.md
// section 2b (act, steer), cli.md section 2 (Operate).
#pragma once

#include "meta/attempts/feed.h"
#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnDrain(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);
// Continues an act once the sites have said what it would move: answers, refuses, or carries it
// out. REQUIRES: the question is an act (AskMoves).
void OnMovesKnown(ServiceLayer& f, Turn& t, const SiteQueries::Gathering& known);
// Handles a site's answer to an order, from its feed.
void OnSteered(ServiceLayer& f, Turn& t, Site& site, const SteeredCame& news);
void OnForget(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);

}  // namespace muster::meta
