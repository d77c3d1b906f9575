// Derives questions to sites from a request: where each part may run, when it may start, and what
// one site gets. CCS Sect. 5 (the partitioner notices the subrequests); scheduling.md section 4.
#pragma once

#include <string>
#include <vector>

#include "base/interval.h"
#include "schemas/hold.h"
#include "schemas/request.h"
#include "verifier/request_times.h"

namespace muster::partitioner {

// Whether the request itself allows the part at this site.
bool MayRunAt(const schemas::PartSpec& part, const std::string& site);
// The sites of `all` at which the part may run, in the order of `all`.
std::vector<std::string> EligibleSites(const schemas::PartSpec& part,
                                       const std::vector<std::string>& all);

// Re-exports from verifier/request_times.h.
using verifier::AllowedStarts;
using verifier::DemandOf;
using verifier::FirstOffset;
using verifier::LastAllowedStart;
using verifier::LastOffset;

// The demands on `site` in an assignment (site of each part, in part order), ascending by index.
// Each part lasts `length` there.
std::vector<schemas::PartDemand> DemandsAt(const schemas::RequestSpec& spec,
                                           const std::vector<std::string>& part_sites,
                                           const std::string& site, Span length, Span tail);

// The distinct sites of an assignment, ascending.
std::vector<std::string> MembersOf(const std::vector<std::string>& part_sites);

// The total amounts of a part, over its chunks.
ResourceSet AmountsOf(const schemas::PartSpec& part);

}  // namespace muster::partitioner
