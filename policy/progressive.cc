// Of those who have the same shares only the first can be next, so few are compared at each step.
#include "policy/progressive.h"

#include <algorithm>
#include <map>
#include <optional>

#include "policy/points.h"

namespace muster::policy {
namespace {

// Those who have the same shares, best first.
struct Line {
  std::vector<size_t> waiting;  // indices of entrants
  size_t gone = 0;
};

// What the shares add to the points of those who have them.
int64_t OfShares(const std::vector<size_t>& from, const std::vector<Standing>& standings,
                 int64_t weight) {
  if (from.empty()) return 0;
  const size_t least = *std::min_element(from.begin(), from.end(), [&](size_t a, size_t b) {
    return standings[a].value < standings[b].value;
  });
  const Standing& share = standings[least];
  return PointsOf(weight, share.value) + (share.under_floor ? kFloorFirst : 0);
}

}  // namespace

void Progressive::Leave(const Entrant& entrant) {
  uses_.all.booked += entrant.booked;
  for (const size_t share : entrant.adds_to) uses_.own[share].booked += entrant.booked;
}

std::vector<size_t> Progressive::Take(const std::vector<const Entrant*>& entrants, size_t count) {
  std::map<std::vector<size_t>, Line> lines;
  for (size_t i = 0; i < entrants.size(); ++i) lines[entrants[i]->from].waiting.push_back(i);
  for (auto& [from, line] : lines) {
    std::stable_sort(line.waiting.begin(), line.waiting.end(),
                     [&](size_t a, size_t b) { return entrants[a]->points > entrants[b]->points; });
  }
  std::vector<size_t> out;
  while (out.size() < count) {
    const std::vector<Standing> standings = StandingsOf(rules_, uses_);
    Line* best = nullptr;
    std::pair<int64_t, size_t> least;  // minus the points, index
    for (auto& [from, line] : lines) {
      if (line.gone == line.waiting.size()) continue;
      const size_t next = line.waiting[line.gone];
      const int64_t points = entrants[next]->points + OfShares(from, standings, weight_);
      const std::pair<int64_t, size_t> rank{-points, next};
      if (best && least <= rank) continue;
      best = &line;
      least = rank;
    }
    ++best->gone;
    out.push_back(least.second);
    Leave(*entrants[least.second]);
  }
  return out;
}

}  // namespace muster::policy
