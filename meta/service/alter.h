// `alter`: changes what a request asks for. A waiting request changes at once. So does a promised
// one whose place still suits it; otherwise it keeps that place until another is committed (replace
// before release, meta/search/replacement.h). For a running request, its sites change what can be
// changed.
// protocol.md sections 0.3, 2b (act) and 5 (user), cli.md section 3 (alter).
#pragma once

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnAlter(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);

// Ends alterations whose sites have not answered in time. A request for which another place was
// sought stays as it was. Orders about running parts stay out, and may still be carried out.
void EndOverdueAlters(ServiceLayer& f, Turn& t);

}  // namespace muster::meta
