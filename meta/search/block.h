// Blocks. A block of requests leaves the queues by extraction, is packed on the shadows, proposed
// whole to every site concerned, reorganised by the verdicts, and committed; the commit makes the
// promises. At most one block is at the sites at a time. scheduling.md sections 1 (Extraction,
// Packing, Compaction) and 3.
#pragma once

#include <string>
#include <vector>

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Extracts the next block if one is due and none is at the sites.
void StartBlock(SearchLayer& f, Turn& t);

// Takes a site's verdicts for this round of the block; null if the site did not answer. False if
// the question was not of this block.
bool TakeBlockAnswer(SearchLayer& f, Turn& t, uint64_t owner, const std::string& site,
                     PlanRevision plan, const std::vector<schemas::VerdictEntry>* verdicts);

}  // namespace muster::meta
