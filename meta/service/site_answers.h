// Takes the answers of sites to questions that the meta asked for a client
// (meta/service/site_queries.h, meta/service/explain.h, meta/service/node_operations.h).
// protocol.md section 2b (view).
#pragma once

#include <string>

#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

void OnView(ServiceLayer& f, Turn& t, Site& site, const schemas::View& view);
// Ends the open questions to a site that has fallen silent.
void EndInspectionsOf(ServiceLayer& f, Turn& t, const std::string& site);
void EndOverdueInspections(ServiceLayer& f, Turn& t);

}  // namespace muster::meta
