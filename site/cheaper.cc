// What a request could do without to start earlier: each way is tried on the plan as it is, alone.
// OpenCCS Sect. 2 (users want to know why), cli.md section 3 (explain).
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "schemas/limits.h"
#include "site/state.h"
#include "verifier/fits.h"

namespace muster::site {

using schemas::CheaperWay;
using schemas::PartDemand;
using schemas::ProposalEntry;

namespace {

constexpr Span kWorthIt{60};  // what saves less is no advice

struct Way {
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

// "a gpu", "gpus", "licence".
std::string ResourceWords(const std::string& name) {
  if (name == "ngpus") return "a gpu";
  const bool counted = name.size() > 2 && name.front() == 'n' && name.back() == 's';
  return counted ? name.substr(1) : name;
}

void AddPlacements(const PartDemand& part, std::vector<Way>& ways) {
  if (part.exclusive) {
    Way way{part, "sharing its nodes", {"--place", PlaceWord(part.place)}};
    way.part.exclusive = false;
    ways.push_back(std::move(way));
  }
  if (part.place != schemas::Place::kFree) {
    Way way{part, "placed freely", {"--place", part.exclusive ? "free:excl" : "free"}};
    way.part.place = schemas::Place::kFree;
    ways.push_back(std::move(way));
  }
}

void AddResources(const PartDemand& part, std::vector<Way>& ways) {
  std::set<std::string> expensive;
  for (const schemas::Chunk& chunk : part.chunks) {
    for (const auto& [name, amount] : chunk.resources.entries()) {
      if (name != "ncpus" && amount > 0) expensive.insert(name);
    }
  }
  for (const std::string& name : expensive) {
    Way way{part, "without " + ResourceWords(name), {}};
    bool left = true;
    for (schemas::Chunk& chunk : way.part.chunks) {
      chunk.resources.Set(name, 0);
      left = left && !chunk.resources.empty();
    }
    if (!left) continue;
    way.argv = ChunksArgv(way.part);
    ways.push_back(std::move(way));
  }
}

void AddFewer(const PartDemand& part, std::vector<Way>& ways) {
  Way way{part, "", {}};
  uint64_t before = 0;
  uint64_t after = 0;
  for (schemas::Chunk& chunk : way.part.chunks) {
    before += chunk.count;
    chunk.count = std::max<uint32_t>(1, chunk.count / 2);
    after += chunk.count;
  }
  if (after == before) return;
  way.text = "with " + std::to_string(after) + " of " + std::to_string(before) + " chunks";
  way.argv = ChunksArgv(way.part);
  ways.push_back(std::move(way));
}

// What costs least comes first: another placement, less time, less of what is rare, less of all.
std::vector<Way> WaysOf(const PartDemand& part) {
  std::vector<Way> ways;
  AddPlacements(part, ways);
  if (part.duration > Span{1}) {
    const Span half{std::max<int64_t>(1, part.duration.seconds / 2)};
    Way way{part, "in " + DurationText(half), {"-t", DurationText(half)}};
    way.part.duration = half;
    ways.push_back(std::move(way));
  }
  AddResources(part, ways);
  AddFewer(part, ways);
  return ways;
}

}  // namespace

std::vector<CheaperWay> Core::State::CheaperWays(const ProposalEntry& entry, Instant start) const {
  std::vector<CheaperWay> out;
  for (size_t p = 0; p < entry.parts.size(); ++p) {
    for (Way& way : WaysOf(entry.parts[p])) {
      if (out.size() == schemas::kBlockers) return out;
      ProposalEntry other = entry;
      other.parts[p] = std::move(way.part);
      other.want_starts = false;
      const schemas::VerdictEntry verdict = plan.Verify({other}, now_floor()).front();
      const bool starts = verdict.kind == schemas::VerdictKind::kAccepted ||
                          verdict.kind == schemas::VerdictKind::kCountered;
      if (!starts || verdict.start + kWorthIt >= start) continue;
      out.push_back({.text = std::move(way.text),
                     .part = entry.parts[p].index,
                     .argv = std::move(way.argv),
                     .start = verdict.start});
    }
  }
  return out;
}

}  // namespace muster::site
