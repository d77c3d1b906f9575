// Speed and cost of sites, as the federation's file states them: how long a request takes at a
// site, and what that costs. Durations of requests are those of a reference machine of speed 1. CCS
// Sect. 5, scheduling.md sections 1 (Shadow, R5) and 4.
#pragma once

#include <string>
#include <vector>

#include "meta/requests/layer.h"

namespace muster::meta {

// How long each part of the request is booked at this site, without tail: the duration over the
// site's speed, rounded up. A reservation is equally long at every site.
Span LengthAt(const RequestsLayer& f, const schemas::RequestSpec& spec, const std::string& site);
// The longest over these sites. REQUIRES: at least one site.
Span LengthAt(const RequestsLayer& f, const schemas::RequestSpec& spec,
              const std::vector<std::string>& sites);
// The length with each part at the fastest site that may run it.
Span ShortestLength(const RequestsLayer& f, const schemas::RequestSpec& spec);

// The last start that the window of the request allows, at the fastest sites that may run it.
Instant LastStart(const RequestsLayer& f, const schemas::RequestSpec& spec);

// Reference duration of a request that takes `length` at this site.
Span ReferenceOf(const RequestsLayer& f, const schemas::RequestSpec& spec, const std::string& site,
                 Span length);

// Speed of the site in thousandths of the reference speed.
int64_t SpeedAt(const RequestsLayer& f, const std::string& site);
// Cost of the site, compared where all that R5 names before it is equal; 0 unless configured.
int64_t CostAt(const RequestsLayer& f, const std::string& site);

}  // namespace muster::meta
