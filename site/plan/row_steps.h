// The changes of what nodes have free within a stretch of rows: steps in the order of time, then of
// place. Times, places and amounts are separate arrays, since most passes read the places alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace muster::plan {

// Pairs of place and units, ascending by place, each place once, units not 0.
using PlaceChanges = std::vector<std::pair<uint32_t, int32_t>>;

class RowSteps {
 public:
  size_t size() const { return times_.size(); }
  int64_t time(size_t i) const { return times_[i]; }
  uint32_t place(size_t i) const { return places_[i]; }
  int16_t units(size_t i) const { return units_[i]; }
  // Index of the first step later than t, `size()` if there is none.
  size_t After(int64_t t) const;

  // From `time` on each place has these units more or, with sign -1, less. Steps that add up to 0
  // are dropped.
  void Add(int64_t time, const PlaceChanges& changes, int sign);
  // Removes the steps from index `at` on and returns them.
  RowSteps Split(size_t at);
  // REQUIRES: all steps of `others` are later than those here.
  void Append(const RowSteps& others);

 private:
  void InsertAt(size_t at, int64_t time, size_t count);
  void AddAt(size_t low, size_t high, const PlaceChanges& changes, int sign);
  size_t DropNone(size_t low, size_t high);

  std::vector<int64_t> times_;
  std::vector<uint32_t> places_;
  std::vector<int16_t> units_;
};

}  // namespace muster::plan
