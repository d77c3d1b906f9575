// Builds a core's options from site.toml and the values drawn by its process. The daemon and
// simulations of the same site use it alike.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/config/site_config.h"
#include "base/digest.h"
#include "site/driver/facts.h"
#include "site/options.h"

namespace muster::site {

// Values drawn or determined once per process.
struct Process {
  std::string boot_id;
  uint64_t seed = 0;
  Secret secret_root;
};

// What the driver has found, for config::ParseSiteConfig.
config::Found FoundBy(const driver::Facts& facts);

// With a driver that is open.
Options OptionsOf(const config::SiteConfig& config, const Process& process,
                  const driver::Facts& facts);
// For a simulation: with what is known of the driver's name.
Options OptionsOf(const config::SiteConfig& config, const Process& process);

}  // namespace muster::site
