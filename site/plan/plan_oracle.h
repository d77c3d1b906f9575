// The plan's independent judge in tests: one number per node, dimension and second, and a mapper
// that tries every set of chunks second by second. Slow and plain on purpose.
#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "site/machine/machine.h"
#include "site/plan/order.h"

namespace muster::plan {

// Seconds that the oracle models; all bookings of the tests end before.
inline constexpr int64_t kOracleSeconds = 190;

class Oracle {
 public:
  // used[dimension] of one node at one second; the dimension after the resources is the share of
  // the node.
  using Row = std::vector<int64_t>;

  Oracle(const machine::Machine& machine, Span turnover) : machine_(machine), turnover_(turnover) {
    std::vector<double> weight;
    for (uint32_t n = 0; n < machine.node_count(); ++n) {
      double most = 0;
      for (uint32_t r = 0; r < machine.resource_count(); ++r) {
        if (machine.Total(r) == 0) continue;
        most = std::max(most, static_cast<double>(machine.Amount(n, r)) /
                                  static_cast<double>(machine.Total(r)));
      }
      weight.push_back(most + machine.node(n).priority);
      cheap_first_.push_back(n);
    }
    std::stable_sort(cheap_first_.begin(), cheap_first_.end(),
                     [&](uint32_t a, uint32_t b) { return weight[a] < weight[b]; });
  }

  // Amounts that a mapped order blocks at second t, for all nodes in turn, by dimension.
  Row BlockedAt(const Order& order, Instant start, const Mapping& mapping, int64_t t) const {
    Row out(machine_.node_count() * Dimensions(), 0);
    for (size_t p = 0; p < mapping.size(); ++p) {
      const Part& part = order.parts[p];
      if (t < Begin(part, start) || t >= End(part, start)) continue;
      std::map<uint32_t, Row> nodes;
      for (const Assignment& a : mapping[p]) {
        Row& row = nodes.try_emplace(a.node, Dimensions(), 0).first->second;
        for (const auto& [name, amount] : part.chunks[a.chunk].resources.entries()) {
          row[*machine_.FindResource(name)] += amount * a.count;
        }
        row.back() = part.exclusive ? kAll : 1;
      }
      for (auto& [node, row] : nodes) {
        for (size_t d = 0; d < Dimensions(); ++d) {
          out[node * Dimensions() + d] += part.exclusive ? Capacity(node, d) : row[d];
        }
      }
    }
    return out;
  }

  // Adds a group of bookings at second t: the maximum of its members.
  void Count(const std::vector<Row>& members, int64_t t) {
    for (size_t i = 0; i < machine_.node_count() * Dimensions(); ++i) {
      int64_t most = 0;
      for (const Row& member : members) most = std::max(most, member[i]);
      used_[Index(t, 0, 0) + i] += most;
    }
  }

  void Clear() { used_.assign(kOracleSeconds * machine_.node_count() * Dimensions(), 0); }
  int64_t UsedAt(int64_t t, uint32_t node, size_t d) const { return used_[Index(t, node, d)]; }
  size_t Dimensions() const { return machine_.resource_count() + 1; }
  int64_t Capacity(uint32_t node, size_t d) const {
    return d + 1 == Dimensions() ? kAll : machine_.Amount(node, static_cast<uint32_t>(d));
  }

  // Does the order map at this start? It mirrors the mapper's contract. Parts are placed in order.
  // For pack and scatter it finds a mapping if there is one. For free it is first fit: chunks with
  // the fewest hosts come first, then those of the greatest share of the machine, and each takes
  // the cheapest node with room. A part grouped by switch is below any of the smallest switches
  // that could hold it.
  bool Maps(const Order& order, Instant start) const {
    if (order.parts.size() == 1) return MapPart(order.parts[0], start, used_).has_value();
    Usage used = used_;
    for (const Part& part : order.parts) {
      const std::optional<Rows> own = MapPart(part, start, used);
      if (!own.has_value()) return false;
      Add(part, start, *own, used);
    }
    return true;
  }

  static constexpr int64_t kAll = int64_t{1} << 24;

 private:
  using Usage = std::vector<int64_t>;
  using Rows = std::vector<std::optional<Row>>;  // by node: what a part has there
  struct Set {
    uint32_t chunk;
    int64_t hosts;
    double weight;
  };

  size_t Index(int64_t t, uint32_t node, size_t d) const {
    return (static_cast<size_t>(t) * machine_.node_count() + node) * Dimensions() + d;
  }
  int64_t Begin(const Part& part, Instant start) const {
    return (start + part.offset - turnover_).seconds;
  }
  int64_t End(const Part& part, Instant start) const {
    return (start + part.offset + part.length).seconds;
  }

