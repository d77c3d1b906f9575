// What a driver of a Slurm cluster is told.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "site/driver/slurm/marks.h"

namespace muster::driver {

enum class SlurmWalls : uint8_t {
  kEach,     // a reservation for each hold, on nodes outside of the commons
  kCommons,  // only nodes of the commons are used, which need none
  kNone      // no rights: local jobs may come first
};

struct SlurmOptions {
  std::string conf;           // path of slurm.conf; "": what SLURM_CONF says, or Slurm's own place
  std::string shared_folder;  // absolute; the daemon and all nodes see it
  // Of the names of this site's jobs and walls, for example "mu_ABCD_": no other site of this
  // cluster has it, and no local user. What bears it and is not this site's is removed.
  std::string prefix;
  std::vector<std::string> partitions;  // whose nodes are used; empty: all that are up
  // Reservations without end, or "partition:NAME": set aside for the federation for good.
  std::vector<std::string> commons;
  SlurmWalls walls = SlurmWalls::kEach;
  size_t most_walls = 500;          // each makes Slurm's own work dearer: slurm-driver.md section 9
  bool respect_pending = true;      // planned local jobs are told as soft bookings
  bool strict = true;               // local jobs in the commons are killed
  std::optional<Span> start_ahead;  // none: by the cluster's scheduler parameters
  std::map<std::string, std::string> accounts;  // user -> local account, accounts.h
  Span output_keep{7 * 86400};
  slurm::Graces graces;
};

}  // namespace muster::driver
