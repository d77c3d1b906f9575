// Free amounts of a node are looked up once per part and then counted down, so that equal chunks
// cost one look.
#include "site/plan/mapper.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "site/plan/node_sets.h"
#include "site/plan/partition.h"

namespace muster::plan {
namespace {

constexpr size_t kNobody = static_cast<size_t>(-1);

}  // namespace

Mapper::Mapper(const Occupancy& occupancy, const Shape& shape,
               const std::vector<std::vector<Sieve>>* sieves)
    : occupancy_(occupancy), shape_(shape), sieves_(sieves) {}

std::optional<Mapping> Mapper::At(Instant start) {
  start_ = start;
  same_until_ = kFarFuture;
  earlier_.clear();
  Mapping out(shape_.parts.size());
  for (size_t p = 0; p < shape_.parts.size(); ++p) {
    const PartShape& part = shape_.parts[p];
    if (!MapPart(part, out[p])) return std::nullopt;
    if (p + 1 < shape_.parts.size()) Remember(part, out[p]);
    ToChunks(part, out[p]);
  }
  return out;
}

void ToChunks(const PartShape& part, std::vector<Assignment>& assigned) {
  if (part.place == Place::kPack) {
    const uint32_t node = assigned.front().node;
    assigned.clear();
    for (uint32_t c = 0; c < part.counts.size(); ++c) assigned.push_back({c, node, part.counts[c]});
  }
  for (Assignment& a : assigned) a.count *= part.sets;
  std::stable_sort(assigned.begin(), assigned.end(),
                   [](const Assignment& a, const Assignment& b) { return a.chunk < b.chunk; });
}

FreeUnits& Mapper::UnitsFor(size_t part) {
  return units_.try_emplace(part, occupancy_, shape_.parts[part]).first->second;
}

// Takes the first placement of least waste, and finds one if there is any.
bool Mapper::MapPartition(const PartShape& part, std::vector<Assignment>& out) {
  const machine::Geometry& geometry = *occupancy_.machine().geometry();
  FreeUnits& units = UnitsFor(static_cast<size_t>(&part - shape_.parts.data()));
  machine::Bits free = units.At(start_);
  same_until_ = std::min(same_until_, units.SameUntil());
  for (const Earlier& e : earlier_) {
    const Instant begin = start_ + part.shift;
    if (e.begin < begin + part.length && begin < e.end) {
      free.Clear(occupancy_.machine().UnitOf(e.node));
    }
  }
  const auto placed = geometry.FirstWithin(part.partition->forms, free);
  if (!placed.has_value()) return false;
  out = Fill(part, geometry.UnitsAt(*placed), occupancy_.machine());
  return true;
}

bool Mapper::MapPart(const PartShape& part, std::vector<Assignment>& out) {
  if (part.partition.has_value()) return MapPartition(part, out);
  const bool plain = part.policy == Policy::kGreedy && !part.one_switch;
  if (plain && part.groups.size() == 1 && earlier_.empty() && !remembers_) {
    return MapAlone(part, out);
  }
  free_.resize(occupancy_.machine().node_count() * occupancy_.dimensions());
  seen_.assign(occupancy_.machine().node_count(), false);
  return plain ? MapThere(part, std::nullopt, out) : MapByChoice(part, out);
}

bool Mapper::MapThere(const PartShape& part, Below below, std::vector<Assignment>& out) {
  switch (part.place) {
    case Place::kScatter:
      return MapScatter(part, below, out);
    case Place::kFree:
    case Place::kPack:
      return MapFree(part, below, out);
  }
  return false;
}

// Maps a part of one group that comes before all other parts. No node is met twice, so nothing is
// counted down.
bool Mapper::MapAlone(const PartShape& part, std::vector<Assignment>& out) const {
  const Group& group = part.groups.front();
  const Sieve* sieve = nullptr;
  if (sieves_ != nullptr) sieve = &(*sieves_)[static_cast<size_t>(&part - shape_.parts.data())][0];
  int64_t left = group.count;
  const size_t first = sieve != nullptr ? sieve->FirstHost() : 0;
  for (size_t h = first; h < group.hosts.size() && left > 0; ++h) {
    const uint32_t node = group.hosts[h];
    if (sieve != nullptr && sieve->Most(h, node) == 0) continue;
    occupancy_.Look(1);
    const int64_t sets = std::min(left, SetsAt(occupancy_, part, group, node, start_));
    if (sets == 0) continue;
    out.push_back({group.chunk, node, static_cast<uint32_t>(sets)});
    left -= sets;
  }
  if (part.place == Place::kScatter) {
    std::sort(out.begin(), out.end(),
              [](const Assignment& a, const Assignment& b) { return a.node < b.node; });
  }
  return left == 0;
}

// A packed part is one group with one set, so that first fit finds its node.
bool Mapper::MapFree(const PartShape& part, Below below, std::vector<Assignment>& out) {
  const uint32_t dimensions = occupancy_.dimensions();
  std::vector<uint32_t> room;
  for (const Group& group : part.groups) {
    int64_t left = group.count;
    for (const uint32_t node : InOrder(part, group, below, out, room)) {
      const int64_t sets = std::min(left, Fit(part, group, node));
      if (sets <= 0) continue;
      for (const auto& [resource, amount] : group.needs) {
        free_[node * dimensions + resource] -= sets * amount;
      }
      out.push_back({group.chunk, node, static_cast<uint32_t>(sets)});
      left -= sets;
      if (left == 0) break;
    }
    if (left > 0) return false;
  }
  return true;
}

bool Mapper::MapScatter(const PartShape& part, Below below, std::vector<Assignment>& out) {
  std::vector<size_t> owner(occupancy_.machine().node_count(), kNobody);
  std::vector<std::vector<uint32_t>> room(part.groups.size());
  std::vector<Nodes> hosts;
  for (size_t g = 0; g < part.groups.size(); ++g) {
    hosts.push_back(InOrder(part, part.groups[g], below, out, room[g]));
  }
  for (size_t g = 0; g < part.groups.size(); ++g) {
    const Group& group = part.groups[g];
    int64_t left = group.count;
    for (const uint32_t node : hosts[g]) {
      if (left == 0) break;
      if (owner[node] != kNobody || Fit(part, group, node) == 0) continue;
      owner[node] = g;
      --left;
    }
    for (; left > 0; --left) {
      if (!GiveWay(part, hosts, g, owner)) return false;
    }
  }
  for (uint32_t node = 0; node < owner.size(); ++node) {
    if (owner[node] != kNobody) out.push_back({part.groups[owner[node]].chunk, node, 1});
  }
  return true;
}

// Finds one more node for `group` by moving others along an alternating path (breadth first over
// groups: sets of a group are alike). If it returns false, no assignment has room for one more.
bool Mapper::GiveWay(const PartShape& part, const std::vector<Nodes>& hosts, size_t group,
                     std::vector<size_t>& owner) {
  struct Step {
    size_t from;    // the group that takes `node` over
    uint32_t node;  // owned until now by the group reached
  };
  std::map<size_t, Step> reached{{group, {group, 0}}};
  std::vector<size_t> queue{group};
  for (size_t head = 0; head < queue.size(); ++head) {
    const size_t at = queue[head];
    for (const uint32_t node : hosts[at]) {
      if (owner[node] == at || Fit(part, part.groups[at], node) == 0) continue;
      if (owner[node] != kNobody) {
        if (reached.emplace(owner[node], Step{at, node}).second) queue.push_back(owner[node]);
        continue;
      }
      owner[node] = at;
      for (size_t g = at; g != group;) {
        const Step& step = reached.at(g);
        owner[step.node] = step.from;
        g = step.from;
      }
      return true;
    }
  }
  return false;
}

// Sets of the group that the node can still take: at most 1 for a scattered or packed part.
int64_t Mapper::Fit(const PartShape& part, const Group& group, uint32_t node) {
  if (!seen_[node]) Look(part, node);
  const size_t row = size_t{node} * occupancy_.dimensions();
  if (free_[row + occupancy_.share()] < (part.exclusive ? kWholeNode : 1)) return 0;
  int64_t sets = part.place == Place::kFree ? group.count : 1;
  for (const auto& [resource, amount] : group.needs) {
    sets = std::min(sets, free_[row + resource] / amount);
    if (sets <= 0) return 0;
  }
  return sets;
}

void Mapper::Look(const PartShape& part, uint32_t node) {
  seen_[node] = true;
  occupancy_.Look(1);
  const size_t row = size_t{node} * occupancy_.dimensions();
  free_[row + occupancy_.share()] = FreeOver(part, node, occupancy_.share());
  for (const uint32_t d : part.dimensions) free_[row + d] = FreeOver(part, node, d);
}

int64_t Mapper::FreeOver(const PartShape& part, uint32_t node, uint32_t dimension) {
  const Instant begin = start_ + part.shift;
  const Instant end = begin + part.length;
  std::vector<Instant> cuts;
  for (const Earlier& e : earlier_) {
    if (e.node != node || e.begin >= end || e.end <= begin) continue;
    cuts.push_back(std::max(begin, e.begin));
    cuts.push_back(std::min(end, e.end));
  }
  if (!cuts.empty()) return FreeBesideEarlier(part, node, dimension, std::move(cuts));
  const rusv::Rusv& used = occupancy_.Of(node, dimension);
  if (!remembers_) return used.FreeIn(begin, end);
  const size_t p = static_cast<size_t>(&part - shape_.parts.data());
  const size_t nodes = occupancy_.machine().node_count();
  Window& window = windows_[(p * nodes + node) * occupancy_.dimensions() + dimension];
  if (window.until <= start_) {
    window.free = used.FreeIn(begin, end);
    const Instant change = used.NextWindowChange(part.length, begin);
    window.until = change >= kFarFuture ? kFarFuture : change - part.shift;
  }
  same_until_ = std::min(same_until_, window.until);
  return window.free;
}

int64_t Mapper::FreeBesideEarlier(const PartShape& part, uint32_t node, uint32_t dimension,
                                  std::vector<Instant> cuts) {
  const rusv::Rusv& used = occupancy_.Of(node, dimension);
  cuts.push_back(start_ + part.shift);
  cuts.push_back(start_ + part.shift + part.length);
  std::sort(cuts.begin(), cuts.end());
  int64_t free = INT64_MAX;
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    if (cuts[i] == cuts[i + 1]) continue;
    int64_t here = used.FreeIn(cuts[i], cuts[i + 1]);
    if (remembers_) {
      const Instant change = used.NextWindowChange(cuts[i + 1] - cuts[i], cuts[i]);
      if (change < kFarFuture) same_until_ = std::min(same_until_, start_ + (change - cuts[i]));
    }
    for (const Earlier& e : earlier_) {
      if (e.node == node && e.begin <= cuts[i] && cuts[i + 1] <= e.end) {
        here -= e.amounts[dimension];
      }
    }
    free = std::min(free, here);
  }
  return free;
}

