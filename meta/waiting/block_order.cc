// Queues leave one after the other, so what leaves of one counts in those below it.
#include "meta/waiting/block_order.h"

#include <algorithm>

namespace muster::room {

policy::Entrant BlockOrder::EntrantOf(const Rank& rank) const {
  const auto it = entrants_.find(rank.id);
  return it == entrants_.end() ? policy::Entrant{.points = -rank.points} : it->second;
}

std::vector<Rank> BlockOrder::Take(policy::Progressive& progressive, const std::vector<Rank>& ranks,
                                   size_t count) const {
  std::vector<policy::Entrant> entrants;
  entrants.reserve(ranks.size());
  for (const Rank& rank : ranks) entrants.push_back(EntrantOf(rank));
  std::vector<const policy::Entrant*> pointers;
  for (const policy::Entrant& entrant : entrants) pointers.push_back(&entrant);
  std::vector<Rank> out;
  for (const size_t i : progressive.Take(pointers, count)) out.push_back(ranks[i]);
  return out;
}

std::vector<Rank> BlockOrder::Choose(const std::vector<Rank>& first,
                                     const std::vector<Rank>& others, size_t count) const {
  policy::Progressive progressive = progressive_;
  for (const Rank& rank : first) progressive.Leave(EntrantOf(rank));
  return Take(progressive, others, count);
}

std::vector<Rank> BlockOrder::InOrder(std::vector<Rank> block) const {
  // Equal ones go by arrival.
  std::sort(block.begin(), block.end(), [](const Rank& a, const Rank& b) {
    return std::pair(a.order, a.id) < std::pair(b.order, b.id);
  });
  policy::Progressive progressive = progressive_;
  std::vector<Rank> out;
  for (auto begin = block.begin(); begin != block.end();) {
    const auto end = std::find_if(begin, block.end(),
                                  [begin](const Rank& rank) { return rank.order != begin->order; });
    const std::vector<Rank> queue(begin, end);
    const std::vector<Rank> ordered = Take(progressive, queue, queue.size());
    out.insert(out.end(), ordered.begin(), ordered.end());
    begin = end;
  }
  return out;
}

void BlockOrder::Leave(const std::vector<Rank>& block) {
  for (const Rank& rank : block) progressive_.Leave(EntrantOf(rank));
}

}  // namespace muster::room
