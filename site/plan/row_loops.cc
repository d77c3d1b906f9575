// Each loop is compiled twice, for any machine and for one with AVX2; which one runs is asked once.
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
  // Short sums of short integers become vector instructions.
  for (size_t i = 0; i < count;) {
    const size_t end = std::min(count, i + 4096);
    int32_t some = 0;
    for (; i < end; ++i) some += row[i];
    sum += some;
  }
  return sum;
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

}  // namespace muster::plan
