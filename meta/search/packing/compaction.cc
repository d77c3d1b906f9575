// Compaction: since the sites verify the schedule, scheduling points need not be kept, and entries
// move into the gaps that levels left. scheduling.md section 1 (Compaction).
#include <algorithm>

#include "meta/search/packing/making.h"
#include "meta/search/packing/packing.h"

namespace muster::packing {

Schedule Compact(const Problem& problem, const Schedule& packed) {
  std::vector<size_t> order = ByRank(problem.entries);
  std::erase_if(order, [&](size_t i) { return !packed[i]; });
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return packed[a]->start < packed[b]->start; });
  std::vector<Bin> bins = problem.bins;
  const Offer offer = [&bins](size_t bin, const Bin::Need& need, Instant from, Span length,
                              Instant) { return bins[bin].EarliestFit(need, from, length); };
  Schedule out(packed.size());
  for (const size_t i : Followed(problem.entries, std::move(order))) {
    const Entry& entry = problem.entries[i];
    const Instant not_before = NotBefore(problem, entry, out);
    const std::optional<Instant> start =
        StartAt(problem, entry, packed[i]->bins, not_before, offer);
    // The packed start stays possible unless an entry before this one has parts with offsets, since
    // such a part may move into room that was free. Then the packed schedule is kept.
    if (!start || *start > packed[i]->start) return packed;
    out[i] = Place{packed[i]->bins, *start};
    Take(entry, *out[i], bins);
  }
  return out;
}

}  // namespace muster::packing
