// The resource usage vector (RUSV) of OpenCCS Sect. 4: how many items of one resource are used over
// time. All data that a site plans with are such vectors: its nodes (nRS), the whole machine (sRS),
// consumers' usage and reserved amounts (usdRS, limits, FreePools). A vector knows nothing of jobs.
// Which operations of the paper the planner does without, and why: docs/adr/0037.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.h"
#include "site/rusv/edges.h"

namespace muster::rusv {

// `items` items are used in [start, stop). The paper's stop time 0 ("[start, oo[") is kFarFuture
// here.
struct Slot {
  Instant start;
  Instant stop;
  int64_t items = 0;
  bool operator==(const Slot&) const = default;
};

// Stores used items, which are 0 outside of its slots. The paper's minDist is 1 s here, the time
// step of plans. Adjacent slots with equal items are merged.
class Rusv {
 public:
  Rusv() = default;
  // `max_avl` items exist (Sect. 4: maxAvl). REQUIRES max_avl >= 0.
  explicit Rusv(int64_t max_avl) : max_avl_(max_avl) {}

  int64_t avl() const { return max_avl_ - defect_; }
  // Items out of order: avl = maxAvl - defect. REQUIRES 0 <= defect <= max_avl.
  void SetDefect(int64_t defect);

  // Slots in ascending order, without the completely free ones; the last may end at kFarFuture.
  std::vector<Slot> Slots() const;
  bool empty() const { return edges_.empty(); }
  // Prefetches the memory that a query touches first.
  void Prefetch() const { edges_.Prefetch(); }
  // Number of instants at which the items change; memory is proportional to it.
  size_t edge_count() const { return edges_.size(); }
  bool operator==(const Rusv& other) const = default;

  // ---- Sect. 4.1
  // -------------------------------------------------------------------------------------------
  // Increment (+) and Decrement (-): adds slot.items to, or takes them from, every instant of the
  // slot; never below 0. A slot with start >= stop changes nothing.
  void Increment(const Slot& slot);
  void Decrement(const Slot& slot);

  // ---- reading
  // ---------------------------------------------------------------------------------------------
  int64_t At(Instant t) const { return edges_.At(t.seconds); }
  // Smallest number of items in [begin, end). REQUIRES begin < end.
  int64_t MinIn(Instant begin, Instant end) const;
  // Items free throughout [begin, end); negative if more are used than exist. REQUIRES begin < end.
  int64_t FreeIn(Instant begin, Instant end) const;
  // Earliest t >= from with `items` free throughout [t, t + length); kFarFuture if there is none.
  // REQUIRES length > 0.
  Instant EarliestFit(int64_t items, Span length, Instant from) const;
  // First t >= from where fewer than `items` are free; kFarFuture if there is none.
  Instant FirstShort(int64_t items, Instant from) const;
  // Begin of the stretch around `at` in which `items` are free; INT64_MIN if it has no begin.
  // REQUIRES: `items` are free at `at`.
  Instant FreeSince(int64_t items, Instant at) const;
  // First t > from at which the number of items free throughout [t, t + length) differs from that
  // at `from`; kFarFuture if it never does. REQUIRES length > 0.
  Instant NextWindowChange(Span length, Instant from) const;
  // First t > after where the items change; kFarFuture if there is none.
  Instant NextEdge(Instant after) const;

  // Makes everything before `t` completely free, so that the past costs no memory.
  void ForgetBefore(Instant t);

 private:
  friend Rusv Max(const Rusv& a, const Rusv& b);

  void Change(const Slot& slot, int64_t sign);

  int64_t max_avl_ = 0;
  int64_t defect_ = 0;
  Edges edges_;  // levels: used items
};

// Pointwise maximum of two vectors; avl of the first.
Rusv Max(const Rusv& a, const Rusv& b);

}  // namespace muster::rusv
