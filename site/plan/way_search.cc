// With a single way everything is left to its search.
#include "site/plan/way_search.h"

#include <algorithm>
#include <set>

#include "site/plan/node_sets.h"
#include "site/plan/set_groups.h"

namespace muster::plan {
namespace {

// The loss of a mapping, over its parts.
int64_t LossAt(const machine::Machine& machine, const Way& way, const Mapping& mapping) {
  int64_t loss = 0;
  for (size_t p = 0; p < mapping.size(); ++p) {
    std::set<uint32_t> nodes;
    for (const Assignment& a : mapping[p]) {
      if (a.count > 0) nodes.insert(a.node);
    }
    const PartWay::Speeds& values = way.parts[p].values;
    std::vector<int64_t> speeds;
    for (const uint32_t node : nodes) {
      speeds.push_back(values != nullptr ? (*values)[node] : machine.Speed(node));
    }
    loss += LossOf(speeds);
  }
  return loss;
}

// The hosts of the parts with a group that have room at the start and are not taken.
int64_t LeftOverAt(const Occupancy& occupancy, const Way& way, const Shape& shape,
                   const Found& found) {
  int64_t left = 0;
  for (size_t p = 0; p < shape.parts.size(); ++p) {
    const PartShape& part = shape.parts[p];
    if (way.parts[p].group.empty() || part.partition.has_value()) continue;
    std::set<uint32_t> nodes;
    for (const Group& group : part.groups) {
      for (const uint32_t node : group.hosts) {
        if (SetsAt(occupancy, part, group, node, found.start) > 0) nodes.insert(node);
      }
    }
    for (const Assignment& a : found.mapping[p]) nodes.erase(a.node);
    left += static_cast<int64_t>(nodes.size());
  }
  return left;
}

SetCandidate CandidateOf(const Occupancy& occupancy, const CompiledWays& compiled, size_t w,
                         const Found& found) {
  const Way& way = compiled.ways.all[w];
  SetCandidate out{.start = found.start, .wish = way.wish, .level = way.level, .value = way.value};
  if (!compiled.ways.has_groups) return out;
  out.loss = LossAt(occupancy.machine(), way, found.mapping);
  out.left_over = LeftOverAt(occupancy, way, compiled.shapes[w], found);
  return out;
}

IntervalSet Until(const IntervalSet& set, Instant end) {
  return set.Intersect(IntervalSet({{Instant{INT64_MIN}, end}}));
}

}  // namespace

IntervalSet InsideOf(const Ways& ways, size_t way, const IntervalSet& inside,
                     const std::optional<Present>& present) {
  if (!present || inside.empty() || inside.intervals().back().end > present->start) return inside;
  if (ways.all[way].wish <= present->wish) return inside;
  return Until(inside, present->start - ways.wait);
}

std::optional<Picked> PickFirst(const Occupancy& occupancy, const CompiledWays& compiled,
                                const IntervalSet& inside, const std::optional<Present>& present,
                                const FirstStart& first) {
  if (compiled.single()) {
    std::optional<Found> found =
        first(compiled.shapes[0], InsideOf(compiled.ways, 0, inside, present));
    if (!found) return std::nullopt;
    return Picked{*std::move(found), 0};
  }
  std::vector<Picked> picked;
  std::vector<SetCandidate> candidates;
  Instant last = kFarFuture;  // later starts are not chosen any more
  for (size_t w = 0; w < compiled.shapes.size(); ++w) {
    IntervalSet open = InsideOf(compiled.ways, w, inside, present);
    if (last < kFarFuture) open = Until(open, last + Span{1});
    if (open.empty()) continue;
    std::optional<Found> found = first(compiled.shapes[w], open);
    if (!found) continue;
    last = std::min(last, found->start + compiled.ways.wait);
    candidates.push_back(CandidateOf(occupancy, compiled, w, *found));
    picked.push_back({*std::move(found), w});
  }
  const std::optional<size_t> chosen = ChooseSet(candidates, compiled.ways.wait);
  if (!chosen) return std::nullopt;
  return std::move(picked[*chosen]);
}

std::optional<Picked> PickAt(const Occupancy& occupancy, const CompiledWays& compiled,
                             Instant start) {
  return PickFirst(occupancy, compiled, IntervalSet::Only(start), std::nullopt,
                   [&](const Shape& shape, const IntervalSet&) -> std::optional<Found> {
                     std::optional<Mapping> mapping = Search(occupancy, shape).At(start);
                     if (!mapping) return std::nullopt;
                     return Found{start, *std::move(mapping)};
                   });
}

// Beyond the first interval that is left out, and beyond what any way was searched for, nothing is
// known to be complete.
Starts FeasibleBy(const Occupancy& occupancy, const CompiledWays& compiled,
                  const IntervalSet& allowed, size_t intervals) {
  if (compiled.single()) {
    return Search(occupancy, compiled.shapes[0]).Feasible(allowed, intervals);
  }
  std::vector<Interval> all;
  Instant complete = kFarFuture;
  for (const Shape& shape : compiled.shapes) {
    const Starts starts = Search(occupancy, shape).Feasible(allowed, intervals);
    all.insert(all.end(), starts.starts.intervals().begin(), starts.starts.intervals().end());
    complete = std::min(complete, starts.complete_until);
  }
  const IntervalSet known = Until(IntervalSet(std::move(all)), complete);
  if (known.intervals().size() <= intervals) return {known, complete};
  return {known.FirstIntervals(intervals), known.intervals()[intervals].begin};
}

}  // namespace muster::plan
