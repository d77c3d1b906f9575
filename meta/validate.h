// Whether a request is one at all: shapes, counts, names, times. Refusals are for people: what was
// wrong, with the value, and what would be right. Whether it can ever run is judged from the sites'
// capacities (NeverRuns).
#pragma once

#include <optional>

#include "meta/federation.h"

namespace muster::meta {

// Gives a request that says no duration that of where it may run: the longest default of its sites
// for this user, or else the federation's. Leaves it as it is where there is none. True if it did.
bool FillDuration(const Federation& f, schemas::RequestSpec& spec, const std::string& user);

// Refused usage, or nothing. `with_payload`: a question needs none.
std::optional<schemas::Refused> CheckRequest(const Federation& f, const schemas::RequestSpec& spec,
                                             Moment now, bool with_payload);

// Refused never, with the largest that would fit, if all eligible sites are known and none has ever
// room for some part; nothing if one may.
std::optional<schemas::Refused> NeverRuns(const Federation& f, const schemas::RequestSpec& spec);

}  // namespace muster::meta
