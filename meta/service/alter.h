// `alter`: what a request asks for is changed. One that waits is another one from then on; one that
// is promised keeps its place until another is committed for what it shall be (replace before
// release); of one that runs its sites change what can be changed. protocol.md sections 0.3, 2b
// (act) and 5 (user), cli.md section 3 (alter).
#pragma once

#include "meta/service/client_service.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnAlter(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act);

// A place at `start` was found for an altered request: true if it may be taken. A later start is a
// conflict unless promises may move; an act that is only tried ends here.
bool MayTakeAltered(ServiceLayer& f, Turn& t, Request& request, Instant start);

// The search for a place of an altered request is over without one: it stays as it was. Nothing
// happens if none was sought. `never`: there can be none.
void AlterFails(ServiceLayer& f, Turn& t, Request& request, schemas::Refused why);
void AlterFails(ServiceLayer& f, Turn& t, Request& request, const schemas::Reason& why,
                bool never = false);

// The request as it is, at another place, by the same way: it keeps what it is promised until an
// attempt that starts clearly earlier (meta/search/rechoice.h) is committed.
void SeekElsewhere(ServiceLayer& f, Request& request);

// The attempt binds the altered request: from now on it is so. Before the promise is told.
void AlterDone(ServiceLayer& f, Turn& t, Request& request);

// Its place was lost while another was sought: with no promise left that could move, it is altered
// like any request that waits. Nothing happens if none was sought.
void AlterUnbound(ServiceLayer& f, Turn& t, Request& request);

// What a permitted attempt of an altered request waits for: the one it replaces, at another site,
// is released first, and only if it has not started is the new one permitted.
bool Yields(const ServiceLayer& f, const Request& request, const Attempt& attempt);
void ReleaseForAltered(ServiceLayer& f, Turn& t, Request& request, Attempt& attempt);
// It has started all the same, so it stays where it is.
void KeepForAltered(ServiceLayer& f, Turn& t, Request& request, Attempt& old);
// True if this attempt was closed to make room for what its request is altered to.
bool GaveWay(const ServiceLayer& f, const Request& request, const Attempt& attempt);

// A site answered an order about what runs there, or about who may use a reservation.
void OnAlteredRunning(ServiceLayer& f, Turn& t, const schemas::Steer& steer,
                      const schemas::Steered& steered);

void EndOverdueAlters(ServiceLayer& f, Turn& t);

}  // namespace muster::meta
