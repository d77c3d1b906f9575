// `alter`: changes what a request asks for. A waiting request changes at once. A promised request
// keeps its place until a place for the altered request is committed (replace before release,
// meta/search/replacement.h). For a running request, its sites change what can be changed.
// protocol.md sections 0.3, 2b (act) and 5 (user), cli.md section 3 (alter).
#pragma once

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnAlter(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);

// Ends alterations whose sites have not answered in time; their requests stay as they are.
void EndOverdueAlters(ServiceLayer& f, Turn& t);

}  // namespace muster::meta
