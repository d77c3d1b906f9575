// The priority queues of the waiting room and what leaves them as one block. CCS Sect. 3.1
// (Ex(p_i) = ceil(N(p_i) * E(p_i) / Em)), scheduling.md sections 1 (Waiting room, Extraction) and 7
// (i).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"

namespace muster::room {

// Who comes first: queue priority, then arrival; the smallest is tried first.
struct Rank {
  int32_t order = 0;  // minus the queue's priority
  RequestId id;
  auto operator<=>(const Rank&) const = default;
};

struct QueueFill {
  size_t waiting = 0;
  int64_t order = 1;  // E, the weight its administrator gave it, >= 1
};
// How many leave each queue: ceil(N * E / Em) with Em the largest E of a queue that is not empty;
// if that is more than `block_max` in all, max(1, floor(x * block_max / sum)) of each that is not
// empty.
std::vector<size_t> BlockSizes(const std::vector<QueueFill>& queues, size_t block_max);

// n FIFO queues, highest priority first. Arrival is the order of request ids, so whoever comes back
// is at the head of those that arrived later.
class Queues {
 public:
  // One weight per queue. REQUIRES: at least one.
  explicit Queues(std::vector<int64_t> orders = {1});

  // Priority of a queue: 0 for the lowest.
  int32_t PriorityOf(size_t queue) const {
    return static_cast<int32_t>(orders_.size() - 1 - std::min(queue, orders_.size() - 1));
  }
  size_t QueueOf(const Rank& rank) const;

  // Enters its queue, once; `sites` are those it could use now.
  void Enter(const Rank& rank, std::vector<std::string> sites);
  void Leave(RequestId id);
  bool Has(RequestId id) const { return places_.contains(id); }
  size_t size() const { return places_.size(); }
  size_t size(size_t queue) const { return queues_[queue].size(); }
  // Sites somebody waits for, and by how many.
  const std::map<std::string, size_t>& wanted() const { return wanted_; }
  size_t Wanted(const std::string& site) const;
  // The sites this one waits for. REQUIRES: Has(id).
  const std::vector<std::string>& SitesOf(RequestId id) const { return places_.at(id).sites; }

  // The block an extraction takes now, by rank; nothing leaves.
  std::vector<Rank> Block(size_t block_max) const;
  // Where one waits: its place in its queue, from 1; how many of that the next block takes; and
  // with which block it leaves if nobody comes, from 1. REQUIRES: it has entered.
  struct Standing {
    size_t place = 1;
    size_t leaving = 0;
    size_t block = 1;
  };
  Standing StandingOf(const Rank& rank, size_t block_max) const;
  // The next one by rank after `rank`, or the first.
  std::optional<Rank> After(const std::optional<Rank>& rank) const;

 private:
  struct Place {
    Rank rank;
    std::vector<std::string> sites;
  };
  std::vector<int64_t> orders_;
  std::vector<std::set<RequestId>> queues_;
  std::map<RequestId, Place> places_;
  std::map<std::string, size_t> wanted_;
};

}  // namespace muster::room
