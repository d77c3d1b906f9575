// Which packing algorithm is in force, and the record of votes and blocks behind it. scheduling.md
// section 2.
#pragma once

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// The algorithm in force: the pin, else what the last vote chose, else FCFS*.
packing::Algorithm PackingInForce(const SearchLayer& f);

// A block was extracted: votes, and goes on record if that changes anything. Returns the algorithm
// to pack it with. REQUIRES: the ballot is of at least one request.
packing::Algorithm CountVotes(SearchLayer& f, Turn& t, const packing::Ballot& ballot);

void MeasureBlock(SearchLayer& f, Turn& t, const BlockCost& cost);

// A switch of the packing goes on record, is logged and is news.
void RecordSwitch(SearchLayer& f, Turn& t, schemas::SwitchRow row);
// What the vote chose last; FCFS* before any, and while nothing is saturated.
packing::Algorithm Voted(const packing::Voting& voting);

}  // namespace muster::meta
