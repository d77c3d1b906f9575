// CHECK for what only a bug can break, kept in release builds; bad input is never a CHECK (it is a
// status).
#pragma once

#include <cstdio>
#include <cstdlib>

namespace muster {

// Prints where and what, then aborts.
[[noreturn]] inline void CheckFailed(const char* file, int line, const char* what) {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s\n", file, line, what);
  std::abort();
}

}  // namespace muster

#define MUSTER_CHECK(condition)                                              \
  do {                                                                       \
    if (!(condition)) ::muster::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (false)
