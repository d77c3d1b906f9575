// What sites are like beside each other, as the federation's file says it: how long a request takes
// at one, and what that costs. Durations of requests are those of a reference machine of speed 1.
// CCS Sect. 5, scheduling.md sections 1 (Shadow, R5) and 4.
#pragma once

#include <string>
#include <vector>

#include "meta/requests/layer.h"

namespace muster::meta {

// How long each part of it is booked there, without tail: the duration over the site's speed,
// rounded up. A reservation is of the calendar's time, and the same everywhere.
Span LengthAt(const RequestsLayer& f, const schemas::RequestSpec& spec, const std::string& site);
// The longest of these sites. REQUIRES: at least one.
Span LengthAt(const RequestsLayer& f, const schemas::RequestSpec& spec,
              const std::vector<std::string>& sites);
// Where each part is at the fastest site that may run it.
Span ShortestLength(const RequestsLayer& f, const schemas::RequestSpec& spec);

// The last start that its window allows, at the fastest sites that may run it.
Instant LastStart(const RequestsLayer& f, const schemas::RequestSpec& spec);

// The duration at the reference of what lasts so long there.
Span ReferenceOf(const RequestsLayer& f, const schemas::RequestSpec& spec, const std::string& site,
                 Span length);

// In thousandths of the reference's.
int64_t SpeedAt(const RequestsLayer& f, const std::string& site);
// Compared where starts, ends and loads are alike; 0 unless the file says another one.
int64_t CostAt(const RequestsLayer& f, const std::string& site);

}  // namespace muster::meta
