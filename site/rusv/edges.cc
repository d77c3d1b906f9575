// Chooses the representation of a vector and converts between them.
#include "site/rusv/edges.h"

#include <algorithm>
#include <utility>

#include "base/time.h"
#include "site/rusv/edge_run.h"
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

Edges::Edges(const Edges& other) : flat_(other.flat_) {
  if (other.leaves_ != nullptr) leaves_ = std::make_unique<LeafEdges>(*other.leaves_);
}

Edges::Edges(Edges&& other) noexcept = default;

Edges& Edges::operator=(const Edges& other) {
  if (this != &other) *this = Edges(other);
  return *this;
}

Edges& Edges::operator=(Edges&& other) noexcept = default;

bool Edges::operator==(const Edges& other) const {
  if (size() != other.size()) return false;
  const View mine(*this);
  const View theirs(other);
  for (size_t i = 0; i < mine.size(); ++i) {
    if (mine.start(i) != theirs.start(i) || mine.level(i) != theirs.level(i)) return false;
  }
  return true;
}

size_t Edges::size() const { return leaves_ != nullptr ? leaves_->size() : flat_.size(); }

Edges::View::View(const Edges& edges) : size_(edges.size()) {
  if (edges.leaves_ == nullptr) {
    flat_ = &edges.flat_;
    return;
  }
  copy_.resize(2 * size_);
  edges.leaves_->CopyTo(copy_.data(), copy_.data() + size_);
}

void Edges::Builder::Append(int64_t start, int64_t level) {
  if (level == (levels_.empty() ? 0 : levels_.back())) return;
  starts_.push_back(start);
  levels_.push_back(level);
}

void Edges::Set(const int64_t* starts, const int64_t* levels, size_t count) {
  if (FlatEdges::Fits(starts, levels, count)) {
    flat_ = FlatEdges(starts, levels, count);
    leaves_.reset();
  } else {
    leaves_ = std::make_unique<LeafEdges>(starts, levels, count);
    flat_ = FlatEdges();
  }
}

// Converts the flat form to leaves. REQUIRES: the vector is flat.
void Edges::Widen() {
  std::vector<int64_t> both(2 * flat_.size());
  flat_.CopyTo(both.data(), both.data() + flat_.size());
  leaves_ = std::make_unique<LeafEdges>(both.data(), both.data() + flat_.size(), flat_.size());
  flat_ = FlatEdges();
}

// Releases memory; a vector with few edges becomes flat again.
void Edges::Shrink() {
  if (leaves_ == nullptr) return flat_.Shrink();
  const size_t size = leaves_->size();
  if (size >= kFlatEdges / 4) return;
  std::vector<int64_t> both(2 * size);
  leaves_->CopyTo(both.data(), both.data() + size);
  if (!FlatEdges::Fits(both.data(), both.data() + size, size)) return;
  Set(both.data(), both.data() + size, size);
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
  if (leaves_ == nullptr) {
    using Outcome = FlatEdges::Outcome;
    const Outcome outcome = flat_.Change(begin, end, by);
    if (outcome == Outcome::kNegative) CutOffBelowZero();
    if (outcome == Outcome::kHigh) Widen();
    if (outcome != Outcome::kTooWide) {
      if (by < 0) Shrink();
      return;
    }
    if (empty()) {  // LeafEdges cannot be empty
      if (by < 0) return;
      const int64_t starts[] = {begin, end};
      const int64_t levels[] = {by, 0};
      return Set(starts, levels, end == RangeEdit::kOpenEnd ? 1 : 2);
    }
    Widen();
  }
  const bool good = leaves_->Change(begin, end, by);
  Shrink();
  if (!good) CutOffBelowZero();
}

void Edges::DropBefore(int64_t t) {
  t = Within(t);
  if (leaves_ == nullptr) return flat_.DropBefore(t);
  leaves_->DropBefore(t);
  Shrink();
}

int64_t Edges::At(int64_t t) const {
  return leaves_ != nullptr ? leaves_->At(Within(t)) : flat_.At(Within(t));
}

int64_t Edges::MaxIn(int64_t begin, int64_t end) const {
  begin = Within(begin);
  return leaves_ != nullptr ? leaves_->MaxIn(begin, end) : flat_.MaxIn(begin, Within(end));
}

int64_t Edges::MinIn(int64_t begin, int64_t end) const {
  begin = Within(begin);
  return leaves_ != nullptr ? leaves_->MinIn(begin, end) : flat_.MinIn(begin, Within(end));
}

int64_t Edges::EarliestAtMost(int64_t limit, int64_t length, int64_t from) const {
  if (limit < 0) return kFarFuture.seconds;
  limit = Within(limit);
  from = Within(from);
  return leaves_ != nullptr ? leaves_->EarliestAtMost(limit, length, from)
                            : flat_.EarliestAtMost(limit, length, from);
}

int64_t Edges::FirstAbove(int64_t limit, int64_t from) const {
  if (limit < 0) return from;
  limit = Within(limit);
  from = Within(from);
  return leaves_ != nullptr ? leaves_->FirstAbove(limit, from) : flat_.FirstAbove(limit, from);
}

int64_t Edges::AtMostSince(int64_t limit, int64_t t) const {
  limit = Within(limit);
  t = Within(t);
  return leaves_ != nullptr ? leaves_->AtMostSince(limit, t) : flat_.AtMostSince(limit, t);
}

int64_t Edges::NextEdge(int64_t after) const {
  after = Within(after);
  return leaves_ != nullptr ? leaves_->NextEdge(after) : flat_.NextEdge(after);
}

void Edges::Prefetch() const {
  if (leaves_ != nullptr) {
    __builtin_prefetch(leaves_.get());
  } else {
    flat_.Prefetch();
  }
}

}  // namespace muster::rusv
