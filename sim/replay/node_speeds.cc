// Only processors count: entries without any host nothing.
#include "sim/replay/node_speeds.h"

#include <algorithm>

#include "base/check.h"
#include "base/node_set.h"

namespace muster::sim {
namespace {

constexpr int64_t kMillisecondsPerSecond = 1000;

int64_t ProcessorsOf(const schemas::ChunkPlace& chunk) { return chunk.resources.Get("ncpus"); }

}  // namespace

bool HaveSpeeds(const std::vector<ReplaySite>& sites) {
  return std::any_of(sites.begin(), sites.end(), [](const ReplaySite& site) {
    return std::any_of(site.site.nodes.begin(), site.site.nodes.end(),
                       [](const site::Node& node) { return node.speed != kFullSpeed; });
  });
}

double CapacityOf(const ReplaySite& site) {
  int64_t more = 0;  // than at the reference speed, in thousandths
  for (const site::Node& node : site.site.nodes) {
    more += node.resources.Get("ncpus") * (node.speed - kFullSpeed);
  }
  return static_cast<double>(site.processors) +
         static_cast<double>(more) / static_cast<double>(kFullSpeed);
}

NodeSpeeds::NodeSpeeds(const std::vector<ReplaySite>& sites) {
  for (const ReplaySite& site : sites) {
    std::map<std::string, int64_t>& speeds = speeds_.emplace_back();
    for (const site::Node& node : site.site.nodes) speeds[node.name] = node.speed;
  }
}

int64_t NodeSpeeds::SpeedOf(size_t site, const schemas::ChunkPlace& chunk) const {
  const auto its = speeds_.at(site).find(chunk.node);
  MUSTER_CHECK(its != speeds_[site].end());
  return its->second;
}

int64_t NodeSpeeds::Held(size_t site, const schemas::PartPlace& place) const {
  int64_t sum = 0;
  for (const schemas::ChunkPlace& chunk : place.chunks) {
    sum += ProcessorsOf(chunk) * SpeedOf(site, chunk);
  }
  return sum;
}

BootSpan NodeSpeeds::RunTime(size_t site, const schemas::PartPlace& place, Span runs,
                             bool balanced) const {
  int64_t processors = 0;
  int64_t least = kMostSpeed;
  for (const schemas::ChunkPlace& chunk : place.chunks) {
    if (ProcessorsOf(chunk) == 0) continue;
    processors += ProcessorsOf(chunk);
    least = std::min(least, SpeedOf(site, chunk));
  }
  MUSTER_CHECK(processors > 0);
  // The time is work / speed, both of all processors together.
  const int64_t work = balanced ? 1 : processors;
  const int64_t speed = balanced ? least : Held(site, place);
  if (speed == work * kFullSpeed) return Seconds(runs.seconds);
  __extension__ using Wide = __int128;
  const Wide scaled = Wide{runs.seconds} * kMillisecondsPerSecond * work * kFullSpeed;
  return {static_cast<int64_t>((scaled + speed - 1) / speed)};
}

}  // namespace muster::sim
