// Which packing algorithm is in force, and the record of votes and blocks behind it. scheduling.md
// section 2.
#pragma once

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// The algorithm in force: the pin, else the choice of the last vote, else FCFS*.
packing::Algorithm PackingInForce(const SearchLayer& f);

// Counts the votes of an extracted block, and records them if the algorithm or the vote changed.
// Returns the algorithm to pack the block with. REQUIRES: at least one request in the ballot.
packing::Algorithm CountVotes(SearchLayer& f, Turn& t, const packing::Ballot& ballot);

void MeasureBlock(SearchLayer& f, Turn& t, const BlockCost& cost);

// Records a switch of the packing, logs it, and reports it as an event.
void RecordSwitch(SearchLayer& f, Turn& t, schemas::SwitchRow row);
// The choice of the last vote; FCFS* before any vote and while the machines are not saturated.
packing::Algorithm Voted(const packing::Voting& voting);

}  // namespace muster::meta
