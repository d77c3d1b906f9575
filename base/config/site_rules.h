// The rules of a site as site.toml gives them: who may use what, when and for how long (OpenCCS
// Sect. 3 and 5.4). Plain values; what they mean for a plan is the site's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/condition.h"
#include "base/quota.h"
#include "base/resources.h"
#include "base/time.h"
#include "base/validity.h"

namespace muster::config {

// Cores, or other resources, that only requests of an expensive one may take (OpenCCS Sect. 5.4):
// keep = { ncpus = 2, for = "ngpus" }.
struct KeepConfig {
  ResourceSet amounts;                // of one node; each at most what the node has
  std::vector<std::string> for_each;  // for chunks that ask for at least one of these
  bool operator==(const KeepConfig&) const = default;
};

// What the nodes of one [[nodes]] have in common beside resources and properties.
struct NodeRange {
  std::string names;  // as written: "n[1-16]"
  Condition only;     // may host a chunk only if it holds for it; empty: all
  int weight = 0;     // prio_node of OpenCCS Sect. 5.2: higher is dearer
  std::optional<KeepConfig> keep;
  Validity valid;  // outside of it nothing is planned there
};

// [[switch]]: nodes and switches below it.
struct SwitchConfig {
  std::string name;
  std::vector<std::string> nodes;     // each below at most one switch
  std::vector<std::string> switches;  // likewise; never itself
};

// [[limit]]. A consumer is a user ("kim"), a group ("@students": together) or each user ("*").
struct LimitConfig {
  static constexpr const char* kEvery = "*";              // of who and resource
  static constexpr const char* kJobs = "jobs";            // as a resource: unfinished jobs
  static constexpr const char* kArrayJobs = "arrayjobs";  // elements of arrays among them

  std::string who = kEvery;
  std::string resource;          // of nodes, job-wide, kJobs, kArrayJobs or kEvery
  Quota items;                   // at one time; unlimited: any number
  std::optional<Span> duration;  // of a request that uses the resource; > 0
  std::optional<int64_t> area;   // item-seconds of all that is planned; > 0
  bool soft = false;             // widens while nobody else wants it
  Validity valid;
};

// [[freepool]].
struct PoolConfig {
  std::string name;
  std::string resource;  // of nodes or job-wide
  Quota keep;            // not more than the site has, not nothing
  Condition open_to;     // never empty
  Validity valid;
};

// [[reservation]]: standing, made by the file.
struct ReservationConfig {
  std::string name;
  std::vector<std::string> nodes;  // at least one
  std::vector<std::string> allow;  // users, "@group", "*"; none: nobody but operators
  Validity valid;
};

// One [[default]] or [[force]]: what is added to, or put in place of, what a request of `who` says.
struct RequestValues {
  std::string who = LimitConfig::kEvery;          // a user goes before a group, a group before "*"
  std::optional<Span> duration;                   // > 0
  ResourceSet resources;                          // of each chunk
  std::map<std::string, std::string> properties;  // of each chunk
  ResourceSet jobwide;                            // of the request
};

// [planning].
struct PlanningConfig {
  enum class Policy : uint8_t { kGreedy, kBestFit, kSwitch };
  Policy policy = Policy::kGreedy;     // kSwitch only with switches
  Span horizon{90 * 86400};            // how far ahead anything is planned
  BootSpan budget = Milliseconds(50);  // of planning in one turn of the daemon
};

}  // namespace muster::config
