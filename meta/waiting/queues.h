// The priority queues of the waiting room, and the extraction of a block from them. CCS Sect. 3.1
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
#include "base/time.h"
#include "meta/waiting/rank.h"

namespace muster::room {

// A start this soon, besides a site's turnover, is "now": a message takes time.
inline constexpr Span kStartsNow{10};

struct QueueFill {
  size_t waiting = 0;
  int64_t order = 1;  // E: the weight set by the administrator, >= 1
};
// How many of its N requests each queue gives: x = ceil(N * E / Em), where Em is the largest E of
// a queue that is not empty. If the sum of all x exceeds `block_max`, each queue that is not empty
// gives max(1, floor(x * block_max / sum)) instead.
std::vector<size_t> BlockSizes(const std::vector<QueueFill>& queues, size_t block_max);

// Of the k requests of a queue that leave with a block, ceil(k / kOldestShare) are its oldest,
// whatever their points. So none starves (scheduling.md section 7 (i)).
inline constexpr size_t kOldestShare = 4;

class BlockOrder;

// n queues, highest priority first, each by points, then by arrival. Request ids give the order of
// arrival, so a request that comes back is ahead of all that arrived after it and have no more
// points.
class Queues {
 public:
  // One weight per queue. REQUIRES: at least one.
  explicit Queues(std::vector<int64_t> orders = {1});

  // Priority of a queue; the lowest has 0.
  int32_t PriorityOf(size_t queue) const {
    return static_cast<int32_t>(orders_.size() - 1 - std::min(queue, orders_.size() - 1));
  }
  size_t QueueOf(const Rank& rank) const;

  // Puts a request into its queue. `sites`: those it could use now.
  void Enter(const Rank& rank, std::vector<std::string> sites);
  void Leave(RequestId id);
  // Gives a request another rank in its queue. REQUIRES: Has(rank.id), and the same queue.
  void Reorder(const Rank& rank);
  bool Has(RequestId id) const { return places_.contains(id); }
  size_t size() const { return places_.size(); }
  size_t size(size_t queue) const { return queues_[queue].by_rank.size(); }
  // Number of waiting requests by site.
  const std::map<std::string, size_t>& wanted() const { return wanted_; }
  size_t Wanted(const std::string& site) const;
  // The sites a request could use. REQUIRES: Has(id).
  const std::vector<std::string>& SitesOf(RequestId id) const { return places_.at(id).sites; }

  // The block that an extraction would take now, in the order of taking: queue by queue, of each
  // first its oldest share. Whoever takes less takes a beginning of it, so that the oldest leave
  // in any case. Removes nothing. `order`: chooses the others in place of their ranks; may be null.
  std::vector<Rank> Block(size_t block_max, const BlockOrder* order = nullptr) const;
  // The standing of a waiting request: its place in its queue by rank, from 1; how many of its
  // queue leave with the next block; and the number of blocks until it leaves if nobody arrives,
  // from 1. Points are as they are now. REQUIRES: it is queued.
  struct Standing {
    size_t place = 1;
    size_t leaving = 0;
    size_t block = 1;
  };
  Standing StandingOf(const Rank& rank, size_t block_max) const;
  // The next request after `rank`, or the first one if `rank` is none.
  std::optional<Rank> After(const std::optional<Rank>& rank) const;

 private:
  // Both sets hold the same requests.
  struct Queue {
    std::set<Rank> by_rank;
    std::set<RequestId> by_age;
    // True if points make the order differ from that of arrival.
    bool Mixed() const;
  };
  // Goes through a queue in the order in which blocks take from it.
  class Taking;
  std::vector<QueueFill> Fills() const;
  // The `count` requests of the queue that leave where `order` chooses all but the oldest.
  std::vector<Rank> Chosen(const Queue& queue, size_t count, const BlockOrder& order) const;
  struct Place {
    Rank rank;
    std::vector<std::string> sites;
  };
  std::vector<int64_t> orders_;
  std::vector<Queue> queues_;
  std::map<RequestId, Place> places_;
  std::map<std::string, size_t> wanted_;
};

}  // namespace muster::room
