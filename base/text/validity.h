// Validities as site.toml writes them: "always", "until 2027-03-01", "cron 0 8 * * Mon-Fri for
// 10h".
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
// DATE is "2026-12-01", the whole day, also where it ends something, or with a time of day
// "2026-12-01T09:00[:30]", exactly then; both are of the site's zone, with a final 'Z' of UTC. A
// field of cron is "*" or items by comma: "7", "1-5", and with "/N" every Nth of "*" or of a range.
// Months and weekdays have their English names too (Jan, Mon), in ranges as well; weekdays are 0-7
// from Sunday, and Sunday is both 0 and 7. Other than cron's, DAY and WEEKDAY must both hold: "1-7"
// with "Mon" is the first Monday. SPAN is a duration of at most Validity::kLongestOccurrence.
//
// Refused, with code "validity", the column in `text` (bytes, from 1) and what would be right: what
// is not of this form, dates that do not exist, ends not after their beginning, and times that
// never come (31 Feb).
Diagnosed<Validity> ParseValidity(std::string_view text);

// In the shortest form; ParseValidity reads it back as an equal value.
std::string ValidityText(const Validity& validity);

}  // namespace muster::text
