// The formula for block sizes, and the bookkeeping of the queues.
#include "meta/waiting/queues.h"

#include <iterator>

#include "base/check.h"
#include "meta/waiting/block_order.h"

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
  Queue& queue = queues_[QueueOf(rank)];
  queue.by_rank.insert(rank);
  queue.by_age.insert(rank.id);
  places_[rank.id] = {rank, std::move(sites)};
}

void Queues::Leave(RequestId id) {
  const auto it = places_.find(id);
  if (it == places_.end()) return;
  for (const std::string& site : it->second.sites) {
    const auto count = wanted_.find(site);
    if (--count->second == 0) wanted_.erase(count);
  }
  Queue& queue = queues_[QueueOf(it->second.rank)];
  queue.by_rank.erase(it->second.rank);
  queue.by_age.erase(id);
  places_.erase(it);
}

void Queues::Reorder(const Rank& rank) {
  Rank& present = places_.at(rank.id).rank;
  MUSTER_CHECK(QueueOf(rank) == QueueOf(present));
  std::set<Rank>& ranks = queues_[QueueOf(rank)].by_rank;
  ranks.erase(present);
  ranks.insert(rank);
  present = rank;
}

size_t Queues::Wanted(const std::string& site) const {
  const auto it = wanted_.find(site);
  return it == wanted_.end() ? 0 : it->second;
}

// Hands out the requests of one queue, block by block, without removing them.
class Queues::Taking {
 public:
  explicit Taking(const Queue& queue)
      : by_age_(queue.Mixed()), rank_(queue.by_rank.begin()), age_(queue.by_age.begin()) {}

  // The next `count` requests: their oldest share, and the best by rank. REQUIRES: so many are
  // left.
  void Take(size_t count, const std::map<RequestId, Place>& places, std::vector<Rank>& out) {
    if (!by_age_) {
      for (size_t i = 0; i < count; ++i) out.push_back(*rank_++);
      return;
    }
    const size_t oldest = (count + kOldestShare - 1) / kOldestShare;
    for (size_t i = 0; i < count;) {
      const Rank& next = i < oldest ? places.at(*age_++).rank : *rank_++;
      if (!taken_.insert(next.id).second) continue;
      out.push_back(next);
      ++i;
    }
  }

 private:
  const bool by_age_;
  std::set<Rank>::const_iterator rank_;
  std::set<RequestId>::const_iterator age_;
  std::set<RequestId> taken_;
};

bool Queues::Queue::Mixed() const {
  return !by_rank.empty() && by_rank.begin()->points != by_rank.rbegin()->points;
}

std::vector<QueueFill> Queues::Fills() const {
  std::vector<QueueFill> out;
  for (size_t q = 0; q < queues_.size(); ++q) {
    out.push_back({queues_[q].by_rank.size(), orders_[q]});
  }
  return out;
}

std::vector<Rank> Queues::Chosen(const Queue& queue, size_t count, const BlockOrder& order) const {
  const size_t oldest = (count + kOldestShare - 1) / kOldestShare;
  std::vector<Rank> out;
  auto age = queue.by_age.begin();
  while (out.size() < oldest) out.push_back(places_.at(*age++).rank);
  std::vector<Rank> others;
  for (const Rank& rank : queue.by_rank) {
    if (age == queue.by_age.end() || rank.id < *age) continue;
    others.push_back(rank);
  }
  const std::vector<Rank> best = order.Choose(out, others, count - oldest);
  out.insert(out.end(), best.begin(), best.end());
  return out;
}

std::vector<Rank> Queues::Block(size_t block_max, const BlockOrder* order) const {
  const std::vector<size_t> sizes = BlockSizes(Fills(), block_max);
  std::vector<Rank> out;
  for (size_t q = 0; q < queues_.size(); ++q) {
    if (order) {
      const std::vector<Rank> chosen = Chosen(queues_[q], sizes[q], *order);
      out.insert(out.end(), chosen.begin(), chosen.end());
    } else {
      Taking(queues_[q]).Take(sizes[q], places_, out);
    }
  }
  return out;
}

Queues::Standing Queues::StandingOf(const Rank& rank, size_t block_max) const {
  const size_t own = QueueOf(rank);
  const std::set<Rank>& ranks = queues_[own].by_rank;
  const auto at = ranks.find(rank);
  MUSTER_CHECK(at != ranks.end());
  Standing out{.place = static_cast<size_t>(std::distance(ranks.begin(), at)) + 1};
  std::vector<QueueFill> fills = Fills();
  Taking taking(queues_[own]);
  for (std::vector<Rank> taken;; ++out.block) {
    const std::vector<size_t> sizes = BlockSizes(fills, block_max);
    if (out.block == 1) out.leaving = sizes[own];
    taken.clear();
    taking.Take(sizes[own], places_, taken);
    if (std::find(taken.begin(), taken.end(), rank) != taken.end()) return out;
    for (size_t q = 0; q < fills.size(); ++q) fills[q].waiting -= sizes[q];
  }
}

std::optional<Rank> Queues::After(const std::optional<Rank>& rank) const {
  size_t queue = rank ? QueueOf(*rank) : 0;
  const auto& first = queues_[queue].by_rank;
  auto it = rank ? first.upper_bound(*rank) : first.begin();
  while (it == queues_[queue].by_rank.end()) {
    if (++queue == queues_.size()) return std::nullopt;
    it = queues_[queue].by_rank.begin();
  }
  return *it;
}

}  // namespace muster::room
