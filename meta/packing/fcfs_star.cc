// FCFS*: nothing booked moves, so nobody of higher rank is delayed by whom it skips: conservative
// backfilling. CCS Sect. 3.2 (FCFS*), Fig. 8; scheduling.md section 1, rule "FCFS*".
#include "meta/packing/fcfs_star.h"

#include <utility>

#include "meta/packing/making.h"

namespace muster::packing {

FcfsStar::FcfsStar(Instant now, std::vector<Bin> bins)
    : problem_{.now = now, .bins = std::move(bins), .entries = {}} {}

std::optional<Place> FcfsStar::Add(const Entry& entry, Instant not_before) {
  const Offer offer = [this](size_t bin, const Bin::Need& need, Instant from, Span length,
                             Instant) {
    return problem_.bins[bin].EarliestFit(need, from, length);
  };
  const std::optional<Place> place = Choose(problem_, entry, not_before, offer);
  if (place) Take(entry, *place, problem_.bins);
  return place;
}

Layout PackFcfsStar(const Problem& problem) {
  FcfsStar packer(problem.now, problem.bins);
  Layout out{.schedule = Schedule(problem.entries.size()),
             .points = std::vector<std::vector<Instant>>(problem.bins.size())};
  for (const size_t i : Followed(problem.entries, ByRank(problem.entries))) {
    const Entry& entry = problem.entries[i];
    out.schedule[i] = packer.Add(entry, NotBefore(problem, entry, out.schedule));
  }
  return out;
}

}  // namespace muster::packing
