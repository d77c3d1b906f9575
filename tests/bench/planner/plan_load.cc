// The drawing of machines and requests; see the header for where the numbers come from.
#include "tests/bench/planner/plan_load.h"

#include <array>
#include <cmath>
#include <string>

namespace muster::bench {
namespace {

constexpr int64_t kGb = int64_t{1} << 30;

// A rank of Example 3: how many jobs asked for this number of cores, and the hours they asked for
// (average wall time over average accuracy).
struct Rank {
  int64_t cores;
  uint64_t jobs;
  double hours;
};
constexpr Rank kSingle{1, 0, 4.7};
constexpr std::array<Rank, 9> kRanks{{{16, 57516, 24.0},
                                      {32, 9701, 62.6},
                                      {64, 3883, 28.3},
                                      {128, 14002, 3.8},
                                      {256, 684, 29.5},
                                      {512, 151, 25.6},
                                      {768, 468, 15.2},
                                      {1024, 277, 29.1},
                                      {1536, 77, 25.0}}};

double Share(Random& random) { return static_cast<double>(random.Below(1u << 30)) / (1u << 30); }

const Rank& DrawRank(Random& random) {
  if (random.Chance(500)) return kSingle;
  uint64_t sum = 0;
  for (const Rank& rank : kRanks) sum += rank.jobs;
  uint64_t at = random.Below(sum);
  for (const Rank& rank : kRanks) {
    if (at < rank.jobs) return rank;
    at -= rank.jobs;
  }
  return kRanks.front();
}

// The cores of a part as equal chunks.
void AddChunks(plan::Part& part, int64_t cores, int64_t memory_per_core, Random& random) {
  const uint64_t how = random.Below(10);
  int64_t per_chunk = std::min(cores, kCoresPerNode);
  if (cores >= kCoresPerNode && how < 3) per_chunk = 1;
  if (cores >= kCoresPerNode && how == 3) per_chunk = kCoresPerNode / 2;
  if (cores >= kCoresPerNode && how > 7) {
    part.exclusive = true;
    part.place = plan::Place::kScatter;
  }
  part.chunks.push_back({static_cast<uint32_t>(cores / per_chunk),
                         {{"ncpus", per_chunk}, {"mem", per_chunk * memory_per_core}},
                         {}});
}

}  // namespace

std::vector<machine::Node> OculusNodes(uint32_t count) {
  std::vector<machine::Node> nodes;
  const uint32_t large = count * 4 / kNodes;
  const uint32_t fat = count * 16 / kNodes;
  const uint32_t accelerators = count * 8 / kNodes;
  const uint32_t gpus = count * 32 / kNodes;
  for (uint32_t i = 0; i < count; ++i) {
    machine::Node node{"n" + std::to_string(i + 1), {{"ncpus", kCoresPerNode}}, {{"net", "ib"}}};
    const uint32_t left = count - 1 - i;
    int64_t memory = 64 * kGb;
    if (left < large) {
      memory = 1024 * kGb;
    } else if (left < large + fat) {
      memory = 256 * kGb;
    } else if (left < large + fat + accelerators) {
      node.resources.Set("nmics", 1);
    } else if (left < large + fat + accelerators + gpus) {
      node.resources.Set("ngpus", 1);
    }
    node.resources.Set("mem", memory);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

std::shared_ptr<const machine::Machine> Oculus(uint32_t count) {
  return std::make_shared<const machine::Machine>(OculusNodes(count), 64);
}

std::shared_ptr<const machine::Machine> Cores(uint32_t count) {
  std::vector<machine::Node> nodes;
  for (uint32_t i = 0; i < count; ++i) {
    nodes.push_back({"n" + std::to_string(i + 1), {{"ncpus", kCoresPerNode}}, {}});
  }
  return std::make_shared<const machine::Machine>(std::move(nodes), 64);
}

plan::Order MixedOrder(Random& random) {
  plan::Part part;
  const Rank& rank = DrawRank(random);
  double hours = rank.hours * std::exp(3 * Share(random) - 1.5);
  int64_t memory_per_core = random.Between(2, 4) * kGb;
  const uint64_t kind = random.Below(100);
  if (kind < 4) {
    const uint32_t count = static_cast<uint32_t>(random.Between(1, 4));
    part.chunks.push_back({count, {{"ncpus", 4}, {"mem", 16 * kGb}, {"ngpus", 1}}, {}});
  } else if (kind < 5) {
    part.chunks.push_back({1, {{"ncpus", 8}, {"mem", 16 * kGb}, {"nmics", 1}}, {}});
  } else if (kind < 7) {
    part.chunks.push_back({1, {{"ncpus", 8}, {"mem", random.Between(65, 200) * kGb}}, {}});
  } else if (kind < 10) {
    part.chunks.push_back({4, {{"ncpus", 4}, {"mem", 8 * kGb}}, {{"net", "ib"}}});
    part.place = random.Chance(500) ? plan::Place::kPack : plan::Place::kScatter;
  } else {
    AddChunks(part, rank.cores, memory_per_core, random);
  }
  part.length = {static_cast<int64_t>(hours * 3600)};
  return {{std::move(part)}, ""};
}

plan::Order CoresOrder(Random& random) {
  plan::Part part;
  part.chunks.push_back({static_cast<uint32_t>(random.Between(1, 64)), {{"ncpus", 1}}, {}});
  part.length = {static_cast<int64_t>(60.0 * std::pow(86400.0, Share(random)))};
  return {{std::move(part)}, ""};
}

}  // namespace muster::bench
