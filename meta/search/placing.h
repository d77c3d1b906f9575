// Seeking a place for a request: whom to ask, and the common start. partitioner/ does the
// arithmetic; this is its application to requests that wait. scheduling.md section 4, protocol.md
// section 5 (replace before release).
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

// What sites answered about the parts of one request: by part (from 0), by site.
using Answers = std::map<uint32_t, std::map<std::string, schemas::VerdictEntry>>;

// Whether the last event of its timeline says already that its sites were asked.
bool SaidProposed(const Request& request);

// A first try without questions: only one site can take it, or the shadows of all agree on a start.
// False if the sites have to be asked first. REQUIRES: every part has a site that is up.
bool PlaceByShadow(SearchLayer& f, Turn& t, Request& request);

// The second step: holds where the answers allow, else back to the waiting room with the reason.
void PlaceByAnswers(SearchLayer& f, Turn& t, Request& request, const Answers& answers);

// The same of a request of several parts, by what its sites answered to its search.
void PlaceByMeeting(SearchLayer& f, Turn& t, Request& request, const partitioner::Meeting& search);

// C2: the attempt in HOLDING failed; the request is tried again, or waits with the reason.
void PlacingFailed(SearchLayer& f, Turn& t, Request& request, const PlacingRefused& news);

// Lets a request sleep until its first start is within the horizon, or a file may say another one.
void SleepUntil(SearchLayer& f, const Turn& t, const Request& request, Instant near);

}  // namespace muster::meta
