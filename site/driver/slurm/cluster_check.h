// Tries on a cluster what a site will need of it, before the site joins: the controller, rights,
// accounts, the shared folder on a node, and how soon jobs begin. `muster check FILE --cluster`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "site/driver/slurm/options.h"

namespace muster::driver::slurm {

struct CheckLine {
  enum class Verdict : uint8_t { kGood, kWarning, kBad };
  Verdict verdict = Verdict::kGood;
  std::string what;  // "shared folder"
  std::string said;
  std::string help;  // of what is not good: what would be
};

// Says each line as soon as it is known; the last says what the site would promise. Where a bad one
// leaves nothing to try, the others are missing. Makes reservations and jobs named muster_check_*,
// and removes them, those of an earlier check too. Takes up to two minutes. One cluster in a
// process.
void CheckCluster(const SlurmOptions& options, const std::function<void(const CheckLine&)>& say);

}  // namespace muster::driver::slurm
