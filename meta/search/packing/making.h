// Building blocks of the packing algorithms: orders, the choice of sites for an entry, and first
// fit into levels. Only algorithms include this. scheduling.md section 1, rules R1 to R6.
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

// The earliest start that a bin offers at or after `from`; none if there is none, or it would be
// after `until`.
using Offer = std::function<std::optional<Instant>(size_t bin, const Bin::Need& need, Instant from,
                                                   Span length, Instant until)>;

// The choice of a part at this bin. REQUIRES: the part has one.
const Choice& ChoiceAt(const Part& part, size_t bin);
// True if the parts of an entry are in more than one bin.
bool Several(const std::vector<size_t>& bins);

// The criteria of R5 for a choice, if the request starts at `start`.
partitioner::Candidate CandidateOf(const Problem& problem, const Part& part, const Choice& choice,
                                   Instant start);

// The place of an entry. One part: the best site by R5 over the offers (partitioner/choose).
// Several: the assignment with the earliest common start by R6.
std::optional<Place> Choose(const Problem& problem, const Entry& entry, Instant not_before,
                            const Offer& offer);
// R6 with a caller's rule for the common start: `start_at` returns the start at these bins, if any.
using StartAtBins = std::function<std::optional<Instant>(const std::vector<size_t>& bins)>;
std::optional<Place> ChooseSeveral(const Problem& problem, const Entry& entry, Instant not_before,
                                   const Offer& offer, const StartAtBins& start_at);
// The earliest start of an entry at these bins; none if it would be after `until`.
std::optional<Instant> StartAt(const Problem& problem, const Entry& entry,
                               const std::vector<size_t>& bins, Instant not_before,
                               const Offer& offer, Instant until = kFarFuture);

// The time and resources that an entry occupies at one bin, from first to last second.
struct Hull {
  size_t bin = 0;
  Instant start;
  Span length;
  std::optional<Bin::Need> need;  // over the whole length; none if several parts share the bin
};
// Books an entry's place in `bins` (Problem::bins, as booked so far). Returns what it occupies.
std::vector<Hull> Take(const Entry& entry, const Place& place, std::vector<Bin>& bins);

// Indices of entries: by rank; or by duration, ties by rank.
std::vector<size_t> ByRank(const std::vector<Entry>& entries);
std::vector<size_t> LongestFirst(const std::vector<Entry>& entries);
std::vector<size_t> ShortestFirst(const std::vector<Entry>& entries);
// `order`, changed so that each entry comes after the entries that it follows (Entry::after).
std::vector<size_t> Followed(const std::vector<Entry>& entries, std::vector<size_t> order);
// The latest planned end of the entries that `entry` follows; `now` if there is none.
Instant NotBefore(const Problem& problem, const Entry& entry, const Schedule& schedule);

// First fit into levels, in `order`, by R1, R3 and R4; with `gaps` also R2.
Layout FirstFit(const Problem& problem, const std::vector<size_t>& order, bool gaps);

// The algorithms, each in a file of its name.
Layout PackFcfs(const Problem& problem);
Layout PackFcfsStar(const Problem& problem);
Layout PackFfdh(const Problem& problem);
Layout PackFfdhStar(const Problem& problem);
Layout PackFfih(const Problem& problem);
Layout PackFfihStar(const Problem& problem);

}  // namespace muster::packing
