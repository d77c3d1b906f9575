// Makes the daemons of a run from a snapshot: their options, with changes of configuration files as
// a reload would take them, their records, and what runs on their machines.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "schemas/whatif.h"
#include "sim/replay/ideal_federation.h"
#include "sim/whatif/snapshot.h"

namespace muster::sim {

// The operator in whose name a run asks for figures. No user can have this name.
inline constexpr char kWatcher[] = "what-if/watcher";

struct Setup {
  IdealOptions options;
  IdealRecords records;
  double processors = 0;
};

// With `again` nothing runs and nothing is on record but what a new beginning needs: how far
// numbers have come, the ledger, and what the scheduler was set to. The clock begins at `begins`.
// Errors: InvalidArgument if a change is refused, with the words of who refuses; else the snapshot
// is not sound.
absl::StatusOr<Setup> SetUp(const FederationSnapshot& snapshot,
                            const std::vector<schemas::TriedChange>& changes, bool again,
                            Moment begins);

}  // namespace muster::sim
