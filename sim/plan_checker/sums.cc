// Sorts ends before begins, so that a booking that ends when another begins is never counted beside
// it.
#include "sim/plan_checker/sums.h"

#include <algorithm>
#include <map>

namespace muster::sim {
namespace {

struct Edge {
  Instant at;
  bool begins;
  const Taken* taken;
};

// The amounts that a chain takes: the maximum over its bookings, each the sum of its parts.
ResourceSet Largest(const std::map<std::string, ResourceSet>& of_orders) {
  if (of_orders.size() == 1) return of_orders.begin()->second;
  ResourceSet out;
  for (const auto& [order, amounts] : of_orders) {
    for (const auto& [name, amount] : amounts.entries()) {
      out.Set(name, std::max(out.Get(name), amount));
    }
  }
  return out;
}

class Running {
 public:
  void Change(const Taken& taken, bool begins) {
    std::map<std::string, ResourceSet>& chain = chains_[taken.chain];
    if (!chain.empty()) sum_ -= Largest(chain);
    ResourceSet& own = chain[taken.order];
    auto& parts = parts_[taken.order];
    if (begins) {
      own += taken.amounts;
      ++parts;
      who_.insert(&taken);
    } else {
      own -= taken.amounts;
      who_.erase(&taken);
      if (--parts == 0) {
        parts_.erase(taken.order);
        chain.erase(taken.order);
      }
    }
    if (chain.empty()) {
      chains_.erase(taken.chain);
    } else {
      sum_ += Largest(chain);
    }
  }
  const ResourceSet& sum() const { return sum_; }
  const std::set<const Taken*>& who() const { return who_; }

 private:
  std::map<std::string, std::map<std::string, ResourceSet>> chains_;
  std::map<std::string, size_t> parts_;
  // Ordered by address, which is the order given, since all are elements of one vector.
  std::set<const Taken*> who_;
  ResourceSet sum_;
};

}  // namespace

void Sweep(const std::vector<Taken>& taken, Instant from,
           const std::function<bool(const Level&)>& look) {
  std::vector<Edge> edges;
  for (const Taken& t : taken) {
    if (t.span.begin >= t.span.end || t.span.end <= from) continue;
    edges.push_back({t.span.begin, true, &t});
    edges.push_back({t.span.end, false, &t});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return a.at != b.at ? a.at < b.at : a.begins < b.begins;
  });
  Running running;
  for (size_t i = 0; i < edges.size();) {
    const Instant at = edges[i].at;
    for (; i < edges.size() && edges[i].at == at; ++i) {
      running.Change(*edges[i].taken, edges[i].begins);
    }
    if (i == edges.size() || edges[i].at <= from) continue;
    if (running.who().empty()) continue;
    if (!look({{std::max(at, from), edges[i].at}, running.sum(), running.who()})) return;
  }
}

std::string Names(const std::set<const Taken*>& who) {
  std::string out;
  for (const Taken* taken : who) {
    if (!out.empty()) out += " ";
    out += taken->order + " " + ToText(IntervalSet({taken->span}));
  }
  return out;
}

}  // namespace muster::sim
