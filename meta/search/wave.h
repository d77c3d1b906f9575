// Waves: what waits is proposed, as one ordered set, to every site that may run it; while one wave
// is out, new submissions gather for the next. protocol.md section 2 (propose), scheduling.md
// "First stage".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Tries what is ready, by rank: at once where nothing has to be asked, else in the next wave.
void StartWave(SearchLayer& f, Turn& t);

// A site's answer to the wave; null: it will not answer. False if this owner asked for no wave.
bool TakeWave(SearchLayer& f, Turn& t, uint64_t owner, const std::string& site,
              const std::vector<schemas::VerdictEntry>* verdicts);

}  // namespace muster::meta
