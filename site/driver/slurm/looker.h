// Looks at a cluster again and again, and asks only for what has changed.
#pragma once

#include "base/io/clock.h"
#include "site/driver/slurm/cluster.h"

namespace muster::driver::slurm {

class Looker {
 public:
  // REQUIRES: both outlive it.
  Looker(const Cluster* cluster, io::Clock* clock) : cluster_(*cluster), clock_(*clock) {}

  // All there is; without its rows if they have not changed and are not wanted. An error leaves
  // what is known as it was.
  enum class Rows : uint8_t { kIfChanged, kAlways };
  absl::StatusOr<Look> Next(Rows rows);
  // How long to wait before the next one, so that looking takes at most a twentieth of a core.
  BootSpan Pause() const;

 private:
  absl::Status Load(Look& look);

  const Cluster& cluster_;
  io::Clock& clock_;
  Look last_;
  bool untold_ = false;  // changes that no look has told: one failed half-way
  int64_t jobs_as_of_ = 0, nodes_as_of_ = 0, reservations_as_of_ = 0, partitions_as_of_ = 0;
  BootInstant settings_at_;
  BootSpan cost_;
};

}  // namespace muster::driver::slurm
