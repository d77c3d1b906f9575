// Parses and prints times as users type them: "22:30", "2026-11-21T09:00Z", "now+2h".
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/text/calendar.h"
#include "base/time.h"

namespace muster::text {

// "HH:MM" and "HH:MM:SS" mean the next such time of day in `zone`. Dates with 'T' are in `zone`, or
// in UTC with a final 'Z'. "now" and "now+DURATION" are accepted too. Refused: times not after
// `now` (except "now" itself), dates that do not exist, and dates without a time of day.
Diagnosed<Instant> ParseWhen(std::string_view text, Instant now, const Zone& zone);

// "2026-11-21T09:00:05". ParseWhen converts it back for instants after `now` whose local time is
// unique in `zone`.
std::string WhenText(Instant instant, const Zone& zone);

}  // namespace muster::text
