// What packing algorithms are made of: orders, the choice of sites for one entry, and the loop over
// levels. Only algorithms include this. scheduling.md section 1, rules R1 to R6.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/time.h"
#include "meta/search/packing/bin.h"
#include "meta/search/packing/problem.h"
#include "partitioner/choose.h"

namespace muster::packing {

// Where a bin has room for this, not before `from`; none if never, or if it would be after `until`.
using Offer = std::function<std::optional<Instant>(size_t bin, const Bin::Need& need, Instant from,
                                                   Span length, Instant until)>;

// What a part would have at a bin. REQUIRES that it is one of its choices.
const Choice& ChoiceAt(const Part& part, size_t bin);
// Whether the parts of an entry lie at more than one bin.
bool Several(const std::vector<size_t>& bins);

// A choice as R5 compares it, if the request starts then.
partitioner::Candidate CandidateOf(const Problem& problem, const Part& part, const Choice& choice,
                                   Instant start);

// R5 over the offers for a request of one part, R6 for several: the best site (partitioner/choose),
// or the assignment with the earliest common start.
std::optional<Place> Choose(const Problem& problem, const Entry& entry, Instant not_before,
                            const Offer& offer);
// R6 where a start has to be more than offered: `start_at` says what it is at these bins, if any.
using StartAtBins = std::function<std::optional<Instant>(const std::vector<size_t>& bins)>;
std::optional<Place> ChooseSeveral(const Problem& problem, const Entry& entry, Instant not_before,
                                   const Offer& offer, const StartAtBins& start_at);
// The earliest start of an entry whose sites are fixed, if it is not after `until`.
std::optional<Instant> StartAt(const Problem& problem, const Entry& entry,
                               const std::vector<size_t>& bins, Instant not_before,
                               const Offer& offer, Instant until = kFarFuture);

// What an entry has at one bin from its first second to its last.
struct Hull {
  size_t bin = 0;
  Instant start;
  Span length;
  std::optional<Bin::Need> need;  // from end to end; none if it is of several parts
};
// Books an entry in `bins` (Problem::bins, as far as they are taken) and tells what it has there.
std::vector<Hull> Take(const Entry& entry, const Place& place, std::vector<Bin>& bins);

// Indices of entries: by rank; by duration, ties by rank.
std::vector<size_t> ByRank(const std::vector<Entry>& entries);
std::vector<size_t> LongestFirst(const std::vector<Entry>& entries);
std::vector<size_t> ShortestFirst(const std::vector<Entry>& entries);
// That order with each entry behind those it follows, otherwise unchanged.
std::vector<size_t> Followed(const std::vector<Entry>& entries, std::vector<size_t> order);
// Not before the planned ends of what the entry follows; `now` if it follows nothing.
Instant NotBefore(const Problem& problem, const Entry& entry, const Schedule& schedule);

// First fit into levels, in that order: R1, R3 and R4, with `gaps` R2 as well.
Layout FirstFit(const Problem& problem, const std::vector<size_t>& order, bool gaps);

// One algorithm each, in a file of its name.
Layout PackFcfs(const Problem& problem);
Layout PackFcfsStar(const Problem& problem);
Layout PackFfdh(const Problem& problem);
Layout PackFfdhStar(const Problem& problem);
Layout PackFfih(const Problem& problem);
Layout PackFfihStar(const Problem& problem);

}  // namespace muster::packing
