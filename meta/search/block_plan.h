// A block before anybody is asked: its requests as a packing problem over the shadows of the sites,
// the votes they cast, and where they are packed. scheduling.md sections 1 (Packing, Compaction)
// and 2.
#pragma once

#include <string>
#include <vector>

#include "meta/search/layer.h"
#include "meta/search/packing/blocks.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// A request as a block packs it, over these sites (by name, as bins are); parts may come out with
// no choice, where none of theirs is among them.
packing::Entry EntryOf(const SearchLayer& f, const Turn& t, const Request& request,
                       const std::vector<std::string>& sites);
// Who votes with it.
packing::Voter VoterOf(const Request& request);
// With those that came since the last vote, the newest kNewVoters: also what has started or ended
// since. What was refused or cancelled does not vote, nor do reservations and what runs inside
// them, as blocks do not pack it.
std::vector<packing::Voter> NewVoters(const SearchLayer& f);
// Its chunks, in all of its parts.
size_t ChunksOf(const Request& request);
// Entries of a block at most: as the options say, and as a message to a site holds.
size_t BlockMax(const SearchLayer& f);

struct PlannedEntry {
  RequestId id;
  std::vector<std::string> part_sites;  // in part order
  Instant start;
};

// Votes, packs and compacts; in compacted order, ties by rank. Requests that the shadows know no
// place for are left out. REQUIRES: `ids` are by rank and on record.
std::vector<PlannedEntry> PlanBlock(SearchLayer& f, Turn& t, const std::vector<RequestId>& ids);

}  // namespace muster::meta
