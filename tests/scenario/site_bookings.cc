// Checks G2 for a scenario's site, at each second at which a booking of its ledger begins.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/scenario/site_world.h"

namespace muster::scenario {

// Sweeps the booked spans of live holds node by node; a hold and the one it replaces count as their
// maximum.
void SiteWorld::CheckBookings() const {
  struct Booked {
    Fence fence;
    std::optional<Fence> replaces;
    std::string node;
    Instant begin, end;
    ResourceSet amounts;
  };
  std::vector<Booked> all;
  const std::vector<schemas::HoldRecord> holds = core_->Holds();
  for (const schemas::HoldRecord& hold : holds) {
    if (hold.state == schemas::HoldState::kClosed) continue;
    // While its reservation is live, a hold inside of it uses what the reservation has.
    const bool counted = hold.order.inside && std::any_of(holds.begin(), holds.end(), [&](auto& h) {
                           return h.order.reserves && h.order.request == *hold.order.inside &&
                                  h.state != schemas::HoldState::kClosed;
                         });
    if (counted) continue;
    for (size_t i = 0; i < hold.parts.size(); ++i) {
      const auto& demand = hold.order.parts[i];
      const auto& part = hold.parts[i];
      Instant begin = hold.start + demand.offset;
      Instant end = begin + demand.duration + part.extended + demand.tail;
      // A resized part may have got its present resources only now.
      if (!part.counts.empty()) begin = std::max(begin, At().wall.Floor());
      if (part.ended_at) end = part.ended_at->Floor();
      for (const auto& chunk : part.place.chunks) {
        all.push_back(
            {hold.order.fence, hold.order.replaces, chunk.node, begin, end, chunk.resources});
      }
    }
  }
  for (const Booked& at : all) {
    for (const site::Node& node : options_.nodes) {
      if (node.name != at.node) continue;
      std::map<Fence, ResourceSet> per_hold;
      for (const Booked& other : all) {
        const bool covers = other.begin <= at.begin && at.begin < other.end;
        if (other.node == at.node && covers) per_hold[other.fence] += other.amounts;
      }
      ResourceSet sum;
      for (const auto& [fence, amounts] : per_hold) {
        const bool replaced = std::any_of(all.begin(), all.end(), [&](const Booked& b) {
          return b.replaces == fence && per_hold.contains(b.fence);
        });
        if (!replaced) sum += amounts;
      }
      ASSERT_TRUE(sum.FitsIn(node.resources)) << at.node << " is booked twice";
    }
  }
}

}  // namespace muster::scenario
