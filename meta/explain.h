// Why not earlier (`muster explain`): each site that has a part says what stands in its way, left
// its own booking out; the part that could start last binds. cli.md section 3.
#pragma once

#include "meta/client_service.h"

namespace muster::meta {

void OnExplain(Federation& f, Turn& t, const Asker& asker, const schemas::Get& get);
// False if this view answers no question of `explain`.
bool TakeExplainView(Federation& f, Turn& t, const Site& site, const schemas::View& view);
void EndOverdueExplains(Federation& f, Turn& t);

}  // namespace muster::meta
