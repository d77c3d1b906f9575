// Bounds ascend in both directions: larger or longer requests cannot start earlier. Raising a bound
// raises the lower ones in greater rows and columns; lowering keeps the order.
#include "site/rusv/frontier.h"

#include <algorithm>
#include <bit>

namespace muster::rusv {
namespace {

// Each number below 2^kBits is a class of its own. From there on every power of two has 2^kBits
// classes: with 3 bits a class spans an eighth of its least number at most.
template <int kBits>
size_t ClassOfNumber(int64_t number) {
  const auto n = static_cast<uint64_t>(number);
  if (n < (uint64_t{1} << kBits)) return static_cast<size_t>(n);
  const int shift = std::bit_width(n) - 1 - kBits;
  return (static_cast<size_t>(shift) << kBits) + static_cast<size_t>(n >> shift);
}

template <int kBits>
int64_t LeastOfClass(size_t index) {
  if (index < (size_t{1} << kBits)) return static_cast<int64_t>(index);
  const size_t shift = (index >> kBits) - 1;
  return static_cast<int64_t>((index - (shift << kBits)) << shift);
}

constexpr int kItemBits = 3;
constexpr int kLengthBits = 2;
constexpr int64_t kLongest = int64_t{1} << 27;  // four years; longer durations count as this long
constexpr size_t kColumns = 27 * 4;

size_t ColumnOf(int64_t length) { return ClassOfNumber<kLengthBits>(std::min(length, kLongest)); }

}  // namespace

Frontier::Class Frontier::ClassOf(int64_t items, int64_t length) {
  const size_t row = ClassOfNumber<kItemBits>(items);
  const size_t column = ColumnOf(length);
  return {row, column, LeastOfClass<kItemBits>(row), LeastOfClass<kLengthBits>(column)};
}

// A new row starts with the bounds of the next smaller one.
std::vector<int64_t>& Frontier::Row(size_t row) {
  if (row >= bounds_.size()) bounds_.resize(row + 1);
  if (!bounds_[row].empty()) return bounds_[row];
  for (size_t below = row; below-- > 0;) {
    if (!bounds_[below].empty()) return bounds_[row] = bounds_[below];
  }
  bounds_[row].assign(kColumns, INT64_MIN);
  return bounds_[row];
}

int64_t Frontier::Bound(const Class& of, int64_t from) {
  if (from < base_) {
    Clear();
    base_ = from;
  }
  return std::max(from, Row(of.row)[of.column]);
}

void Frontier::Proven(const Class& of, int64_t from, int64_t fit) {
  const int64_t known = std::max(base_, Row(of.row)[of.column]);
  if (from > known) return;  // starts between `known` and `from` were not searched
  for (size_t r = of.row; r < bounds_.size(); ++r) {
    if (bounds_[r].empty()) continue;
    int64_t* bound = bounds_[r].data();
    if (bound[of.column] >= fit) return;
    for (size_t c = of.column; c < kColumns && bound[c] < fit; ++c) bound[c] = fit;
  }
}

void Frontier::Released(int64_t begin, int64_t end) {
  released_begin_ = std::min(released_begin_, begin);
  released_end_ = std::max(released_end_, end);
}

// Only a request that overlaps the released span can fit newly: it starts later than
// released_begin_ - length, and asks for at most `free` items.
void Frontier::Loosen(int64_t free) {
  for (size_t r = 0; r < bounds_.size(); ++r) {
    if (bounds_[r].empty()) continue;
    if (LeastOfClass<kItemBits>(r) > free) break;
    std::vector<int64_t>& bounds = bounds_[r];
    const auto cap = [this](size_t c) {
      return released_begin_ - LeastOfClass<kLengthBits>(c) + 1;
    };
    // Bounds ascend with the column and caps descend, so bisection finds the first column with a
    // lower cap.
    size_t low = 0;
    for (size_t left = kColumns; left > 0;) {
      const size_t half = left / 2;
      if (bounds[low + half] <= cap(low + half)) {
        low += half + 1;
        left -= half + 1;
      } else {
        left = half;
      }
    }
    if (low == kColumns) continue;
    const int64_t bound = std::max(low > 0 ? bounds[low - 1] : INT64_MIN, cap(low));
    std::fill(bounds.begin() + static_cast<long>(low), bounds.end(), bound);
  }
  released_begin_ = kNothing;
  released_end_ = INT64_MIN;
}

void Frontier::ForgetBefore(int64_t t) {
  if (base_ != kNothing) base_ = std::max(base_, t);
}

void Frontier::Clear() {
  bounds_.clear();
  base_ = released_begin_ = kNothing;
  released_end_ = INT64_MIN;
}

void RusvWithFrontier::Change(const Slot& slot) {
  rusv_.Increment(slot);
  if (slot.items >= 0 || slot.start >= slot.stop || frontier_.empty()) return;
  if (Remembers()) {
    frontier_.Released(slot.start.seconds, slot.stop.seconds);
  } else {
    frontier_.Clear();
  }
}

void RusvWithFrontier::Increment(const Slot& slot) { Change(slot); }

void RusvWithFrontier::Decrement(const Slot& slot) { Change({slot.start, slot.stop, -slot.items}); }

void RusvWithFrontier::SetDefect(int64_t defect) {
  const int64_t before = rusv_.avl();
  rusv_.SetDefect(defect);
  if (rusv_.avl() > before) frontier_.Clear();
}

void RusvWithFrontier::ForgetBefore(Instant t) {
  rusv_.ForgetBefore(t);
  frontier_.ForgetBefore(t.seconds);
}

Instant RusvWithFrontier::EarliestFit(int64_t items, Span length, Instant from) const {
  if (items <= 0 || items > rusv_.avl() || !Remembers()) {
    return rusv_.EarliestFit(items, length, from);
  }
  const Instant released = frontier_.released_begin();
  if (released < frontier_.released_end()) {
    frontier_.Loosen(rusv_.avl() - rusv_.MinIn(released, frontier_.released_end()));
  }
  // Searches for the least request of the class first: its fit is exact and is a bound for the
  // whole class.
  const Frontier::Class of = Frontier::ClassOf(items, length.seconds);
  const Instant begin{frontier_.Bound(of, from.seconds)};
  const Instant least = rusv_.EarliestFit(of.items, {of.length}, begin);
  if (least > begin) frontier_.Proven(of, from.seconds, least.seconds);
  if (of.items == items && of.length == length.seconds) return least;
  return rusv_.EarliestFit(items, length, least);
}

}  // namespace muster::rusv
