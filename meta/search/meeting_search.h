// A search for the common start of a request's parts as it begins: whom to ask and what, and what
// the shadows say of it before anybody is asked. partitioner/meeting.h does the arithmetic;
// meta/search/meetings.h puts the questions. scheduling.md section 4.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "meta/search/inquiry.h"
#include "meta/search/layer.h"
#include "meta/turn/turn.h"
#include "partitioner/meet.h"
#include "partitioner/meeting.h"

namespace muster::meta {

// Who searches: a request on record, or somebody who asks.
struct Seeker {
  const schemas::RequestSpec& spec;
  const Request* request = nullptr;
  bool on_record = false;  // the request as it is: what sites said of it counts
  std::string user;
  std::optional<Fence> place;  // it has one that does not count: another shall replace it
  Instant not_before{-kFarFuture.seconds};
  bool to_be_placed = false;  // where it is found: as the gap rule has it
};
// `on_record`: as it is, not as somebody would have it.
Seeker SeekerOf(const Request& request, bool on_record = true);
Seeker SeekerOf(const Inquiry& inquiry);

// The search, with the sites that are up and their facts, and its first questions.
partitioner::Meeting MeetingOf(const SearchLayer& f, const Turn& t, const Seeker& seeker);
// The parts that `site` gets, as the sites of all parts; no name for the others.
std::vector<std::string> AtSite(const schemas::RequestSpec& spec, const std::vector<size_t>& parts,
                                const std::string& site);
// What is booked behind the parts: of one site alone only what a gate needs.
Span TailBehind(const SearchLayer& f, const Turn& t, const Seeker& seeker, bool whole);

// From when on it is searched for, behind the slot at which sites refused it as it was to be held
// (kMeetTries, scheduling.md section 4); none: from its first allowed start.
std::optional<Instant> SeeksBehind(const SearchLayer& f, const Request& request);

// Where the shadows would start all its parts, if that is the earliest start it is allowed, which
// nothing can better; none otherwise, and where a shadow is not known.
std::optional<partitioner::Met> MeetByShadows(const SearchLayer& f, const Turn& t,
                                              const Request& request);

// Whether what its sites offered, and the shadows of all without the place it has, leave the
// request a chance to start all its parts at one of these instants.
bool HasAChance(const SearchLayer& f, const Turn& t, const Request& request, const Attempt& place,
                const Interval& within);

}  // namespace muster::meta
