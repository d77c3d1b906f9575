// MUSTER_CHECK for conditions that only a bug can violate. Stays active in release builds. Bad
// input is never checked this way; it returns a status.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace muster {

// Prints the location and the condition, then aborts.
[[noreturn]] inline void CheckFailed(const char* file, int line, const char* what) {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s\n", file, line, what);
  std::abort();
}

}  // namespace muster

#define MUSTER_CHECK(condition)                                              \
  do {                                                                       \
    if (!(condition)) ::muster::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (false)
