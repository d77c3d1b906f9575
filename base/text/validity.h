// Parses and prints validities as site.toml has them: "always", "until 2027-03-01", "cron 0 8 * *
// Mon-Fri for 10h".
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/validity.h"

namespace muster::text {

//   always
//   until DATE
//   from DATE to DATE
//   cron MINUTE HOUR DAY MONTH WEEKDAY for SPAN
//
// DATE is a whole day, "2026-12-01" (as an end, the day is included), or an exact time,
// "2026-12-01T09:00[:30]". It is in the site's zone, or in UTC with a final 'Z'. A field of cron is
// "*" or items separated by commas: "7", "1-5"; "/N" after "*" or a range selects every Nth value.
// Months and weekdays may be English names (Jan, Mon), also in ranges; weekdays are 0-7 and both 0
// and 7 are Sunday. Unlike in cron, DAY and WEEKDAY must both match: "1-7" with "Mon" is the first
// Monday. SPAN is a duration of at most Validity::kLongestOccurrence.
//
// Errors have code "validity", the column in `text` (bytes, from 1) and a correction. Refused are
// malformed validities, dates that do not exist, ends not after their beginning, and times that
// never occur (31 Feb).
Diagnosed<Validity> ParseValidity(std::string_view text);

// Prints the shortest form; inverse of ParseValidity.
std::string ValidityText(const Validity& validity);

}  // namespace muster::text
