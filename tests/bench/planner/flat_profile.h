// The reference of the vector rows: what anybody would write first. A flat sorted array of the
// places where the usage changes, scanned linearly for the earliest fit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace muster::bench {

class FlatProfile {
 public:
  explicit FlatProfile(int64_t total) : total_(total) {}

  size_t size() const { return edges_.size(); }

  void Add(int64_t begin, int64_t end, int64_t items) {
    const size_t first = Split(begin);
    const size_t last = Split(end);
    for (size_t i = first; i < last; ++i) edges_[i].used += items;
    Join(last);
    Join(first);
  }

  // Earliest t >= from with `items` free all over [t, t + length).
  int64_t EarliestFit(int64_t items, int64_t length, int64_t from) const {
    int64_t t = from;
    size_t i = After(from);
    if (i > 0 && total_ - edges_[i - 1].used < items) t = kNever;
    for (; i < edges_.size(); ++i) {
      if (t != kNever && edges_[i].time >= t + length) return t;
      if (total_ - edges_[i].used < items) {
        t = kNever;
      } else if (t == kNever) {
        t = edges_[i].time;
      }
    }
    return t;
  }

  // Items that are free throughout [begin, end).
  int64_t LeastFree(int64_t begin, int64_t end) const {
    int64_t most = 0;
    for (const Edge& edge : edges_) {
      if (edge.time >= end) break;
      most = edge.time <= begin ? edge.used : std::max(most, edge.used);
    }
    return total_ - most;
  }

 private:
  struct Edge {
    int64_t time;
    int64_t used;  // until the next edge
  };
  static constexpr int64_t kNever = INT64_MAX;

  size_t After(int64_t t) const {
    const auto later = [](int64_t time, const Edge& edge) { return time < edge.time; };
    return static_cast<size_t>(std::upper_bound(edges_.begin(), edges_.end(), t, later) -
                               edges_.begin());
  }
  size_t Split(int64_t t) {
    const size_t at = After(t);
    if (at > 0 && edges_[at - 1].time == t) return at - 1;
    const int64_t used = at > 0 ? edges_[at - 1].used : 0;
    edges_.insert(edges_.begin() + static_cast<long>(at), {t, used});
    return at;
  }
  void Join(size_t at) {
    if (edges_[at].used != (at > 0 ? edges_[at - 1].used : 0)) return;
    edges_.erase(edges_.begin() + static_cast<long>(at));
  }

  int64_t total_;
  std::vector<Edge> edges_;
};

}  // namespace muster::bench
