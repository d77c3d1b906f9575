// Builds a core's options from site.toml and the values drawn by its process. The daemon and
// simulations of the same site use it alike.
#pragma once

#include <cstdint>
#include <string>

#include "base/config/site_config.h"
#include "base/digest.h"
#include "site/options.h"

namespace muster::site {

// Values drawn or determined once per process.
struct Process {
  std::string boot_id;
  uint64_t seed = 0;
  Secret secret_root;
};

Options OptionsOf(const config::SiteConfig& config, const Process& process);

}  // namespace muster::site
