// `alter`: what a request asks for is changed. One that waits is another one from then on; one that
// is promised keeps its place until another is committed for what it shall be (replace before
// release, meta/search/replacement.h); of one that runs its sites change what can be changed.
// protocol.md sections 0.3, 2b (act) and 5 (user), cli.md section 3 (alter).
#pragma once

#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnAlter(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);

// Sites that have not answered in time leave a request as it is.
void EndOverdueAlters(ServiceLayer& f, Turn& t);

}  // namespace muster::meta
