// When a request may start: its user's window, what it waits for, and how far ahead the federation
// plans at all (OpenCCS Sect. 8 names a planning horizon; cli.md section 5, [scheduler] horizon).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Starts of the request that are allowed, not past and within the horizon; for several members not
// before now + lead. Of these the ones at which the user counts.
IntervalSet StartsFrom(const RequestsLayer& f, const Turn& t, const schemas::RequestSpec& spec,
                       const std::string& user, bool several);

// The same of a request on record: behind what it waits for as well (meta/requests/gates.h). Empty
// while nobody can tell when that is.
IntervalSet StartsFrom(const RequestsLayer& f, const Turn& t, const Request& request, bool several);

// The same at these sites, of which the slowest says what a deadline or a slot leaves; without
// sites it is the fastest of the federation.
IntervalSet StartsAt(const RequestsLayer& f, const Turn& t, const schemas::RequestSpec& spec,
                     const std::string& user, bool several, const std::vector<std::string>& sites);
IntervalSet StartsAt(const RequestsLayer& f, const Turn& t, const Request& request, bool several,
                     const std::vector<std::string>& sites);

// From when on a search that begins now may start it, so that its user still has notice when the
// start is told (verifier/start_notice.h): one that has a place, or has lost it, is not brought
// nearer than that; a first placing may start at once, and so may what its user altered.
Instant NearestStart(const RequestsLayer& f, const Turn& t, const Request& request);
// The same for what a search has found: its site may have moved the place to a later start
// meanwhile, which counts from then on. Notice that was enough when the search began still is.
Instant NearestFound(const RequestsLayer& f, const Turn& t, const Request& request);

// Why nothing is planned for it yet, and from when on: all its starts lie behind the horizon. None
// if there is a nearer one, or none at all.
std::optional<schemas::Reason> BeyondHorizon(const RequestsLayer& f, const Turn& t,
                                             const schemas::RequestSpec& spec,
                                             const std::string& user);
std::optional<schemas::Reason> BeyondHorizon(const RequestsLayer& f, const Turn& t,
                                             const Request& request);

// What somebody is told who asks about such a request, or about one whose window has passed.
schemas::Refused NoStarts(const RequestsLayer& f, const Turn& t, const schemas::RequestSpec& spec,
                          const std::string& user);

}  // namespace muster::meta
