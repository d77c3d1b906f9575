// The flat form, and the changes between the forms.
#include "site/rusv/edges.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/time.h"
#include "site/rusv/edge_run.h"
#include "site/rusv/fit_scan.h"
#include "site/rusv/lanes.h"
#include "site/rusv/leaf_edges.h"

namespace muster::rusv {
namespace {

int64_t Within(int64_t value) { return std::clamp(value, -kExtreme, kExtreme); }

}  // namespace

Edges::Edges() = default;
Edges::~Edges() = default;

Edges::Edges(const int64_t* starts, const int64_t* levels, size_t size) {
  Set(starts, levels, size);
}

Edges::Edges(const Edges& other) {
  if (other.leaves_ != nullptr) {
    leaves_ = std::make_unique<LeafEdges>(*other.leaves_);
  } else if (other.size_ > 0) {
    Set(other.starts(), other.levels(), other.size_);
  }
}

Edges::Edges(Edges&& other) noexcept
    : block_(std::move(other.block_)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)),
      leaves_(std::move(other.leaves_)) {}

Edges& Edges::operator=(const Edges& other) {
  if (this != &other) *this = Edges(other);
  return *this;
}

Edges& Edges::operator=(Edges&& other) noexcept {
  block_ = std::move(other.block_);
  size_ = std::exchange(other.size_, 0);
  capacity_ = std::exchange(other.capacity_, 0);
  leaves_ = std::move(other.leaves_);
  return *this;
}

bool Edges::operator==(const Edges& other) const {
  if (size() != other.size()) return false;
  const View mine(*this);
  const View theirs(other);
  for (size_t i = 0; i < mine.size(); ++i) {
    if (mine.start(i) != theirs.start(i) || mine.level(i) != theirs.level(i)) return false;
  }
  return true;
}

size_t Edges::size() const { return leaves_ != nullptr ? leaves_->size() : size_; }

Edges::View::View(const Edges& edges)
    : size_(edges.size()), starts_(edges.starts()), levels_(edges.levels()) {
  if (edges.leaves_ == nullptr) return;
  copy_.resize(2 * size_);
  edges.leaves_->CopyTo(copy_.data(), copy_.data() + size_);
  starts_ = copy_.data();
  levels_ = copy_.data() + size_;
}

void Edges::Builder::Append(int64_t start, int64_t level) {
  if (level == (levels_.empty() ? 0 : levels_.back())) return;
  starts_.push_back(start);
  levels_.push_back(level);
}

// The arrays may be parts of what is replaced.
void Edges::Set(const int64_t* from_starts, const int64_t* from_levels, size_t count) {
  if (count > kFlatEdges) {
    leaves_ = std::make_unique<LeafEdges>(from_starts, from_levels, count);
    block_.reset();
    size_ = capacity_ = 0;
    return;
  }
  std::unique_ptr<int64_t[]> block(count > 0 ? new int64_t[2 * count] : nullptr);
  std::copy_n(from_starts, count, block.get());
  std::copy_n(from_levels, count, block.get() + count);
  block_ = std::move(block);
  size_ = capacity_ = static_cast<uint32_t>(count);
  leaves_.reset();
}

// Grows by a half, by whole pairs.
void Edges::Reserve(size_t wanted) {
  if (wanted <= capacity_) return;
  const size_t capacity = (std::max<size_t>(wanted, capacity_ + capacity_ / 2) + 1) & ~size_t{1};
  std::unique_ptr<int64_t[]> block(new int64_t[2 * capacity]);
  std::copy_n(starts(), size_, block.get());
  std::copy_n(levels(), size_, block.get() + capacity);
  block_ = std::move(block);
  capacity_ = static_cast<uint32_t>(capacity);
}

// What shrank gives its memory back.
void Edges::Shrink() {
  if (leaves_ != nullptr) {
    if (leaves_->size() >= kFlatEdges / 4) return;
    const View all(*this);
    std::vector<int64_t> both(2 * all.size());
    leaves_->CopyTo(both.data(), both.data() + all.size());
    Set(both.data(), both.data() + all.size(), all.size());
  } else if (size_ == 0 || (capacity_ > 8 && size_ < capacity_ / 4)) {
    Set(starts(), levels(), size_);
  }
}

void Edges::CutOffBelowZero() {
  const View all(*this);
  Builder built;
  for (size_t i = 0; i < all.size(); ++i) {
    built.Append(all.start(i), std::max<int64_t>(all.level(i), 0));
  }
  *this = built.Done();
}

