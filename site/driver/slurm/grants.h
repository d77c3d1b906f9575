// What a site's options mean on a cluster: whether they can be meant, which of its reservations and
// partitions are the site's, and what its driver is like then. Pure.
#pragma once

#include "base/status.h"
#include "site/driver/driver.h"
#include "site/driver/slurm/machine.h"
#include "site/driver/slurm/options.h"
#include "site/driver/slurm/seen.h"

namespace muster::driver::slurm {

// Errors that need no cluster to be seen.
absl::Status CheckOptions(const SlurmOptions& options);
SeenOptions SeenOptionsOf(const SlurmOptions& options);
// Whether the cluster has the partitions and reservations that the options name.
absl::Status CheckNamed(const SlurmOptions& options, const SeenOptions& seen, const Look& look);
// `before`: the nodes of the facts before these.
Facts FactsFrom(const SlurmOptions& options, const SeenOptions& seen, const Look& look,
                const std::vector<NodeFact>& before = {});

}  // namespace muster::driver::slurm
