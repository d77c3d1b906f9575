// Checks the form of a request: shapes, counts, names, times. Refusals are for people: what is
// wrong, with the value, and what would be right. NeverRuns judges by the sites' capacities whether
// a request can ever run.
#pragma once

#include <optional>

#include "meta/requests/layer.h"

namespace muster::meta {

// What determines the duration of a request.
enum class Lasting : uint8_t { kAsAsked, kByDefault, kAsForced };

// Sets the duration of a request. At each site that may run it, the duration that the site forces
// on this user counts, else the one asked for, else the site's default; the longest over the sites
// is taken. If no site has one, the federation's default is taken; without that, the duration stays
// unset. OpenCCS Sect. 5.1.
Lasting FillDuration(const RequestsLayer& f, schemas::RequestSpec& spec, const std::string& user);

// Turns whole numbers that are values of properties at eligible sites into requirements of these
// properties (verifier/fits.h). OpenCCS Example 2.
void NameProperties(const RequestsLayer& f, schemas::RequestSpec& spec);

// Refuses a malformed request (code "usage"), or one with an unknown dependency ("not-found").
// `with_payload`: check the payload, too; a question has none.
std::optional<schemas::Refused> CheckRequest(const RequestsLayer& f,
                                             const schemas::RequestSpec& spec, Moment now,
                                             bool with_payload);

// Refuses (code "never", with the largest that would fit) a request with a part that no eligible
// site can ever have room for, or whose parts can never each have a site of their own (--apart). A
// site whose capacity is unknown counts as able.
std::optional<schemas::Refused> NeverRuns(const RequestsLayer& f, const schemas::RequestSpec& spec,
                                          const std::string& user, Moment now);

}  // namespace muster::meta
