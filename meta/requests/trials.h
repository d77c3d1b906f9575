// Trials (replace before release): while an alteration or an earlier start is tried,
// `record().spec` is what is sought and `before` what is promised. A trial begins with
// RequestTable::Try and ends here, with or without success. protocol.md section 5 (user; meta).
#pragma once

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Timeline texts for a request that the meta moved to an earlier start: all parts together; at
// another site; there because a site's own users needed the room; at the same site, behind a gate.
inline constexpr char kStartsJointly[] = "starts earlier at all its sites";
inline constexpr char kStartsElsewhere[] = "starts earlier at another site";
inline constexpr char kGivesWay[] = "gives way at no later start to users at home there";
inline constexpr char kStartsEarlier[] = "starts earlier where it is";

// Makes the tried specification the request's own. Call it before the promise is shown. REQUIRES:
// the trial alters the request.
void TakeAltered(RequestsLayer& f, Turn& t, Request& request);

// Ends a trial without success; its present place, and what is held for the trial, are looked at
// again. REQUIRES: a trial.
void EndTrial(RequestsLayer& f, Request& request);
// The same for a request that has ended, or is about to; `why` answers its alteration. Does
// nothing without a trial.
void EndAlteration(RequestsLayer& f, Request& request, schemas::Refused why);

// Handles the loss of the place kept during a trial. No promise is left that could move, so an
// alteration takes effect as for any waiting request, unless it was only a what-if. Does nothing
// without a trial.
void SettleTrial(RequestsLayer& f, Turn& t, Request& request);

}  // namespace muster::meta
