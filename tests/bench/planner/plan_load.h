// The inputs of the rows of whole plans: machines like OCuLUS (OpenCCS Sect. 6) with any number of
// nodes, and requests drawn like those that ran there.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.h"
#include "site/machine/machine.h"
#include "site/plan/order.h"

namespace muster::bench {

inline constexpr uint32_t kNodes = 616;
inline constexpr int64_t kCoresPerNode = 16;

// `count` nodes of 16 cores in the proportions of OCuLUS: of 616, 32 have a GPU, 8 an accelerator,
// 16 more have 256 GB and 4 have 1 TB instead of 64 GB. The rare ones are last, as greedy mapping
// takes them last.
std::vector<machine::Node> OculusNodes(uint32_t count);
std::shared_ptr<const machine::Machine> Oculus(uint32_t count);
// The same number of nodes with cores only.
std::shared_ptr<const machine::Machine> Cores(uint32_t count);

// A mixed real request. Half ask for one core; the others for cores as often as the jobs of
// Example 3 did. Requested time: the average there over the average accuracy, a factor of 4.5 up
// or down. Cores come as single ones, halves or whole nodes, or as whole nodes exclusively; with
// 2 to 4 GB a core, sometimes more; one in 25 wants GPUs, one in 100 an accelerator.
plan::Order MixedOrder(Random& random);
// 1 to 64 single cores, for a time log-uniform from a minute to 60 days.
plan::Order CoresOrder(Random& random);

}  // namespace muster::bench
