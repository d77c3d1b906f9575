// Before a change all levels are below kHighLevel, and each change adds less than kHighLevel. So a
// level that gets too high is noticed before a sum wraps.
#include "site/rusv/flat_edges.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/time.h"
#include "site/rusv/edge_run.h"
#include "site/rusv/fit_scan.h"
#include "site/rusv/lanes.h"

namespace muster::rusv {
namespace {

constexpr int64_t kHighLevel = int64_t{1} << 30;
// Greatest distance of an edge from the base; queries may use any time.
constexpr int64_t kFarthest = std::numeric_limits<int32_t>::max() - 1;

int ShiftOf(int64_t value) {
  return value == 0 ? 62 : std::countr_zero(static_cast<uint64_t>(value));
}

}  // namespace

bool FlatEdges::Fits(const int64_t* starts, const int64_t* levels, size_t size) {
  if (size == 0) return true;
  if (size > kMostEdges || starts[size - 1] - starts[0] > kFarthest) return false;
  int64_t bits = 0;
  for (size_t i = 0; i < size; ++i) bits |= levels[i];
  return bits >= 0 && bits >> ShiftOf(bits) < kHighLevel;
}

FlatEdges::FlatEdges(const int64_t* starts, const int64_t* levels, size_t size) {
  if (size == 0) return;
  Reallocate(size);
  size_ = static_cast<uint16_t>(size);
  base_ = starts[0];
  int64_t bits = 0;
  for (size_t i = 0; i < size; ++i) bits |= levels[i];
  shift_ = static_cast<uint8_t>(ShiftOf(bits));
  for (size_t i = 0; i < size; ++i) {
    this->starts()[i] = static_cast<int32_t>(starts[i] - base_);
    this->levels()[i] = static_cast<int32_t>(levels[i] >> shift_);
  }
}

FlatEdges::FlatEdges(const FlatEdges& other) : base_(other.base_), shift_(other.shift_) {
  if (other.size_ == 0) return;
  Reallocate(other.size_);
  size_ = other.size_;
  std::copy_n(other.starts(), size_, starts());
  std::copy_n(other.levels(), size_, levels());
}

FlatEdges::FlatEdges(FlatEdges&& other) noexcept
    : block_(std::move(other.block_)),
      base_(other.base_),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)),
      shift_(other.shift_) {}

FlatEdges& FlatEdges::operator=(FlatEdges&& other) noexcept {
  block_ = std::move(other.block_);
  base_ = other.base_;
  size_ = std::exchange(other.size_, 0);
  capacity_ = std::exchange(other.capacity_, 0);
  shift_ = other.shift_;
  return *this;
}

void FlatEdges::CopyTo(int64_t* starts, int64_t* levels) const {
  for (size_t i = 0; i < size_; ++i) {
    starts[i] = start(i);
    levels[i] = level(i);
  }
}

// REQUIRES: the edges present fit into `capacity`.
void FlatEdges::Reallocate(size_t capacity) {
  std::unique_ptr<int32_t[]> block(capacity > 0 ? new int32_t[2 * capacity] : nullptr);
  if (size_ > 0) {
    std::copy_n(starts(), size_, block.get());
    std::copy_n(levels(), size_, block.get() + capacity);
  }
  block_ = std::move(block);
  capacity_ = static_cast<uint16_t>(capacity);
}

void FlatEdges::Shrink() {
  if (size_ == 0 || (capacity_ > 8 && size_ < capacity_ / 4)) Reallocate(size_);
}

int32_t FlatEdges::Since(int64_t t) const {
  constexpr int64_t kLast = std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(std::clamp(t - base_, -kLast, kLast));
}

int32_t FlatEdges::Units(int64_t level) const {
  return static_cast<int32_t>(std::clamp<int64_t>(level >> shift_, -1, kHighLevel));
}

// Sets the base of an empty vector, and lowers the unit where needed, so that the change can be
// represented. False if it cannot be.
bool FlatEdges::MakeFit(int64_t begin, int64_t end, int64_t by) {
  const int shift = ShiftOf(by);
  if (size_ == 0) {
    base_ = begin;
    shift_ = static_cast<uint8_t>(shift);
  } else if (shift < shift_) {
    const int more = shift_ - shift;
    if (more > 30 || int64_t{Highest(levels(), size_)} << more >= kHighLevel) return false;
    for (size_t i = 0; i < size_; ++i) levels()[i] <<= more;
    shift_ = static_cast<uint8_t>(shift);
  }
  const int64_t units = by >> shift_;
  const auto fits = [this](int64_t t) { return t - base_ <= kFarthest && base_ - t <= kFarthest; };
  return units < kHighLevel && -units < kHighLevel && fits(begin) &&
         (end == RangeEdit::kOpenEnd || fits(end));
}

