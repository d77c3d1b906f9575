// Possible starts of a request according to the shadows. They are hints: they say whom to ask
// first, and for which start. scheduling.md section 1 (Shadow).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/interval.h"
#include "meta/search/layer.h"
#include "meta/turn/turn.h"
#include "partitioner/shadow.h"

namespace muster::meta {

// Time booked after each part of a request on several sites.
Span TailOf(const SearchLayer& f);

// Earliest start at or after `from` of the parts that `site` gets, by this shadow. The booking
// includes the turnover before and `tail` after the parts. None if there is none before `until`.
std::optional<Instant> ShadowStart(const SearchLayer& f, const partitioner::Shadow& shadow,
                                   const schemas::RequestSpec& spec,
                                   const std::vector<std::string>& part_sites,
                                   const std::string& site, Instant from, Span tail,
                                   Instant until = kFarFuture);

// All such starts within `within`, in at most kStartIntervals intervals.
partitioner::Shadow::Starts ShadowStarts(const SearchLayer& f, const partitioner::Shadow& shadow,
                                         const schemas::RequestSpec& spec,
                                         const std::vector<std::string>& part_sites,
                                         const std::string& site, const Interval& within,
                                         Span tail);

// The common start within `allowed` by the shadows of these sites (one per part); none if the
// earliest they show is not allowed.
std::optional<Instant> ShadowMeetIn(const SearchLayer& f, const Request& request,
                                    const std::vector<std::string>& part_sites,
                                    const IntervalSet& allowed);

// The start of a request of one part by the shadow of `site`; none if it shows no allowed one.
std::optional<Instant> ShadowStartAt(const SearchLayer& f, const Turn& t, const Request& request,
                                     const std::string& site);

}  // namespace muster::meta
