// A vector is one step function of used items (edges.h).
#include "site/rusv/rusv.h"

#include <algorithm>

#include "base/check.h"

namespace muster::rusv {

void Rusv::SetDefect(int64_t defect) {
  MUSTER_CHECK(defect >= 0 && defect <= max_avl_);
  defect_ = defect;
}

std::vector<Slot> Rusv::Slots() const {
  const Edges::View all(edges_);
  std::vector<Slot> out;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.level(i) == 0) continue;
    const Instant stop = i + 1 < all.size() ? Instant{all.start(i + 1)} : kFarFuture;
    out.push_back({{all.start(i)}, stop, all.level(i)});
  }
  return out;
}

// ---- changing

void Rusv::Change(const Slot& slot, int64_t sign) {
  if (slot.start >= slot.stop || slot.items == 0) return;
  edges_.Change(slot.start.seconds, slot.stop.seconds, sign * slot.items);
}

void Rusv::Increment(const Slot& slot) { Change(slot, 1); }

void Rusv::Decrement(const Slot& slot) { Change(slot, -1); }

void Rusv::ForgetBefore(Instant t) { edges_.DropBefore(t.seconds); }

// ---- reading

int64_t Rusv::MinIn(Instant begin, Instant end) const {
  MUSTER_CHECK(begin < end);
  return edges_.MinIn(begin.seconds, end.seconds);
}

int64_t Rusv::FreeIn(Instant begin, Instant end) const {
  MUSTER_CHECK(begin < end);
  return avl() - edges_.MaxIn(begin.seconds, end.seconds);
}

Instant Rusv::EarliestFit(int64_t items, Span length, Instant from) const {
  MUSTER_CHECK(length.seconds > 0);
  return Instant{edges_.EarliestAtMost(avl() - items, length.seconds, from.seconds)};
}

Instant Rusv::FirstShort(int64_t items, Instant from) const {
  return Instant{edges_.FirstAbove(avl() - items, from.seconds)};
}

Instant Rusv::FreeSince(int64_t items, Instant at) const {
  return Instant{edges_.AtMostSince(avl() - items, at.seconds)};
}

Instant Rusv::NextWindowChange(Span length, Instant from) const {
  const int64_t free = FreeIn(from, from + length);
  // The number falls when the window's last second meets a shortage, and rises when its first
  // second has passed the last shortage.
  const Instant shortage = FirstShort(free, from);
  Instant change = shortage >= kFarFuture ? kFarFuture : shortage - length + Span{1};
  if (free < avl()) change = std::min(change, EarliestFit(free + 1, length, from));
  return change;
}

Instant Rusv::NextEdge(Instant after) const { return Instant{edges_.NextEdge(after.seconds)}; }

// Walks the edges of both vectors in order.
Rusv Max(const Rusv& a, const Rusv& b) {
  const Edges::View of_a(a.edges_);
  const Edges::View of_b(b.edges_);
  Edges::Builder built;
  int64_t level_a = 0;
  int64_t level_b = 0;
  for (size_t i = 0, j = 0; i < of_a.size() || j < of_b.size();) {
    int64_t t = INT64_MAX;
    if (i < of_a.size()) t = of_a.start(i);
    if (j < of_b.size()) t = std::min(t, of_b.start(j));
    if (i < of_a.size() && of_a.start(i) == t) level_a = of_a.level(i++);
    if (j < of_b.size() && of_b.start(j) == t) level_b = of_b.level(j++);
    built.Append(t, std::max(level_a, level_b));
  }
  Rusv out(a.avl());
  out.edges_ = built.Done();
  return out;
}

}  // namespace muster::rusv
