// Prints and parses instants in RFC 3339. Re-exports the civil dates and zones of base/calendar.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/calendar.h"
#include "base/time.h"

namespace muster::text {

using muster::Civil;
using muster::FromCivil;
using muster::ToCivil;
using muster::Zone;

// "2026-11-20T21:16:21Z", and with milliseconds "2026-11-20T21:16:21.004Z".
std::string ToRfc3339(Instant instant);
std::string ToRfc3339(Moment moment);
// Parses both forms, with any number of fractional digits (those below a millisecond are dropped).
// Only zone 'Z' is accepted.
std::optional<Moment> FromRfc3339(std::string_view text);

}  // namespace muster::text
