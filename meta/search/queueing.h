// Which requests are promised a start at submission and which wait in a queue for the next block;
// when a block is due; and which starts the gap rule allows (meta/search/gaps.h). scheduling.md
// section 1 (Waiting room, Extraction, Gap rule), section 5 (--firm, a deadline, a fixed start).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// The queues of the options, for ranks and extraction; those that waited in others are looked at
// again.
void TakeQueues(SearchLayer& f);

// True if the request waits for no block: the threshold is infinite; it is firm, or has a fixed
// start or a last one; it left its queue with a block, or had a place and lost it.
bool PromisedAtOnce(const SearchLayer& f, const Request& request);

// Waits in its queue for the next block. Why it had to come back stays its reason.
void EnterQueue(SearchLayer& f, Request& request);

// Sites at which part `part` (from 0) could be placed, up or not.
std::vector<std::string> UsableSites(const SearchLayer& f, const Request& request, size_t part);

// Of the allowed starts those at which the request, with parts at `name` of which the last begins
// `last` after its start, fills a gap there: it ends within the plan, or starts now where nobody
// else waits.
IntervalSet GapsAt(const SearchLayer& f, const Turn& t, const Request& request, bool several,
                   const std::string& name, Span last, const IntervalSet& allowed);
// StartsAt of what may be asked of one site for a request on record, as all of it or, with
// `several`, as some of its parts: of one that waits for blocks only gaps.
IntervalSet StartsSought(const SearchLayer& f, const Turn& t, const Request& request, bool several,
                         const std::string& site);
// Requests with equal keys are refused alike: sites refuse by rules, which look at the user, the
// chunks and the times.
std::string RefusedKeyOf(const Request& request);
// It was asked for in vain and enters its queue again. Once all of its sites have `answered`,
// nobody of its user who asks for the same is tried before the next release.
void GapRefused(SearchLayer& f, Request& request, bool answered = true);
// What was ordered and is not held took room in the shadows: those who looked meanwhile look again.
void NoteRoomBack(SearchLayer& f);

// A first allowed start so soon is "now" for the gap rule.
Span NearNow(const SearchLayer& f);

// When the next block is due, over the sites that somebody waits for and that can be asked; the
// past if now, none if nobody can be asked, or waits.
std::optional<Instant> NextBlockAt(const SearchLayer& f);
// Whether a block is due, and when this should be asked again; none while nobody waits in a queue.
bool BlockIsDue(const SearchLayer& f, const Turn& t);
std::optional<BootInstant> NextExtraction(const SearchLayer& f, const Turn& t);

}  // namespace muster::meta
