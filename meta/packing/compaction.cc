// Compaction: with verification on, scheduling points have no force, so entries close the gaps the
// levels left. scheduling.md section 1 (Compaction).
#include <algorithm>
#include <numeric>

#include "meta/packing/packing.h"

namespace muster::packing {

Schedule Compact(Problem problem, const Schedule& packed) {
  std::vector<size_t> order(packed.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t i) { return !packed[i]; });
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return packed[a]->start < packed[b]->start; });
  const std::vector<Entry> entries = problem.entries;
  const Offer offer = [&problem](size_t bin, const ResourceSet& amounts, Instant from,
                                 Span length) {
    return problem.bins[bin].EarliestFit(amounts, from, length);
  };
  Schedule out(packed.size());
  for (const size_t i : Followed(entries, std::move(order))) {
    const Instant not_before = NotBefore(problem, entries[i], out);
    const std::optional<Instant> start =
        StartAt(problem, entries[i], packed[i]->bins, not_before, offer);
    // That an entry's packed start stays possible holds as long as no entry before it has parts
    // with offsets: such a part may move left into what was free. Then the packed schedule stands.
    if (!start || *start > packed[i]->start) return packed;
    out[i] = Place{packed[i]->bins, *start};
    Take(problem, entries[i], *out[i]);
  }
  return out;
}

}  // namespace muster::packing
