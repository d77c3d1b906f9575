// The rules of site.toml: who may use what, when and for how long (OpenCCS Sect. 3 and 5.4). Plain
// values; the site's planner interprets them.
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

// Amounts of each node kept free for requests of an expensive resource (OpenCCS Sect. 5.4): keep =
// { ncpus = 2, for = "ngpus" }.
struct KeepConfig {
  ResourceSet amounts;                // per node; each at most what the node has
  std::vector<std::string> for_each;  // kept for chunks that ask for one or more of these
  bool operator==(const KeepConfig&) const = default;
};

// Settings shared by the nodes of one [[nodes]], besides resources and properties.
struct NodeRange {
  std::string names;  // as written: "n[1-16]"
  Condition only;     // condition on chunks that may be placed there; empty: all
  int weight = 0;     // prio_node of OpenCCS Sect. 5.2: higher is dearer
  std::optional<KeepConfig> keep;
  Validity valid;  // outside of it nothing is planned on these nodes
};

// [[switch]]: the nodes and switches below one switch.
struct SwitchConfig {
  std::string name;
  std::vector<std::string> nodes;     // each below at most one switch
  std::vector<std::string> switches;  // each below at most one switch; never itself
};

// [[limit]]. Its consumer is a user ("kim"), a group as a whole ("@students"), or an account, QoS
// or queue ("account chem"), each of its users, each user ("*"), or each account ("account *").
struct LimitConfig {
  static constexpr const char* kEvery = "*";    // for who and resource
  static constexpr const char* kJobs = "jobs";  // a pseudo-resource: unfinished jobs
  // A pseudo-resource: unfinished elements of arrays.
  static constexpr const char* kArrayJobs = "arrayjobs";

  std::string who = kEvery;
  std::string resource;          // of nodes or job-wide, kJobs, kArrayJobs or kEvery
  Quota items;                   // at the same time; unlimited: no limit
  std::optional<Span> duration;  // longest request that uses the resource; > 0
  std::optional<int64_t> area;   // item-seconds over all planned jobs; > 0
  bool soft = false;             // may be exceeded while nobody else wants the resource
  bool each = false;             // of all but a user: every user of it separately
  Validity valid;
};

// [[freepool]].
struct PoolConfig {
  std::string name;
  std::string resource;  // of nodes, or job-wide
  Quota keep;            // > 0 and at most what the site has
  Condition open_to;     // never empty
  Validity valid;
  bool lend = false;  // lent work may use it meanwhile
};

// [[reservation]]: a standing reservation of the configuration.
struct ReservationConfig {
  std::string name;
  std::vector<std::string> nodes;  // at least one
  std::vector<std::string> allow;  // names of credentials, "*"; empty: only operators
  Condition open_to;               // also for requests that satisfy it; empty: for no others
  Validity valid;
  bool lend = false;  // as of a pool
};

// One [[default]] or [[force]]: values that supplement, or replace, those of requests by `who`.
struct RequestValues {
  std::string who = LimitConfig::kEvery;  // a user takes precedence over a group, a group over "*"
  std::optional<Span> duration;           // > 0
  ResourceSet resources;                  // per chunk
  std::map<std::string, std::string> properties;  // per chunk
  ResourceSet jobwide;                            // per request
};

// [planning].
struct PlanningConfig {
  enum class Policy : uint8_t { kGreedy, kBestFit, kSwitch };
  Policy policy = Policy::kGreedy;     // kSwitch requires switches
  Span horizon{90 * 86400};            // how far ahead anything is planned
  BootSpan budget = Milliseconds(50);  // planning time per turn of the daemon
};

}  // namespace muster::config
