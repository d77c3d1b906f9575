// The gap rule at work: after a release, requests that wait for a block are put, by rank, where
// they delay nothing that is committed. scheduling.md section 1 (Gap rule).
#pragma once

#include <optional>
#include <string>

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// The gap rule for one request: orders it where it ends within the committed plan of every site it
// gets, or starts now while nobody else waits for them. False if the shadows know no such place.
// What a site refuses then is asked for once (StartsSought), as shadows know neither rules nor
// shapes; where no site has such a start either, it enters its queue again.
bool FillGap(SearchLayer& f, Turn& t, Request& request);

// Equal shapes find the same gaps or none; none: it is compared with no other, as it is behind a
// gate or in a window.
std::optional<std::string> GapShapeOf(const SearchLayer& f, const Turn& t, const Request& request);

// Something was given back somewhere: all that wait are tried again, by rank.
void NoteRelease(SearchLayer& f);
// Goes on with that, a bounded piece a turn.
void SeekGaps(SearchLayer& f, Turn& t);

}  // namespace muster::meta