FlatEdges::Outcome FlatEdges::Change(int64_t begin, int64_t end, int64_t by) {
  if (!MakeFit(begin, end, by)) return Outcome::kTooWide;
  const bool open = end == RangeEdit::kOpenEnd;
  const RangeEdit edit = RangeEdit::Find(starts(), levels(), size_, begin - base_,
                                         open ? RangeEdit::kOpenEnd : end - base_, by >> shift_, 0);
  const size_t size = edit.NewSize(size_);
  if (size > kMostEdges) return Outcome::kTooWide;
  // Grows by at least half, to an even capacity.
  if (size > capacity_) {
    Reallocate((std::max<size_t>(size, capacity_ + capacity_ / 2) + 1) & ~size_t{1});
  }
  const int64_t bits = edit.Apply(starts(), levels(), size_);
  size_ = static_cast<uint16_t>(size);
  if (bits < 0) return Outcome::kNegative;
  return (bits & kHighLevel) != 0 ? Outcome::kHigh : Outcome::kDone;
}

void FlatEdges::DropBefore(int64_t t) {
  const size_t before = UpToIn(t);
  if (before == 0) return;
  const int32_t level = levels()[before - 1];
  const size_t keep = level != 0 ? 1 : 0;  // keeps the edge in effect at t, which now begins there
  const int64_t later = t - base_;
  for (size_t i = before; i < size_; ++i) {
    starts()[keep + i - before] = static_cast<int32_t>(starts()[i] - later);
  }
  std::move(levels() + before, levels() + size_, levels() + keep);
  if (keep == 1) starts()[0] = 0;
  if (keep == 1) levels()[0] = level;
  base_ = t;
  size_ = static_cast<uint16_t>(size_ - before + keep);
  Shrink();
}

// Fast path for the first edges: most searches start now, at or near the first edge.
size_t FlatEdges::UpToIn(int64_t t) const {
  if (size_ == 0) return 0;
  const int32_t since = Since(t);
  if (since < starts()[0]) return 0;
  return size_ == 1 || since < starts()[1] ? 1 : UpTo(starts(), size_, since);
}

int64_t FlatEdges::At(int64_t t) const {
  const size_t before = UpToIn(t);
  return before > 0 ? level(before - 1) : 0;
}

template <typename Better>
int64_t FlatEdges::BestIn(int64_t begin, int64_t end, Better better) const {
  if (size_ == 0) return 0;
  size_t i = UpToIn(begin);
  const int32_t until = Since(end);
  int32_t best = i > 0 ? levels()[i - 1] : 0;
  for (; i < size_ && starts()[i] < until; ++i) best = better(best, levels()[i]);
  return int64_t{best} << shift_;
}

int64_t FlatEdges::MaxIn(int64_t begin, int64_t end) const {
  return BestIn(begin, end, [](int32_t x, int32_t y) { return std::max(x, y); });
}

int64_t FlatEdges::MinIn(int64_t begin, int64_t end) const {
  return BestIn(begin, end, [](int32_t x, int32_t y) { return std::min(x, y); });
}

int64_t FlatEdges::EarliestAtMost(int64_t limit, int64_t length, int64_t from) const {
  const int32_t most = Units(limit);
  size_t i = UpToIn(from);
  FitScan scan{.length = length};
  if ((i > 0 ? levels()[i - 1] : 0) <= most) scan.begin = from - base_;
  while (i < size_ && !scan.ReachedBy(starts()[i])) {
    const size_t count = std::min(kLanes, size_ - i);
    if (scan.Go(starts() + i, count, AtMost(levels() + i, count, most))) break;
    i += count;
  }
  return scan.begin == FitScan::kNone ? kFarFuture.seconds : base_ + scan.begin;
}

int64_t FlatEdges::FirstAbove(int64_t limit, int64_t from) const {
  const int32_t most = Units(limit);
  size_t i = UpToIn(from);
  if (i > 0 && levels()[i - 1] > most) return from;
  for (; i < size_; ++i) {
    if (levels()[i] > most) return start(i);
  }
  return kFarFuture.seconds;
}

int64_t FlatEdges::AtMostSince(int64_t limit, int64_t t) const {
  const int32_t most = Units(limit);
  int64_t began = t;
  for (size_t i = UpToIn(t); i > 0; --i) {
    if (levels()[i - 1] > most) return began;
    began = start(i - 1);
  }
  return INT64_MIN;
}

int64_t FlatEdges::NextEdge(int64_t after) const {
  const size_t next = UpToIn(after);
  return next < size_ ? start(next) : kFarFuture.seconds;
}

void FlatEdges::Prefetch() const { PrefetchRun(starts(), size_); }

}  // namespace muster::rusv
