// `alter`: what a request asks for is changed. One that waits is another one from then on; one that
// is promised keeps its place until another is committed for what it shall be (replace before
// release, meta/search/replacement.h); of one that runs its sites change what can be changed.
// protocol.md sections 0.3, 2b (act) and 5 (user), cli.md section 3 (alter).
#pragma once

#include "meta/service/client_service.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnAlter(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);

// Tells those who wait for alterations what became of them (AlterationNews), so far.
void TellAltered(ServiceLayer& f, Turn& t);

// A site answered an order about what runs there, or about who may use a reservation.
void OnAlteredRunning(ServiceLayer& f, Turn& t, const schemas::Steer& steer,
                      const schemas::Steered& steered);

void EndOverdueAlters(ServiceLayer& f, Turn& t);

}  // namespace muster::meta
