// The edges of a small vector: two adjacent arrays of 32-bit numbers, sorted by time, since memory
// access dominates the time of a search. Times are seconds from the vector's own base. Levels are
// multiples of a unit, a power of two that divides all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace muster::rusv {

// Searches and REQUIRES are as in edges.h.
class FlatEdges {
 public:
  static constexpr size_t kMostEdges = 512;

  // Can these edges be stored here? They must be few enough, and each value must fit in 32 bits.
  static bool Fits(const int64_t* starts, const int64_t* levels, size_t size);

  FlatEdges() = default;
  // REQUIRES Fits.
  FlatEdges(const int64_t* starts, const int64_t* levels, size_t size);
  FlatEdges(const FlatEdges& other);
  FlatEdges(FlatEdges&& other) noexcept;
  FlatEdges& operator=(const FlatEdges& other) = delete;
  FlatEdges& operator=(FlatEdges&& other) noexcept;

  size_t size() const { return size_; }
  int64_t start(size_t i) const { return base_ + starts()[i]; }
  int64_t level(size_t i) const { return int64_t{levels()[i]} << shift_; }
  void CopyTo(int64_t* starts, int64_t* levels) const;

  enum class Outcome : uint8_t {
    kDone,
    kNegative,  // done, but some levels are below 0: the caller has to correct that
    kHigh,      // done, but no further change is allowed: levels are about to outgrow their type
    kTooWide,   // nothing was changed: the result does not fit
  };
  // Adds `by` everywhere in [begin, end); RangeEdit::kOpenEnd means no end. REQUIRES: times and
  // `by` within kExtreme.
  Outcome Change(int64_t begin, int64_t end, int64_t by);
  void DropBefore(int64_t t);
  // Releases memory that is no longer needed.
  void Shrink();

  int64_t At(int64_t t) const;
  int64_t MaxIn(int64_t begin, int64_t end) const;
  int64_t MinIn(int64_t begin, int64_t end) const;
  int64_t EarliestAtMost(int64_t limit, int64_t length, int64_t from) const;
  int64_t FirstAbove(int64_t limit, int64_t from) const;
  int64_t AtMostSince(int64_t limit, int64_t t) const;
  int64_t NextEdge(int64_t after) const;
  void Prefetch() const;

 private:
  const int32_t* starts() const { return block_.get(); }
  const int32_t* levels() const { return block_.get() + capacity_; }
  int32_t* starts() { return block_.get(); }
  int32_t* levels() { return block_.get() + capacity_; }
  // A time as seconds from the base, clamped to 32 bits.
  int32_t Since(int64_t t) const;
  int32_t Units(int64_t level) const;
  size_t UpToIn(int64_t t) const;
  template <typename Better>
  int64_t BestIn(int64_t begin, int64_t end, Better better) const;
  bool MakeFit(int64_t begin, int64_t end, int64_t by);
  void Reallocate(size_t capacity);

  std::unique_ptr<int32_t[]> block_;  // capacity_ starts, then capacity_ levels
  int64_t base_ = 0;
  uint16_t size_ = 0;
  uint16_t capacity_ = 0;
  uint8_t shift_ = 0;  // a unit is 1 << shift_
};

}  // namespace muster::rusv
