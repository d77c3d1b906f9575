// Waves: waiting requests of one part are proposed together; each site that is to be asked gets its
// entries as one ordered set. While a wave is at the sites, new submissions gather for the next.
// protocol.md section 2 (propose), scheduling.md "What is built now" and section 4.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Unless a wave is at the sites, tries the ready and woken requests: at once if no site need be
// asked, else in a new wave or a search of their own. Also continues the passes for moves and gaps,
// and begins a block if one is due.
void StartWave(SearchLayer& f, Turn& t);

// Takes a site's answer to the wave; null if the site will not answer. False if the question was
// not of a wave.
bool TakeWave(SearchLayer& f, Turn& t, uint64_t owner, const std::string& site,
              const std::vector<schemas::VerdictEntry>* verdicts);

}  // namespace muster::meta
