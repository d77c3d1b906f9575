// The edges of a large vector: leaves of up to 64 edges. Each leaf has a summary: its first time,
// its least and greatest level, and an amount still to be added to all its levels. A range add
// touches two leaves and the summaries between them; searches skip leaves by their summaries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "site/rusv/lanes.h"

namespace muster::rusv {

struct RangeEdit;

// Times ascend, neighbouring levels differ, and the level before the first edge is 0. Levels are
// never negative, except after a Change that returned false. Searches are as in edges.h.
class LeafEdges {
 public:
  LeafEdges(const int64_t* starts, const int64_t* levels, size_t size);

  size_t size() const { return size_; }
  void CopyTo(int64_t* starts, int64_t* levels) const;

  // Adds `by` everywhere in [begin, end). False if a level became negative: then the levels are the
  // plain sums, and the caller has to correct them.
  bool Change(int64_t begin, int64_t end, int64_t by);
  void DropBefore(int64_t t);

  int64_t At(int64_t t) const;
  int64_t MaxIn(int64_t begin, int64_t end) const;
  int64_t MinIn(int64_t begin, int64_t end) const;
  int64_t EarliestAtMost(int64_t limit, int64_t length, int64_t from) const;
  int64_t FirstAbove(int64_t limit, int64_t from) const;
  int64_t AtMostSince(int64_t limit, int64_t t) const;
  int64_t NextEdge(int64_t after) const;

 private:
  struct Leaf {
    int64_t starts[kLanes] = {};
    int64_t levels[kLanes] = {};  // the true levels minus the leaf's lazy_
  };
  // Where a search from t begins: the leaf, and how many of its edges are at or before t (0 only if
  // t is before the first edge of the vector).
  struct Place {
    size_t leaf;
    size_t edges;
  };

  size_t leaf_count() const { return first_.size(); }
  Leaf& Of(size_t leaf) { return pool_[place_[leaf]]; }
  const Leaf& Of(size_t leaf) const { return pool_[place_[leaf]]; }
  size_t LeafOf(int64_t t) const;
  Place PlaceOf(int64_t t) const;
  int64_t LevelAt(Place place) const;
  int64_t LevelBefore(size_t leaf) const;
  template <typename Better>
  int64_t BestIn(int64_t begin, int64_t end, const std::vector<int64_t>& summary,
                 Better better) const;
  size_t NextHopeful(size_t leaf, int64_t limit, int64_t length) const;
  // Both are false if a level became negative.
  bool ChangeWhole(size_t leaf, size_t end, int64_t by);
  bool Apply(size_t leaf, const RangeEdit& edit);
  void Summarise(size_t leaf);
  void SummariseAgain(size_t leaf, size_t from, size_t to, int64_t by);
  void InsertLeaf(size_t at);
  void RemoveLeaf(size_t leaf);
  void Split(size_t leaf);
  // Removes the leaf if it is empty, or joins it with its right neighbour if both are nearly empty.
  void Tidy(size_t leaf);

  size_t size_ = 0;
  // By leaf, in time order.
  std::vector<int64_t> first_;
  std::vector<int64_t> low_;
  std::vector<int64_t> high_;
  std::vector<int64_t> lazy_;
  std::vector<uint32_t> count_;
  std::vector<uint32_t> place_;  // in pool_
  std::vector<Leaf> pool_;
  std::vector<uint32_t> spare_;  // unused places of pool_
};

}  // namespace muster::rusv
