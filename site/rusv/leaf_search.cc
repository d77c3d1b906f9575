// Searches in large vectors: whole leaves by their summaries, inside a leaf 64 edges at a time.
#include <algorithm>
#include <bit>

#include "base/time.h"
#include "site/rusv/fit_scan.h"
#include "site/rusv/leaf_edges.h"

namespace muster::rusv {

LeafEdges::Place LeafEdges::PlaceOf(int64_t t) const {
  const size_t leaf = LeafOf(t);
  const uint64_t before = AtMostOfLeaf(Of(leaf).starts, count_[leaf], t);
  return {leaf, static_cast<size_t>(std::countr_one(before))};
}

int64_t LeafEdges::LevelAt(Place place) const {
  if (place.edges == 0) return 0;
  return Of(place.leaf).levels[place.edges - 1] + lazy_[place.leaf];
}

int64_t LeafEdges::At(int64_t t) const { return LevelAt(PlaceOf(t)); }

// The best level in [begin, end): by edges in the first and last leaf, by `summary` for whole
// leaves between.
template <typename Better>
int64_t LeafEdges::BestIn(int64_t begin, int64_t end, const std::vector<int64_t>& summary,
                          Better better) const {
  const Place place = PlaceOf(begin);
  int64_t best = LevelAt(place);
  size_t i = place.edges;
  for (size_t l = place.leaf; l < leaf_count() && first_[l] < end; ++l, i = 0) {
    if (i == 0 && l + 1 < leaf_count() && first_[l + 1] <= end) {
      best = better(best, summary[l]);
      continue;
    }
    const Leaf& leaf = Of(l);
    for (; i < count_[l] && leaf.starts[i] < end; ++i) {
      best = better(best, leaf.levels[i] + lazy_[l]);
    }
  }
  return best;
}

int64_t LeafEdges::MaxIn(int64_t begin, int64_t end) const {
  return BestIn(begin, end, high_, [](int64_t x, int64_t y) { return std::max(x, y); });
}

int64_t LeafEdges::MinIn(int64_t begin, int64_t end) const {
  return BestIn(begin, end, low_, [](int64_t x, int64_t y) { return std::min(x, y); });
}

// First leaf, from `leaf` on, in which a good stretch of this length may begin. A stretch that
// covers the whole next leaf needs that leaf to be good throughout. REQUIRES: `leaf` exists. The
// last two leaves always qualify.
size_t LeafEdges::NextHopeful(size_t leaf, int64_t limit, int64_t length) const {
  const size_t last = leaf_count() - 1;
  size_t l = leaf;
  for (; l + 1 < last; ++l) {
    if (low_[l] > limit) continue;
    if (high_[l + 1] <= limit || first_[l + 2] - first_[l] > length) return l;
  }
  return l;
}

int64_t LeafEdges::EarliestAtMost(int64_t limit, int64_t length, int64_t from) const {
  const Place place = PlaceOf(from);
  FitScan scan{.length = length};
  if (LevelAt(place) <= limit) scan.begin = from;
  const auto good = [this, limit](size_t l) {
    return AtMostOfLeaf(Of(l).levels, count_[l], limit - lazy_[l]);
  };
  size_t l = place.leaf;
  if (place.edges > 0) {
    const size_t left = count_[l] - place.edges;
    if (left > 0 && scan.Go(Of(l).starts + place.edges, left, good(l) >> place.edges)) {
      return scan.begin;
    }
    ++l;
  }
  for (const size_t leaves = leaf_count(); l < leaves; ++l) {
    if (scan.begin == FitScan::kNone) l = NextHopeful(l, limit, length);
    if (scan.ReachedBy(first_[l])) return scan.begin;
    if (low_[l] > limit) {
      scan.begin = FitScan::kNone;
    } else if (high_[l] <= limit) {
      if (scan.begin == FitScan::kNone) scan.begin = first_[l];
    } else if (scan.Go(Of(l).starts, count_[l], good(l))) {
      return scan.begin;
    }
  }
  return scan.begin == FitScan::kNone ? kFarFuture.seconds : scan.begin;
}

int64_t LeafEdges::FirstAbove(int64_t limit, int64_t from) const {
  const Place place = PlaceOf(from);
  if (LevelAt(place) > limit) return from;
  size_t i = place.edges;
  for (size_t l = place.leaf; l < leaf_count(); ++l, i = 0) {
    if (high_[l] <= limit) continue;
    const Leaf& leaf = Of(l);
    const uint64_t above =
        ~AtMostOfLeaf(leaf.levels, count_[l], limit - lazy_[l]) & LowBits(count_[l]) & ~LowBits(i);
    if (above != 0) return leaf.starts[std::countr_zero(above)];
  }
  return kFarFuture.seconds;
}

int64_t LeafEdges::AtMostSince(int64_t limit, int64_t t) const {
  const Place place = PlaceOf(t);
  size_t edges = place.edges;
  int64_t began = t;
  for (size_t l = place.leaf + 1; l-- > 0; edges = l > 0 ? count_[l - 1] : 0) {
    if (high_[l] <= limit) {
      if (edges > 0) began = first_[l];
      continue;
    }
    const Leaf& leaf = Of(l);
    for (size_t i = edges; i > 0; --i) {
      if (leaf.levels[i - 1] + lazy_[l] > limit) return began;
      began = leaf.starts[i - 1];
    }
  }
  return INT64_MIN;
}

int64_t LeafEdges::NextEdge(int64_t after) const {
  const Place place = PlaceOf(after);
  if (place.edges < count_[place.leaf]) return Of(place.leaf).starts[place.edges];
  return place.leaf + 1 < leaf_count() ? first_[place.leaf + 1] : kFarFuture.seconds;
}

}  // namespace muster::rusv
