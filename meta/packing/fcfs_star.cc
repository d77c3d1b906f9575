// FCFS*: nothing booked moves, so nobody of higher rank is delayed by whom it skips. CCS Sect. 3.2
// (FCFS*), Fig. 8; scheduling.md section 1, rule "FCFS*".
#include <numeric>

#include "meta/packing/packing.h"

namespace muster::packing {

Schedule PackFcfsStar(Problem problem) {
  const std::vector<Entry> entries = problem.entries;
  Schedule out(entries.size());
  std::vector<size_t> order(entries.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const Offer offer = [&problem](size_t bin, const ResourceSet& amounts, Instant from,
                                 Span length) {
    return problem.bins[bin].EarliestFit(amounts, from, length);
  };
  for (const size_t i : Followed(entries, std::move(order))) {
    out[i] = Choose(problem, entries[i], NotBefore(problem, entries[i], out), offer);
    if (out[i]) Take(problem, entries[i], *out[i]);
  }
  return out;
}

}  // namespace muster::packing
