// The gap rule: after a release, queued requests are placed by rank where they delay nothing that
// is committed. scheduling.md section 1 (Gap rule).
#pragma once

#include <optional>
#include <string>

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Applies the gap rule to one request. Orders a hold where the request ends within the committed
// plan of each of its sites, or where it starts now and nobody else waits for those sites. False if
// the shadows show no such place. Shadows know neither rules nor shapes, so a site may refuse. Then
// the sites are asked once for starts that fill a gap (StartsSought), and if there is none the
// request enters its queue again.
bool FillGap(SearchLayer& f, Turn& t, Request& request);

// A key that is equal for requests that find the same gaps. None if the request has dependencies, a
// window that begins later, or is an array element: such a request is compared with no other.
std::optional<std::string> GapShapeOf(const SearchLayer& f, const Turn& t, const Request& request);

// Somebody whom a ceiling barred may start earlier now: whoever was dated is looked at again.
void NoteEased(SearchLayer& f);

// Notes that resources were given back. All queued requests are tried again, by rank, and a pass
// for moves becomes due.
void NoteRelease(SearchLayer& f);
// Continues the pass over queued requests by a bounded piece.
void SeekGaps(SearchLayer& f, Turn& t);

}  // namespace muster::meta
