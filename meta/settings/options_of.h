// Makes the options of a core from meta.toml and a seed; the daemon and the simulator both use it.
#pragma once

#include <cstdint>

#include "base/config/meta_config.h"
#include "meta/options.h"

namespace muster::meta {

Options OptionsOf(const config::MetaConfig& config, uint64_t seed);

}  // namespace muster::meta
