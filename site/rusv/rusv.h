// The resource usage vector (RUSV) of OpenCCS Sect. 4: how many items of one resource are used, or
// free, over time. Everything a site plans with is made of these vectors: its nodes (nRS), the
// whole machine (sRS), limits and what one user sees of them (uRS). A vector knows nothing of jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.h"
#include "site/rusv/edges.h"

namespace muster::rusv {

// `items` in [start, stop). The paper's stop time 0 ("[start, oo[") is kFarFuture here.
struct Slot {
  Instant start;
  Instant stop;
  int64_t items = 0;
  bool operator==(const Slot&) const = default;
};

// What the items of a vector count. Outside its slots a kUsed vector has 0 items, a kFree one
// `avl`: completely free stretches are not stored (Sect. 4).
enum class Kind : uint8_t { kUsed, kFree };

// The paper's minDist is 1 s here: the time step of plans. Slots that touch and are equal are one
// slot.
class Rusv {
 public:
  Rusv() = default;
  // `max_avl` items exist (Sect. 4: maxAvl). REQUIRES max_avl >= 0.
  explicit Rusv(Kind kind, int64_t max_avl) : kind_(kind), max_avl_(max_avl) {}

  // A vector with just these slots. REQUIRES them in ascending order and disjoint.
  static Rusv OfSlots(Kind kind, int64_t max_avl, const std::vector<Slot>& slots);

  Kind kind() const { return kind_; }
  int64_t max_avl() const { return max_avl_; }
  int64_t avl() const { return max_avl_ - defect_; }
  // Items out of order: avl = maxAvl - defect. REQUIRES kind kUsed and 0 <= defect <= max_avl.
  void SetDefect(int64_t defect);

  // Slots in ascending order, without the completely free ones; the last may end at kFarFuture.
  std::vector<Slot> Slots() const;
  bool empty() const { return edges_.empty(); }
  // Asks for the memory that a question about it needs first.
  void Prefetch() const { edges_.Prefetch(); }
  // Number of places where the items change; memory is proportional to it.
  size_t edge_count() const { return edges_.size(); }
  bool operator==(const Rusv& other) const = default;

  // ---- Sect. 4.1
  // -------------------------------------------------------------------------------------------
  // Increment (+) and Decrement (-): adds slot.items to, or takes them from, every instant of the
  // slot. What becomes completely free is dropped: a used vector never goes below 0, a free one
  // never above avl. A slot with start >= stop changes nothing; negative items (a free vector of
  // what is over-booked) count as such.
  void Increment(const Slot& slot);
  void Decrement(const Slot& slot);
  // Addition and Subtraction: Increment or Decrement by every slot of `other`.
  void Add(const Rusv& other);
  void Subtract(const Rusv& other);
  // getFreeSlots(R, F, D, T1, T2): a free vector with this one's free items wherever at least
  // `items` are free for at least `duration` without a break inside [from, until), and 0 free items
  // everywhere else.
  Rusv GetFreeSlots(int64_t items, Span duration, Instant from, Instant until) const;
  // The same knowledge in the other kind: free = avl - used, not below 0. Twice gives the vector
  // back if no slot exceeds avl.
  Rusv Inverse() const;

  // ---- reading
  // ---------------------------------------------------------------------------------------------
  int64_t At(Instant t) const;
  // Largest and smallest number of items in [begin, end). REQUIRES begin < end.
  int64_t MaxIn(Instant begin, Instant end) const;
  int64_t MinIn(Instant begin, Instant end) const;
  // Items free all over [begin, end); negative where more is used than there is. REQUIRES begin <
  // end.
  int64_t FreeIn(Instant begin, Instant end) const;
  // Earliest t >= from with `items` free all over [t, t + length); kFarFuture if there is none.
  // REQUIRES length > 0.
  Instant EarliestFit(int64_t items, Span length, Instant from) const;
  // First t >= from where fewer than `items` are free; kFarFuture if there is none.
  Instant FirstShort(int64_t items, Instant from) const;
  // Where the stretch began in which `items` are free and `at` lies; INT64_MIN if that was always
  // so. REQUIRES that so many are free at `at`.
  Instant FreeSince(int64_t items, Instant at) const;
  // First t > from at which the window [t, t + length) has another number of free items all over it
  // than at from; kFarFuture if that never happens. REQUIRES length > 0.
  Instant NextWindowChange(Span length, Instant from) const;
  // First t > after where the items change; kFarFuture if there is none.
  Instant NextEdge(Instant after) const;

  // Makes everything before `t` completely free: the past costs no memory.
  void ForgetBefore(Instant t);

 private:
  friend Rusv MinFree(const Rusv& system, const Rusv& limit);
  friend Rusv Intersect(const Rusv& a, const Rusv& b);
  friend Rusv Max(const Rusv& a, const Rusv& b);
  friend Rusv Min(const Rusv& a, const Rusv& b);

  // What a level of edges_ means in items, and back.
  int64_t Items(int64_t level) const { return kind_ == Kind::kUsed ? level : avl() - level; }
  void Change(const Slot& slot, int64_t sign);
  void ChangeByAll(const Rusv& other, int64_t sign);
  template <typename Pick>
  static Rusv Combine(const Rusv& a, const Rusv& b, Pick pick, Rusv into);

  Kind kind_ = Kind::kUsed;
  int64_t max_avl_ = 0;
  int64_t defect_ = 0;
  // What is not free: items of a kUsed vector, avl - items of a kFree one. So both kinds are 0
  // where they are completely free, and never below.
  Edges edges_;
};

// minFree (mf): `system` (used items) as seen through `limit` (free items: what the limit allows).
// Wherever the limit has a slot, as much counts as used as leaves at most limit.items free:
// max(used, avl - limit.items). Where it has none, nothing changes. (Sect. 4.1 prints R2 for the
// first operand of the maximum; the minimum of what is free in both, which its text asks for, needs
// R1 there.)
Rusv MinFree(const Rusv& system, const Rusv& limit);
// Intersection: what is free in both at the same time. REQUIRES both kFree.
Rusv Intersect(const Rusv& a, const Rusv& b);
// Pointwise maximum and minimum of two vectors of one kind; avl of the first.
Rusv Max(const Rusv& a, const Rusv& b);
Rusv Min(const Rusv& a, const Rusv& b);

}  // namespace muster::rusv
