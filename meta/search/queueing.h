// Who is promised a start at submission and who waits in a queue for the next block; and the gap
// rule, by which those who wait get what blocks leave over. scheduling.md section 1 (Waiting room,
// Extraction, Gap rule), section 5 (--firm, a deadline, a fixed start).
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

// The gap rule for one request: orders it where it ends within the committed plan of every site it
// gets, or starts now while nobody else waits for them. False if the shadows know no such place.
// What a site refuses then is asked for once (StartsSought), as shadows know neither rules nor
// shapes; where no site has such a start either, it enters its queue again.
bool FillGap(SearchLayer& f, Turn& t, Request& request);
// StartsAt of what may be asked of one site for a request on record, as all of it or, with
// `several`, as some of its parts: of one that waits for blocks only gaps.
IntervalSet StartsSought(const SearchLayer& f, const Turn& t, const Request& request, bool several,
                         const std::string& site);
// It was asked for in vain and enters its queue again. Once all of its sites have `answered`,
// nobody of its user who asks for the same is tried before the next release.
void GapRefused(SearchLayer& f, Request& request, bool answered = true);
// What was ordered and is not held took room in the shadows: those who looked meanwhile look again.
void NoteRoomBack(SearchLayer& f);
// Equal shapes find the same gaps or none; none: it is compared with no other, as it is behind a
// gate or in a window.
std::optional<std::string> GapShapeOf(const SearchLayer& f, const Turn& t, const Request& request);
// A first allowed start so soon is "now" for the gap rule.
Span NearNow(const SearchLayer& f);
// Something was given back somewhere: all that wait are tried again, by rank.
void NoteRelease(SearchLayer& f);
// Goes on with that, a bounded piece a turn.
void SeekGaps(SearchLayer& f, Turn& t);

// When the next block is due, over the sites that somebody waits for and that can be asked; the
// past if now, none if nobody can be asked, or waits.
std::optional<Instant> NextBlockAt(const SearchLayer& f);
// Whether a block is due, and when this should be asked again; none while nobody waits in a queue.
bool BlockIsDue(const SearchLayer& f, const Turn& t);
std::optional<BootInstant> NextExtraction(const SearchLayer& f, const Turn& t);

}  // namespace muster::meta
