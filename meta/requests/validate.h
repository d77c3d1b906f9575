// Whether a request is one at all: shapes, counts, names, times. Refusals are for people: what was
// wrong, with the value, and what would be right. Whether it can ever run is judged from the sites'
// capacities (NeverRuns).
#pragma once

#include <optional>

#include "meta/requests/layer.h"

namespace muster::meta {

// Who says how long a request lasts.
enum class Lasting : uint8_t { kAsAsked, kByDefault, kAsForced };

// Gives a request the duration that it has where it may run: of each of its sites what that insists
// on for this user, else what is asked for, else its default, and of all these the longest; where
// there is none the federation's default, or none. OpenCCS Sect. 5.1.
Lasting FillDuration(const RequestsLayer& f, schemas::RequestSpec& spec, const std::string& user);

// Whole numbers that are values of properties where it may run are asked for as such
// (verifier/fits.h). OpenCCS Example 2.
void NameProperties(const RequestsLayer& f, schemas::RequestSpec& spec);

// Refused usage, or nothing. `with_payload`: a question needs none.
std::optional<schemas::Refused> CheckRequest(const RequestsLayer& f,
                                             const schemas::RequestSpec& spec, Moment now,
                                             bool with_payload);

// Refused never, with the largest that would fit, if all eligible sites are known and none has ever
// room for some part; nothing if one may.
std::optional<schemas::Refused> NeverRuns(const RequestsLayer& f, const schemas::RequestSpec& spec);

}  // namespace muster::meta