void Edges::Change(int64_t begin, int64_t end, int64_t by) {
  begin = Within(begin);
  end = end >= kFarFuture.seconds ? RangeEdit::kOpenEnd : Within(end);
  if (leaves_ != nullptr) {
    const bool good = leaves_->Change(begin, end, by);
    Shrink();
    if (!good) CutOffBelowZero();
    return;
  }
  const RangeEdit edit = RangeEdit::Find(starts(), levels(), size_, begin, end, by, 0);
  const size_t size = edit.NewSize(size_);
  if (size > kFlatEdges) {
    Set(starts(), levels(), size_);
    leaves_ = std::make_unique<LeafEdges>(starts(), levels(), size_);
    block_.reset();
    size_ = capacity_ = 0;
    if (!leaves_->Change(begin, end, by)) CutOffBelowZero();
    return;
  }
  Reserve(size);
  const int64_t signs = edit.Apply(starts(), levels(), size_);
  size_ = static_cast<uint32_t>(size);
  if (signs < 0) CutOffBelowZero();
  if (by < 0) Shrink();
}

void Edges::DropBefore(int64_t t) {
  t = Within(t);
  if (leaves_ != nullptr) {
    leaves_->DropBefore(t);
    Shrink();
    return;
  }
  const size_t before = UpToIn(t);
  if (before == 0) return;
  const int64_t level = levels()[before - 1];
  const size_t keep = level != 0 ? 1 : 0;  // the edge that rules t now begins there
  std::move(starts() + before, starts() + size_, starts() + keep);
  std::move(levels() + before, levels() + size_, levels() + keep);
  if (keep == 1) starts()[0] = t;
  if (keep == 1) levels()[0] = level;
  size_ -= static_cast<uint32_t>(before - keep);
  Shrink();
}

// Most questions begin at or near the first edge: it is now.
size_t Edges::UpToIn(int64_t t) const {
  if (size_ == 0 || t < starts()[0]) return 0;
  return size_ == 1 || t < starts()[1] ? 1 : UpTo(starts(), size_, Within(t));
}

int64_t Edges::At(int64_t t) const {
  if (leaves_ != nullptr) return leaves_->At(t);
  const size_t before = UpToIn(t);
  return before > 0 ? levels()[before - 1] : 0;
}

int64_t Edges::MaxIn(int64_t begin, int64_t end) const {
  if (leaves_ != nullptr) return leaves_->MaxIn(Within(begin), end);
  size_t i = UpToIn(begin);
  int64_t best = i > 0 ? levels()[i - 1] : 0;
  for (; i < size_ && starts()[i] < end; ++i) best = std::max(best, levels()[i]);
  return best;
}

int64_t Edges::MinIn(int64_t begin, int64_t end) const {
  if (leaves_ != nullptr) return leaves_->MinIn(Within(begin), end);
  size_t i = UpToIn(begin);
  int64_t best = i > 0 ? levels()[i - 1] : 0;
  for (; i < size_ && starts()[i] < end; ++i) best = std::min(best, levels()[i]);
  return best;
}

int64_t Edges::EarliestAtMost(int64_t limit, int64_t length, int64_t from) const {
  if (limit < 0) return kFarFuture.seconds;
  limit = Within(limit);
  if (leaves_ != nullptr) return leaves_->EarliestAtMost(limit, length, Within(from));
  size_t i = UpToIn(from);
  FitScan scan{.length = length};
  if ((i > 0 ? levels()[i - 1] : 0) <= limit) scan.begin = from;
  while (i < size_ && !scan.ReachedBy(starts()[i])) {
    const size_t count = std::min(kLanes, size_ - i);
    if (scan.Go(starts() + i, count, AtMost(levels() + i, count, limit))) break;
    i += count;
  }
  return scan.begin == FitScan::kNone ? kFarFuture.seconds : scan.begin;
}

int64_t Edges::FirstAbove(int64_t limit, int64_t from) const {
  if (limit < 0) return from;
  limit = Within(limit);
  if (leaves_ != nullptr) return leaves_->FirstAbove(limit, Within(from));
  size_t i = UpToIn(from);
  if (i > 0 && levels()[i - 1] > limit) return from;
  for (; i < size_; ++i) {
    if (levels()[i] > limit) return starts()[i];
  }
  return kFarFuture.seconds;
}

int64_t Edges::AtMostSince(int64_t limit, int64_t t) const {
  if (leaves_ != nullptr) return leaves_->AtMostSince(Within(limit), Within(t));
  int64_t began = t;
  for (size_t i = UpToIn(t); i > 0; --i) {
    if (levels()[i - 1] > limit) return began;
    began = starts()[i - 1];
  }
  return INT64_MIN;
}

int64_t Edges::NextEdge(int64_t after) const {
  if (leaves_ != nullptr) return leaves_->NextEdge(Within(after));
  const size_t next = UpToIn(after);
  return next < size_ ? starts()[next] : kFarFuture.seconds;
}

}  // namespace muster::rusv
