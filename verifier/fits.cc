// Tests only conditions that any mapping must satisfy: one set of a chunk on one node, all sets of
// a chunk over the classes that can host it, packed chunks together on one node, scattered ones on
// enough nodes, and the sum of everything over all nodes.
#include "verifier/fits.h"

#include <algorithm>
#include <limits>

#include "base/units.h"

namespace muster::verifier {
namespace {

using schemas::Capacity;
using schemas::Chunk;
using schemas::NodeClass;

// Bounds the times that a chunk without resources fits on a node, so that sums stay small.
constexpr int64_t kMostOnNode = 1'000'000;

// Whether the property names a switch. Node classes do not show it: only the site knows its
// topology.
bool IsTopology(const std::string& property) { return property == "switch" || property == "sw"; }

bool HasProperties(const NodeClass& node, const Chunk& chunk) {
  return std::all_of(chunk.properties.begin(), chunk.properties.end(), [&](const auto& want) {
    if (IsTopology(want.first)) return true;
    const auto it = node.properties.find(want.first);
    return it != node.properties.end() && (node.mixed || it->second == want.second);
  });
}

// How many times the chunk's resources fit on one node of the class.
int64_t TimesOnNode(const ResourceSet& resources, const ResourceSet& node) {
  int64_t times = std::numeric_limits<int64_t>::max();
  for (const auto& [name, amount] : resources.entries()) {
    if (amount > 0) times = std::min(times, node.Get(name) / amount);
  }
  return times;
}

int64_t TimesInAll(const Chunk& chunk, const Capacity& capacity, bool one_per_node) {
  int64_t times = 0;
  for (const NodeClass& node : capacity.classes) {
    if (!HasProperties(node, chunk)) continue;
    int64_t each = std::min<int64_t>(TimesOnNode(chunk.resources, node.per_node), kMostOnNode);
    if (one_per_node) each = std::min<int64_t>(each, 1);
    times += each * node.count;
  }
  return times;
}

// The chunk reduced to what one node has, for the best node; none if no node has some of each of
// its resources.
std::optional<Chunk> CutToNode(const Chunk& chunk, const Capacity& capacity) {
  std::optional<Chunk> best;
  for (const NodeClass& node : capacity.classes) {
    if (!HasProperties(node, chunk) || node.count == 0) continue;
    Chunk cut = chunk;
    bool whole = true;
    for (const auto& [name, amount] : chunk.resources.entries()) {
      cut.resources.Set(name, std::min(amount, node.per_node.Get(name)));
      whole = whole && node.per_node.Get(name) > 0;
    }
    if (!whole) continue;
    const auto size = [&](const Chunk& c) {
      double sum = 0;
      for (const auto& [name, amount] : chunk.resources.entries()) {
        sum += static_cast<double>(c.resources.Get(name)) / static_cast<double>(amount);
      }
      return sum;
    };
    if (!best || size(cut) > size(*best)) best = cut;
  }
  return best;
}

std::string NoNodeText(const Chunk& chunk, const Capacity& capacity) {
  for (const auto& [property, value] : chunk.properties) {
    if (IsTopology(property)) continue;
    const bool known =
        std::any_of(capacity.classes.begin(), capacity.classes.end(), [&](const NodeClass& node) {
          const auto it = node.properties.find(property);
          return it != node.properties.end() && (node.mixed || it->second == value);
        });
    if (!known) return "no node has " + property + "=" + value;
  }
  for (const auto& [name, amount] : chunk.resources.entries()) {
    int64_t most = 0;
    for (const NodeClass& node : capacity.classes) {
      if (HasProperties(node, chunk)) most = std::max(most, node.per_node.Get(name));
    }
    if (most >= amount) continue;
    if (most == 0)
      return "no node has any " + (name == "ncpus" ? "cpus" : name == "ngpus" ? "gpus" : name);
    return "no node has more than " + AmountText(name, most);
  }
  return "no node has all of " + ChunksText({chunk}).substr(ChunksText({chunk}).find('('));
}

std::optional<Misfit> ChunkMisfit(const Chunk& chunk, const Capacity& capacity, bool scatter) {
  const int64_t times = TimesInAll(chunk, capacity, scatter);
  if (times >= chunk.count) return std::nullopt;
  Misfit out;
  Chunk cut = chunk;
  if (times == 0) {
    out.text = NoNodeText(chunk, capacity);
    const std::optional<Chunk> on_node = CutToNode(chunk, capacity);
    if (!on_node) return out;
    cut = *on_node;
    cut.count =
        static_cast<uint32_t>(std::min<int64_t>(chunk.count, TimesInAll(cut, capacity, scatter)));
  } else {
    cut.count = static_cast<uint32_t>(times);
    out.text = "at most " + ChunksText({cut}) + (scatter ? ", each on its own node" : "");
  }
  if (cut.count > 0) out.largest = {cut};
  return out;
}

template <typename Has>
bool AnyClass(const std::vector<const Capacity*>& sites, Has has) {
  return std::any_of(sites.begin(), sites.end(), [&](const Capacity* site) {
    return std::any_of(site->classes.begin(), site->classes.end(), has);
  });
}

// Removes from `amounts` the entries that are properties at these sites, and returns them as
// properties.
std::map<std::string, std::string> TakeProperties(ResourceSet& amounts,
                                                  const std::vector<const Capacity*>& sites) {
  std::map<std::string, std::string> out;
  for (const auto& [name, amount] : amounts.entries()) {
    const auto counted = [&](const NodeClass& node) { return node.per_node.Get(name) > 0; };
    const auto named = [&](const NodeClass& node) { return node.properties.contains(name); };
    if (AnyClass(sites, counted) || !AnyClass(sites, named)) continue;
    out[name] = std::to_string(amount);
  }
  for (const auto& [name, value] : out) amounts.Set(name, 0);
  return out;
}

}  // namespace

void NameProperties(schemas::PartSpec& part, const std::vector<const Capacity*>& sites) {
  const std::map<std::string, std::string> of_all = TakeProperties(part.jobwide, sites);
  for (Chunk& chunk : part.chunks) {
    for (const auto& property : TakeProperties(chunk.resources, sites)) {
      chunk.properties.insert(property);
    }
    chunk.properties.insert(of_all.begin(), of_all.end());
  }
}

std::optional<Misfit> WhyNever(const schemas::PartSpec& part, const Capacity& capacity) {
  int64_t nodes = 0;
  for (const NodeClass& node : capacity.classes) nodes += node.count;
  int64_t sets = 0;
  ResourceSet sum;
  for (const Chunk& chunk : part.chunks) {
    const bool scatter = part.place == schemas::Place::kScatter;
    if (std::optional<Misfit> misfit = ChunkMisfit(chunk, capacity, scatter)) {
      // Of several chunks, the largest size of one by itself would mislead.
      if (part.chunks.size() > 1) misfit->largest.clear();
      return misfit;
    }
    sets += chunk.count;
    sum += chunk.resources * chunk.count;
  }
  if (part.place == schemas::Place::kScatter && sets > nodes) {
    return Misfit{"only " + std::to_string(nodes) + " nodes to scatter over", {}};
  }
  if (part.place == schemas::Place::kPack) {
    const bool one = std::any_of(
        capacity.classes.begin(), capacity.classes.end(),
        [&](const NodeClass& node) { return node.count > 0 && sum.FitsIn(node.per_node); });
    if (!one) return Misfit{"no node has room for all chunks together", {}};
  }
  ResourceSet all;
  for (const NodeClass& node : capacity.classes) all += node.per_node * node.count;
  for (const auto& [name, amount] : sum.entries()) {
    if (amount > all.Get(name)) {
      return Misfit{"only " + AmountText(name, all.Get(name)) + " in all", {}};
    }
  }
  return std::nullopt;
}

std::string AmountText(const std::string& resource, int64_t amount) {
  if (resource == "mem") return SizeText(amount);
  const std::string number = std::to_string(amount) + " ";
  if (resource == "ncpus") return number + (amount == 1 ? "cpu" : "cpus");
  if (resource == "ngpus") return number + (amount == 1 ? "gpu" : "gpus");
  return number + resource;
}

std::string ChunksText(const std::vector<Chunk>& chunks) {
  std::string out;
  for (const Chunk& chunk : chunks) {
    if (!out.empty()) out += " + ";
    std::string in;
    const auto add = [&](const std::string& name, int64_t amount) {
      if (!in.empty()) in += ", ";
      in += AmountText(name, amount);
    };
    // Processors first, as people say it; then the others by name.
    if (chunk.resources.Get("ncpus") != 0) add("ncpus", chunk.resources.Get("ncpus"));
    for (const auto& [name, amount] : chunk.resources.entries()) {
      if (name != "ncpus") add(name, amount);
    }
    for (const auto& [name, value] : chunk.properties)
      in += (in.empty() ? "" : ", ") + name + "=" + value;
    out += std::to_string(chunk.count) + " × (" + in + ")";
  }
  return out;
}

std::string ChunksOption(const std::vector<Chunk>& chunks) {
  std::string out;
  for (const Chunk& chunk : chunks) {
    if (!out.empty()) out += "+";
    out += std::to_string(chunk.count);
    const auto add = [&](const std::string& name, int64_t amount) {
      out += ":" + name + "=" + (name == "mem" ? SizeText(amount) : std::to_string(amount));
    };
    if (chunk.resources.Get("ncpus") != 0) add("ncpus", chunk.resources.Get("ncpus"));
    for (const auto& [name, amount] : chunk.resources.entries()) {
      if (name != "ncpus") add(name, amount);
    }
    for (const auto& [name, value] : chunk.properties) out += ":" + name + "=" + value;
  }
  return out;
}

}  // namespace muster::verifier
