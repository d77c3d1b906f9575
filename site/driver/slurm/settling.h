// What must be done so that a cluster has what its site has ordered, and nothing else of it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "site/driver/slurm/cluster.h"

namespace muster::driver::slurm {

// What a driver knows of one of its tokens.
struct KnownToken {
  uint32_t owner = 0;  // the job that has it; 0: none yet, or not known
  // It can start no more: it was given up, has ended, or nobody orders it.
  bool over = false;
  bool begun = false;
  int64_t minutes = 0;  // Slurm's limit as the driver set it; 0: not known
};

struct Known {
  std::string prefix;
  std::map<std::string, WantedReservation> walls;
  std::map<std::string, KnownToken> tokens;
  // Jobs and walls of this site that are not among these are nobody's. Not so before the site has
  // told all that it has.
  bool complete = false;
};

struct Settlement {
  struct Kill {
    uint32_t job = 0;
    std::string token;
    std::string why;
    bool operator==(const Kill&) const = default;
  };
  struct Limit {
    uint32_t job = 0;
    int64_t minutes = 0;
    bool operator==(const Limit&) const = default;
  };
  std::vector<Kill> kill;
  std::vector<std::string> drop;    // reservations
  std::vector<std::string> put;     // walls that are missing
  std::vector<std::string> change;  // walls that are not as asked
  std::vector<Limit> restore;       // limits that somebody raised
  bool operator==(const Settlement&) const = default;
};

Settlement Settle(const Known& known, const Look& look);
// What of it is due to one job.
Settlement SettleJob(const Known& known, const Job& job);

}  // namespace muster::driver::slurm
