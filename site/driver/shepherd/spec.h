// The spec of a part as the shepherd reads it: pointers into one buffer that is never freed.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

namespace muster::shepherd {

inline constexpr size_t kGroupsMost = 8;  // cgroups of one part: one per hierarchy

// A cgroup to create and join. The entries [limits_from, limits_to) of Spec::limits are written
// into it.
struct Group {
  const char* path;
  bool unified;  // version 2
  size_t limits_from;
  size_t limits_to;
};

struct Spec {
  uint64_t serial = 0;
  int64_t not_after_s = 0;
  int64_t walltime_ms = 0;
  int64_t walltime_grace_ms = 0;
  int64_t stop_grace_ms = 0;
  bool other_account = false;
  uid_t uid = 0;
  gid_t gid = 0;
  gid_t* supplementary = nullptr;
  size_t supplementary_count = 0;
  int64_t open_files = -1;           // -1: as inherited
  const char* submit_dir = nullptr;  // null: none
  const char* own_dir = nullptr;
  Group groups[kGroupsMost];
  size_t group_count = 0;
  const char** limits = nullptr;  // "FILE=VALUE"
  const char* program = nullptr;
  char** arguments = nullptr;         // null-terminated
  char** environment = nullptr;       // null-terminated
  int64_t notice_ms = 0;              // before the end of the walltime, in ms; 0: no notice
  int notice_signal = 0;              // 0: none
  char** notice_arguments = nullptr;  // null-terminated; empty: no command
};

// Reads what to run from the token file. Returns null, or the error as text. `used`: a shepherd has
// already used the token, or a daemon has written a verdict.
const char* ReadSpec(int token, Spec* spec, bool* used);

}  // namespace muster::shepherd
