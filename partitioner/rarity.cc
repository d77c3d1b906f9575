// The shares of rare things are computed again when a site's nodes change, and looked up for every
// request.
#include "partitioner/rarity.h"

#include <algorithm>
#include <utility>

namespace muster::partitioner {
namespace {

constexpr int64_t kWhole = 1'000'000;

// The number of nodes of this class that the part would take for `sets` sets of a chunk, and how
// many of the sets they host.
struct Taken {
  int64_t nodes = 0;
  int64_t sets = 0;
};
Taken TakenOf(const schemas::NodeClass& node, const schemas::PartSpec& part,
              const schemas::Chunk& chunk, int64_t sets) {
  for (const auto& [name, value] : chunk.properties) {
    const auto it = node.properties.find(name);
    if (it == node.properties.end() || it->second != value) return {};
  }
  int64_t each = part.place == schemas::Place::kScatter ? 1 : sets;
  for (const auto& [name, amount] : chunk.resources.entries()) {
    if (amount > 0) each = std::min(each, node.per_node.Get(name) / amount);
  }
  if (each <= 0) return {};
  const int64_t nodes = std::min<int64_t>(node.up, (sets + each - 1) / each);
  return {nodes, std::min(sets, nodes * each)};
}

// Whether the part asks for `thing`: a resource, or a property as "name=value".
bool AsksFor(const schemas::PartSpec& part, const std::string& thing) {
  return std::any_of(part.chunks.begin(), part.chunks.end(), [&](const schemas::Chunk& chunk) {
    for (const auto& [name, amount] : chunk.resources.entries()) {
      if (name == thing) return true;
    }
    for (const auto& [name, value] : chunk.properties) {
      const bool long_enough = thing.size() == name.size() + 1 + value.size();
      if (long_enough && thing.starts_with(name) && thing.ends_with(value) &&
          thing[name.size()] == '=') {
        return true;
      }
    }
    return false;
  });
}

}  // namespace

Rarity::Things Rarity::ThingsOf(const schemas::NodeClass& node) {
  Things out;
  for (const auto& [name, amount] : node.per_node.entries()) {
    if (amount > 0) out[name] = amount;
  }
  for (const auto& [name, value] : node.properties) out[name + "=" + value] = 1;
  return out;
}

// Totals of the things that fewer than half of all nodes have.
Rarity::Things Rarity::Totals() const {
  int64_t nodes = 0;
  Things having;
  Things total;
  for (const auto& [name, of_site] : sites_) {
    for (const schemas::NodeClass& node : of_site) {
      nodes += node.count;
      for (const auto& [thing, amount] : ThingsOf(node)) {
        having[thing] += node.count;
        total[thing] += amount * node.count;
      }
    }
  }
  for (const auto& [thing, count] : having) {
    if (count <= 0 || 2 * count >= nodes) total.erase(thing);
  }
  return total;
}

void Rarity::Set(const std::string& site, const std::vector<schemas::NodeClass>& classes) {
  const auto [it, fresh] = sites_.try_emplace(site, classes);
  if (!fresh && it->second == classes) return;
  it->second = classes;
  const Things total = Totals();
  rare_.clear();
  for (const auto& [name, of_site] : sites_) {
    Shares shares;
    bool any = false;
    for (const schemas::NodeClass& node : of_site) {
      Things& share = shares.emplace_back();
      for (const auto& [thing, amount] : ThingsOf(node)) {
        const auto rare = total.find(thing);
        if (rare != total.end()) share[thing] = amount * kWhole / rare->second;
      }
      any = any || !share.empty();
    }
    if (any) rare_[name] = std::move(shares);
  }
}

int64_t Rarity::SpoilsOf(const std::string& site, const schemas::PartSpec& part) const {
  const auto rare = rare_.find(site);
  if (rare == rare_.end()) return 0;
  const std::vector<schemas::NodeClass>& nodes = sites_.at(site);
  std::vector<std::pair<int64_t, const schemas::NodeClass*>> classes;
  for (size_t i = 0; i < nodes.size(); ++i) {
    int64_t share = 0;
    for (const auto& [thing, of_node] : rare->second[i]) {
      if (!AsksFor(part, thing)) share += of_node;
    }
    classes.emplace_back(share, &nodes[i]);
  }
  std::stable_sort(classes.begin(), classes.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  int64_t out = 0;
  for (const schemas::Chunk& chunk : part.chunks) {
    int64_t sets = chunk.count;
    for (const auto& [share, node] : classes) {
      if (sets == 0) break;
      const Taken taken = TakenOf(*node, part, chunk, sets);
      out += share * taken.nodes;
      sets -= taken.sets;
    }
  }
  return out;
}

}  // namespace muster::partitioner
