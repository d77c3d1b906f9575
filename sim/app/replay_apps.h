// Which job of a replay is which program (muster sim replay --app FILE), and how much longer than
// alone each took. Maui Sect. IV (Application Level Simulations).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/config/app_config.h"
#include "sim/replay/federation_replay.h"
#include "site/driver/simulated/application.h"

namespace muster::sim {

// Names the program of each job, the first that fits it. A job of one part whose program is
// malleable may have more processors while it runs.
void GiveApps(const config::AppsConfig& apps, std::vector<FederationJob>& jobs);

// The programs of the jobs, which outlive it.
std::shared_ptr<const driver::Applications> ApplicationsOf(const config::AppsConfig& apps,
                                                           const std::vector<FederationJob>& jobs);

// Of the jobs of one program that ended and were not cancelled.
struct AppFigures {
  std::string name;
  size_t jobs = 0;
  double stretch = 0;  // how long they ran over how long they would have alone; the mean
  size_t cut = 0;      // ended by their walltime
  size_t grown = 0;    // had more processors than they asked for, for a while
};
std::vector<AppFigures> MeasureApps(const config::AppsConfig& apps,
                                    const std::vector<FederationJob>& jobs,
                                    const FederationResult& result);

}  // namespace muster::sim