  // Would the node take this set too, beside `own`, what this part already has there?
  bool Takes(const Part& part, const Chunk& chunk, uint32_t n, const Row* own, Instant start,
             const Usage& used) const {
    if (!machine_.HasProperties(n, chunk.properties)) return false;
    std::vector<std::pair<uint32_t, int64_t>> wanted;
    for (const auto& [name, amount] : chunk.resources.entries()) {
      const std::optional<uint32_t> r = machine_.FindResource(name);
      if (!r.has_value()) return false;
      wanted.emplace_back(*r, amount + (own != nullptr ? (*own)[*r] : 0));
    }
    for (int64_t t = std::max<int64_t>(0, Begin(part, start)); t < End(part, start); ++t) {
      const int64_t* row = &used.at(Index(t, n, 0));
      if (row[Dimensions() - 1] + (part.exclusive ? kAll : 1) > kAll) return false;
      for (const auto& [r, amount] : wanted) {
        if (row[r] + amount > machine_.Amount(n, r)) return false;
      }
    }
    return true;
  }

  std::vector<Set> SetsOf(const Part& part) const {
    std::vector<Set> out;
    for (uint32_t c = 0; c < part.chunks.size(); ++c) {
      const Chunk& chunk = part.chunks[c];
      Set set{c, 0, 0};
      for (uint32_t n = 0; n < machine_.node_count(); ++n) {
        const bool host = machine_.HasProperties(n, chunk.properties) &&
                          chunk.resources.FitsIn(machine_.node(n).resources);
        set.hosts += host ? 1 : 0;
      }
      for (const auto& [name, amount] : chunk.resources.entries()) {
        const std::optional<uint32_t> r = machine_.FindResource(name);
        if (!r.has_value() || machine_.Total(*r) == 0) continue;
        set.weight =
            std::max(set.weight, static_cast<double>(amount * 1000000 / machine_.Total(*r)));
      }
      out.insert(out.end(), chunk.count, set);
    }
    std::stable_sort(out.begin(), out.end(), [](const Set& a, const Set& b) {
      return a.hosts != b.hosts ? a.hosts < b.hosts : a.weight > b.weight;
    });
    return out;
  }

  using Below = std::optional<uint32_t>;

  std::optional<Rows> MapPart(const Part& part, Instant start, const Usage& used) const {
    if (!part.set) return MapBelow(part, {}, start, used);
    for (uint32_t s = 0; s < machine_.switches().count(); ++s) {
      if (!IsSmallest(part, s, start)) continue;
      if (const auto own = MapBelow(part, s, start, used)) return own;
    }
    return std::nullopt;
  }

  std::optional<Rows> MapBelow(const Part& part, Below below, Instant start,
                               const Usage& used) const {
    Rows own(machine_.node_count());
    if (!PlaceSets(part, SetsOf(part), 0, below, start, used, own)) return std::nullopt;
    return own;
  }

  // Could the empty switch hold the part, and none below it?
  bool IsSmallest(const Part& part, uint32_t index, Instant start) const {
    const Usage nothing(used_.size(), 0);
    if (!MapBelow(part, index, start, nothing)) return false;
    for (uint32_t s = 0; s < machine_.switches().count(); ++s) {
      Below up = machine_.switches().Above(s);
      while (up.has_value() && *up != index) up = machine_.switches().Above(*up);
      if (up.has_value() && MapBelow(part, s, start, nothing)) return false;
    }
    return true;
  }

  void Add(const Part& part, Instant start, const Rows& own, Usage& used) const {
    for (uint32_t n = 0; n < own.size(); ++n) {
      if (!own[n].has_value()) continue;
      for (int64_t t = std::max<int64_t>(0, Begin(part, start)); t < End(part, start); ++t) {
        for (size_t d = 0; d < Dimensions(); ++d) {
          used.at(Index(t, n, d)) += part.exclusive ? Capacity(n, d) : (*own[n])[d];
        }
      }
    }
  }

  // Places sets[at] and those after it. Free placement never revises a choice; scatter and pack try
  // every one.
  bool PlaceSets(const Part& part, const std::vector<Set>& sets, size_t at, Below below,
                 Instant start, const Usage& used, Rows& own) const {
    if (at == sets.size()) return true;
    const Chunk& chunk = part.chunks[sets[at].chunk];
    for (const uint32_t n : cheap_first_) {
      if (below.has_value() && !machine_.switches().IsBelow(n, *below)) continue;
      const bool taken = own[n].has_value();
      const bool other = std::any_of(own.begin(), own.end(), [&](const auto& row) {
        return row.has_value() && &row != &own[n];
      });
      if (part.place == Place::kScatter && taken) continue;
      if (part.place == Place::kPack && other) continue;
      if (!Takes(part, chunk, n, taken ? &*own[n] : nullptr, start, used)) continue;
      const std::optional<Row> before = own[n];
      if (!taken) {
        own[n] = Row(Dimensions(), 0);
        own[n]->back() = part.exclusive ? kAll : 1;
      }
      for (const auto& [name, amount] : chunk.resources.entries()) {
        (*own[n])[*machine_.FindResource(name)] += amount;
      }
      if (PlaceSets(part, sets, at + 1, below, start, used, own)) return true;
      own[n] = before;
      if (part.place == Place::kFree) return false;
    }
    return false;
  }

  const machine::Machine& machine_;
  Span turnover_;
  std::vector<uint32_t> cheap_first_;
  Usage used_;
};

}  // namespace muster::plan
