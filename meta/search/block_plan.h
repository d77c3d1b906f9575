// Plans a block before any site is asked: turns its requests into a packing problem over the
// shadows, counts the votes, and packs. scheduling.md sections 1 (Packing, Compaction) and 2.
#pragma once

#include <string>
#include <vector>

#include "meta/search/layer.h"
#include "meta/search/packing/blocks.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// The packing entry of a request over these sites; a site's index is the number of its bin. A part
// that may run at none of them gets no choice.
packing::Entry EntryOf(const SearchLayer& f, const Turn& t, const Request& request,
                       const std::vector<std::string>& sites);
// The voter that a request stands for.
packing::Voter VoterOf(const Request& request);
// The voters among the jobs that came since the last vote, even if these have started or ended.
// Only the newest kNewVoters jobs are looked at. Cancelled and refused requests do not vote, nor do
// reservations and requests inside of them, since blocks do not pack those.
std::vector<packing::Voter> NewVoters(const SearchLayer& f);
// Number of chunks over all parts of a request.
size_t ChunksOf(const Request& request);
// Maximum entries of a block: the configured limit, or fewer if a proposal could not hold them.
size_t BlockMax(const SearchLayer& f);

struct PlannedEntry {
  RequestId id;
  std::vector<std::string> part_sites;  // in part order
  Instant start;
};

// Counts the votes, packs and compacts. Returns the entries by compacted start, ties by rank,
// without those that fit nowhere on the shadows. REQUIRES: `ids` are by rank and on record.
std::vector<PlannedEntry> PlanBlock(SearchLayer& f, Turn& t, const std::vector<RequestId>& ids);

}  // namespace muster::meta
