// What searches in a vector proved, kept for the searches to come: by size and duration, the time
// before which nothing of that kind can start. A planner asks one vector for its earliest fit from
// the same "now" thousands of times, and mostly in vain for weeks to come; with this the search
// begins where the last one like it ended. Only the vectors of a whole machine are worth the
// memory (some 20 KB once used).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.h"
#include "site/rusv/rusv.h"

namespace muster::rusv {

// Proven lower bounds by class of items and class of duration. A class holds requests from its
// least one on; what is proven for the least holds for all of them, and for all greater classes.
class Frontier {
 public:
  // A request rounded down to its class.
  struct Class {
    size_t row;     // of items
    size_t column;  // of durations
    int64_t items;
    int64_t length;
  };
  static Class ClassOf(int64_t items, int64_t length);

  // No request of this class starts in [from, Bound()). Asking for an earlier `from` than ever
  // before forgets what is proven. REQUIRES no releases that have not taken effect.
  int64_t Bound(const Class& of, int64_t from);
  // The least request of this class was searched for from Bound() on and first fits at `fit`.
  void Proven(const Class& of, int64_t from, int64_t fit);
  // Items became free in [begin, end). Takes effect with Loosen, once for any number of them.
  void Released(int64_t begin, int64_t end);
  // All that was released lies in this; empty if nothing was.
  Instant released_begin() const { return {released_begin_}; }
  Instant released_end() const { return {released_end_}; }
  // At most `free` items are free at any time of it.
  void Loosen(int64_t free);
  // Nobody will ask for anything before t.
  void ForgetBefore(int64_t t);
  // Everything may start at once.
  void Clear();
  bool empty() const { return bounds_.empty(); }

 private:
  std::vector<int64_t>& Row(size_t row);

  static constexpr int64_t kNothing = INT64_MAX;

  int64_t base_ = kNothing;  // bounds are about starts from here on
  int64_t released_begin_ = kNothing;
  int64_t released_end_ = INT64_MIN;
  // By row, empty if unused, and column; ascending in both.
  std::vector<std::vector<int64_t>> bounds_;
};

// A vector of used items together with its frontier; all changes go through it, so that what is
// proven stays true. REQUIRES one thread at a time, even for EarliestFit: it learns.
class RusvWithFrontier {
 public:
  explicit RusvWithFrontier(int64_t max_avl = 0) : rusv_(max_avl) {}

  const Rusv& rusv() const { return rusv_; }
  bool operator==(const RusvWithFrontier& other) const { return rusv_ == other.rusv_; }

  // As those of Rusv.
  void Increment(const Slot& slot);
  void Decrement(const Slot& slot);
  void SetDefect(int64_t defect);
  void ForgetBefore(Instant t);
  Instant EarliestFit(int64_t items, Span length, Instant from) const;

 private:
  void Change(const Slot& slot);
  // Small vectors are searched faster than anything is remembered.
  bool Remembers() const { return rusv_.edge_count() > Edges::kFlatEdges; }

  Rusv rusv_;
  mutable Frontier frontier_;
};

}  // namespace muster::rusv
