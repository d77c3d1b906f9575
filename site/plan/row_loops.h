// The inner loops over rows of integers in which searches spend their time, with the widest
// instructions that the machine has. Results are the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::plan {

// A sum as rows keep it.
inline int16_t Sum(int a, int b) { return static_cast<int16_t>(a + b); }

// into[i] = a[i] + b[i]
void SetToSum(int16_t* into, const int16_t* a, const int16_t* b, size_t count);
// into[i] = min(into[i], a[i])
void Lower(int16_t* into, const int16_t* a, size_t count);
// into[i] = min(into[i], a[i] + b[i])
void LowerToSum(int16_t* into, const int16_t* a, const int16_t* b, size_t count);
// row[i] = min(most, floor(max(row[i], 0) * part / 65536))
void Divide(int16_t* row, size_t count, uint16_t part, int16_t most);
// row[i] = min(most, max(row[i], 0) * factor). REQUIRES that no product overflows.
void Multiply(int16_t* row, size_t count, int16_t factor, int16_t most);
int64_t SumOf(const int16_t* row, size_t count);

// The least of the values; INT32_MAX if there are none.
int32_t LeastOf(const int32_t* values, size_t count);
// Index of the first occurrence of the value; `count` if there is none.
size_t FirstOf(const int32_t* values, size_t count, int32_t value);

// How free units of a node become a number of sets, at most `most`: Multiply by `factor` if that is
// not 0, else Divide by `part`. With `empty`, a row of what empty nodes have, a node that has less
// free takes none.
struct ToSets {
  uint16_t part = 0;
  int16_t factor = 0;
  int16_t most = 0;
  const int16_t* empty = nullptr;
};
// The sets of one node with `units` free of `empty` in all. With `whole_nodes` it takes none unless
// it is empty.
inline int16_t SetsIn(int16_t units, int16_t empty, bool whole_nodes, const ToSets& to_sets) {
  if (units <= 0 || (whole_nodes && units < empty)) return 0;
  const int32_t sets =
      to_sets.factor != 0
          ? int32_t{units} * to_sets.factor
          : static_cast<int32_t>(
                (uint32_t{static_cast<uint16_t>(units)} * uint32_t{to_sets.part}) >> 16);
  return static_cast<int16_t>(sets < to_sets.most ? sets : to_sets.most);
}
// into[i] = min(into[i], a[i] + more[i]), where `more` may be null. Returns the sum of the sets
// that this leaves, without storing them.
int64_t LowerAndCount(int16_t* into, const int16_t* a, const int16_t* more, size_t count,
                      const ToSets& to_sets);

}  // namespace muster::plan
