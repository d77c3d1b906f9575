// Each switch has sieves of its own. So a start is looked at again only where one of the switches
// has room, not wherever any node of the machine gets something back.
#include "site/plan/switch_sieve.h"

#include <algorithm>
#include <utility>

namespace muster::plan {
namespace {

// Leaps of one switch before the search checks its other conditions again.
constexpr int kLeaps = 32;

}  // namespace

SwitchSieve::SwitchSieve(const Occupancy& occupancy, const PartShape& part) {
  const machine::Switches& switches = occupancy.machine().switches();
  for (const uint32_t index : part.switches) {
    std::vector<Group> groups = part.groups;
    for (Group& group : groups) {
      std::vector<uint32_t> below;
      for (const uint32_t node : group.hosts) {
        if (switches.IsBelow(node, index)) below.push_back(node);
      }
      group.hosts = HostList(std::move(below));
    }
    Candidate& candidate = candidates_.emplace_back();
    candidate.groups = std::make_unique<const std::vector<Group>>(std::move(groups));
    for (const Group& group : *candidate.groups) {
      candidate.sieves.emplace_back(occupancy, part, group, false);
    }
  }
}

void SwitchSieve::Advance(Candidate& candidate) {
  for (int i = 0; i < kLeaps && candidate.at < kFarFuture; ++i) {
    const Instant before = candidate.at;
    for (Sieve& sieve : candidate.sieves) {
      if (candidate.at < kFarFuture)
        candidate.at = std::max(candidate.at, sieve.Leap(candidate.at));
    }
    if (candidate.at == before) return;
  }
}

Instant SwitchSieve::Leap(Instant t) {
  Instant first = kFarFuture;
  for (Candidate& candidate : candidates_) {
    if (candidate.at <= t) {
      candidate.at = t;
      Advance(candidate);
    }
    if (candidate.at == t) return t;
    first = std::min(first, candidate.at);
  }
  return first;
}

}  // namespace muster::plan
