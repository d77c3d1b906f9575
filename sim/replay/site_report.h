// `muster-sim site`: replays a trace at one site and reports the result as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "sim/replay/site_replay.h"

namespace muster::sim {

struct SiteReplayOptions {
  std::string trace;      // path of an SWF file, plain or gzipped
  std::string nodes;      // see NodesFromText; "": from the machine file
  std::string machines;   // path of a machine file; "": the one next to the trace
  std::string resources;  // path of a resource file; "": the one next to the trace, if it exists
  std::optional<int64_t> day;  // none: the busiest day, unless `jobs` is given
  std::optional<size_t> jobs;
  bool strict = false;  // unsorted traces are refused
  Span turnover;
};

struct SiteReport {
  SwfCounts trace;
  std::optional<int64_t> day;
  size_t words_ignored = 0;
  size_t nodes = 0;
  size_t running = 0;
  size_t waiting = 0;
  ReplayResult result;
};

// Errors: a file that cannot be read; an invalid line in it.
absl::StatusOr<SiteReport> ReplayTrace(const SiteReplayOptions& options);

std::string ToText(const SiteReport& report);

}  // namespace muster::sim
