// Each loop is compiled twice, for any machine and for one with AVX2. The choice between them is
// made once, at run time.
#include "site/plan/row_loops.h"

#include <algorithm>

namespace muster::plan {
namespace {

#if defined(__x86_64__)
#define MUSTER_WIDE __attribute__((target("avx2")))
bool IsWide() {
  static const bool wide = __builtin_cpu_supports("avx2") != 0;
  return wide;
}
#else
#define MUSTER_WIDE
bool IsWide() { return false; }
#endif

// Always inlined, so that each caller compiles it for its own instructions.
#define MUSTER_LOOP __attribute__((always_inline)) inline

MUSTER_LOOP int16_t Short(int value) { return static_cast<int16_t>(value); }

MUSTER_LOOP void SetToSumLoop(int16_t* into, const int16_t* a, const int16_t* b, size_t count) {
  for (size_t i = 0; i < count; ++i) into[i] = Short(a[i] + b[i]);
}
MUSTER_LOOP void LowerLoop(int16_t* into, const int16_t* a, size_t count) {
  for (size_t i = 0; i < count; ++i) into[i] = std::min(into[i], a[i]);
}
MUSTER_LOOP void LowerToSumLoop(int16_t* into, const int16_t* a, const int16_t* b, size_t count) {
  for (size_t i = 0; i < count; ++i) into[i] = std::min(into[i], Short(a[i] + b[i]));
}
MUSTER_LOOP void DivideLoop(int16_t* row, size_t count, uint16_t part, int16_t most) {
  for (size_t i = 0; i < count; ++i) {
    const uint16_t units = static_cast<uint16_t>(std::max<int16_t>(row[i], 0));
    const uint16_t sets = static_cast<uint16_t>((uint32_t{units} * uint32_t{part}) >> 16);
    row[i] = std::min(Short(sets), most);
  }
}
MUSTER_LOOP void MultiplyLoop(int16_t* row, size_t count, int16_t factor, int16_t most) {
  for (size_t i = 0; i < count; ++i) {
    row[i] = std::min(Short(std::max<int16_t>(row[i], 0) * factor), most);
  }
}
MUSTER_LOOP int64_t SumOfLoop(const int16_t* row, size_t count) {
  int64_t sum = 0;
  // Sums in int32_t become vector instructions.
  for (size_t i = 0; i < count;) {
    const size_t end = std::min(count, i + 4096);
    int32_t some = 0;
    for (; i < end; ++i) some += row[i];
    sum += some;
  }
  return sum;
}
MUSTER_LOOP int32_t LeastOfLoop(const int32_t* values, size_t count) {
  int32_t least = INT32_MAX;
  for (size_t i = 0; i < count; ++i) least = std::min(least, values[i]);
  return least;
}
MUSTER_LOOP size_t FirstOfLoop(const int32_t* values, size_t count, int32_t value) {
  // Compares eight at a time by vector instructions, then looks for the match one by one.
  constexpr size_t kStep = 8;
  size_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    int32_t there = 0;
    for (size_t j = 0; j < kStep; ++j) there |= values[i + j] == value ? 1 : 0;
    if (there != 0) break;
  }
  while (i < count && values[i] != value) ++i;
  return i;
}
template <bool kMore, bool kEmpty, bool kFactor>
MUSTER_LOOP int64_t LowerAndCountLoop(int16_t* into, const int16_t* a, const int16_t* more,
                                      size_t count, const ToSets& to_sets) {
  const uint16_t part = to_sets.part;
  const int16_t factor = to_sets.factor;
  const int16_t most = to_sets.most;
  const int16_t* empty = to_sets.empty;
  int64_t sum = 0;
  for (size_t i = 0; i < count;) {
    const size_t end = std::min(count, i + 4096);
    int32_t some = 0;
    for (; i < end; ++i) {
      const int16_t left = std::min(into[i], kMore ? Short(a[i] + more[i]) : a[i]);
      into[i] = left;
      int16_t units = std::max<int16_t>(left, 0);
      if (kEmpty) units = left < empty[i] ? int16_t{0} : units;
      const uint32_t of_part = uint32_t{static_cast<uint16_t>(units)} * uint32_t{part};
      const int16_t sets = kFactor ? Short(units * factor) : Short(static_cast<int>(of_part >> 16));
      some += std::min(sets, most);
    }
    sum += some;
  }
  return sum;
}
template <bool kMore, bool kEmpty>
MUSTER_LOOP int64_t LowerAndCountAny(int16_t* into, const int16_t* a, const int16_t* more,
                                     size_t count, const ToSets& to_sets) {
  return to_sets.factor != 0
             ? LowerAndCountLoop<kMore, kEmpty, true>(into, a, more, count, to_sets)
             : LowerAndCountLoop<kMore, kEmpty, false>(into, a, more, count, to_sets);
}
MUSTER_LOOP int64_t LowerAndCountAll(int16_t* into, const int16_t* a, const int16_t* more,
                                     size_t count, const ToSets& to_sets) {
  const bool empty = to_sets.empty != nullptr;
  if (more == nullptr) {
    return empty ? LowerAndCountAny<false, true>(into, a, more, count, to_sets)
                 : LowerAndCountAny<false, false>(into, a, more, count, to_sets);
  }
  return empty ? LowerAndCountAny<true, true>(into, a, more, count, to_sets)
               : LowerAndCountAny<true, false>(into, a, more, count, to_sets);
}

MUSTER_WIDE void WideSetToSum(int16_t* into, const int16_t* a, const int16_t* b, size_t count) {
  SetToSumLoop(into, a, b, count);
}
MUSTER_WIDE void WideLower(int16_t* into, const int16_t* a, size_t count) {
  LowerLoop(into, a, count);
}
MUSTER_WIDE void WideLowerToSum(int16_t* into, const int16_t* a, const int16_t* b, size_t count) {
  LowerToSumLoop(into, a, b, count);
}
MUSTER_WIDE void WideDivide(int16_t* row, size_t count, uint16_t part, int16_t most) {
  DivideLoop(row, count, part, most);
}
MUSTER_WIDE void WideMultiply(int16_t* row, size_t count, int16_t factor, int16_t most) {
  MultiplyLoop(row, count, factor, most);
}
MUSTER_WIDE int64_t WideSumOf(const int16_t* row, size_t count) { return SumOfLoop(row, count); }
MUSTER_WIDE int32_t WideLeastOf(const int32_t* values, size_t count) {
  return LeastOfLoop(values, count);
}
MUSTER_WIDE size_t WideFirstOf(const int32_t* values, size_t count, int32_t value) {
  return FirstOfLoop(values, count, value);
}
MUSTER_WIDE int64_t WideLowerAndCount(int16_t* into, const int16_t* a, const int16_t* more,
                                      size_t count, const ToSets& to_sets) {
  return LowerAndCountAll(into, a, more, count, to_sets);
}

}  // namespace

