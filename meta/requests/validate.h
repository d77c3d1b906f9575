// Checks the form of a request: shapes, counts, names, times. Refusals are for people: what is
// wrong, with the value, and what would be right. NeverRuns judges by the sites' capacities whether
// it can ever run.
#pragma once

#include <optional>

#include "meta/requests/layer.h"

namespace muster::meta {

// What determines the duration of a request.
enum class Lasting : uint8_t { kAsAsked, kByDefault, kAsForced };

// Sets the duration of a request. At each site that may run it, the duration that the site forces
// on this user counts, else the one asked for, else the site's default; the longest over the sites
// is taken. Without any, the federation's default, or none. OpenCCS Sect. 5.1.
Lasting FillDuration(const RequestsLayer& f, schemas::RequestSpec& spec, const std::string& user);

// Turns whole numbers that are values of properties at eligible sites into requirements of these
// properties (verifier/fits.h). OpenCCS Example 2.
void NameProperties(const RequestsLayer& f, schemas::RequestSpec& spec);

// Refuses a malformed request (code "usage"). `with_payload`: check the payload, too; a question
// has none.
std::optional<schemas::Refused> CheckRequest(const RequestsLayer& f,
                                             const schemas::RequestSpec& spec, Moment now,
                                             bool with_payload);

// Refuses (code "never", with the largest that would fit) if all eligible sites are known and none
// can ever have room for some part.
std::optional<schemas::Refused> NeverRuns(const RequestsLayer& f, const schemas::RequestSpec& spec);

}  // namespace muster::meta
