// Waves: waiting requests are proposed as one ordered set to every site that may run them. While a
// wave is at the sites, new submissions gather for the next. protocol.md section 2 (propose),
// scheduling.md "First stage".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Tries ready requests by rank: at once if no site need be asked, else in the next wave.
void StartWave(SearchLayer& f, Turn& t);

// Takes a site's answer to the wave; null if the site will not answer. False if the question was
// not of a wave.
bool TakeWave(SearchLayer& f, Turn& t, uint64_t owner, const std::string& site,
              const std::vector<schemas::VerdictEntry>* verdicts);

}  // namespace muster::meta
