// Both kinds of vectors as one step function of what is not free (edges.h).
#include "site/rusv/rusv.h"

#include <algorithm>

#include "base/check.h"

namespace muster::rusv {

void Rusv::SetDefect(int64_t defect) {
  MUSTER_CHECK(kind_ == Kind::kUsed && defect >= 0 && defect <= max_avl_);
  defect_ = defect;
}

std::vector<Slot> Rusv::Slots() const {
  const Edges::View all(edges_);
  std::vector<Slot> out;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.level(i) == 0) continue;
    const Instant stop = i + 1 < all.size() ? Instant{all.start(i + 1)} : kFarFuture;
    out.push_back({{all.start(i)}, stop, Items(all.level(i))});
  }
  return out;
}

Rusv Rusv::OfSlots(Kind kind, int64_t max_avl, const std::vector<Slot>& slots) {
  Rusv out(kind, max_avl);
  Edges::Builder built;
  Instant done{INT64_MIN};
  for (const Slot& slot : slots) {
    MUSTER_CHECK(done <= slot.start && slot.start < slot.stop);
    if (done < slot.start) built.Append(done.seconds, 0);
    // Items and levels are each other's mirror image, so Items() leads back, too.
    built.Append(slot.start.seconds, std::max<int64_t>(out.Items(slot.items), 0));
    done = slot.stop;
  }
  if (!slots.empty() && done < kFarFuture) built.Append(done.seconds, 0);
  out.edges_ = built.Done();
  return out;
}

// ---- changing

void Rusv::Change(const Slot& slot, int64_t sign) {
  if (slot.start >= slot.stop || slot.items == 0) return;
  const int64_t by = kind_ == Kind::kUsed ? sign * slot.items : -sign * slot.items;
  edges_.Change(slot.start.seconds, slot.stop.seconds, by);
}

void Rusv::Increment(const Slot& slot) { Change(slot, 1); }

void Rusv::Decrement(const Slot& slot) { Change(slot, -1); }

// Slot by slot if there are few, else in one walk over both.
void Rusv::ChangeByAll(const Rusv& other, int64_t sign) {
  if (8 * other.edge_count() < edge_count()) {
    for (const Slot& slot : other.Slots()) Change(slot, sign);
    return;
  }
  const int64_t rest = other.Items(0);
  const auto pick = [sign, rest](int64_t mine, int64_t theirs) {
    return theirs == rest ? mine : mine + sign * theirs;
  };
  *this = Combine(*this, other, pick, *this);
}

void Rusv::Add(const Rusv& other) { ChangeByAll(other, 1); }

void Rusv::Subtract(const Rusv& other) { ChangeByAll(other, -1); }

void Rusv::ForgetBefore(Instant t) { edges_.DropBefore(t.seconds); }

// ---- reading

int64_t Rusv::At(Instant t) const { return Items(edges_.At(t.seconds)); }

int64_t Rusv::MaxIn(Instant begin, Instant end) const {
  MUSTER_CHECK(begin < end);
  return kind_ == Kind::kUsed ? edges_.MaxIn(begin.seconds, end.seconds)
                              : avl() - edges_.MinIn(begin.seconds, end.seconds);
}

int64_t Rusv::MinIn(Instant begin, Instant end) const {
  MUSTER_CHECK(begin < end);
  return kind_ == Kind::kUsed ? edges_.MinIn(begin.seconds, end.seconds)
                              : avl() - edges_.MaxIn(begin.seconds, end.seconds);
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
  // It falls when the window's last second meets fewer, and rises when its first second leaves the
  // last shortage.
  const Instant shortage = FirstShort(free, from);
  Instant change = shortage >= kFarFuture ? kFarFuture : shortage - length + Span{1};
  if (free < avl()) change = std::min(change, EarliestFit(free + 1, length, from));
  return change;
}

Instant Rusv::NextEdge(Instant after) const { return Instant{edges_.NextEdge(after.seconds)}; }

// ---- vectors made of vectors

Rusv Rusv::Inverse() const {
  Rusv out(kind_ == Kind::kUsed ? Kind::kFree : Kind::kUsed, avl());
  const Edges::View all(edges_);
  Edges::Builder built;
  for (size_t i = 0; i < all.size(); ++i) {
    // Free items of the other kind are not below 0; used ones may exceed what there is.
    const int64_t level = all.level(i);
    built.Append(all.start(i), kind_ == Kind::kUsed ? std::min(level, avl()) : level);
  }
  out.edges_ = built.Done();
  return out;
}

Rusv Rusv::GetFreeSlots(int64_t items, Span duration, Instant from, Instant until) const {
  Rusv out(Kind::kFree, avl());
  const Instant begin_of_time{INT64_MIN / 4};
  Edges::Builder built;
  built.Append(begin_of_time.seconds, avl());
  for (Instant t = from; t < until;) {
    const Instant begin = EarliestFit(items, duration, t);
    if (begin >= until || until - begin < duration) break;
    const Instant end = std::min(until, FirstShort(items, begin));
    for (Instant at = begin; at < end; at = NextEdge(at)) {
      built.Append(at.seconds, std::min(edges_.At(at.seconds), avl()));
    }
    if (end < kFarFuture) built.Append(end.seconds, avl());
    t = end;
  }
  out.edges_ = built.Done();
  return out;
}

// Walks the edges of both vectors in order and appends what `pick` makes of the items of both.
template <typename Pick>
Rusv Rusv::Combine(const Rusv& a, const Rusv& b, Pick pick, Rusv into) {
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
    const int64_t items = pick(a.Items(level_a), b.Items(level_b));
    built.Append(t, std::max<int64_t>(into.Items(items), 0));
  }
  into.edges_ = built.Done();
  return into;
}

Rusv MinFree(const Rusv& system, const Rusv& limit) {
  MUSTER_CHECK(system.kind() == Kind::kUsed && limit.kind() == Kind::kFree);
  const int64_t avl = system.avl();
  const int64_t rest = limit.avl();
  const auto pick = [avl, rest](int64_t used, int64_t allowed) {
    return allowed == rest ? used : std::max(used, avl - allowed);
  };
  return Rusv::Combine(system, limit, pick, Rusv(Kind::kUsed, avl));
}

Rusv Intersect(const Rusv& a, const Rusv& b) {
  MUSTER_CHECK(a.kind() == Kind::kFree && b.kind() == Kind::kFree);
  const auto pick = [](int64_t x, int64_t y) { return std::min(x, y); };
  return Rusv::Combine(a, b, pick, Rusv(Kind::kFree, std::min(a.avl(), b.avl())));
}

Rusv Max(const Rusv& a, const Rusv& b) {
  MUSTER_CHECK(a.kind() == b.kind());
  const auto pick = [](int64_t x, int64_t y) { return std::max(x, y); };
  return Rusv::Combine(a, b, pick, Rusv(a.kind(), a.avl()));
}

Rusv Min(const Rusv& a, const Rusv& b) {
  MUSTER_CHECK(a.kind() == b.kind());
  const auto pick = [](int64_t x, int64_t y) { return std::min(x, y); };
  return Rusv::Combine(a, b, pick, Rusv(a.kind(), a.avl()));
}

}  // namespace muster::rusv
