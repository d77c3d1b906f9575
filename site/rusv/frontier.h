// Results of earlier searches in a vector, kept for later ones: by size and duration, the time
// before which no such request can start. A planner asks one vector for its earliest fit from the
// same "now" thousands of times, and most answers are weeks ahead. With this table a search begins
// where the last similar one ended. Only the vectors of a whole machine are worth the memory (some
// 20 KB once used).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.h"
#include "site/rusv/rusv.h"

namespace muster::rusv {

// Proven lower bounds of starts, by class of items and class of duration. A class holds the
// requests between its least one and the next class. A bound for its least request holds for all of
// the class and for all greater classes.
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

  // Returns a bound: no request of this class starts in [from, Bound()). Asking for an earlier
  // `from` than the table covers clears it. REQUIRES: every Released was followed by Loosen.
  int64_t Bound(const Class& of, int64_t from);
  // Records a search: from the bound on that Bound(of, from) returned, the least request of this
  // class first fits at `fit`.
  void Proven(const Class& of, int64_t from, int64_t fit);
  // Items became free in [begin, end). Takes effect with the next Loosen, which may cover several.
  void Released(int64_t begin, int64_t end);
  // The span that contains all releases since the last Loosen; empty if there were none.
  Instant released_begin() const { return {released_begin_}; }
  Instant released_end() const { return {released_end_}; }
  // Applies the releases. `free`: the most items that are free at any time of that span.
  void Loosen(int64_t free);
  // The caller's promise that no later search asks for a start before t.
  void ForgetBefore(int64_t t);
  // Forgets all bounds.
  void Clear();
  bool empty() const { return bounds_.empty(); }

 private:
  std::vector<int64_t>& Row(size_t row);

  static constexpr int64_t kNothing = INT64_MAX;

  int64_t base_ = kNothing;  // bounds concern starts from here on
  int64_t released_begin_ = kNothing;
  int64_t released_end_ = INT64_MIN;
  // By row (empty if unused) and column; ascending in both.
  std::vector<std::vector<int64_t>> bounds_;
};

// A vector of used items with its frontier. All changes go through this class, so that bounds stay
// true. REQUIRES one thread at a time, even for EarliestFit, which updates the frontier.
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
  // For small vectors a search is faster than the table.
  bool Remembers() const { return rusv_.edge_count() > Edges::kFlatEdges; }

  Rusv rusv_;
  mutable Frontier frontier_;
};

}  // namespace muster::rusv
