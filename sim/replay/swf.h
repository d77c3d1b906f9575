// Workload traces in the Standard Workload Format, plain or gzipped, read by the rules of
// scheduling.md section 10. Every job that is left out or changed is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace muster::sim {

// One job. All times are seconds since the beginning of the trace.
struct SwfJob {
  int64_t number = 0;
  int64_t submitted = 0;
  std::optional<int64_t> waited;
  // cancelled before it started, after waiting `waited`; its run time is unknown
  bool cancelled = false;
  int64_t ran = 0;                   // > 0, at most `asked`; equal to `asked` if cancelled
  int64_t processors = 0;            // > 0: requested, or allocated if no request is given
  int64_t asked = 0;                 // > 0: requested time, or the run time if no request is given
  std::optional<int64_t> memory_kb;  // requested, per processor
  int64_t user = -1;
  int64_t group = -1;
  int64_t executable = -1;
  int64_t queue = -1;
  int64_t partition = -1;
};

struct SwfCounts {
  size_t lines = 0;          // lines with jobs
  size_t cancelled = 0;      // left out: never ran, or has no processors
  size_t entered = 0;        // cancelled before they ran, but kept
  size_t instant = 0;        // ran 0 s: changed to 1 s
  size_t overran = 0;        // ran longer than requested: ends at its limit
  size_t no_request = 0;     // no requested time: the run time is used
  size_t no_processors = 0;  // no requested processors: the allocated ones are used
  size_t unsorted = 0;       // submitted before a job on an earlier line
};

struct SwfTrace {
  std::vector<SwfJob> jobs;               // sorted by submission; equal ones in file order
  std::map<int64_t, std::string> queues;  // from the header
  int64_t began = 0;                      // UnixStartTime, else 0
  SwfCounts counts;
};

inline constexpr size_t kTraceBytes = size_t{1} << 30;  // largest file after unpacking

// Finds a trace: next to the scenario that names it, at the path as written, or in the folder
// MUSTER_TRACES of the environment. Returns `name` unchanged if it is nowhere.
std::string FindTrace(const std::string& name, const std::string& scenario = "");
// Reads a whole file, unpacking gzip. Errors: cannot be read, damaged, too large.
absl::StatusOr<std::string> ReadPacked(const std::string& path);

struct SwfRules {
  bool strict = false;  // unsorted jobs are an error
  // keeps cancelled jobs whose wait, processors and requested time are known
  bool keep_cancelled = false;
};
// Parses a trace. `name` is the file's name in errors, followed by the line.
absl::StatusOr<SwfTrace> ParseSwf(const std::string& name, std::string_view text,
                                  SwfRules rules = {});

}  // namespace muster::sim
