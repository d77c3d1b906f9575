// What operators do to nodes and sites: drained nodes, nodes that serve again, sites that are given
// up. protocol.md section 2b (act, steer), cli.md section 2 (Operate).
#pragma once

#include "meta/attempts/feed.h"
#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnDrain(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);
// What the sites said an act on nodes would move: it is answered, refused, or carried out.
// REQUIRES: the question is an act (AskMoves).
void OnMovesKnown(ServiceLayer& f, Turn& t, const SiteQueries::Gathering& known);
// A site answered an order in its feed.
void OnSteered(ServiceLayer& f, Turn& t, Site& site, const SteeredCame& news);
void OnForget(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);

}  // namespace muster::meta
