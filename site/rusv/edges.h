// The edges of a vector: the instants where its level changes, as a step function of time that is 0
// before the first edge. Small vectors, of which a site has tens of thousands, are two arrays
// sorted by time (flat_edges.h). Large vectors, and the few small ones whose numbers do not fit
// there, consist of leaves (leaf_edges.h). Users of this class do not see which it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "site/rusv/flat_edges.h"

namespace muster::rusv {

class LeafEdges;

// Level i holds in [starts[i], starts[i + 1]), the last one for ever. Times ascend, neighbouring
// levels differ, the first level is not 0, and none is negative.
class Edges {
 public:
  // A vector with more edges than this uses leaves. With fewer than a quarter of this number it
  // becomes flat again, if its numbers fit.
  static constexpr size_t kFlatEdges = FlatEdges::kMostEdges;

  Edges();
  ~Edges();
  Edges(const Edges& other);
  Edges(Edges&& other) noexcept;
  Edges& operator=(const Edges& other);
  Edges& operator=(Edges&& other) noexcept;
  bool operator==(const Edges& other) const;

  size_t size() const;
  bool empty() const { return size() == 0; }

  // All edges of a vector. Valid until that vector changes.
  class View {
   public:
    explicit View(const Edges& edges);
    size_t size() const { return size_; }
    int64_t start(size_t i) const { return flat_ != nullptr ? flat_->start(i) : copy_[i]; }
    int64_t level(size_t i) const {
      if (i >= size_) return 0;
      return flat_ != nullptr ? flat_->level(i) : copy_[size_ + i];
    }

   private:
    size_t size_;
    const FlatEdges* flat_ = nullptr;
    std::vector<int64_t> copy_;  // copy of the leaves: starts, then levels
  };
  // Collects edges in ascending order and makes a vector of them; edges that change nothing are
  // left out.
  class Builder {
   public:
    void Append(int64_t start, int64_t level);
    Edges Done() const { return Edges(starts_.data(), levels_.data(), starts_.size()); }

   private:
    std::vector<int64_t> starts_;
    std::vector<int64_t> levels_;
  };

  // Adds `by` to the level in all of [begin, end); levels that fall below 0 become 0. An end at or
  // after kFarFuture means no end. REQUIRES begin < end and by != 0.
  void Change(int64_t begin, int64_t end, int64_t by);
  // Sets the level before t to 0.
  void DropBefore(int64_t t);

  int64_t At(int64_t t) const;
  // Greatest and least level in [begin, end). REQUIRES begin < end.
  int64_t MaxIn(int64_t begin, int64_t end) const;
  int64_t MinIn(int64_t begin, int64_t end) const;
  // First t >= from with a level of at most `limit` throughout [t, t + length); kFarFuture if there
  // is none. REQUIRES length > 0.
  int64_t EarliestAtMost(int64_t limit, int64_t length, int64_t from) const;
  // First t >= from with a level above `limit`; kFarFuture if there is none.
  int64_t FirstAbove(int64_t limit, int64_t from) const;
  // Begin of the stretch around t with levels of at most `limit`; INT64_MIN if no earlier level is
  // above it. REQUIRES that the level at t is at most `limit`.
  int64_t AtMostSince(int64_t limit, int64_t t) const;
  // First edge after `after`; kFarFuture if there is none.
  int64_t NextEdge(int64_t after) const;
  // Prefetches the memory that a search touches first.
  void Prefetch() const;

 private:
  Edges(const int64_t* starts, const int64_t* levels, size_t size);
  void Set(const int64_t* starts, const int64_t* levels, size_t size);
  void Widen();
  void Shrink();
  void CutOffBelowZero();

  FlatEdges flat_;
  std::unique_ptr<LeafEdges> leaves_;  // if set, used instead of flat_
};

}  // namespace muster::rusv
