// Calls to a cluster's controller over libslurm. The only file that knows slurm.h.
//
// A process can speak to one cluster: libslurm reads one slurm.conf. Calls may come from several
// threads. Each may take as long as Slurm's own time-outs allow (10 s as shipped; minutes with a
// munged that hangs). Errors carry Slurm's own text: kUnavailable if the controller, or munge, was
// not reached, so that nothing is known of what the call did; else the controller has refused it.
// kNotFound: it knows no such job or reservation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "site/driver/slurm/machine.h"

namespace muster::driver::slurm {

// Cpus of one node that a job shall have.
struct WantedNode {
  std::string node;
  int64_t cpus = 1;
  int64_t memory = 0;  // bytes; 0: not said
  int64_t gpus = 0;
};

// A batch job for a user. It is never requeued.
struct Submission {
  std::string name;
  std::string comment;
  std::string script;
  uint32_t uid = 0;
  uint32_t gid = 0;
  std::vector<std::string> environment;  // "NAME=VALUE"
  std::string work_dir;
  std::string partition;          // "": the cluster's default
  std::string reservation;        // "": none
  std::vector<WantedNode> nodes;  // exactly these
  Licences licences;
  bool whole_nodes = false;
  bool held = false;  // it does not start
  int64_t minutes = 1;
};

// A reservation to create or to change. Names are data: a comma in one is an error.
struct WantedReservation {
  std::string name;
  Interval when;
  std::vector<ReservedNode> nodes;
  std::vector<std::string> users;
  Licences licences = {};
  std::string partition = {};            // where cores are reserved; "": the default
  std::vector<std::string> beside = {};  // names of reservations that it may lie over
  bool ignore_jobs = false;              // jobs that run on these nodes are no reason to refuse
  bool overlap = false;                  // nor are other reservations
};

// All rows of one kind, and the controller's own time of their last change.
template <class Row>
struct Sheet {
  std::vector<Row> rows;
  int64_t as_of = 0;
};

class Cluster {
 public:
  // Reads the configuration, and asks the controller once. `conf`: path of slurm.conf; "": what
  // SLURM_CONF says, or Slurm's own place. Errors: no such file, another file was opened before,
  // the library is of another major version than the controller, the controller does not answer.
  static absl::StatusOr<Cluster> Open(const std::string& conf);

  const Settings& settings() const { return settings_; }

  absl::Status Ping() const;
  absl::StatusOr<Settings> LoadSettings() const;
  // What there is, if it has changed after `as_of`; none: it is as it was. As of 0: in any case.
  absl::StatusOr<std::optional<Sheet<Job>>> JobsSince(int64_t as_of) const;
  // Ids of those that have a step, if any job has changed after `as_of`.
  absl::StatusOr<std::optional<Sheet<uint32_t>>> JobsWithSteps(int64_t as_of) const;
  // The job of this id.
  absl::StatusOr<Job> LoadJob(uint32_t id) const;
  absl::StatusOr<std::optional<Sheet<Node>>> NodesSince(int64_t as_of) const;
  absl::StatusOr<std::optional<Sheet<Reservation>>> ReservationsSince(int64_t as_of) const;
  absl::StatusOr<std::optional<Sheet<Partition>>> PartitionsSince(int64_t as_of) const;

  // The id of the job. An acknowledged job is forgotten if the controller dies soon after.
  absl::StatusOr<uint32_t> Submit(const Submission& submission) const;
  enum class To : uint8_t { kBatchScript, kWholeJob };
  // OK, too, if the job has ended.
  absl::Status Signal(uint32_t job, int signal, To to) const;
  absl::Status SetLimit(uint32_t job, int64_t minutes) const;

  // kFailedPrecondition: others have these nodes then; kAlreadyExists: one has this name.
  absl::Status Create(const WantedReservation& wanted) const;
  // Sets nodes, times and users of one that is there; of one that has begun, not its begin.
  absl::Status Change(const WantedReservation& wanted, bool begun) const;
  absl::Status SetUsers(const std::string& reservation,
                        const std::vector<std::string>& users) const;
  // OK, too, if there is none. kFailedPrecondition: a job uses it.
  absl::Status Delete(const std::string& reservation) const;

 private:
  Cluster() = default;
  Settings settings_;
};

}  // namespace muster::driver::slurm
