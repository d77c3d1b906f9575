// What a daemon's configuration says of its Slurm cluster, and what its administrator does there
// without the daemon: trying before it joins, and leaving.
#pragma once

#include "base/config/site_config.h"
#include "base/diagnostic.h"
#include "base/status.h"
#include "site/driver/slurm/options.h"

namespace muster::site {

// REQUIRES of all: the site is beside a cluster.
driver::SlurmOptions SlurmOptionsOf(const config::SiteConfig& config);
// The error of a driver that did not open, with the line of the file that names what is wrong.
Diagnostic WhereItIsSaid(const config::SiteConfig& config, const absl::Status& error);
// Prints a line for each thing that was tried. Returns the exit code: 2 if one of them is bad.
int CheckSlurm(const config::SiteConfig& config);
// Prints what it has removed, and what it has left. Returns the exit code: 1 if something is left,
// 2 if it could not begin, for example since the daemon runs.
int LeaveSlurm(const config::SiteConfig& config);

}  // namespace muster::site
