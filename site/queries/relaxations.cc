// Changes are derived from the entry and judged by the plan's verdict on the changed entry, so that
// rules, reservations and topology count as usual.
#include "site/queries/relaxations.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/units.h"
#include "schemas/limits.h"
#include "site/queries/number_search.h"
#include "verifier/fits.h"

namespace muster::site {

using schemas::CheaperWay;
using schemas::PartDemand;
using schemas::ProposalEntry;

namespace {

// The kind of thing that is given up.
enum class Kind : uint8_t { kSharing, kPlace, kResource, kProperty };

// A thing that can be dropped.
struct Way {
  Kind kind;
  std::string name;  // name of a resource or property
  PartDemand part;
  std::string text;
  std::vector<std::string> argv;
};

// A number that can be reduced; `with` gives the part with another value of it.
struct Number {
  int64_t asked = 0;
  std::vector<int64_t> values;  // smaller values to choose among
  std::function<Way(int64_t)> with;
};

struct Found {
  int64_t given_up = 0;  // 1 for a thing; for a number, the quarters given up
  CheaperWay way;
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

// A resource in words: "a gpu", "gpus", "a phi", "fpga_boards".
std::string ResourceWords(const std::string& name, int64_t most) {
  const bool counted = name.size() > 2 && name.front() == 'n' && name.back() == 's';
  if (!counted) return name;
  return most > 1 ? name.substr(1) : "a " + name.substr(1, name.size() - 2);
}

void AddPlacements(const PartDemand& part, std::vector<Way>& ways) {
  if (part.exclusive) {
    Way way{Kind::kSharing, "", part, "sharing its nodes", {}};
    way.part.exclusive = false;
    way.argv = PlaceArgv(way.part);
    ways.push_back(std::move(way));
  }
  if (part.place != schemas::Place::kFree) {
    Way way{Kind::kPlace, "", part, "placed freely", {}};
    way.part.place = schemas::Place::kFree;
    way.argv = PlaceArgv(way.part);
    ways.push_back(std::move(way));
  }
}

// Processors and memory are rare only if some node has none; every other resource counts as rare.
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
    Way way{Kind::kResource, name, part, "without " + ResourceWords(name, most), {}};
    bool left = true;
    for (schemas::Chunk& chunk : way.part.chunks) {
      chunk.resources.Set(name, 0);
      left = left && !chunk.resources.empty();
    }
    if (!left) continue;  // `alter` would replace the empty chunk by one processor
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
    Way way{Kind::kProperty, name, part, "", {}};
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

// The duration, in steps that people use for times.
Number ShorterTime(const PartDemand& part) {
  static constexpr int64_t kSteps[] = {1,   2,   5,    10,   15,   30,    60,    120,
                                       300, 600, 1800, 3600, 7200, 14400, 43200, 86400};
  const auto with = [&part](int64_t seconds) {
    Way way{{}, "", part, "in " + DurationText(Span{seconds}), {"-t", DurationText(Span{seconds})}};
    way.part.duration = Span{seconds};
    return way;
  };
  return {part.duration.seconds, ValuesBelow(part.duration.seconds, 1, kSteps), with};
}

// The total number of sets, divided among the chunks in proportion.
Number FewerSets(const PartDemand& part) {
  int64_t before = 0;
  for (const schemas::Chunk& chunk : part.chunks) before += chunk.count;
  const auto with = [&part, before](int64_t sets) {
    Way way{{}, "", part, "", {}};
    int64_t after = 0;
    for (schemas::Chunk& chunk : way.part.chunks) {
      const int64_t rest = std::max<int64_t>(int64_t{chunk.count} * sets / before, 1);
      chunk.count = static_cast<uint32_t>(rest);
      after += rest;
    }
    way.text = "with " + std::to_string(after) + " of " + std::to_string(before) + " chunks";
    way.argv = ChunksArgv(way.part);
    return way;
  };
  static constexpr int64_t kSteps[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
  const auto least = static_cast<int64_t>(part.chunks.size());
  return {before, ValuesBelow(before, least, kSteps), with};
}

// The most that any chunk has of a resource.
Number LessOf(const PartDemand& part, const std::string& resource, int64_t most) {
  const auto with = [&part, resource, most](int64_t amount) {
    Way way{{},
            "",
            part,
            "with " + verifier::AmountText(resource, amount) + " instead of " +
                verifier::AmountText(resource, most),
            {}};
    for (schemas::Chunk& chunk : way.part.chunks) {
      if (chunk.resources.Get(resource) > amount) chunk.resources.Set(resource, amount);
    }
    way.argv = ChunksArgv(way.part);
    return way;
  };
  static constexpr int64_t kSteps[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
  return {most, ValuesBelow(most, 1, kSteps), with};
}

std::vector<Number> NumbersOf(const PartDemand& part) {
  std::vector<Number> numbers = {ShorterTime(part), FewerSets(part)};
  std::map<std::string, int64_t> amounts;  // the most that a chunk asks for
  for (const schemas::Chunk& chunk : part.chunks) {
    for (const auto& [name, amount] : chunk.resources.entries()) {
      amounts[name] = std::max(amounts[name], amount);
    }
  }
  for (const auto& [name, most] : amounts) {
    if (numbers.size() < kNumbersSearched) numbers.push_back(LessOf(part, name, most));
  }
  std::erase_if(numbers, [](const Number& number) { return number.values.empty(); });
  return numbers;
}

std::vector<Way> ThingsToDrop(const PartDemand& part, const std::vector<Node>& nodes) {
  std::vector<Way> ways;
  AddPlacements(part, ways);
  AddResources(part, nodes, ways);
  AddProperties(part, ways);
  return ways;
}

std::optional<Instant> StartOf(const SitePlanner& plan, const ProposalEntry& entry, Instant now) {
  const schemas::VerdictEntry verdict = plan.Verify({entry}, now).front();
  const bool starts = verdict.kind == schemas::VerdictKind::kAccepted ||
                      (verdict.kind == schemas::VerdictKind::kCountered && !verdict.starts.empty());
  if (!starts) return std::nullopt;
  return verdict.start;
}

// Tries changes of one part of an entry.
class Trier {
 public:
  Trier(const SitePlanner& plan, const ProposalEntry& entry, size_t part, Instant now,
        Instant before)
      : plan_(plan), entry_(entry), part_(part), now_(now), latest_(before - kRelaxationSaves) {
    entry_.want_starts = false;
  }

  void Drop(Way way) {
    const std::optional<Instant> start = StartWith(way.part);
    if (start && *start <= latest_) Add(1, std::move(way), *start);
  }
  // Finds the largest value with which the entry starts early enough, and the largest with which it
  // starts at once.
  void Lessen(const Number& number) {
    NumberSearch search(number.values,
                        [&](int64_t value) { return StartWith(number.with(value).part); });
    std::optional<int64_t> said;
    for (const Instant latest : {latest_, std::min(latest_, entry_.asked + kRelaxationSaves)}) {
      const auto found = search.Largest(latest);
      if (!found || found->value == said) continue;
      said = found->value;
      Add((4 * (number.asked - found->value) + number.asked - 1) / number.asked,
          number.with(found->value), found->start);
    }
  }
  std::vector<Found> TakeFound() { return std::move(found_); }

 private:
  std::optional<Instant> StartWith(const PartDemand& part) {
    entry_.parts[part_] = part;
    return StartOf(plan_, entry_, now_);
  }
  void Add(int64_t given_up, Way way, Instant start) {
    found_.push_back({given_up,
                      {.text = std::move(way.text),
                       .part = way.part.index,
                       .argv = std::move(way.argv),
                       .start = start,
                       .demand = std::move(way.part)}});
  }

  const SitePlanner& plan_;
  ProposalEntry entry_;
  size_t part_;
  Instant now_;
  Instant latest_;
  std::vector<Found> found_;
};

}  // namespace

std::vector<CheaperWay> Relaxations(const SitePlanner& plan, const std::vector<Node>& nodes,
                                    const ProposalEntry& entry, Instant now, Instant before) {
  std::vector<Found> found;
  size_t tries = 0;
  for (size_t p = 0; p < entry.parts.size(); ++p) {
    Trier trier(plan, entry, p, now, before);
    for (Way& way : ThingsToDrop(entry.parts[p], nodes)) {
      if (tries++ < kRelaxationsTried) trier.Drop(std::move(way));
    }
    for (const Number& number : NumbersOf(entry.parts[p])) trier.Lessen(number);
    for (Found& one : trier.TakeFound()) found.push_back(std::move(one));
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tie(a.given_up, a.way.start) < std::tie(b.given_up, b.way.start);
  });
  std::vector<CheaperWay> out;
  for (Found& one : found) {
    if (out.size() < schemas::kBlockers) out.push_back(std::move(one.way));
  }
  return out;
}

}  // namespace muster::site
