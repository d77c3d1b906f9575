// Figures that users see: the promise, its basis, or the reason why there is none. protocol.md
// section 5, cli.md section 1.3.
#pragma once

#include <string>
#include <vector>

#include "meta/requests/layer.h"

namespace muster::meta {

// When each of these sites was last heard. Sites that were never heard are left out.
std::vector<schemas::Basis> BasisOf(const RequestsLayer& f, const std::vector<std::string>& sites,
                                    Moment now);

// The time that a promise, or a bound before it, adds to the start: the site's start slack for one
// member, the wait up to D for several. REQUIRES: at least one member.
Span LateOf(const RequestsLayer& f, const std::vector<std::string>& members);

// The promise of an attempt that starts at `start`: the start of its first parts plus LateOf its
// members.
schemas::Figures PromiseOf(const RequestsLayer& f, const schemas::RequestSpec& spec,
                           const std::vector<std::string>& members, Instant start, Moment now);

// The promise of this attempt. A gated attempt of one member is promised its D, too.
schemas::Figures PromiseOf(const RequestsLayer& f, const schemas::RequestSpec& spec,
                           const Attempt& attempt, Moment now);

// Why none of these sites can be asked, as in "hills has been silent for 3m12s" or "hills and woods
// have not been heard yet". A site that is up but has a full disk gives the reason kPolicy, not
// kSilent.
schemas::Reason SilentReason(const RequestsLayer& f, const std::vector<std::string>& sites,
                             Moment now);

// Why a parked request has no promise.
schemas::Reason ParkedReason();

// When a block may be extracted for requests that wait for `site`, by the plan of that site;
// nullopt while no entry of a block is committed there. REQUIRES: a finite threshold.
std::optional<Instant> BlockDueFor(const RequestsLayer& f, const std::string& site);

// What a queued request waits for, and when that is due. REQUIRES: it is in a queue.
schemas::Reason QueueReason(const RequestsLayer& f, const Request& request, Moment now);

// Figures shown for a request now: its promise, or the reason why there is none.
schemas::Figures FiguresNow(const RequestsLayer& f, const Request& request, Moment now);

// Appends `figures` to the history of the request, unless promise, end and reason are those shown
// last.
void TellFigures(RequestsLayer& f, Request& request, schemas::Figures figures,
                 std::optional<schemas::Cause> cause, Moment now);

}  // namespace muster::meta
