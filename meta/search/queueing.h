// Decides which requests are promised at submission and which queue for the next block, when a
// block is due, and which starts the gap rule allows (meta/search/gaps.h). scheduling.md section 1
// (Waiting room, Extraction, Gap rule), section 5 (--firm, a deadline, a fixed start).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Takes the queues from the options. All requests that wait in a queue are looked at again.
void TakeQueues(SearchLayer& f);

// True if the request does not wait for a block: if the threshold is infinite, or if the request is
// firm, is a reservation or inside of one, has a fixed or last start, has left its queue with a
// block, has lost a place, or seeks another place while it has one.
bool PromisedAtOnce(const SearchLayer& f, const Request& request);

// Puts the request into its queue for the next block. A reason from a failed try is kept.
void EnterQueue(SearchLayer& f, Request& request);

// Sites at which a part (from 0) could be placed, whether up or not.
std::vector<std::string> UsableSites(const SearchLayer& f, const Request& request, size_t part);

// The allowed starts at which the request fills a gap at site `name`: it ends within the committed
// plan, or it starts now and no other request waits for the site. `last`: the largest offset of its
// parts there.
IntervalSet GapsAt(const SearchLayer& f, const Turn& t, const Request& request, bool several,
                   const std::string& name, Span last, const IntervalSet& allowed);
// The starts to ask a site for: all allowed ones, or only gaps if the request waits for blocks.
// `several`: other sites get some of the parts.
IntervalSet StartsSought(const SearchLayer& f, const Turn& t, const Request& request, bool several,
                         const std::string& site);
// A key that is equal for requests that sites refuse alike: their rules look at user, chunks and
// times. `any_duration`: however long they last, too.
std::string RefusedKeyOf(const Request& request, bool any_duration = false);
// The same for lent room. How long that lasts depends on the contract and not on the duration, but
// where a site recalls lent work for some alone.
std::string LentKeyOf(const SearchLayer& f, const Request& request);
// No site had a gap for the request: it enters its queue again. If all its sites `answered` and
// nothing was released since a gap was sought for it, requests with the same key are not tried
// before the next release. If something was, the gap pass begins again.
void GapRefused(SearchLayer& f, Request& request, bool answered = true);
// A refused hold had taken room in the shadows. Queued requests that were passed meanwhile are
// tried again.
void NoteRoomBack(SearchLayer& f);

// For the gap rule a first allowed start within this time is "now".
Span NearNow(const SearchLayer& f);

// When the next block is due, over the sites that are up and waited for. In the past if it is due
// now; none if there is no such site or the threshold is infinite.
std::optional<Instant> NextBlockAt(const SearchLayer& f);
// Whether a block is due, and when to ask again; none if nothing is queued or a block is at the
// sites.
bool BlockIsDue(const SearchLayer& f, const Turn& t);
std::optional<BootInstant> NextExtraction(const SearchLayer& f, const Turn& t);

}  // namespace muster::meta
