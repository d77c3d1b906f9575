// When a request may start: its user's window, its dependencies, and how far ahead the federation
// plans (OpenCCS Sect. 8 names a planning horizon; cli.md section 5, [scheduler] horizon).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Allowed starts of the request: not past, within the horizon, and at times at which the user is
// valid. With several members, not before now + lead.
IntervalSet StartsFrom(const RequestsLayer& f, const Turn& t, const schemas::RequestSpec& spec,
                       const std::string& user, bool several);

// The same for a request on record: not before Request::nearest, nor before its gate opens
// (meta/requests/start_conditions.h). Empty while it is unknown when the gate opens.
IntervalSet StartsFrom(const RequestsLayer& f, const Turn& t, const Request& request, bool several);

// Whether the request has a promise, and the site could only tell a bound: no move goes there.
bool TellsLess(const RequestsLayer& f, const Request& request, const std::string& site);

// The same at these sites. The slowest of them determines which starts a deadline or a slot leaves;
// without sites, the fastest ones that may run the request do.
IntervalSet StartsAt(const RequestsLayer& f, const Turn& t, const schemas::RequestSpec& spec,
                     const std::string& user, bool several, const std::vector<std::string>& sites);
// Empty if one of the sites tells less than the request was promised.
IntervalSet StartsAt(const RequestsLayer& f, const Turn& t, const Request& request, bool several,
                     const std::vector<std::string>& sites);

// Earliest start that a search beginning now may choose, so that the user still has the start
// notice when the start is shown (verifier/start_notice.h). This binds a request that has a place,
// or lost one. A first placing may start at once, and so may a request that its user altered.
Instant NearestStart(const RequestsLayer& f, const Turn& t, const Request& request);
// The same for a start that a search has found. If the site moved the request's place to a later
// start meanwhile, that start counts. Notice that was sufficient when the search began remains so.
Instant NearestFound(const RequestsLayer& f, const Turn& t, const Request& request);

// The reason, with the time at which it ends, if all starts of the request lie beyond the horizon.
// None if a start lies within the horizon, or if there is no start at all.
std::optional<schemas::Reason> BeyondHorizon(const RequestsLayer& f, const Turn& t,
                                             const schemas::RequestSpec& spec,
                                             const std::string& user);
std::optional<schemas::Reason> BeyondHorizon(const RequestsLayer& f, const Turn& t,
                                             const Request& request);

// As StartsAt, but for a QoS that is promised at its start alone it looks `more` ahead: a site that
// has a start within that time says when, so that the request is asked about again then.
IntervalSet StartsSoon(const RequestsLayer& f, const Turn& t, const Request& request,
                       const std::string& site, Span more);

// Of these starts those that limits over all sites leave, whatever the time is now.
IntervalSet LeftByLimits(const RequestsLayer& f, const Turn& t, const Request& request,
                         bool several, const std::vector<std::string>& sites,
                         const IntervalSet& starts);

// Whether the request asks for something that needs a promise at once, whatever the threshold.
bool AsksForPromise(const RequestsLayer& f, const schemas::RequestSpec& spec);

// Why a ceiling of a share lets the request not start yet, and until when; none if it may, or has a
// promise or lost one.
std::optional<schemas::Reason> WhyNotAdmitted(const RequestsLayer& f, const Turn& t,
                                              const Request& request);

// The first start that ceilings leave; none if nothing bars it. Of a request that has its promise
// at most that start, so that moves earlier wait. What lost its promise, or has a later place than
// it was promised, is not barred; what an alteration makes other work is.
std::optional<Instant> AdmittedFrom(const RequestsLayer& f, const Turn& t, const Request& request);

// Refusal of a question about a request without allowed starts: all lie beyond the horizon, its
// window has passed, or its user may not start anything in it.
schemas::Refused NoStarts(const RequestsLayer& f, const Turn& t, const schemas::RequestSpec& spec,
                          const std::string& user);

}  // namespace muster::meta
