// Ways are made from the entry's words and judged by the plan's verdict on the entry so changed, so
// that rules, reservations and topology count as they do for the entry itself.
#include "site/cheaper.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/units.h"
#include "schemas/limits.h"
#include "site/state.h"
#include "verifier/fits.h"

namespace muster::site {

using schemas::CheaperWay;
using schemas::PartDemand;
using schemas::ProposalEntry;

namespace {

// What is given up: ways of one kind and name are alike.
enum class Kind : uint8_t { kSharing, kPlace, kTime, kResource, kProperty, kSets };

struct Way {
  Kind kind;
  std::string name;  // of a resource or property
  int64_t given_up;  // things: one, or quarters of a number
  PartDemand part;
  std::string text;
  std::vector<std::string> argv;
};

std::vector<std::string> ChunksArgv(const PartDemand& part) {
  return {"-l", verifier::ChunksOption(part.chunks)};
}

std::string PlaceWord(schemas::Place place) {
  if (place == schemas::Place::kPack) return "pack";
  return place == schemas::Place::kScatter ? "scatter" : "free";
}

std::vector<std::string> PlaceArgv(const PartDemand& part) {
  return {"--place", PlaceWord(part.place) + (part.exclusive ? ":excl" : ":shared")};
}

// "a gpu", "gpus", "a phi", "fpga_boards".
std::string ResourceWords(const std::string& name, int64_t most) {
  const bool counted = name.size() > 2 && name.front() == 'n' && name.back() == 's';
  if (!counted) return name;
  return most > 1 ? name.substr(1) : "a " + name.substr(1, name.size() - 2);
}

void AddPlacements(const PartDemand& part, std::vector<Way>& ways) {
  if (part.exclusive) {
    Way way{Kind::kSharing, "", 1, part, "sharing its nodes", {}};
    way.part.exclusive = false;
    way.argv = PlaceArgv(way.part);
    ways.push_back(std::move(way));
  }
  if (part.place != schemas::Place::kFree) {
    Way way{Kind::kPlace, "", 1, part, "placed freely", {}};
    way.part.place = schemas::Place::kFree;
    way.argv = PlaceArgv(way.part);
    ways.push_back(std::move(way));
  }
}

// Three quarters and a half of what is asked for, in whole minutes where that is no more than a
// minute less.
void AddTimes(const PartDemand& part, std::vector<Way>& ways) {
  for (const int64_t quarters : {1, 2}) {
    Span less{part.duration.seconds * (4 - quarters) / 4};
    if (less >= Span{600}) less.seconds -= less.seconds % 60;
    if (less <= Span{0} || less == part.duration) continue;
    Way way{Kind::kTime, "", quarters, part, "in " + DurationText(less), {}};
    way.part.duration = less;
    way.argv = {"-t", DurationText(less)};
    ways.push_back(std::move(way));
  }
}

// Processors and memory are rare only where some node has none; of anything else there is little
// even where every node has some.
bool IsRare(const std::string& resource, const std::vector<Node>& nodes) {
  if (resource != "ncpus" && resource != "mem") return true;
  return std::any_of(nodes.begin(), nodes.end(),
                     [&resource](const Node& node) { return node.resources.Get(resource) == 0; });
}

void AddResources(const PartDemand& part, const std::vector<Node>& nodes, std::vector<Way>& ways) {
  std::map<std::string, int64_t> rare;  // the most that a chunk asks for
  for (const schemas::Chunk& chunk : part.chunks) {
    for (const auto& [name, amount] : chunk.resources.entries()) {
      if (amount > 0 && IsRare(name, nodes)) rare[name] = std::max(rare[name], amount);
    }
  }
  for (const auto& [name, most] : rare) {
    Way way{Kind::kResource, name, 1, part, "without " + ResourceWords(name, most), {}};
    bool left = true;
    for (schemas::Chunk& chunk : way.part.chunks) {
      chunk.resources.Set(name, 0);
      left = left && !chunk.resources.empty();
    }
    if (!left) continue;  // `alter` would ask for a processor in its place
    way.argv = ChunksArgv(way.part);
    ways.push_back(std::move(way));
  }
}

void AddProperties(const PartDemand& part, std::vector<Way>& ways) {
  std::set<std::string> names;
  for (const schemas::Chunk& chunk : part.chunks) {
    for (const auto& [name, value] : chunk.properties) names.insert(name);
  }
  for (const std::string& name : names) {
    std::string was;
    Way way{Kind::kProperty, name, 1, part, "", {}};
    for (schemas::Chunk& chunk : way.part.chunks) {
      const auto it = chunk.properties.find(name);
      if (it == chunk.properties.end()) continue;
      if (was.empty()) was = it->second;
      chunk.properties.erase(it);
    }
    way.text = "without " + name + "=" + was;
    way.argv = ChunksArgv(way.part);
    ways.push_back(std::move(way));
  }
}

void AddFewerSets(const PartDemand& part, std::vector<Way>& ways) {
  uint64_t last = 0;
  for (const int64_t quarters : {1, 2}) {
    Way way{Kind::kSets, "", quarters, part, "", {}};
    uint64_t before = 0;
    uint64_t after = 0;
    for (schemas::Chunk& chunk : way.part.chunks) {
      before += chunk.count;
      const uint64_t rest = uint64_t{chunk.count} * static_cast<uint64_t>(4 - quarters) / 4;
      chunk.count = static_cast<uint32_t>(std::max<uint64_t>(rest, 1));
      after += chunk.count;
    }
    if (after == before || after == last) continue;
    last = after;
    way.text = "with " + std::to_string(after) + " of " + std::to_string(before) + " chunks";
    way.argv = ChunksArgv(way.part);
    ways.push_back(std::move(way));
  }
}

std::vector<Way> WaysOf(const PartDemand& part, const std::vector<Node>& nodes) {
  std::vector<Way> ways;
  AddPlacements(part, ways);
  AddTimes(part, ways);
  AddResources(part, nodes, ways);
  AddProperties(part, ways);
  AddFewerSets(part, ways);
  return ways;
}

std::optional<Instant> StartOf(const SitePlanner& plan, const ProposalEntry& entry, Instant now) {
  const schemas::VerdictEntry verdict = plan.Verify({entry}, now).front();
  const bool starts = verdict.kind == schemas::VerdictKind::kAccepted ||
                      (verdict.kind == schemas::VerdictKind::kCountered && !verdict.starts.empty());
  if (!starts) return std::nullopt;
  return verdict.start;
}

}  // namespace

std::vector<CheaperWay> CheaperWays(const SitePlanner& plan, const std::vector<Node>& nodes,
                                    const ProposalEntry& entry, Instant now, Instant start) {
  std::vector<std::pair<int64_t, CheaperWay>> found;
  size_t tries = 0;
  for (size_t p = 0; p < entry.parts.size(); ++p) {
    std::map<std::pair<Kind, std::string>, Instant> best;  // of ways alike
    for (Way& way : WaysOf(entry.parts[p], nodes)) {
      if (tries++ == kCheaperTries) break;
      ProposalEntry other = entry;
      other.parts[p] = std::move(way.part);
      other.want_starts = false;
      const std::optional<Instant> then = StartOf(plan, other, now);
      if (!then) continue;
      Instant& so_far = best.try_emplace({way.kind, way.name}, start).first->second;
      if (*then + kCheaperSaves >= so_far) continue;
      so_far = *then;
      found.push_back({way.given_up,
                       {.text = std::move(way.text),
                        .part = entry.parts[p].index,
                        .argv = std::move(way.argv),
                        .start = *then}});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.start) < std::tie(b.first, b.second.start);
  });
  std::vector<CheaperWay> out;
  for (auto& [given_up, way] : found) {
    if (out.size() < schemas::kBlockers) out.push_back(std::move(way));
  }
  return out;
}

std::vector<CheaperWay> Core::State::CheaperWays(const ProposalEntry& entry, Instant start) const {
  return site::CheaperWays(plan, options.nodes, entry, now_floor(), start);
}

}  // namespace muster::site