void SetToSum(int16_t* into, const int16_t* a, const int16_t* b, size_t count) {
  IsWide() ? WideSetToSum(into, a, b, count) : SetToSumLoop(into, a, b, count);
}
void Lower(int16_t* into, const int16_t* a, size_t count) {
  IsWide() ? WideLower(into, a, count) : LowerLoop(into, a, count);
}
void LowerToSum(int16_t* into, const int16_t* a, const int16_t* b, size_t count) {
  IsWide() ? WideLowerToSum(into, a, b, count) : LowerToSumLoop(into, a, b, count);
}
void Divide(int16_t* row, size_t count, uint16_t part, int16_t most) {
  IsWide() ? WideDivide(row, count, part, most) : DivideLoop(row, count, part, most);
}
void Multiply(int16_t* row, size_t count, int16_t factor, int16_t most) {
  IsWide() ? WideMultiply(row, count, factor, most) : MultiplyLoop(row, count, factor, most);
}
int64_t SumOf(const int16_t* row, size_t count) {
  return IsWide() ? WideSumOf(row, count) : SumOfLoop(row, count);
}
int32_t LeastOf(const int32_t* values, size_t count) {
  return IsWide() ? WideLeastOf(values, count) : LeastOfLoop(values, count);
}
size_t FirstOf(const int32_t* values, size_t count, int32_t value) {
  return IsWide() ? WideFirstOf(values, count, value) : FirstOfLoop(values, count, value);
}
int64_t LowerAndCount(int16_t* into, const int16_t* a, const int16_t* more, size_t count,
                      const ToSets& to_sets) {
  return IsWide() ? WideLowerAndCount(into, a, more, count, to_sets)
                  : LowerAndCountAll(into, a, more, count, to_sets);
}

}  // namespace muster::plan