Instant Mapper::SameUntil(Instant start) {
  if (!remembers_) {
    remembers_ = true;
    windows_.resize(shape_.parts.size() * occupancy_.machine().node_count() *
                    occupancy_.dimensions());
  }
  if (start != start_ || same_until_ >= kFarFuture) At(start);
  return same_until_;
}

void Mapper::Remember(const PartShape& part, const std::vector<Assignment>& assigned) {
  const Instant begin = start_ + part.shift;
  std::map<uint32_t, Amounts> by_node;
  const uint32_t share = occupancy_.share();
  for (const Assignment& a : assigned) {
    Amounts& amounts = by_node[a.node];
    if (amounts.empty()) {
      amounts.resize(occupancy_.dimensions());
      amounts[share] = part.exclusive ? kWholeNode : 1;
    }
    const auto group = std::find_if(part.groups.begin(), part.groups.end(),
                                    [&a](const Group& g) { return g.chunk == a.chunk; });
    MUSTER_CHECK(group != part.groups.end());
    for (const auto& [resource, amount] : group->needs) amounts[resource] += a.count * amount;
  }
  for (auto& [node, amounts] : by_node) {
    for (uint32_t r = 0; part.exclusive && r < share; ++r) {
      amounts[r] = occupancy_.Capacity(node, r);
    }
    earlier_.push_back({node, begin, begin + part.length, std::move(amounts)});
  }
}

