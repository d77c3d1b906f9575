// Speed and cost of sites, as the federation's file states them, and of their nodes, as the sites
// do: how long a request takes at a site, and what that costs. Durations of requests are those of a
// reference machine of speed 1. CCS Sect. 5, Maui Sect. IV (node sets), scheduling.md sections 1
// (Shadow, R5) and 4.
#pragma once

#include <string>
#include <vector>

#include "meta/requests/layer.h"

namespace muster::meta {

// The duration that this site is asked for: the request's over the site's speed, rounded up. A
// reservation is equally long at every site.
Span AskedAt(const RequestsLayer& f, const schemas::RequestSpec& spec, const std::string& site);
// The longest that a part of the request may be booked at this site, without tail: on the slowest
// of the nodes that it may get there. Equal to AskedAt where no site states speeds of nodes.
Span LengthAt(const RequestsLayer& f, const schemas::RequestSpec& spec, const std::string& site);
// The longest over these sites. REQUIRES: at least one site.
Span LengthAt(const RequestsLayer& f, const schemas::RequestSpec& spec,
              const std::vector<std::string>& sites);
// The length with each part on the fastest nodes of the fastest site that may run it.
Span ShortestLength(const RequestsLayer& f, const schemas::RequestSpec& spec);

// How long the part at this place of the attempt is booked, as its site says: LengthAt until it
// does.
Span BookedLength(const RequestsLayer& f, const schemas::RequestSpec& spec, const Attempt& attempt,
                  size_t part);
// The longest over the attempt's parts. REQUIRES: at least one part.
Span BookedLength(const RequestsLayer& f, const schemas::RequestSpec& spec, const Attempt& attempt);

// The last start that the window of the request allows, at the fastest sites that may run it.
Instant LastStart(const RequestsLayer& f, const schemas::RequestSpec& spec);

// Reference duration of a request that asks for `length` at this site.
Span ReferenceOf(const RequestsLayer& f, const schemas::RequestSpec& spec, const std::string& site,
                 Span length);

// Speed of the site in thousandths of the reference speed; of the nodes of this part of the
// attempt, as far as its site has said, at least 1.
int64_t SpeedAt(const RequestsLayer& f, const std::string& site);
int64_t SpeedAt(const RequestsLayer& f, const schemas::RequestSpec& spec, const Attempt& attempt,
                size_t part);
// Cost of the site, compared where all that R5 names before it is equal; 0 unless configured.
int64_t CostAt(const RequestsLayer& f, const std::string& site);

}  // namespace muster::meta
