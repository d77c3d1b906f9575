// Looks at a cluster again and again, and asks only for what has changed. A look at all of its jobs
// costs as much as there are, so that with many of them it comes seldom; between two such looks
// there are glances, which ask for nodes, reservations, partitions, and those jobs that have begun
// or ended or that run.
#pragma once

#include "base/io/clock.h"
#include "site/driver/slurm/cluster.h"
#include "site/driver/slurm/glances.h"

namespace muster::driver::slurm {

class Looker {
 public:
  // REQUIRES: both outlive it.
  Looker(const Cluster* cluster, io::Clock* clock) : cluster_(*cluster), clock_(*clock) {}

  enum class Rows : uint8_t { kIfChanged, kAlways };
  enum class Depth : uint8_t { kAsDue, kAll };
  // All there is, by a look or by a glance, whichever is due; without its rows if they have not
  // changed and are not wanted. What a glance tells began when the last look at all did, since
  // jobs for which it does not ask are as they were then. An error leaves what is known as it was.
  absl::StatusOr<Look> Next(Rows rows, Depth depth);
  // How long to wait before the next one, so that all of them take at most about a thirtieth of a
  // core.
  BootSpan Pause() const;

 private:
  bool IsAllDue(BootInstant now) const;
  absl::Status LoadSettings(BootInstant now);
  absl::Status LoadAll();
  absl::Status LoadRuns();
  absl::Status LoadOthers();

  const Cluster& cluster_;
  io::Clock& clock_;
  Look last_;
  Glances glances_;
  bool untold_ = false;  // changes that no look has told: one failed half-way
  bool again_ = true;    // the next one is at all: there was none, or one failed
  int64_t jobs_as_of_ = 0, runs_as_of_ = 0, nodes_as_of_ = 0, reservations_as_of_ = 0,
          partitions_as_of_ = 0;
  BootInstant settings_at_;
  BootInstant all_at_;  // the end of the last look at all
  BootSpan all_cost_, glance_cost_;
};

}  // namespace muster::driver::slurm
