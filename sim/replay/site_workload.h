// From a trace to what one site is asked: its nodes, and jobs with resources, users and arrival
// times. A day of a trace begins with what its machine was running and what was waiting for it.
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

// "616x16", "20x80:512gb,48x12": so many nodes of so many processors, with so much memory; they
// are named a1, a2, ..., b1, ... and have the property kind=a, b, ...
absl::StatusOr<std::vector<site::Node>> NodesFromText(std::string_view text);
// A machine file: number, name, nodes, processors of a node, ignored, memory of a node in KB, by
// tabs. Nodes are zewura1, zewura2, ... of kind=zewura. `name` is said in errors, with the line.
absl::StatusOr<std::vector<site::Node>> NodesFromFile(const std::string& name,
                                                      std::string_view text);

// What a job asked of its machine's nodes, where that is known.
struct NodesAsked {
  std::vector<schemas::Chunk> chunks;
  bool exclusive = false;
};
struct ResourceFile {
  std::map<int64_t, NodesAsked> jobs;  // by number
  size_t words_ignored = 0;            // properties that no machine file speaks of
};
// A resource file, its first line a heading: job, processors, nodes, bytes of memory on a node,
// queue, PBS specification ("2:ppn=8:cl_zewura#excl"), ignored; by tabs. `kinds` are the kinds of
// nodes there are.
absl::StatusOr<ResourceFile> ReadResourceFile(const std::string& name, std::string_view text,
                                              const std::vector<site::Node>& nodes);

struct ReplayJob {
  int64_t number = 0;  // in the trace
  Span arrives;        // after the beginning of the replay
  Span runs;           // of `spec.duration`
  std::string user;
  std::string group;
  schemas::RequestSpec spec;
};

struct SiteWorkload {
  std::vector<ReplayJob> jobs;  // by arrival
  size_t running = 0;           // at the beginning: they ask for what is left of their time
  size_t waiting = 0;           // at the beginning
  int64_t began = 0;            // of the replay, Unix time
};

struct Selection {
  std::optional<int64_t> day;  // from the first, counted from 0
  std::optional<size_t> jobs;  // at most so many, the first ones
};

// The day with the most arrivals, the first of equals. REQUIRES: there are jobs.
int64_t BusiestDay(const SwfTrace& trace);

SiteWorkload MakeSiteWorkload(const SwfTrace& trace, const ResourceFile& resources,
                              const Selection& selection);

}  // namespace muster::sim
