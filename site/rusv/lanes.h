// Operations on many numbers at once: of 64 bits, or narrow ones of 32. They use SSE2, which every
// x86-64 has, and elsewhere plain loops.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace muster::rusv {

inline constexpr size_t kLanes = 64;
// Times and levels have at most this absolute value, so that differences cannot overflow.
inline constexpr int64_t kExtreme = int64_t{1} << 61;

// A word with the lowest `count` bits set. REQUIRES count <= kLanes.
inline uint64_t LowBits(size_t count) {
  return count < kLanes ? (uint64_t{1} << count) - 1 : ~uint64_t{0};
}

#if defined(__SSE2__)

// Bit i is set if values[i] <= limit, for sixteen values. `above` is limit + 1, twice.
inline uint64_t SixteenAtMost(const int64_t* values, __m128i above) {
  const auto load = [values, above](int pair) {
    const auto* at = reinterpret_cast<const __m128i*>(values + 2 * pair);
    return _mm_castsi128_ps(_mm_sub_epi64(_mm_loadu_si128(at), above));
  };
  // The sign of value - (limit + 1) is the answer. The high halves of these differences are
  // gathered and packed to bytes.
  const auto signs = [&load](int pair) {
    return _mm_castps_si128(_mm_shuffle_ps(load(pair), load(pair + 1), _MM_SHUFFLE(3, 1, 3, 1)));
  };
  const __m128i low = _mm_packs_epi32(signs(0), signs(2));
  const __m128i high = _mm_packs_epi32(signs(4), signs(6));
  return static_cast<uint64_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
}

// How many of sixteen ascending values are at most `limit`.
inline size_t SixteenUpTo(const int64_t* values, int64_t limit) {
  const uint64_t bits = SixteenAtMost(values, _mm_set1_epi64x(limit + 1));
  return static_cast<size_t>(std::countr_one(bits));
}

// Both for narrow values.
inline uint64_t SixteenAtMost(const int32_t* values, int32_t limit) {
  const __m128i most = _mm_set1_epi32(limit);
  const auto greater = [values, most](int four) {
    const auto* at = reinterpret_cast<const __m128i*>(values + 4 * four);
    return _mm_cmpgt_epi32(_mm_loadu_si128(at), most);
  };
  const __m128i low = _mm_packs_epi32(greater(0), greater(1));
  const __m128i high = _mm_packs_epi32(greater(2), greater(3));
  return ~static_cast<uint64_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high))) & 0xffff;
}

inline size_t SixteenUpTo(const int32_t* values, int32_t limit) {
  return static_cast<size_t>(std::countr_one(SixteenAtMost(values, limit)));
}

// Bit i is set if values[i] <= limit, for i < count; the others are clear. REQUIRES count <=
// kLanes.
inline uint64_t AtMost(const int32_t* values, size_t count, int32_t limit) {
  uint64_t bits = 0;
  size_t i = 0;
  for (; i + 16 <= count; i += 16) bits |= SixteenAtMost(values + i, limit) << i;
  for (; i < count; ++i) bits |= static_cast<uint64_t>(values[i] <= limit) << i;
  return bits;
}

// The same for a leaf, where 64 values may be read whatever the count is. REQUIRES all values
// within kExtreme.
inline uint64_t AtMostOfLeaf(const int64_t* values, size_t count, int64_t limit) {
  const __m128i above = _mm_set1_epi64x(limit + 1);
  const uint64_t low = SixteenAtMost(values, above) | SixteenAtMost(values + 16, above) << 16;
  const uint64_t high = SixteenAtMost(values + 32, above) << 32 | SixteenAtMost(values + 48, above)
                                                                      << 48;
  return (low | high) & LowBits(count);
}

// Adds `by` to every value. Returns a number whose sign bit is set if any result is negative; for
// narrow values, the bitwise OR of all results.
inline int64_t AddTo(int32_t* values, size_t count, int32_t by) {
  const __m128i step = _mm_set1_epi32(by);
  __m128i all = _mm_setzero_si128();
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    auto* at = reinterpret_cast<__m128i*>(values + i);
    const __m128i sum = _mm_add_epi32(_mm_loadu_si128(at), step);
    _mm_storeu_si128(at, sum);
    all = _mm_or_si128(all, sum);
  }
  all = _mm_or_si128(all, _mm_srli_si128(all, 8));
  all = _mm_or_si128(all, _mm_srli_si128(all, 4));
  int32_t bits = _mm_cvtsi128_si32(all);
  for (; i < count; ++i) bits |= values[i] += by;
  return bits;
}

inline int64_t AddTo(int64_t* values, size_t count, int64_t by) {
  const __m128i step = _mm_set1_epi64x(by);
  __m128i all = _mm_setzero_si128();
  size_t i = 0;
  for (; i + 2 <= count; i += 2) {
    auto* at = reinterpret_cast<__m128i*>(values + i);
    const __m128i sum = _mm_add_epi64(_mm_loadu_si128(at), step);
    _mm_storeu_si128(at, sum);
    all = _mm_or_si128(all, sum);
  }
  int64_t signs = _mm_movemask_pd(_mm_castsi128_pd(all)) != 0 ? INT64_MIN : 0;
  if (i < count) signs |= values[i] += by;
  return signs;
}

#else

template <typename T>
size_t SixteenUpTo(const T* values, T limit) {
  size_t count = 0;
  for (size_t i = 0; i < 16; ++i) count += values[i] <= limit ? 1 : 0;
  return count;
}

template <typename T>
uint64_t AtMost(const T* values, size_t count, T limit) {
  uint64_t bits = 0;
  for (size_t i = 0; i < count; ++i) bits |= static_cast<uint64_t>(values[i] <= limit) << i;
  return bits;
}

inline uint64_t AtMostOfLeaf(const int64_t* values, size_t count, int64_t limit) {
  return AtMost(values, count, limit);
}

template <typename T>
int64_t AddTo(T* values, size_t count, T by) {
  int64_t bits = 0;
  for (size_t i = 0; i < count; ++i) bits |= values[i] += by;
  return bits;
}

#endif

// Least and greatest of at least one value.
template <typename T>
T Lowest(const T* values, size_t count) {
  T low[4] = {values[0], values[0], values[0], values[0]};  // four chains at once hide the latency
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (size_t lane = 0; lane < 4; ++lane) low[lane] = std::min(low[lane], values[i + lane]);
  }
  for (; i < count; ++i) low[0] = std::min(low[0], values[i]);
  return std::min(std::min(low[0], low[1]), std::min(low[2], low[3]));
}

template <typename T>
T Highest(const T* values, size_t count) {
  T high[4] = {values[0], values[0], values[0], values[0]};
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (size_t lane = 0; lane < 4; ++lane) high[lane] = std::max(high[lane], values[i + lane]);
  }
  for (; i < count; ++i) high[0] = std::max(high[0], values[i]);
  return std::max(std::max(high[0], high[1]), std::max(high[2], high[3]));
}

}  // namespace muster::rusv
