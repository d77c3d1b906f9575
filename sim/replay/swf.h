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

// All times in seconds from the beginning of the trace.
struct SwfJob {
  int64_t number = 0;
  int64_t submitted = 0;
  std::optional<int64_t> waited;
  bool cancelled = false;            // before it started, after `waited`; nobody knows its run time
  int64_t ran = 0;                   // > 0, at most `asked`; of a cancelled one `asked`
  int64_t processors = 0;            // > 0: requested, else allocated
  int64_t asked = 0;                 // > 0: requested time, else what it ran
  std::optional<int64_t> memory_kb;  // requested, of each processor
  int64_t user = -1;
  int64_t group = -1;
  int64_t queue = -1;
  int64_t partition = -1;
};

struct SwfCounts {
  size_t lines = 0;          // of jobs
  size_t cancelled = 0;      // left out: never ran, or has no processors
  size_t entered = 0;        // cancelled before they ran, and kept as such
  size_t instant = 0;        // ran 0 s: counted as 1 s
  size_t overran = 0;        // ran longer than asked: ends at its limit
  size_t no_request = 0;     // no requested time: the exact one
  size_t no_processors = 0;  // none requested: the allocated ones
  size_t unsorted = 0;       // came before the job above it
};

struct SwfTrace {
  std::vector<SwfJob> jobs;               // by submission, else as in the file
  std::map<int64_t, std::string> queues;  // from the header
  int64_t began = 0;                      // UnixStartTime, else 0
  SwfCounts counts;
};

inline constexpr size_t kTraceBytes = size_t{1} << 30;  // of one file, unpacked

// The path of a trace as named: as written, beside the scenario that names it, or in the folder of
// traces that the environment tells (MUSTER_TRACES). As written if it is nowhere.
std::string FindTrace(const std::string& name, const std::string& scenario = "");
// A whole file, unpacked if it is gzipped. Errors: cannot be read, damaged, too large.
absl::StatusOr<std::string> ReadPacked(const std::string& path);

struct SwfRules {
  bool strict = false;          // jobs that are not sorted by submission are an error
  bool keep_cancelled = false;  // those whose wait, processors and requested time are known
};
// `name` is said in errors, with the line.
absl::StatusOr<SwfTrace> ParseSwf(const std::string& name, std::string_view text,
                                  SwfRules rules = {});

}  // namespace muster::sim
