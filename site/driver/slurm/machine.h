// What a Slurm cluster says of itself, as plain values: jobs, nodes, reservations, partitions and
// settings. Made by cluster.h; everything else of this folder knows Slurm by these alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/time.h"
#include "site/driver/slurm/licences.h"

namespace muster::driver::slurm {

enum class JobState : uint8_t {
  kPending,
  kRunning,  // also suspended: it keeps its nodes
  kCompleting,
  kEnded
};

// What a job has on one node.
struct JobNode {
  std::string node;
  int64_t cpus = 0;
  int64_t memory = 0;  // bytes; 0: Slurm does not count it here
  int64_t gpus = 0;
  bool operator==(const JobNode&) const = default;
};

struct Job {
  uint32_t id = 0;
  Instant submitted;
  std::string name;
  std::string comment;
  std::string user;
  std::string partition;
  std::string reservation;
  JobState state = JobState::kPending;
  std::string state_text;  // Slurm's word: "RUNNING", "NODE_FAIL"
  bool batch = false;
  bool node_failed = false;  // if it ended: because its node was lost
  bool timed_out = false;    // if it ended: by its limit
  bool cancelled = false;    // if it ended: by somebody
  bool had_nodes = false;    // if it ended: it ran then
  bool held = false;
  uint32_t restarts = 0;
  std::string why;             // of a pending or failed one, for people
  int32_t wait_status = 0;     // of the batch script, if it ended
  Instant start;               // of a pending one: planned; 0: no plan
  Instant end;                 // of one that runs: as of its limit; of one that ended: its end
  std::optional<Span> limit;   // none: unlimited
  std::vector<JobNode> nodes;  // of one that runs; of a pending one: where it is planned
  Licences licences;
  bool whole_nodes = false;
  bool operator==(const Job&) const = default;
};

enum class NodeState : uint8_t { kUsable, kDown, kDrained };

struct Node {
  std::string name;
  int64_t cpus = 0;
  int64_t threads_per_core = 1;
  int64_t memory = 0;  // bytes
  int64_t gpus = 0;
  std::string architecture;
  std::vector<std::string> features;
  NodeState state = NodeState::kUsable;
  std::string why;  // if not usable
  bool operator==(const Node&) const = default;
};

// Cores of one node that a reservation has; a reservation of whole nodes lists all of them.
struct ReservedNode {
  std::string node;
  int64_t cores = 0;  // 0: the whole node, or Slurm does not say
  bool operator==(const ReservedNode&) const = default;
};

struct Reservation {
  std::string name;
  Interval when;
  std::vector<ReservedNode> nodes;  // in Slurm's order
  int64_t cores = 0;                // on all of them
  std::vector<std::string> users;
  Licences licences = {};
  Span recurs;                 // of one that recurs: its period at the least; 0: it does not
  bool weekdays_only = false;  // of a daily one
  bool weekends_only = false;
  bool maintenance = false;
  bool operator==(const Reservation&) const = default;
};

struct Partition {
  std::string name;
  bool up = true;
  bool is_default = false;
  bool root_only = false;
  std::string allowed_hosts;  // from which it takes jobs; "": from all
  std::vector<std::string> nodes;
  std::optional<Span> most_time;  // none: unlimited
  bool operator==(const Partition&) const = default;
};

struct Settings {
  std::string cluster;
  std::string version;
  std::string scheduler_parameters;
  Licences licences = {};  // all that there are
  Instant controller_started;
  bool operator==(const Settings&) const = default;
};

// One look at everything.
struct Look {
  Moment began;      // what the controller acknowledged of jobs before this is in it
  Moment reread_at;  // and of reservations, nodes and partitions before this
  Moment at;
  bool changed = true;   // against the look before
  bool has_rows = true;  // false: they are those of the look before, and not copied
  Settings settings;
  std::vector<Job> jobs;
  std::vector<Node> nodes;
  std::vector<Reservation> reservations;
  std::vector<Partition> partitions;
};

}  // namespace muster::driver::slurm
