// Three sieves, each a necessary condition that costs less than the next: sums over the machine
// (the uRS step of OpenCCS Sect. 5.1), counts per node (FCN and FCJ of Sect. 5.2), and the mapper
// itself.
#include "site/plan/search.h"

#include <algorithm>

#include "base/check.h"

namespace muster::plan {

Search::Search(const Occupancy& occupancy, const Shape& shape)
    : occupancy_(occupancy), shape_(shape), mapper_(occupancy, shape, &sieves_) {
  for (const PartShape& part : shape.parts) {
    std::vector<Sieve>& groups = sieves_.emplace_back();
    if (part.partition.has_value()) continue;
    for (const Group& group : part.groups) groups.emplace_back(occupancy, part, group);
    if (part.one_switch) below_one_.emplace_back(occupancy, part);
  }
}

Instant Search::LeapByStarts(Instant t, Instant until) {
  for (std::vector<Sieve>& groups : sieves_) {
    for (Sieve& sieve : groups) {
      if (t < until) t = sieve.LeapByStarts(t, until);
    }
  }
  return t;
}

// Sums add nothing if the order is one set, as its start was found exactly by looks at single
// nodes.
Instant Search::LeapBySums(Instant t) const {
  if (!occupancy_.SumsAreExact()) return t;
  if (sieves_.size() == 1 && sieves_[0].size() == 1 && sieves_[0][0].IsExact()) return t;
  for (bool moved = true; moved;) {
    moved = false;
    for (const SystemNeed& need : shape_.system) {
      const Instant fit =
          occupancy_.System(need.resource).EarliestFit(need.amount, need.length, t + need.shift);
      if (fit >= kFarFuture) return kFarFuture;
      if (fit - need.shift > t) {
        t = fit - need.shift;
        moved = true;
      }
    }
  }
  return t;
}

Instant Search::LeapByAccounts(Instant t) const {
  for (bool moved = true; moved && t < kFarFuture;) {
    moved = false;
    for (const AccountNeed& need : shape_.accounts) {
      if (t < need.from) continue;
      const rusv::Rusv& used = occupancy_.accounts().Of(need.account);
      const Instant fit = used.EarliestFit(need.amount, need.length, t + need.shift);
      if (fit >= kFarFuture) return kFarFuture;
      if (fit - need.shift > t) {
        t = fit - need.shift;
        moved = true;
      }
    }
  }
  return t;
}

Instant Search::AccountsHoldUntil(Instant t) const {
  Instant until = kFarFuture;
  for (const AccountNeed& need : shape_.accounts) {
    if (t < need.from) {
      until = std::min(until, need.from);
      continue;
    }
    const Instant shortage =
        occupancy_.accounts().Of(need.account).FirstShort(need.amount, t + need.shift);
    if (shortage >= kFarFuture) continue;
    until = std::min(until, shortage - need.shift - need.length + Span{1});
  }
  return until;
}

Instant Search::LeapByNodes(Instant t, Instant until) {
  for (std::vector<Sieve>& groups : sieves_) {
    for (Sieve& sieve : groups) {
      const Instant leap = sieve.Leap(t, until);
      if (leap > t) return leap;
    }
  }
  for (SwitchSieve& sieve : below_one_) {
    const Instant leap = sieve.Leap(t);
    if (leap > t) return leap;
  }
  return t;
}

std::optional<Mapping> Search::At(Instant start) {
  if (LeapByAccounts(start) != start || LeapByNodes(start, start + Span{1}) != start)
    return std::nullopt;
  return mapper_.At(start);
}

std::optional<Found> Search::First(Instant from, Instant until) {
  for (Instant t = from; t < until;) {
    const Instant rules = LeapByAccounts(t);
    const Instant starts = rules < until ? LeapByStarts(rules, until) : rules;
    const Instant sums = starts < until ? LeapBySums(starts) : starts;
    const Instant nodes = sums < until ? LeapByNodes(sums, until) : sums;
    if (nodes > t) {
      t = nodes;
      continue;
    }
    std::optional<Mapping> mapping = mapper_.At(t);
    if (mapping.has_value()) return Found{t, *std::move(mapping)};
    t = shape_.monotone ? NextRise(t) : mapper_.SameUntil(t);
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

Starts Search::From(const Found& found, Instant until) {
  const Instant end =
      std::min({until, HoldsUntil(found.start, found.mapping), AccountsHoldUntil(found.start)});
  return {IntervalSet({{found.start, end}}), end};
}

Starts Search::Feasible(const IntervalSet& allowed, size_t intervals) {
  std::vector<Interval> out;
  for (const Interval& interval : allowed.intervals()) {
    for (Instant t = interval.begin; t < interval.end;) {
      std::optional<Found> found = First(t, interval.end);
      if (!found.has_value()) break;
      if (!out.empty() && out.back().end == found->start) {
        // The same interval goes on: only the mapping changed.
      } else if (out.size() == intervals) {
        return {IntervalSet(std::move(out)), found->start};
      } else {
        out.push_back({found->start, found->start});
      }
      t = std::min({interval.end, HoldsUntil(found->start, found->mapping),
                    AccountsHoldUntil(found->start)});
      out.back().end = t;
    }
  }
  return {IntervalSet(std::move(out)), kFarFuture};
}

Instant Search::HoldsUntil(Instant t, const Mapping& mapping) {
  if (!shape_.monotone) return mapper_.SameUntil(t);
  const uint32_t dimensions = occupancy_.dimensions();
  Instant until = kFarFuture;
  std::vector<int64_t> sums(dimensions);
  for (size_t p = 0; p < shape_.parts.size(); ++p) {
    const PartShape& part = shape_.parts[p];
    if (part.partition.has_value()) {
      until = std::min(until, mapper_.UnitsFor(p).HoldUntil(t, mapping[p]));
      continue;
    }
    // A part's mapping is sorted by chunk, so amounts are first brought together by node.
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
        const int64_t count = pack ? 1 : a.count / part.sets;
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

Instant Search::NextRise(Instant t) {
  Instant next = kFarFuture;
  for (size_t p = 0; p < shape_.parts.size(); ++p) {
    if (shape_.parts[p].partition.has_value()) {
      next = std::min(next, mapper_.UnitsFor(p).NextRise(t));
      continue;
    }
    for (size_t g = 0; g < shape_.parts[p].groups.size(); ++g) {
      const Sieve& sieve = sieves_[p][g];
      for (const uint32_t node : shape_.parts[p].groups[g].hosts) {
        next = std::min(next, sieve.Rise(node, sieve.Count(node, t), t));
      }
    }
  }
  return next;
}

}  // namespace muster::plan
