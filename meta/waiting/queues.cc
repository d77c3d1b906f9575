// The formula for block sizes, and the bookkeeping of the queues.
#include "meta/waiting/queues.h"

#include <iterator>

#include "base/check.h"

namespace muster::room {

std::vector<size_t> BlockSizes(const std::vector<QueueFill>& queues, size_t block_max) {
  __extension__ using Wide = unsigned __int128;
  int64_t em = 1;
  for (const QueueFill& queue : queues) {
    if (queue.waiting > 0) em = std::max(em, queue.order);
  }
  std::vector<size_t> out;
  size_t sum = 0;
  for (const QueueFill& queue : queues) {
    const auto e = static_cast<uint64_t>(std::max<int64_t>(queue.order, 1));
    const auto most = static_cast<uint64_t>(em);
    const Wide size = (static_cast<Wide>(queue.waiting) * e + most - 1) / most;
    out.push_back(static_cast<size_t>(std::min<Wide>(size, queue.waiting)));
    sum += out.back();
  }
  if (sum <= block_max) return out;
  for (size_t& size : out) {
    if (size == 0) continue;
    const Wide share = static_cast<Wide>(size) * block_max / sum;
    size = std::max<size_t>(1, static_cast<size_t>(share));
  }
  return out;
}

Queues::Queues(std::vector<int64_t> orders) : orders_(std::move(orders)), queues_(orders_.size()) {
  MUSTER_CHECK(!orders_.empty());
}

size_t Queues::QueueOf(const Rank& rank) const {
  const int64_t queue = static_cast<int64_t>(orders_.size()) - 1 + rank.order;
  return static_cast<size_t>(
      std::clamp<int64_t>(queue, 0, static_cast<int64_t>(orders_.size()) - 1));
}

void Queues::Enter(const Rank& rank, std::vector<std::string> sites) {
  Leave(rank.id);
  for (const std::string& site : sites) ++wanted_[site];
  queues_[QueueOf(rank)].insert(rank.id);
  places_[rank.id] = {rank, std::move(sites)};
}

void Queues::Leave(RequestId id) {
  const auto it = places_.find(id);
  if (it == places_.end()) return;
  for (const std::string& site : it->second.sites) {
    const auto count = wanted_.find(site);
    if (--count->second == 0) wanted_.erase(count);
  }
  queues_[QueueOf(it->second.rank)].erase(id);
  places_.erase(it);
}

size_t Queues::Wanted(const std::string& site) const {
  const auto it = wanted_.find(site);
  return it == wanted_.end() ? 0 : it->second;
}

std::vector<Rank> Queues::Block(size_t block_max) const {
  std::vector<QueueFill> fills;
  for (size_t q = 0; q < queues_.size(); ++q) fills.push_back({queues_[q].size(), orders_[q]});
  const std::vector<size_t> sizes = BlockSizes(fills, block_max);
  std::vector<Rank> out;
  for (size_t q = 0; q < queues_.size(); ++q) {
    auto it = queues_[q].begin();
    for (size_t i = 0; i < sizes[q]; ++i, ++it) out.push_back(places_.at(*it).rank);
  }
  return out;
}

Queues::Standing Queues::StandingOf(const Rank& rank, size_t block_max) const {
  const size_t own = QueueOf(rank);
  const auto at = queues_[own].find(rank.id);
  MUSTER_CHECK(at != queues_[own].end());
  Standing out{.place = static_cast<size_t>(std::distance(queues_[own].begin(), at)) + 1};
  std::vector<QueueFill> fills;
  for (size_t q = 0; q < queues_.size(); ++q) fills.push_back({queues_[q].size(), orders_[q]});
  for (size_t place = out.place;; ++out.block) {
    const std::vector<size_t> sizes = BlockSizes(fills, block_max);
    if (out.block == 1) out.leaving = sizes[own];
    if (place <= sizes[own]) return out;
    place -= sizes[own];
    for (size_t q = 0; q < fills.size(); ++q) fills[q].waiting -= sizes[q];
  }
}

std::optional<Rank> Queues::After(const std::optional<Rank>& rank) const {
  size_t queue = rank ? QueueOf(*rank) : 0;
  auto it = rank ? queues_[queue].upper_bound(rank->id) : queues_[0].begin();
  while (it == queues_[queue].end()) {
    if (++queue == queues_.size()) return std::nullopt;
    it = queues_[queue].begin();
  }
  return places_.at(*it).rank;
}

}  // namespace muster::room
