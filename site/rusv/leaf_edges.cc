// A full leaf is split; two neighbours are joined when together they fill less than half a leaf.
// Summaries are always exact: after a change of part of a leaf, only what cannot be derived is
// computed again.
#include "site/rusv/leaf_edges.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "site/rusv/edge_run.h"
#include "site/rusv/lanes.h"

namespace muster::rusv {
namespace {

constexpr size_t kFill = 48;  // edges of a leaf when leaves are made from an array

}  // namespace

LeafEdges::LeafEdges(const int64_t* starts, const int64_t* levels, size_t size) {
  for (size_t done = 0; done < size; done += kFill) {
    const size_t count = std::min(kFill, size - done);
    InsertLeaf(leaf_count());
    const size_t leaf = leaf_count() - 1;
    std::copy_n(starts + done, count, Of(leaf).starts);
    std::copy_n(levels + done, count, Of(leaf).levels);
    count_[leaf] = static_cast<uint32_t>(count);
    Summarise(leaf);
  }
  size_ = size;
}

void LeafEdges::CopyTo(int64_t* starts, int64_t* levels) const {
  for (size_t l = 0; l < leaf_count(); ++l) {
    const Leaf& leaf = Of(l);
    starts = std::copy_n(leaf.starts, count_[l], starts);
    for (size_t i = 0; i < count_[l]; ++i) *levels++ = leaf.levels[i] + lazy_[l];
  }
}

size_t LeafEdges::LeafOf(int64_t t) const {
  const size_t leaves = UpTo(first_.data(), first_.size(), t);
  return leaves > 0 ? leaves - 1 : 0;
}

int64_t LeafEdges::LevelBefore(size_t leaf) const {
  return leaf > 0 ? Of(leaf - 1).levels[count_[leaf - 1] - 1] + lazy_[leaf - 1] : 0;
}

void LeafEdges::Summarise(size_t leaf) {
  const Leaf& at = Of(leaf);
  first_[leaf] = at.starts[0];
  low_[leaf] = Lowest(at.levels, count_[leaf]) + lazy_[leaf];
  high_[leaf] = Highest(at.levels, count_[leaf]) + lazy_[leaf];
}

// Updates the summary after an edit that changed the levels of [from, to) by `by` and may have
// dropped an edge. After a rise, only the raised levels can exceed the greatest; the least stays
// unless no edge has it any more. After a fall the other way round.
void LeafEdges::SummariseAgain(size_t leaf, size_t from, size_t to, int64_t by) {
  const Leaf& at = Of(leaf);
  const size_t count = count_[leaf];
  if (first_[leaf] != at.starts[0]) return Summarise(leaf);
  const int64_t lazy = lazy_[leaf];
  const int64_t* moved = at.levels + from;
  if (by > 0) {
    if (from < to) high_[leaf] = std::max(high_[leaf], Highest(moved, to - from) + lazy);
    if (AtMostOfLeaf(at.levels, count, low_[leaf] - lazy) == 0) {
      low_[leaf] = Lowest(at.levels, count) + lazy;
    }
  } else {
    if (from < to) low_[leaf] = std::min(low_[leaf], Lowest(moved, to - from) + lazy);
    if (AtMostOfLeaf(at.levels, count, high_[leaf] - lazy - 1) == LowBits(count)) {
      high_[leaf] = Highest(at.levels, count) + lazy;
    }
  }
}

void LeafEdges::InsertLeaf(size_t at) {
  if (spare_.empty()) {
    spare_.push_back(static_cast<uint32_t>(pool_.size()));
    pool_.emplace_back();
  }
  const auto where = static_cast<long>(at);
  first_.insert(first_.begin() + where, 0);
  low_.insert(low_.begin() + where, 0);
  high_.insert(high_.begin() + where, 0);
  lazy_.insert(lazy_.begin() + where, 0);
  count_.insert(count_.begin() + where, 0);
  place_.insert(place_.begin() + where, spare_.back());
  spare_.pop_back();
}

void LeafEdges::RemoveLeaf(size_t leaf) {
  const auto where = static_cast<long>(leaf);
  spare_.push_back(place_[leaf]);
  first_.erase(first_.begin() + where);
  low_.erase(low_.begin() + where);
  high_.erase(high_.begin() + where);
  lazy_.erase(lazy_.begin() + where);
  count_.erase(count_.begin() + where);
  place_.erase(place_.begin() + where);
}

void LeafEdges::Split(size_t leaf) {
  InsertLeaf(leaf + 1);
  Leaf& left = Of(leaf);
  Leaf& right = Of(leaf + 1);
  const size_t keep = count_[leaf] / 2;
  const size_t give = count_[leaf] - keep;
  std::copy_n(left.starts + keep, give, right.starts);
  std::copy_n(left.levels + keep, give, right.levels);
  count_[leaf] = static_cast<uint32_t>(keep);
  count_[leaf + 1] = static_cast<uint32_t>(give);
  lazy_[leaf + 1] = lazy_[leaf];
  Summarise(leaf);
  Summarise(leaf + 1);
}

void LeafEdges::Tidy(size_t leaf) {
  if (count_[leaf] == 0) {
    RemoveLeaf(leaf);
    return;
  }
  if (leaf + 1 >= leaf_count() || count_[leaf] + count_[leaf + 1] >= kLanes / 2) return;
  Leaf& left = Of(leaf);
  const Leaf& right = Of(leaf + 1);
  const int64_t lift = lazy_[leaf + 1] - lazy_[leaf];
  for (size_t i = 0; i < count_[leaf + 1]; ++i) {
    left.starts[count_[leaf] + i] = right.starts[i];
    left.levels[count_[leaf] + i] = right.levels[i] + lift;
  }
  count_[leaf] += count_[leaf + 1];
  RemoveLeaf(leaf + 1);
  Summarise(leaf);
}

bool LeafEdges::ChangeWhole(size_t leaf, size_t end, int64_t by) {
  if (leaf >= end) return true;
  AddTo(high_.data() + leaf, end - leaf, by);
  AddTo(lazy_.data() + leaf, end - leaf, by);
  return AddTo(low_.data() + leaf, end - leaf, by) >= 0;
}

// Applies an edit to one leaf; false if a level became negative.
bool LeafEdges::Apply(size_t leaf, const RangeEdit& edit) {
  Leaf& at = Of(leaf);
  const size_t count = edit.NewSize(count_[leaf]);
  edit.Apply(at.starts, at.levels, count_[leaf]);
  size_ += count - count_[leaf];
  count_[leaf] = static_cast<uint32_t>(count);
  if (count == 0) return true;
  const size_t from = edit.moved() - (edit.has_begin ? 1 : 0);
  SummariseAgain(leaf, from, edit.moved() + edit.last - edit.first, edit.by);
  return low_[leaf] >= 0;
}

bool LeafEdges::Change(int64_t begin, int64_t end, int64_t by) {
  while (true) {
    const size_t a = LeafOf(begin);
    const size_t b = end == RangeEdit::kOpenEnd ? leaf_count() - 1 : LeafOf(end);
    const int64_t before_a = LevelBefore(a) - lazy_[a];
    if (a == b) {
      const RangeEdit edit =
          RangeEdit::Find(Of(a).starts, Of(a).levels, count_[a], begin, end, by, before_a);
      if (edit.NewSize(count_[a]) > kLanes) {
        Split(a);
        continue;
      }
      const bool good = Apply(a, edit);
      Tidy(a);
      return good;
    }
    const RangeEdit edit_a = RangeEdit::Find(Of(a).starts, Of(a).levels, count_[a], begin,
                                             RangeEdit::kOpenEnd, by, before_a);
    const RangeEdit edit_b =
        RangeEdit::Find(Of(b).starts, Of(b).levels, count_[b], RangeEdit::kOpenBegin, end, by,
                        LevelBefore(b) - lazy_[b]);
    const bool full_b = edit_b.NewSize(count_[b]) > kLanes;
    const bool full_a = edit_a.NewSize(count_[a]) > kLanes;
    if (full_b) Split(b);
    if (full_a) Split(a);
    if (full_a || full_b) continue;
    bool good = Apply(b, edit_b);
    good &= Apply(a, edit_a);
    good &= ChangeWhole(a + 1, b, by);
    Tidy(b);
    Tidy(a);
    return good;
  }
}

void LeafEdges::DropBefore(int64_t t) {
  const Place place = PlaceOf(t);
  if (place.edges == 0) return;
  const int64_t level = LevelAt(place);
  for (size_t l = 0; l < place.leaf; ++l) {
    size_ -= count_[l];
    spare_.push_back(place_[l]);
  }
  const auto gone = static_cast<long>(place.leaf);
  for (std::vector<int64_t>* by_leaf : {&first_, &low_, &high_, &lazy_}) {
    by_leaf->erase(by_leaf->begin(), by_leaf->begin() + gone);
  }
  count_.erase(count_.begin(), count_.begin() + gone);
  place_.erase(place_.begin(), place_.begin() + gone);
  Leaf& leaf = Of(0);
  const size_t keep = level != 0 ? 1 : 0;  // keeps the edge in effect at t, which now begins there
  const size_t rest = count_[0] - place.edges;
  if (keep == 1) leaf.levels[0] = level - lazy_[0];
  if (keep == 1) leaf.starts[0] = t;
  std::move(leaf.starts + place.edges, leaf.starts + place.edges + rest, leaf.starts + keep);
  std::move(leaf.levels + place.edges, leaf.levels + place.edges + rest, leaf.levels + keep);
  size_ -= place.edges - keep;
  count_[0] = static_cast<uint32_t>(rest + keep);
  if (count_[0] > 0) Summarise(0);
  Tidy(0);
}

}  // namespace muster::rusv
