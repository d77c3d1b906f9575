// Chunk sets of one chunk are interchangeable, so their nodes are tried in ascending order only.
// Every step looks at one node, so a set that does not fit is discarded early.
#include "sim/checkers/placing.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "sim/checkers/partitions.h"

namespace muster::sim {
namespace {

bool Overlap(const Interval& a, const Interval& b) { return a.begin < b.end && b.begin < a.end; }

// Sums the amounts taken of a node at t. A chain counts as the maximum of its bookings.
ResourceSet TakenAt(const std::vector<Occupied>& list, Instant t) {
  std::map<std::string, std::map<std::string, ResourceSet>> chains;
  for (const Occupied& o : list) {
    if (o.span.begin <= t && t < o.span.end) chains[o.chain][o.order] += o.amounts;
  }
  ResourceSet sum;
  for (const auto& [chain, orders] : chains) {
    ResourceSet most;
    for (const auto& [order, amounts] : orders) {
      for (const auto& [name, amount] : amounts.entries()) {
        most.Set(name, std::max(most.Get(name), amount));
      }
    }
    sum += most;
  }
  return sum;
}

bool Has(const NodeFacts& node, const std::map<std::string, std::string>& properties) {
  return std::all_of(properties.begin(), properties.end(), [&](const auto& wanted) {
    const auto has = node.properties.find(wanted.first);
    return has != node.properties.end() && has->second == wanted.second;
  });
}

class Placer {
 public:
  Placer(const std::vector<BookedPart>& parts, const PlacingSite& site, const PlacingRoom& room,
         const std::vector<uint32_t>& within)
      : parts_(parts), site_(site), occupied_(room.occupied), room_(room), within_(within) {
    MUSTER_CHECK(site.nodes.size() <= kPlacedNodes);
    MUSTER_CHECK(within.empty() || within.size() == parts.size());
  }

  std::vector<Placing> All() {
    placing_.resize(parts_.size());
    PutPart(0);
    return std::move(found_);
  }

 private:
  // The next set to place, and the first node to try, so that equal sets are placed in one order
  // only.
  struct Next {
    size_t part = 0;
    size_t chunk = 0;
    int64_t set = 0;
    size_t from = 0;
  };

  void PutPart(size_t part) {
    if (found_.size() >= kPlacings) return;
    if (part == parts_.size()) {
      found_.push_back(placing_);
      return;
    }
    if (site_.layout) return PutPartition(part);
    PutSet({.part = part}, within_.empty() ? UINT32_MAX : within_[part]);
  }

  // Places the remaining sets. `within`: allowed nodes, as bits.
  void PutSet(const Next& next, uint32_t within) {
    if (found_.size() >= kPlacings || (partition_ && partition_full_)) return;
    const BookedPart& part = parts_[next.part];
    if (next.chunk == part.wanted.size()) return Done(next.part);
    const WantedChunk& chunk = part.wanted[next.chunk];
    if (next.set == chunk.count) return PutSet({next.part, next.chunk + 1, 0, 0}, within);
    for (size_t n = next.from; n < site_.nodes.size(); ++n) {
      if ((within >> n & 1) == 0 || !Take(part, chunk, n, next)) continue;
      PutSet({next.part, next.chunk, next.set + 1, n}, within);
      placing_[next.part].sets.pop_back();
      occupied_[n].pop_back();
    }
  }

  // On a machine with a geometry a part has, exclusively, a partition of the smallest size that
  // holds it on the empty machine. Which unit hosts which set does not matter to others, so one
  // placing per partition is enough.
  void PutPartition(size_t part) {
    const uint32_t all = 1U << site_.nodes.size();
    for (size_t size = 1; size <= site_.nodes.size(); ++size) {
      bool holds = false;
      for (uint32_t nodes = 1; nodes < all; ++nodes) {
        const std::set<uint32_t> units = UnitsOf(nodes);
        if (units.size() != size || !IsPartition(*site_.layout, units)) continue;
        if (!HoldsEmpty(part, nodes)) continue;
        holds = true;
        const bool free = std::all_of(units.begin(), units.end(), [&](uint32_t unit) {
          return room_.usable[unit] && IsFree(unit, parts_[part].span);
        });
        if (!free) continue;
        partition_ = nodes;
        partition_full_ = false;
        PutSet({.part = part}, nodes);
        partition_.reset();
      }
      if (holds) return;
    }
  }

  // Of several kinds of chunks the plan tries all on one node, or each set on its own.
  static bool IsEven(const PlacedPart& placed, size_t kinds) {
    std::map<std::string, ResourceSet> on;
    for (const PlacedSet& set : placed.sets) on[set.node] += set.resources;
    if (kinds > 1 && on.size() > 1 && on.size() < placed.sets.size()) return false;
    return std::all_of(on.begin(), on.end(),
                       [&](const auto& one) { return one.second == on.begin()->second; });
  }

