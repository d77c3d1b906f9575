// Three sieves, each a necessary condition that costs less than the next: sums over the machine (the uRS step of
// OpenCCS Sect. 5.1), counts per node (FCN and FCJ of Sect. 5.2), and the mapper itself.
#include "site/plan/search.h"

#include <algorithm>

#include "base/check.h"

namespace muster::plan {

Search::Search(const Occupancy& occupancy, const Shape& shape)
    : occupancy_(occupancy), shape_(shape), mapper_(occupancy, shape) {
  for (const PartShape& part : shape.parts) {
    std::vector<std::vector<Bound>>& groups = bounds_.emplace_back();
    for (const Group& group : part.groups) groups.emplace_back(group.hosts.size());
  }
}

Instant Search::LeapBySums(Instant t) const {
  if (!occupancy_.SumsAreExact()) return t;
  for (bool moved = true; moved;) {
    moved = false;
    for (const SystemNeed& need : shape_.system) {
      const Instant fit = occupancy_.System(need.resource)
                              .EarliestFit(need.amount, need.length, t + need.shift);
      if (fit >= kFarFuture) return kFarFuture;
      if (fit - need.shift > t) {
        t = fit - need.shift;
        moved = true;
      }
    }
  }
  return t;
}

// Earliest start >= t at which the node could take `sets` sets.
Instant Search::NodeFit(const PartShape& part, const Group& group, uint32_t node, int64_t sets,
                        Instant t) const {
  Instant begin = t + part.shift;
  const auto leap = [&](uint32_t dimension, int64_t items) {
    const Instant fit = occupancy_.Of(node, dimension).EarliestFit(items, part.length, begin);
    const bool moved = fit > begin;
    begin = fit;
    return moved;
  };
  for (bool moved = true; moved && begin < kFarFuture;) {
    moved = leap(occupancy_.share(), part.exclusive ? kWholeNode : 1);
    for (const auto& [resource, amount] : group.needs) {
      if (begin >= kFarFuture) return kFarFuture;
      moved |= leap(resource, SaturatingProduct(amount, sets));
    }
  }
  return begin >= kFarFuture ? kFarFuture : begin - part.shift;
}

void Search::Count(const PartShape& part, const Group& group, uint32_t node, Instant t,
                   Bound& bound) {
  const Instant begin = t + part.shift;
  const Instant end = begin + part.length;
  const int64_t wanted = part.place == Place::kFree ? group.count : 1;
  int64_t sets = wanted;
  int64_t most = wanted;  // with nothing booked
  const int64_t share = occupancy_.Of(node, occupancy_.share()).FreeIn(begin, end);
  if (share < (part.exclusive ? kWholeNode : 1)) sets = 0;
  for (const auto& [resource, amount] : group.needs) {
    most = std::min(most, occupancy_.Capacity(node, resource) / amount);
    if (sets > 0) {
      const int64_t free = occupancy_.Of(node, resource).FreeIn(begin, end);
      sets = std::min(sets, std::max<int64_t>(free, 0) / amount);
    }
  }
  bound.sets = sets;
  bound.at = t;
  bound.exact = true;
  bound.rise = sets < most ? NodeFit(part, group, node, sets + 1, t) : kFarFuture;
}

// Earliest start >= t that the counts of this group do not rule out.
Instant Search::LeapByGroup(const PartShape& part, const Group& group,
                            std::vector<Bound>& bounds, Instant t) {
  while (t < kFarFuture) {
    int64_t sum = 0;
    for (size_t h = 0; h < bounds.size(); ++h) {
      if (!bounds[h].exact || bounds[h].rise <= t) Count(part, group, group.hosts[h], t, bounds[h]);
      sum += bounds[h].sets;
    }
    for (size_t h = 0; sum >= group.count && h < bounds.size(); ++h) {
      if (bounds[h].at == t || bounds[h].sets == 0) continue;
      sum -= bounds[h].sets;
      Count(part, group, group.hosts[h], t, bounds[h]);
      sum += bounds[h].sets;
    }
    if (sum >= group.count) return t;
    Instant rise = kFarFuture;
    for (const Bound& bound : bounds) rise = std::min(rise, bound.rise);
    t = rise;
  }
  return t;
}

Instant Search::LeapByNodes(Instant t) {
  for (size_t p = 0; p < shape_.parts.size(); ++p) {
    const PartShape& part = shape_.parts[p];
    for (size_t g = 0; g < part.groups.size(); ++g) {
      t = LeapByGroup(part, part.groups[g], bounds_[p][g], t);
      if (t >= kFarFuture) return t;
    }
  }
  return t;
}

std::optional<Found> Search::First(Instant from, Instant until) {
  for (Instant t = from; t < until;) {
    const Instant sums = LeapBySums(t);
    const Instant nodes = sums < until ? LeapByNodes(sums) : sums;
    if (nodes > t) {
      t = nodes;
      continue;
    }
    std::optional<Mapping> mapping = mapper_.At(t);
    if (mapping.has_value()) return Found{t, *std::move(mapping)};
    t = shape_.monotone ? NextRise() : NextChange(t);
  }
  return std::nullopt;
}

std::optional<Found> Search::FirstIn(const IntervalSet& allowed) {
  for (const Interval& interval : allowed.intervals()) {
    std::optional<Found> found = First(interval.begin, interval.end);
    if (found.has_value()) return found;
  }
  return std::nullopt;
}

Starts Search::Feasible(const IntervalSet& allowed, size_t intervals) {
  std::vector<Interval> out;
  for (const Interval& interval : allowed.intervals()) {
    for (Instant t = interval.begin; t < interval.end;) {
      std::optional<Found> found = First(t, interval.end);
      if (!found.has_value()) break;
      if (!out.empty() && out.back().end == found->start) {
        // Only the mapping changed there.
      } else if (out.size() == intervals) {
        return {IntervalSet(std::move(out)), found->start};
      } else {
        out.push_back({found->start, found->start});
      }
      t = std::min(interval.end, HoldsUntil(found->start, found->mapping));
      out.back().end = t;
    }
  }
  return {IntervalSet(std::move(out)), kFarFuture};
}

Instant Search::HoldsUntil(Instant t, const Mapping& mapping) const {
  if (!shape_.monotone) return NextChange(t);
  const uint32_t dimensions = occupancy_.dimensions();
  Instant until = kFarFuture;
  std::vector<int64_t> sums(dimensions);
  for (size_t p = 0; p < shape_.parts.size(); ++p) {
    const PartShape& part = shape_.parts[p];
    // Nodes of one part come in runs only within a chunk, so amounts are summed per node.
    std::vector<std::pair<uint32_t, const Assignment*>> by_node;
    for (const Assignment& a : mapping[p]) by_node.emplace_back(a.node, &a);
    std::stable_sort(by_node.begin(), by_node.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 0; i < by_node.size();) {
      const uint32_t node = by_node[i].first;
      std::fill(sums.begin(), sums.end(), 0);
      sums.back() = part.exclusive ? kWholeNode : 1;
      const bool pack = part.place == Place::kPack;
      for (; i < by_node.size() && by_node[i].first == node; ++i) {
        const Assignment& a = *by_node[i].second;
        if (pack && a.chunk > 0) continue;
        const auto group = std::find_if(part.groups.begin(), part.groups.end(),
                                        [&a](const Group& g) { return g.chunk == a.chunk; });
        const int64_t count = pack ? 1 : a.count;
        for (const auto& [resource, amount] : group->needs) sums[resource] += count * amount;
      }
      for (uint32_t d = 0; d < dimensions; ++d) {
        if (sums[d] == 0) continue;
        const Instant shortage = occupancy_.Of(node, d).FirstShort(sums[d], t + part.shift);
        if (shortage >= kFarFuture) continue;
        until = std::min(until, shortage - part.shift - part.length + Span{1});
      }
    }
  }
  MUSTER_CHECK(until > t);
  return until;
}

Instant Search::NextChange(Instant t) const {
  Instant next = kFarFuture;
  for (const PartShape& part : shape_.parts) {
    const Instant begin = t + part.shift;
    const Instant last = begin + part.length - Span{1};
    const auto meet = [&](const rusv::Rusv& used) {
      const Instant at_begin = used.NextEdge(begin);
      const Instant at_end = used.NextEdge(last);
      if (at_begin < kFarFuture) next = std::min(next, at_begin - part.shift);
      if (at_end < kFarFuture) {
        next = std::min(next, at_end - part.shift - part.length + Span{1});
      }
    };
    for (const uint32_t node : part.hosts) {
      for (const uint32_t d : part.dimensions) meet(occupancy_.Of(node, d));
      meet(occupancy_.Of(node, occupancy_.share()));
    }
  }
  return next;
}

Instant Search::NextRise() const {
  Instant next = kFarFuture;
  for (const auto& groups : bounds_) {
    for (const auto& bounds : groups) {
      for (const Bound& bound : bounds) next = std::min(next, bound.rise);
    }
  }
  return next;
}

}  // namespace muster::plan
