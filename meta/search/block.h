// Blocks: what extraction takes out of the queues is packed on the shadows, proposed whole to every
// site it concerns, reorganised by their verdicts and committed. One block is out at a time; from
// its commit on there is a promise. scheduling.md sections 1 (Extraction, Packing, Compaction) and
// 3.
#pragma once

#include <string>
#include <vector>

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Extracts the next block if one is due and none is out.
void StartBlock(SearchLayer& f, Turn& t);

// What a site said to this round of the block, null if nothing; false if the owner of that question
// is another.
bool TakeBlockAnswer(SearchLayer& f, Turn& t, uint64_t owner, const std::string& site,
                     PlanRevision plan, const std::vector<schemas::VerdictEntry>* verdicts);

}  // namespace muster::meta
