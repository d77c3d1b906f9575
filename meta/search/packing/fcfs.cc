// FCFS: no entry starts before the previous one, which is fair but leaves gaps. CCS Sect. 3.2,
// scheduling.md section 1, rule "FCFS".
#include <algorithm>

#include "meta/search/packing/making.h"

namespace muster::packing {

Layout PackFcfs(const Problem& problem) {
  std::vector<Bin> bins = problem.bins;
  const Offer offer = [&bins](size_t bin, const Bin::Need& need, Instant from, Span length,
                              Instant) { return bins[bin].EarliestFit(need, from, length); };
  Layout out{.schedule = Schedule(problem.entries.size()),
             .points = std::vector<std::vector<Instant>>(bins.size())};
  Instant last = problem.now;
  for (const size_t i : Followed(problem.entries, ByRank(problem.entries))) {
    const Entry& entry = problem.entries[i];
    const Instant not_before = std::max(last, NotBefore(problem, entry, out.schedule));
    out.schedule[i] = Choose(problem, entry, not_before, offer);
    if (!out.schedule[i]) continue;
    Take(entry, *out.schedule[i], bins);
    last = out.schedule[i]->start;
  }
  return out;
}

}  // namespace muster::packing
