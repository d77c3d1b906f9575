// From a request as its user wrote it to what sites are asked: where each part may run, when it may
// start, and the demand one site gets. CCS Sect. 5 (the partitioner notices the subrequests);
// scheduling.md section 4.
#pragma once

#include <string>
#include <vector>

#include "base/interval.h"
#include "schemas/hold.h"
#include "schemas/request.h"

namespace muster::partitioner {

// The sites of `all` a part may run on, in the order of `all`.
std::vector<std::string> EligibleSites(const schemas::PartSpec& part,
                                       const std::vector<std::string>& all);

// Starts of the request its user allows: exactly `at`, else from `from` (or ever) up to `start_by`
// and to what the deadline leaves after the longest offset and the duration. Empty if they
// contradict each other.
IntervalSet AllowedStarts(const schemas::RequestSpec& spec);

// The last start its user allows; kFarFuture if there is none.
Instant LastAllowedStart(const schemas::RequestSpec& spec);

// Offset of the parts that start first.
Span FirstOffset(const schemas::RequestSpec& spec);
Span LastOffset(const schemas::RequestSpec& spec);

// One part as a site plans it. `index` is from 1.
schemas::PartDemand DemandOf(const schemas::RequestSpec& spec, uint32_t index, Span tail);

// The demand of `site` in an assignment (site of each part, in part order), ascending by index.
std::vector<schemas::PartDemand> DemandsAt(const schemas::RequestSpec& spec,
                                           const std::vector<std::string>& part_sites,
                                           const std::string& site, Span tail);

// The distinct sites of an assignment, ascending.
std::vector<std::string> MembersOf(const std::vector<std::string>& part_sites);

// All that a part takes, over its chunks.
ResourceSet AmountsOf(const schemas::PartSpec& part);

}  // namespace muster::partitioner
