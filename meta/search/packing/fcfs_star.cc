// FCFS*: bookings never move, so an entry that skips ahead delays none of higher rank. This is
// conservative backfilling. CCS Sect. 3.2 (FCFS*), Fig. 8; scheduling.md section 1, rule "FCFS*".
#include "meta/search/packing/making.h"

namespace muster::packing {

Layout PackFcfsStar(const Problem& problem) {
  std::vector<Bin> bins = problem.bins;
  const Offer offer = [&bins](size_t bin, const Bin::Need& need, Instant from, Span length,
                              Instant) { return bins[bin].EarliestFit(need, from, length); };
  Layout out{.schedule = Schedule(problem.entries.size()),
             .points = std::vector<std::vector<Instant>>(problem.bins.size())};
  for (const size_t i : Followed(problem.entries, ByRank(problem.entries))) {
    const Entry& entry = problem.entries[i];
    out.schedule[i] = Choose(problem, entry, NotBefore(problem, entry, out.schedule), offer);
    if (out.schedule[i]) Take(entry, *out.schedule[i], bins);
  }
  return out;
}

}  // namespace muster::packing
