// Turns a trace into the workload of one site: its nodes, and jobs with resources, users and
// arrival times. The replay of a day begins with the jobs that were running or waiting at its
// beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "schemas/request.h"
#include "sim/replay/swf.h"
#include "site/options.h"

namespace muster::sim {

// Parses groups of nodes: "616x16", "20x80:512gb,48x12": nodes x processors per node, with optional
// memory per node. Nodes are named a1, a2, ..., b1, ... and have the property kind=a, b, ...
absl::StatusOr<std::vector<site::Node>> NodesFromText(std::string_view text);
// Parses a machine file of tab-separated columns: number, name, nodes, processors per node,
// ignored, memory per node in KB. Nodes are zewura1, zewura2, ... with kind=zewura. `name` is the
// file's name in errors, followed by the line.
absl::StatusOr<std::vector<site::Node>> NodesFromFile(const std::string& name,
                                                      std::string_view text);

// The nodes that a job asked for, where the trace tells.
struct NodesAsked {
  std::vector<schemas::Chunk> chunks;
  bool exclusive = false;
};
struct ResourceFile {
  std::map<int64_t, NodesAsked> jobs;  // by job number
  // words of specifications that are not understood, such as unknown kinds
  size_t words_ignored = 0;
};
// Parses a resource file of tab-separated columns after a header line: job, processors, nodes,
// bytes of memory per node, queue, PBS specification ("2:ppn=8:cl_zewura#excl"), ignored. Known
// kinds are those of `nodes`, the site's nodes.
absl::StatusOr<ResourceFile> ReadResourceFile(const std::string& name, std::string_view text,
                                              const std::vector<site::Node>& nodes);

struct ReplayJob {
  int64_t number = 0;  // number in the trace
  Span arrives;        // after the beginning of the replay
  Span runs;           // real run time; at most `spec.duration`
  std::string user;
  std::string group;
  schemas::RequestSpec spec;
};

struct SiteWorkload {
  std::vector<ReplayJob> jobs;  // sorted by arrival
  size_t running = 0;           // jobs running at the beginning; they ask for their remaining time
  size_t waiting = 0;           // jobs waiting at the beginning
  int64_t began = 0;            // Unix time of the beginning of the replay
};

struct Selection {
  std::optional<int64_t> day;  // day of the trace, from 0
  std::optional<size_t> jobs;  // only this many jobs, from the first on
};

// The day with the most arrivals; the earliest if several are equal. REQUIRES: there are jobs.
int64_t BusiestDay(const SwfTrace& trace);

SiteWorkload MakeSiteWorkload(const SwfTrace& trace, const ResourceFile& resources,
                              const Selection& selection);

}  // namespace muster::sim
