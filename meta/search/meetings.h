// Searches for the common start of a request's parts that are out at sites: partitioner/meeting.h
// says what is asked and solves the answers, this puts the questions and takes what comes of them.
// Each search is a question of its own, some at once, by rank. scheduling.md section 4, protocol.md
// section 3.2 (C1).
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

// Searches of requests that may be out at the same time; more wait for their turn.
inline constexpr size_t kMeetingsAtOnce = 8;

// Asks the sites of a request of several parts. Nothing is asked, and the request waits with the
// reason, if it has no start or no sites. REQUIRES: fewer than kMeetingsAtOnce are out.
void SeekMeeting(SearchLayer& f, Turn& t, Request& request);
bool MayMeet(const SearchLayer& f);

// The same for an inquiry, for which the place of its request does not count.
struct Inquired {
  uint64_t owner = 0;                        // of its questions
  std::optional<partitioner::Meeting> over;  // nobody had to be asked
};
// REQUIRES: each part has a site that is up.
Inquired Inquire(SearchLayer& f, Turn& t, Inquiry inquiry);
// It is searched for no more.
void DropInquiry(SearchLayer& f, uint64_t owner);
// Sites are asked about inquiries of this line behind these, as they are laid out there.
void GoBehind(SearchLayer& f, uint64_t line, std::vector<LaidOut> others);
void DropLine(SearchLayer& f, uint64_t line);

// Searches whose questions this site has not answered, by owner.
std::vector<uint64_t> MeetingsAt(const SearchLayer& f, const std::string& site);
// A site's answer to a search's question, by a plan of this revision; null: it will not answer.
// Returns an inquiry that is over. REQUIRES: f.meetings has this owner.
std::optional<InquiryOver> TakeMeeting(SearchLayer& f, Turn& t, uint64_t owner,
                                       const std::string& site, PlanRevision plan,
                                       const std::vector<schemas::VerdictEntry>* verdicts);

}  // namespace muster::meta
