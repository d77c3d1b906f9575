// The reference of the plan rows: what anybody would write first. A flat sorted profile per node
// and resource, scanned linearly; the starts tried are now and every later end; first fit.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "site/machine/machine.h"
#include "site/plan/order.h"
#include "tests/bench/planner/flat_profile.h"

namespace muster::bench {

class FlatNodes {
 public:
  explicit FlatNodes(const machine::Machine& machine) : machine_(machine) {
    for (uint32_t n = 0; n < machine.node_count(); ++n) {
      for (uint32_t r = 0; r < machine.resource_count(); ++r) {
        profiles_.emplace_back(machine.Amount(n, r));
      }
    }
  }

  struct Use {
    uint32_t profile;
    int64_t amount;
  };
  struct Booking {
    int64_t begin;
    int64_t end;
    std::vector<Use> uses;
  };

  // Plans an order of one part and one chunk at its earliest start and books it.
  Booking Book(const plan::Order& order, int64_t now) {
    const plan::Part& part = order.parts.front();
    Booking booking{now, now + part.length.seconds, {}};
    auto end = ends_.upper_bound(now);
    while (!Map(part, booking)) {
      booking.begin = *end++;
      booking.end = booking.begin + part.length.seconds;
    }
    Add(booking);
    return booking;
  }
  // Books what was planned by others.
  Booking Restore(const plan::Order& order, int64_t begin, const plan::Mapping& mapping) {
    const plan::Part& part = order.parts.front();
    Booking booking{begin, begin + part.length.seconds, {}};
    for (const plan::Assignment& a : mapping.front()) {
      Take(part, a.node, a.count, booking);
    }
    Add(booking);
    return booking;
  }
  void Free(const Booking& booking) {
    for (const Use& use : booking.uses) {
      profiles_[use.profile].Add(booking.begin, booking.end, -use.amount);
    }
    ends_.erase(ends_.find(booking.end));
  }

 private:
  void Add(const Booking& booking) {
    for (const Use& use : booking.uses) {
      profiles_[use.profile].Add(booking.begin, booking.end, use.amount);
    }
    ends_.insert(booking.end);
  }
  void Take(const plan::Part& part, uint32_t node, int64_t sets, Booking& booking) const {
    for (const auto& [name, amount] : part.chunks.front().resources.entries()) {
      const uint32_t r = *machine_.FindResource(name);
      const uint32_t profile = static_cast<uint32_t>(node * machine_.resource_count() + r);
      booking.uses.push_back({profile, part.exclusive ? machine_.Amount(node, r) : sets * amount});
    }
  }
  bool Map(const plan::Part& part, Booking& booking) const {
    const plan::Chunk& chunk = part.chunks.front();
    const bool pack = part.place == plan::Place::kPack;
    int64_t left = chunk.count;
    booking.uses.clear();
    for (uint32_t n = 0; n < machine_.node_count() && left > 0; ++n) {
      if (!machine_.HasProperties(n, chunk.properties)) continue;
      int64_t most = part.place == plan::Place::kScatter ? 1 : left;
      for (const auto& [name, amount] : chunk.resources.entries()) {
        const uint32_t r = *machine_.FindResource(name);
        const FlatProfile& profile = profiles_[n * machine_.resource_count() + r];
        int64_t free = profile.LeastFree(booking.begin, booking.end);
        if (part.exclusive && free < machine_.Amount(n, r)) free = 0;
        most = std::min(most, free / amount);
        if (most == 0) break;
      }
      if (most == 0 || (pack && most < left)) continue;
      Take(part, n, most, booking);
      left -= most;
    }
    return left == 0;
  }

  const machine::Machine& machine_;
  std::vector<FlatProfile> profiles_;  // by node and resource
  std::multiset<int64_t> ends_;
};

}  // namespace muster::bench
