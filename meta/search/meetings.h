// Runs the searches for a common start of a request's parts at the sites. partitioner/meeting.h
// decides what to ask and combines the answers; this file sends the questions and acts on the
// result. Each search asks separately; several run at a time, by rank. scheduling.md section 4,
// protocol.md section 3.2 (C1).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meta/search/inquiry.h"
#include "meta/search/layer.h"
#include "meta/search/verified_run.h"
#include "meta/turn/turn.h"
#include "partitioner/meeting.h"

namespace muster::meta {

// Maximum searches that ask the sites at the same time; other requests wait for their turn.
inline constexpr size_t kMeetingsAtOnce = 8;

// Begins the search for a request of several parts. If no site has an allowed start nothing is
// asked, and the request waits with the reason. REQUIRES: MayMeet().
void SeekMeeting(SearchLayer& f, Turn& t, Request& request);
bool MayMeet(const SearchLayer& f);

// The search of an inquiry. The present place of its request counts as free.
struct Inquired {
  uint64_t owner = 0;                        // of its questions
  std::optional<partitioner::Meeting> over;  // set if no site had to be asked
};
// REQUIRES: each part has a site that is up.
Inquired Inquire(SearchLayer& f, Turn& t, Inquiry inquiry);
// Gives up the search of an inquiry.
void DropInquiry(SearchLayer& f, uint64_t owner);
// Inquiries with this line are planned behind `others` at each site.
void GoBehind(SearchLayer& f, uint64_t line, std::vector<LaidOut> others);
void DropLine(SearchLayer& f, uint64_t line);

// Owners of the searches that wait for an answer of this site.
std::vector<uint64_t> MeetingsAt(const SearchLayer& f, const std::string& site);
// Takes a site's answer to a search's question, made by plan revision `plan`; null if the site did
// not answer. Returns an inquiry if its search is over. REQUIRES: f.meetings has this owner.
std::optional<InquiryOver> TakeMeeting(SearchLayer& f, Turn& t, uint64_t owner,
                                       const std::string& site, PlanRevision plan,
                                       const std::vector<schemas::VerdictEntry>* verdicts);

}  // namespace muster::meta
