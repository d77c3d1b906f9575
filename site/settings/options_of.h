// What a core is told at its start, from site.toml and from what its process drew. The daemon makes
// its options by this, and so does whoever simulates the same site.
#pragma once

#include <cstdint>
#include <string>

#include "base/config/site_config.h"
#include "base/digest.h"
#include "site/options.h"

namespace muster::site {

// What is drawn, or found out, once for the life of the process.
struct Process {
  std::string boot_id;
  uint64_t seed = 0;
  Secret secret_root;
};

Options OptionsOf(const config::SiteConfig& config, const Process& process);

}  // namespace muster::site
