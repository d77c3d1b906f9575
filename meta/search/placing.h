// Places one request by its shadows or the sites' answers: it gets a hold, or goes back to the
// waiting room with the reason. partitioner/ does the arithmetic. scheduling.md section 4,
// protocol.md section 5 (replace before release).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meta/requests/horizon.h"
#include "meta/search/layer.h"
#include "meta/turn/turn.h"
#include "partitioner/meeting.h"

namespace muster::meta {

// What is promised at its start alone is asked about again after this time: room may come as time
// passes.
inline constexpr Span kStartAgain{60};

// The sites' verdicts on one request: by part (from 0), then by site.
using Answers = std::map<uint32_t, std::map<std::string, schemas::VerdictEntry>>;

// True if the last event of its timeline already says that sites were asked.
bool SaidProposed(const Request& request);

// Tries to place a request without asking: because only one eligible site is up, or because the
// shadows agree on the earliest allowed start. False if sites must be asked. REQUIRES: every part
// has a site that is up.
bool PlaceByShadow(SearchLayer& f, Turn& t, Request& request);

// Holds a place that the answers allow, or puts the request back into the waiting room with the
// reason. For requests of one part.
void PlaceByAnswers(SearchLayer& f, Turn& t, Request& request, const Answers& answers);

// The same for several parts, from a finished search.
void PlaceByMeeting(SearchLayer& f, Turn& t, Request& request, const partitioner::Meeting& search);

// C2: the attempt in HOLDING failed. Tries the request again, or lets it wait with the reason.
void PlacingFailed(SearchLayer& f, Turn& t, Request& request, const PlacingRefused& news);

// Lets a request sleep until its first start comes within the horizon, but not longer than until a
// site may have changed its horizon.
void SleepUntil(SearchLayer& f, const Turn& t, const Request& request, Instant near);

}  // namespace muster::meta
