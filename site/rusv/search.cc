// Reading and searching a vector: leaps over groups of edges by their maximum and minimum.
#include <algorithm>

#include "base/check.h"
#include "site/rusv/rusv.h"

namespace muster::rusv {

int64_t Rusv::At(Instant t) const {
  const size_t edges = EdgesUpTo(t.seconds);
  return edges > 0 ? items_[edges - 1] : Rest();
}

// First edge from `first` on whose items exceed `limit`, if it starts before `end`.
size_t Rusv::NextAbove(size_t first, int64_t limit, int64_t end) const {
  const size_t size = starts_.size();
  for (size_t i = first; i < size;) {
    if (starts_[i] >= end) return kNone;
    if (i % kGroup == 0 && group_max_[i / kGroup] <= limit) {
      i += kGroup;
      continue;
    }
    if (items_[i] > limit) return i;
    ++i;
  }
  return kNone;
}

size_t Rusv::NextAtMost(size_t first, int64_t limit, int64_t end) const {
  const size_t size = starts_.size();
  for (size_t i = first; i < size;) {
    if (starts_[i] >= end) return kNone;
    if (i % kGroup == 0 && group_min_[i / kGroup] > limit) {
      i += kGroup;
      continue;
    }
    if (items_[i] <= limit) return i;
    ++i;
  }
  return kNone;
}

// An edge is bad if fewer than `items` are free after it.
size_t Rusv::NextBad(size_t first, int64_t items, int64_t end) const {
  return kind_ == Kind::kUsed ? NextAbove(first, avl() - items, end)
                              : NextAtMost(first, items - 1, end);
}

size_t Rusv::NextGood(size_t first, int64_t items, int64_t end) const {
  return kind_ == Kind::kUsed ? NextAtMost(first, avl() - items, end)
                              : NextAbove(first, items - 1, end);
}

int64_t Rusv::MaxIn(Instant begin, Instant end) const {
  MUSTER_CHECK(begin < end);
  size_t i = EdgesUpTo(begin.seconds);
  int64_t high = i > 0 ? items_[i - 1] : Rest();
  const size_t size = starts_.size();
  while (i < size && starts_[i] < end.seconds) {
    const size_t next = i + kGroup;
    if (i % kGroup == 0 && next < size && starts_[next] < end.seconds) {
      high = std::max(high, group_max_[i / kGroup]);
      i = next;
    } else {
      high = std::max(high, items_[i++]);
    }
  }
  return high;
}

int64_t Rusv::MinIn(Instant begin, Instant end) const {
  MUSTER_CHECK(begin < end);
  size_t i = EdgesUpTo(begin.seconds);
  int64_t low = i > 0 ? items_[i - 1] : Rest();
  const size_t size = starts_.size();
  while (i < size && starts_[i] < end.seconds) {
    const size_t next = i + kGroup;
    if (i % kGroup == 0 && next < size && starts_[next] < end.seconds) {
      low = std::min(low, group_min_[i / kGroup]);
      i = next;
    } else {
      low = std::min(low, items_[i++]);
    }
  }
  return low;
}

int64_t Rusv::FreeIn(Instant begin, Instant end) const {
  return kind_ == Kind::kUsed ? avl() - MaxIn(begin, end) : MinIn(begin, end);
}

Instant Rusv::EarliestFit(int64_t items, Span length, Instant from) const {
  MUSTER_CHECK(length.seconds > 0);
  int64_t t = from.seconds;
  size_t next = EdgesUpTo(t);
  // The stretch that `t` lies in began before it, and may be the one before the first edge.
  const int64_t here = next > 0 ? items_[next - 1] : Rest();
  bool good = kind_ == Kind::kUsed ? avl() - here >= items : here >= items;
  while (true) {
    if (!good) {
      const size_t rise = NextGood(next, items, kFarFuture.seconds);
      if (rise == kNone) return kFarFuture;
      t = starts_[rise];
      next = rise + 1;
    }
    const size_t drop = NextBad(next, items, t + length.seconds);
    if (drop == kNone) return Instant{t};
    next = drop + 1;
    good = false;
  }
}

Instant Rusv::FirstShort(int64_t items, Instant from) const {
  const size_t next = EdgesUpTo(from.seconds);
  const int64_t here = next > 0 ? items_[next - 1] : Rest();
  if ((kind_ == Kind::kUsed ? avl() - here : here) < items) return from;
  const size_t drop = NextBad(next, items, kFarFuture.seconds);
  return drop == kNone ? kFarFuture : Instant{starts_[drop]};
}

Instant Rusv::NextWindowChange(Span length, Instant from) const {
  const int64_t free = FreeIn(from, from + length);
  // It falls when the window's last second meets fewer, and rises when its first second leaves the
  // last shortage.
  const Instant shortage = FirstShort(free, from);
  Instant change = shortage >= kFarFuture ? kFarFuture : shortage - length + Span{1};
  if (free < avl()) change = std::min(change, EarliestFit(free + 1, length, from));
  return change;
}

Instant Rusv::NextEdge(Instant after) const {
  const size_t next = EdgesUpTo(after.seconds);
  return next < starts_.size() ? Instant{starts_[next]} : kFarFuture;
}

Rusv Rusv::GetFreeSlots(int64_t items, Span duration, Instant from, Instant until) const {
  Rusv out(Kind::kFree, avl());
  const Rusv free = kind_ == Kind::kFree ? *this : Inverse();
  const Instant begin_of_time{INT64_MIN / 4};
  out.Decrement({begin_of_time, kFarFuture, avl()});
  Instant t = from;
  while (t < until) {
    const Instant begin = EarliestFit(items, duration, t);
    if (begin >= until || until - begin < duration) break;
    const Instant end = std::min(until, FirstShort(items, begin));
    for (Instant at = begin; at < end;) {
      const Instant next = std::min(end, free.NextEdge(at));
      out.Increment({at, next, free.At(at)});
      at = next;
    }
    t = end;
  }
  return out;
}

}  // namespace muster::rusv
