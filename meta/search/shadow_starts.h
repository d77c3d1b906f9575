// Where a request could start by what the meta knows of sites: hints that order whom to ask, and
// name starts that are then asked for. scheduling.md section 1 (Shadow).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/interval.h"
#include "meta/search/layer.h"
#include "meta/turn/turn.h"
#include "partitioner/shadow.h"

namespace muster::meta {

// What is booked after each part of a request on several sites.
Span TailOf(const SearchLayer& f);

// Earliest start from `from` on of all the parts that `site` gets, by this shadow of it: with the
// turnover before it and `tail` behind it. None if there is none before `until`.
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

// Where the shadows of these sites (of each part, in part order) would start a request within
// `allowed`; none if they know no such start.
std::optional<Instant> ShadowMeetIn(const SearchLayer& f, const Request& request,
                                    const std::vector<std::string>& part_sites,
                                    const IntervalSet& allowed);

// Where the shadow of `site` would start a request of one part; none if it knows no start.
std::optional<Instant> ShadowStartAt(const SearchLayer& f, const Turn& t, const Request& request,
                                     const std::string& site);

}  // namespace muster::meta
