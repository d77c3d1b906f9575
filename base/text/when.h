// Points of time as users type them: "22:30", "2026-11-21T09:00Z", "now+2h".
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/text/calendar.h"
#include "base/time.h"

namespace muster::text {

// "HH:MM" and "HH:MM:SS" are the next such time of day in `zone`; dates with 'T' are of `zone`, or
// UTC with a final 'Z'; "now", "now+DURATION". Refused: what is not after `now` (but "now" itself),
// dates that do not exist, and dates alone, whose time of day would be a guess.
Diagnosed<Instant> ParseWhen(std::string_view text, Instant now, const Zone& zone);

// "2026-11-21T09:00:05": ParseWhen reads it back as the same instant, for instants
// after `now` that the zone does not show twice.
std::string WhenText(Instant instant, const Zone& zone);

}  // namespace muster::text
