// The files that a part's folder is given: what its wrapper and its command need. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "site/driver/accounts.h"
#include "site/driver/driver.h"
#include "site/driver/slurm/marks.h"

namespace muster::driver::slurm {

// Name and content. `folder`: where they will be. REQUIRES: nothing is wrong with the part
// (part_checks.h).
std::map<std::string, std::string> FilesOf(const StartPart& part, const std::string& folder,
                                           const std::optional<Account>& account,
                                           const Graces& graces);

}  // namespace muster::driver::slurm
