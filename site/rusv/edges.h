// What a vector is made of: the places where its level changes, as a step function of time that is
// 0 before the first. Small vectors, and a site has tens of thousands of them, are two sorted
// arrays (flat_edges.h); large ones, and the few with numbers that do not fit there, are leaves
// (leaf_edges.h). Nobody outside sees which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "site/rusv/flat_edges.h"

namespace muster::rusv {

class LeafEdges;

// Level i holds in [starts[i], starts[i + 1]), the last for ever. Times ascend, neighbouring levels
// differ, the first is not 0, none is negative.
class Edges {
 public:
  // Above this many edges a vector has leaves; below a quarter of it, it is flat again.
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

  // All edges, valid as long as neither this nor the vector changes.
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
    std::vector<int64_t> copy_;  // of leaves: starts, then levels
  };
  // Edges in ascending order, made into a vector at the end; what changes nothing is left out.
  class Builder {
   public:
    void Append(int64_t start, int64_t level);
    Edges Done() const { return Edges(starts_.data(), levels_.data(), starts_.size()); }

   private:
    std::vector<int64_t> starts_;
    std::vector<int64_t> levels_;
  };

  // Adds `by` to the level of every instant of [begin, end) and makes 0 of what is below; an end of
  // kFarFuture or later is none. REQUIRES begin < end and by != 0.
  void Change(int64_t begin, int64_t end, int64_t by);
  // Makes the level before t 0.
  void DropBefore(int64_t t);

  int64_t At(int64_t t) const;
  // Greatest and least level in [begin, end). REQUIRES begin < end.
  int64_t MaxIn(int64_t begin, int64_t end) const;
  int64_t MinIn(int64_t begin, int64_t end) const;
  // First t >= from with a level of at most `limit` all over [t, t + length); kFarFuture if there
  // is none. REQUIRES length > 0.
  int64_t EarliestAtMost(int64_t limit, int64_t length, int64_t from) const;
  // First t >= from with a level above `limit`; kFarFuture if there is none.
  int64_t FirstAbove(int64_t limit, int64_t from) const;
  // Where the stretch of levels of at most `limit` began in which t lies; INT64_MIN if there is no
  // level above before. REQUIRES that the level at t is one of them.
  int64_t AtMostSince(int64_t limit, int64_t t) const;
  // First edge after `after`; kFarFuture if there is none.
  int64_t NextEdge(int64_t after) const;
  // Asks for the memory that a search begins with, so that it comes while other work goes on.
  void Prefetch() const;

 private:
  Edges(const int64_t* starts, const int64_t* levels, size_t size);
  void Set(const int64_t* starts, const int64_t* levels, size_t size);
  void Widen();
  void Shrink();
  void CutOffBelowZero();

  FlatEdges flat_;
  std::unique_ptr<LeafEdges> leaves_;  // instead of it
};

}  // namespace muster::rusv