  void Done(size_t part) {
    PlacedPart& placed = placing_[part];
    std::set<std::string> nodes;
    for (const PlacedSet& set : placed.sets) nodes.insert(set.node);
    if (site_.even && !parts_[part].exclusive && !IsEven(placed, parts_[part].wanted.size()))
      return;
    const std::optional<uint32_t> partition = partition_;
    if (partition) {
      for (const uint32_t unit : UnitsOf(*partition)) {
        nodes.insert(site_.nodes[unit].name);
        occupied_[unit].push_back(AllOf(parts_[part], unit));
      }
      partition_.reset();
    }
    placed.nodes.assign(nodes.begin(), nodes.end());
    PutPart(part + 1);
    if (!partition) return;
    for (const uint32_t unit : UnitsOf(*partition)) occupied_[unit].pop_back();
    partition_ = partition;
    partition_full_ = true;
  }

  static std::set<uint32_t> UnitsOf(uint32_t nodes) {
    std::set<uint32_t> out;
    for (uint32_t n = 0; n < 32; ++n) {
      if ((nodes >> n & 1) != 0) out.insert(n);
    }
    return out;
  }

  Occupied AllOf(const BookedPart& part, size_t n) const {
    return {part.span, room_.has[n], part.name, part.name, true};
  }

  bool IsFree(size_t n, const Interval& span) const {
    return std::none_of(occupied_[n].begin(), occupied_[n].end(),
                        [&](const Occupied& o) { return Overlap(o.span, span); });
  }

  // True if the nodes hold all sets of the part when nothing else is there.
  bool HoldsEmpty(size_t part, uint32_t nodes) const {
    BookedPart alone = parts_[part];
    alone.exclusive = true;
    PlacingSite empty{site_.nodes, std::nullopt};
    PlacingRoom room;
    room.occupied.resize(site_.nodes.size());
    for (size_t n = 0; n < site_.nodes.size(); ++n) {
      room.has.push_back(site_.nodes[n].has);
      room.usable.push_back((nodes >> n & 1) != 0);
    }
    const std::vector<BookedPart> one{alone};
    return !PlacingsOf(one, empty, room).empty();
  }

  // Books the set on the node if it fits there. An exclusive part takes the whole node.
  bool Take(const BookedPart& part, const WantedChunk& chunk, size_t n, const Next& next) {
    if (!room_.usable[n] || !Has(site_.nodes[n], chunk.properties)) return false;
    std::vector<PlacedSet>& sets = placing_[next.part].sets;
    const std::string& name = site_.nodes[n].name;
    const bool there =
        std::any_of(sets.begin(), sets.end(), [&](const PlacedSet& s) { return s.node == name; });
    if (part.spread == Spread::kScatter && there) return false;
    if (part.spread == Spread::kPack && !sets.empty() && !there) return false;
    occupied_[n].push_back({part.span, chunk.resources, part.name, part.name, part.exclusive});
    if (!Fits(n, part)) {
      occupied_[n].pop_back();
      return false;
    }
    sets.push_back({name, chunk.resources});
    return true;
  }

  // True if what is booked on the node fits at each instant of the part at which a booking begins,
  // and no other booking overlaps with the part if one of the two is exclusive.
  bool Fits(size_t n, const BookedPart& part) const {
    std::set<Instant> begins{part.span.begin};
    for (const Occupied& o : occupied_[n]) {
      if (!Overlap(o.span, part.span)) continue;
      const bool other = o.order != part.name;
      if (other && (o.exclusive || part.exclusive)) return false;
      begins.insert(std::max(o.span.begin, part.span.begin));
    }
    return std::all_of(begins.begin(), begins.end(),
                       [&](Instant t) { return TakenAt(occupied_[n], t).FitsIn(room_.has[n]); });
  }

  const std::vector<BookedPart>& parts_;
  const PlacingSite& site_;
  std::vector<std::vector<Occupied>> occupied_;
  const PlacingRoom& room_;
  const std::vector<uint32_t>& within_;
  Placing placing_;
  std::optional<uint32_t> partition_;  // of the part being placed, as bits
  bool partition_full_ = false;        // one placing in it was already found
  std::vector<Placing> found_;
};

}  // namespace

std::string PlacedPart::Key() const {
  std::string out;
  for (const PlacedSet& set : sets) out += set.node + " ";
  out += "/";
  for (const std::string& node : nodes) out += " " + node;
  return out;
}

std::vector<Placing> PlacingsOf(const std::vector<BookedPart>& parts, const PlacingSite& site,
                                const PlacingRoom& room, const std::vector<uint32_t>& within) {
  return Placer(parts, site, room, within).All();
}

}  // namespace muster::sim
