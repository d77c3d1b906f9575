// Searches for the common start of a request's parts that are out at sites: partitioner/meeting.h
// says what is asked and solves the answers, this puts the questions and takes what comes of them.
// Each search is a question of its own, some at once, by rank. scheduling.md section 4, protocol.md
// section 3.2 (C1).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meta/search/layer.h"
#include "meta/turn/turn.h"
#include "partitioner/meeting.h"

namespace muster::meta {

// Searches of requests that may be out at the same time; more wait for their turn.
inline constexpr size_t kMeetingsAtOnce = 8;

// Asks the sites of a request of several parts. Nothing is asked, and the request waits with the
// reason, if it has no start or no sites. REQUIRES: fewer than kMeetingsAtOnce are out.
void SeekMeeting(SearchLayer& f, Turn& t, Request& request);
bool MayMeet(const SearchLayer& f);
// From when on it is searched for, behind the slot at which sites refused it as it was to be held
// (kMeetTries, scheduling.md section 4); none: from its first allowed start.
std::optional<Instant> SeeksBehind(const SearchLayer& f, const Request& request);

// The same for a client's question. REQUIRES: each part has a site that is up.
void AskMeeting(SearchLayer& f, Turn& t, AskPending ask);

// The same for a way of an explanation, whose job's place does not count; where that waits behind
// others, each site is asked behind those that are laid out before it there.
// REQUIRES: there is that explanation, and the way is not out.
void AskWay(SearchLayer& f, Turn& t, WayAsked way);
// The ways of this explanation are searched for no more.
void DropWays(SearchLayer& f, uint64_t explain);

// A site's answer to a search's question, by a plan of this revision; null: it will not answer.
// False if nobody searches under this owner.
bool TakeMeeting(SearchLayer& f, Turn& t, uint64_t owner, const std::string& site,
                 PlanRevision plan, const std::vector<schemas::VerdictEntry>* verdicts);
// The site answers none of its questions any more.
void EndMeetingsAt(SearchLayer& f, Turn& t, const std::string& site);

// Where the shadows would start all its parts, if that is the earliest start it is allowed, which
// nothing can better; none otherwise, and where a shadow is not known.
std::optional<partitioner::Met> MeetByShadows(const SearchLayer& f, const Turn& t,
                                              const Request& request);

// Whether what its sites offered, and the shadows of all without the place it has, leave the
// request a chance to start all its parts at one of these instants.
bool HasAChance(const SearchLayer& f, const Turn& t, const Request& request, const Attempt& place,
                const Interval& within);

}  // namespace muster::meta
