// Sets up the search for a common start of a request's parts: which sites are asked what, and what
// the shadows say before any site is asked. partitioner/meeting.h does the arithmetic;
// meta/search/meetings.h sends the questions. scheduling.md section 4.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meta/search/inquiry.h"
#include "meta/search/layer.h"
#include "meta/turn/turn.h"
#include "partitioner/meet.h"
#include "partitioner/meeting.h"

namespace muster::meta {

// For whom a search is made: a request on record, or an inquiry.
struct Seeker {
  const schemas::RequestSpec& spec;
  const Request* request = nullptr;
  bool on_record = false;  // the request is as recorded, so its sites' refusals count
  std::string user;
  std::optional<Fence> place;  // the place to be replaced; its room counts as free
  Instant not_before{-kFarFuture.seconds};
  bool to_be_placed = false;  // a queued request may only fill gaps (StartsSought)
};
// `on_record`: false if an inquiry changed the request.
Seeker SeekerOf(const Request& request, bool on_record = true);
Seeker SeekerOf(const Inquiry& inquiry);

// The search over the sites that are up, with its first questions.
partitioner::Meeting MeetingOf(const SearchLayer& f, const Turn& t, const Seeker& seeker);
// A list by part: `site` for these parts, an empty name for the others.
std::vector<std::string> AtSite(const schemas::RequestSpec& spec, const std::vector<size_t>& parts,
                                const std::string& site);
// Time booked after the parts. `whole`: one site has them all, so it is only TailAlone, or 0 for an
// inquiry about no request on record.
Span TailBehind(const SearchLayer& f, const Turn& t, const Seeker& seeker, bool whole);

// After a refused hold, the first start to search from: the refused slot plus a delay (kMeetTries,
// scheduling.md section 4). None: search from the first allowed start.
std::optional<Instant> SeeksBehind(const SearchLayer& f, const Request& request);

// The start for all parts by the shadows, if it is the earliest allowed one, which nothing can
// better. None otherwise, or if a shadow is not known.
std::optional<partitioner::Met> MeetByShadows(const SearchLayer& f, const Turn& t,
                                              const Request& request);

// The earliest start within `within` for all parts that the sites' offers and the shadows, without
// the present place, do not rule out; none if they rule out all. `seen` gets what they showed of
// the place's own parts (FruitlessLook).
std::optional<Instant> EarliestChance(const SearchLayer& f, const Turn& t, const Request& request,
                                      const Attempt& place, const Interval& within,
                                      std::map<std::string, IntervalSet>& seen);

}  // namespace muster::meta
