// Orders in which the algorithms take the entries of a block.
#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "meta/search/packing/making.h"

namespace muster::packing {

std::vector<size_t> ByRank(const std::vector<Entry>& entries) {
  std::vector<size_t> out(entries.size());
  std::iota(out.begin(), out.end(), size_t{0});
  return out;
}

std::vector<size_t> LongestFirst(const std::vector<Entry>& entries) {
  std::vector<size_t> out = ByRank(entries);
  std::stable_sort(out.begin(), out.end(), [&entries](size_t a, size_t b) {
    return entries[a].duration > entries[b].duration;
  });
  return out;
}

std::vector<size_t> ShortestFirst(const std::vector<Entry>& entries) {
  std::vector<size_t> out = ByRank(entries);
  std::stable_sort(out.begin(), out.end(), [&entries](size_t a, size_t b) {
    return entries[a].duration < entries[b].duration;
  });
  return out;
}

std::vector<size_t> Followed(const std::vector<Entry>& entries, std::vector<size_t> order) {
  const bool free =
      std::all_of(order.begin(), order.end(), [&](size_t i) { return entries[i].after.empty(); });
  if (free) return order;
  constexpr size_t kAbsent = static_cast<size_t>(-1);
  std::vector<size_t> position(entries.size(), kAbsent);
  for (size_t p = 0; p < order.size(); ++p) position[order[p]] = p;
  std::vector<size_t> waits(order.size(), 0);  // by position: entries not yet taken that it follows
  std::vector<std::vector<size_t>> followers(order.size());
  for (size_t p = 0; p < order.size(); ++p) {
    for (const size_t before : entries[order[p]].after) {
      if (before >= position.size() || position[before] == kAbsent) continue;
      ++waits[p];
      followers[position[before]].push_back(p);
    }
  }
  // Positions whose predecessors are all taken; the smallest is taken next.
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t p = 0; p < order.size(); ++p) {
    if (waits[p] == 0) ready.push(p);
  }
  std::vector<size_t> out;
  while (!ready.empty()) {
    const size_t p = ready.top();
    ready.pop();
    out.push_back(order[p]);
    for (const size_t follower : followers[p]) {
      if (--waits[follower] == 0) ready.push(follower);
    }
  }
  // Cyclic dependencies, which no caller passes, keep their order at the end.
  for (size_t p = 0; p < order.size(); ++p) {
    if (waits[p] > 0) out.push_back(order[p]);
  }
  return out;
}

}  // namespace muster::packing
