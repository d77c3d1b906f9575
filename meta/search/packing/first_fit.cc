// First fit into levels. Each bin has its own levels.
#include "meta/search/packing/levels.h"
#include "meta/search/packing/making.h"

namespace muster::packing {

Layout FirstFit(const Problem& problem, const std::vector<size_t>& order, bool gaps) {
  std::vector<Bin> bins = problem.bins;
  std::vector<Levels> levels(bins.size(), Levels(gaps));
  const Offer offer = [&](size_t bin, const Bin::Need& need, Instant from, Span length,
                          Instant until) {
    return levels[bin].Offer(bins[bin], need, from, length, until);
  };
  Layout out{.schedule = Schedule(problem.entries.size()), .points = {}};
  for (const size_t i : Followed(problem.entries, order)) {
    const Entry& entry = problem.entries[i];
    out.schedule[i] = Choose(problem, entry, NotBefore(problem, entry, out.schedule), offer);
    if (!out.schedule[i]) continue;
    for (const Hull& hull : Take(entry, *out.schedule[i], bins)) {
      levels[hull.bin].Place(bins[hull.bin], hull.start, hull.length, hull.need);
    }
  }
  for (const Levels& of_bin : levels) out.points.push_back(of_bin.Points());
  return out;
}

}  // namespace muster::packing
