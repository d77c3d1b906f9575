// The figures people are told: the promise, on what it rests, and why there is none. protocol.md
// section 5, cli.md section 1.3. No bound and no forecast are given while every request is promised
// at submission.
#pragma once

#include <string>
#include <vector>

#include "meta/requests/layer.h"

namespace muster::meta {

// Which sites answered, when; those never heard are left out.
std::vector<schemas::Basis> BasisOf(const RequestsLayer& f, const std::vector<std::string>& sites,
                                    Moment now);

// What a promise, and a bound before it, adds to the start: one member, the site's start slack;
// several, the wait up to D. REQUIRES: at least one.
Span LateOf(const RequestsLayer& f, const std::vector<std::string>& members);

// The promise of an attempt that starts at `start`: one member, start + the site's start slack;
// several, D.
schemas::Figures PromiseOf(const RequestsLayer& f, const schemas::RequestSpec& spec,
                           const std::vector<std::string>& members, Instant start, Moment now);

// Of an attempt; one whose permit waits for others is promised its D too.
schemas::Figures PromiseOf(const RequestsLayer& f, const schemas::RequestSpec& spec,
                           const Attempt& attempt, Moment now);

// "hills has been silent for 3m12s", "hills and woods have not been heard yet": why none of these
// sites can be asked. One that is up and has no disk left is a matter of policy, not of silence.
schemas::Reason SilentReason(const RequestsLayer& f, const std::vector<std::string>& sites,
                             Moment now);

// Why a parked request has no promise.
schemas::Reason ParkedReason();

// When the plan of `site` lets a block be extracted for those who wait for it; none while nothing
// of a block is committed there. REQUIRES a threshold.
std::optional<Instant> BlockDueFor(const RequestsLayer& f, const std::string& site);

// What a request waits for in its queue, and when that is due. REQUIRES: it is in one.
schemas::Reason QueueReason(const RequestsLayer& f, const Request& request, Moment now);

// What a request is shown now: its promise, or none and why.
schemas::Figures FiguresNow(const RequestsLayer& f, const Request& request, Moment now);

// Appends `figures` to the list told to the user, if they differ from the last told.
void TellFigures(RequestsLayer& f, Request& request, schemas::Figures figures,
                 std::optional<schemas::Cause> cause, Moment now);

}  // namespace muster::meta
