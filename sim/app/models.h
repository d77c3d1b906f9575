// Models of programs for simulated parts: how fast each runs in what surroundings. Maui Sect. IV
// (Application Level Simulations).
//
//   fixed      as long as alone
//   network    1 / (1 - c + c max(1, load)) of its speed, c its share of communication, the busiest
//              of its links counts; on one node it needs none
//   memory     the same with the memory of its nodes
//   staged     reads, computes, writes; the storage is shared equally among those who read or write
//   malleable  S(n) / S(n0), S(n) = 1 / (s + (1 - s) / n), s its serial share, n0 what it began
//              with; it would have more processors while S(n) / n is at least a half
#pragma once

#include <memory>

#include "base/config/app_config.h"
#include "site/driver/simulated/application.h"

namespace muster::sim {

std::unique_ptr<const driver::Application> ModelOf(const config::AppConfig& app);

}  // namespace muster::sim
