// Each array is moved in at most two blocks: the edges inside the range by up to one place, those
// after it by up to two.
#include "site/rusv/edge_run.h"

#include <cstring>

#include "site/rusv/lanes.h"

namespace muster::rusv {

template <typename T>
RangeEdit RangeEdit::Find(const T* starts, const T* levels, size_t size, int64_t begin, int64_t end,
                          int64_t by, int64_t prior) {
  RangeEdit out;
  out.by = by;
  out.begin = begin;
  out.end = end;
  if (begin != kOpenBegin) {
    out.first = UpTo(starts, size, static_cast<T>(begin));
    out.had_begin = out.first > 0 && starts[out.first - 1] == begin;
    out.begin_level = (out.first > 0 ? levels[out.first - 1] : prior) + by;
    const size_t place = out.first - out.had_begin;
    out.has_begin = out.begin_level != (place > 0 ? levels[place - 1] : prior);
  }
  out.last = size;
  if (end == kOpenEnd) return out;
  const size_t after = out.first + UpTo(starts + out.first, size - out.first, static_cast<T>(end));
  out.had_end = after > out.first && starts[after - 1] == end;
  out.last = after - out.had_end;
  const int64_t inside = out.last > 0 ? levels[out.last - 1] : prior;
  out.end_level = out.had_end ? levels[out.last] : inside;
  out.has_end = out.end_level != inside + by;
  return out;
}

template <typename T>
int64_t RangeEdit::Apply(T* starts, T* levels, size_t size) const {
  const size_t inside = last - first;
  const size_t tail = last + had_end;
  const size_t new_first = moved();
  const size_t new_tail = new_first + inside + has_end;
  const auto move = [&](size_t to, size_t from, size_t count) {
    if (to == from || count == 0) return;
    std::memmove(starts + to, starts + from, count * sizeof(T));
    std::memmove(levels + to, levels + from, count * sizeof(T));
  };
  if (new_tail > tail) move(new_tail, tail, size - tail);
  move(new_first, first, inside);
  if (new_tail < tail) move(new_tail, tail, size - tail);
  int64_t signs = AddTo(levels + new_first, inside, static_cast<T>(by));
  if (has_begin) {
    starts[new_first - 1] = static_cast<T>(begin);
    levels[new_first - 1] = static_cast<T>(begin_level);
    signs |= begin_level;
  }
  if (has_end) {
    starts[new_tail - 1] = static_cast<T>(end);
    levels[new_tail - 1] = static_cast<T>(end_level);
  }
  return signs;
}

template RangeEdit RangeEdit::Find(const int32_t*, const int32_t*, size_t, int64_t, int64_t,
                                   int64_t, int64_t);
template RangeEdit RangeEdit::Find(const int64_t*, const int64_t*, size_t, int64_t, int64_t,
                                   int64_t, int64_t);
template int64_t RangeEdit::Apply(int32_t*, int32_t*, size_t) const;
template int64_t RangeEdit::Apply(int64_t*, int64_t*, size_t) const;

}  // namespace muster::rusv
