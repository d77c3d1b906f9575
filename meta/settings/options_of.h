// What a core is told at its start, from meta.toml and the seed that its process drew. The daemon
// makes its options by this, and so does whoever simulates the same federation.
#pragma once

#include <cstdint>

#include "base/config/meta_config.h"
#include "meta/options.h"

namespace muster::meta {

Options OptionsOf(const config::MetaConfig& config, uint64_t seed);

}  // namespace muster::meta
