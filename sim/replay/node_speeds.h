// The speeds of a replay's nodes, and what they make of a job's run time. Maui Sect. IV (node
// sets): of a job whose work is split evenly, the tasks on fast nodes end early and wait for the
// others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"
#include "sim/replay/federation_replay.h"

namespace muster::sim {

// True if the nodes of some site have another speed than the reference.
bool HaveSpeeds(const std::vector<ReplaySite>& sites);

// What all processors of a site do together, in processors of the reference speed.
double CapacityOf(const ReplaySite& site);

// An immutable table of the speeds of all nodes, by site and name.
class NodeSpeeds {
 public:
  // REQUIRES: names are distinct within a site.
  explicit NodeSpeeds(const std::vector<ReplaySite>& sites);

  // The speeds of the processors of a place, summed, in thousandths of the reference. REQUIRES: its
  // nodes are of this site.
  int64_t Held(size_t site, const schemas::PartPlace& place) const;
  // How long a part runs there that takes `runs` on processors of the reference speed. Balanced:
  // its processes wait for each other, so the slowest processor decides, runs / s_min. Else they
  // share the work as they come, runs * n / sum of s. Rounded up to milliseconds; exactly `runs` if
  // all processors have the reference speed. REQUIRES: at least one processor; `runs` below 2^40 s.
  BootSpan RunTime(size_t site, const schemas::PartPlace& place, Span runs, bool balanced) const;

 private:
  int64_t SpeedOf(size_t site, const schemas::ChunkPlace& chunk) const;

  std::vector<std::map<std::string, int64_t>> speeds_;  // by site and node
};

}  // namespace muster::sim
