// Instants as people write and read them: RFC 3339. Civil dates and zones are plain values of
// base/calendar.h, known here by the same names.
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
// Reads either, with any number of fractional digits (below a millisecond they are dropped). Only
// 'Z' zones.
std::optional<Moment> FromRfc3339(std::string_view text);

}  // namespace muster::text