std::vector<std::vector<NodeUse>> UsesOf(const Order& order, const Mapping& mapping,
                                         const Occupancy& occupancy) {
  std::vector<std::vector<NodeUse>> out;
  const machine::Machine& machine = occupancy.machine();
  const auto before = [](const NodeUse& use, uint32_t node) { return use.node < node; };
  for (size_t p = 0; p < mapping.size(); ++p) {
    const Part& part = order.parts[p];
    std::vector<NodeUse>& uses = out.emplace_back();
    std::vector<std::pair<uint32_t, int64_t>> needs;
    for (size_t i = 0; i < mapping[p].size(); ++i) {
      const Assignment& a = mapping[p][i];
      if (i == 0 || a.chunk != mapping[p][i - 1].chunk) {
        needs.clear();
        for (const ResourceSet::Entry& e : part.chunks[a.chunk].resources.entries()) {
          needs.emplace_back(*machine.FindResource(e.first), e.second);
        }
      }
      auto use = uses.end();
      if (!uses.empty() && uses.back().node >= a.node) {
        use = std::lower_bound(uses.begin(), uses.end(), a.node, before);
      }
      if (use == uses.end() || use->node != a.node) {
        use = uses.insert(use, {a.node, Amounts(occupancy.dimensions())});
        use->amounts.back() = part.exclusive ? kWholeNode : 1;
        for (uint32_t r = 0; part.exclusive && r < occupancy.share(); ++r) {
          use->amounts[r] = occupancy.Capacity(a.node, r);
        }
      }
      if (part.exclusive) continue;
      for (const auto& [resource, amount] : needs) use->amounts[resource] += a.count * amount;
    }
  }
  return out;
}

}  // namespace muster::plan
