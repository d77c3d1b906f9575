// Replace before release, as the request sees it: while it is tried with what it shall be, or for
// an earlier start, `record().spec` is what is sought and `before` what it is. A trial begins with
// RequestTable::Try and ends here, either way. protocol.md section 5 (user; meta).
#pragma once

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// What the timeline says of a request that was given an earlier start by the meta: its parts
// together; at another site; behind a gate, where it is.
inline constexpr char kStartsJointly[] = "starts earlier at all its sites";
inline constexpr char kStartsElsewhere[] = "starts earlier at another site";
inline constexpr char kStartsEarlier[] = "starts earlier where it is";

// It is as it was tried, from now on. Before the promise is told. REQUIRES a trial that alters it.
void TakeAltered(RequestsLayer& f, Turn& t, Request& request);

// It is as it was; the place it has, and what is held for it, are looked at again. REQUIRES a
// trial.
void EndTrial(RequestsLayer& f, Request& request);
// The same of one that has ended, or is about to.
void EndAlteration(RequestsLayer& f, Request& request, schemas::Refused why);

// The place it kept is lost: with no promise left that could move, it is altered like any request
// that waits, unless that was only tried. Nothing happens without a trial.
void SettleTrial(RequestsLayer& f, Turn& t, Request& request);

}  // namespace muster::meta
