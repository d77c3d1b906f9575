// Malleable parts: a running part gives chunk sets back, which are free at once, or asks for more
// and gets them if they are free until its end. No booking moves for it. OpenCCS Sect. 8 names this
// as future work.
#include "site/holds/resizing.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/check.h"
#include "schemas/limits.h"
#include "site/holds/hold_facts.h"
#include "site/planning/environment.h"

namespace muster::site {

using schemas::ChunkPlace;
using schemas::HoldRecord;
using schemas::PartDemand;
using schemas::PartPlace;
using schemas::PartRecord;
using schemas::PartState;
using schemas::Steered;

namespace {

constexpr int kMomentsTried = 16;  // instants tried to find when more sets are possible

Steered NotResized(std::string text) { return {.done = false, .text = std::move(text)}; }

using Sets = std::vector<std::vector<ChunkPlace>>;  // of a part, by chunk

Sets ByChunk(const PartRecord& part, const PartDemand& demand) {
  Sets sets;
  auto next = part.place.chunks.begin();
  for (const uint64_t count : CountsOf(part, demand)) {
    MUSTER_CHECK(static_cast<uint64_t>(part.place.chunks.end() - next) >= count);
    sets.emplace_back(next, next + static_cast<ptrdiff_t>(count));
    next += static_cast<ptrdiff_t>(count);
  }
  return sets;
}

PartPlace PlaceOf(uint32_t index, Sets sets) {
  PartPlace place{.index = index};
  for (auto& chunk : sets) place.chunks.insert(place.chunks.end(), chunk.begin(), chunk.end());
  return place;
}

// Why a part can never have these numbers of sets; empty: it might.
std::string WhatIsWrongWith(const std::vector<uint64_t>& counts, const PartDemand& demand,
                            const std::vector<uint64_t>& now) {
  if (counts.size() != demand.chunks.size()) {
    return "it has " + std::to_string(demand.chunks.size()) + " chunks, not " +
           std::to_string(counts.size());
  }
  for (size_t c = 0; c < counts.size(); ++c) {
    const schemas::Chunk& chunk = demand.chunks[c];
    const std::string which = "chunk " + std::to_string(c + 1);
    const bool rigid = chunk.least == 0 && chunk.most == 0;
    if (rigid && counts[c] != now[c]) return which + " is rigid";
    if (!rigid && (counts[c] < chunk.least || counts[c] > chunk.most)) {
      return which + " has " + std::to_string(chunk.least) + " to " + std::to_string(chunk.most) +
             " sets";
    }
  }
  const auto first = std::find_if(now.begin(), now.end(), [](uint64_t count) { return count > 0; });
  if (first == now.end() || counts[first - now.begin()] == 0) {
    return "the set that runs its command stays";
  }
  return "";
}

bool HasAny(const std::vector<uint64_t>& counts) {
  return std::any_of(counts.begin(), counts.end(), [](uint64_t n) { return n > 0; });
}

// An exclusive part has its nodes to itself, so further sets that fit there are already its own.
// Adds such sets node by node, only of chunks that the part has on the node, at most `most` of each
// chunk. Returns how many were added of each.
std::vector<uint64_t> FillItsNodes(const std::vector<Node>& nodes, Sets& sets,
                                   const std::vector<uint64_t>& most) {
  std::map<std::string, ResourceSet> taken;
  for (const std::vector<ChunkPlace>& chunk : sets) {
    for (const ChunkPlace& set : chunk) taken[set.node] += set.resources;
  }
  std::vector<uint64_t> added(sets.size());
  for (const Node& node : nodes) {
    const auto there = taken.find(node.name);
    if (there == taken.end()) continue;
    ResourceSet left = node.resources;
    left -= there->second;
    for (size_t c = 0; c < sets.size(); ++c) {
      const auto one = std::find_if(sets[c].begin(), sets[c].end(),
                                    [&](const ChunkPlace& set) { return set.node == node.name; });
      if (one == sets[c].end()) continue;
      const ChunkPlace set = *one;
      for (; added[c] < most[c] && set.resources.FitsIn(left); ++added[c]) {
        left -= set.resources;
        sets[c].push_back(set);
      }
    }
  }
  return added;
}

std::set<std::string> NodesIn(const PartPlace& place) {
  const std::vector<std::string> nodes = NodesOf(place);
  return {nodes.begin(), nodes.end()};
}

// Sets the counts and place of the part in `hold` to these sets.
void SetSets(HoldRecord& hold, uint32_t index, Sets sets) {
  PartRecord& part = PartOf(hold, index);
  part.counts.clear();
  for (const auto& chunk : sets) part.counts.push_back(chunk.size());
  PartPlace place = PlaceOf(index, std::move(sets));
  place.slower = part.place.slower;
  place.group = part.place.group;
  part.place = std::move(place);
}

}  // namespace

Steered Resizing::ResizePart(const PartKey& part, const std::vector<uint64_t>& counts) {
  const auto& [fence, index] = part;
  const HoldRecord& hold = *ledger().Find(fence);
  const PartRecord& record = PartOf(hold, index);
  const PartDemand& demand = DemandOf(hold, index);
  const std::string name = PartName(hold.order, index);
  if (record.state != PartState::kRunning || IsStopping(hold) || Reserves(hold)) {
    return NotResized(name + " does not run; nothing was changed");
  }
  if (options().units.geometry != nullptr) {
    return NotResized(
        name + " has a partition of this machine, which stays as it is; nothing was changed");
  }
  const std::vector<uint64_t> before = CountsOf(record, demand);
  const std::string wrong = WhatIsWrongWith(counts, demand, before);
  if (!wrong.empty()) return NotResized(name + ": " + wrong + "; nothing was changed");
  if (counts == before) return {.done = true, .text = name + " has these sets already"};
  std::vector<uint64_t> added(counts.size());
  Sets sets = ByChunk(record, demand);
  for (size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] > before[c]) added[c] = counts[c] - before[c];
    if (counts[c] < before[c]) sets[c].resize(counts[c]);  // the last mapped go first
  }
  if (HasAny(added)) {
    auto got = Grow(part, std::move(sets), added);
    if (auto* why = std::get_if<std::string>(&got)) return NotResized(name + *why);
    sets = std::get<Sets>(std::move(got));
    HoldRecord grown = hold;
    SetSets(grown, index, sets);
    if (!WallsOf(grown).empty()) {
      return NotResized(name +
                        " gets more sets only from the nodes that its site has for good; "
                        "nothing was changed");
    }
  }
  SetSets(records().Edit(fence), index, std::move(sets));
  planner().Free(fence);
  RestoreBooking(hold);
  Replace(part, record.place, demand.exclusive);
  TouchWaiting();
  ReportRunning(part);
  Drive(driver::ResizePart{.token = record.token, .place = record.place});
  SomethingIsFree();
  std::string text = name + " is on";
  for (const std::string& node : NodesOf(record.place)) text += " " + node;
  return {.done = true, .text = std::move(text)};
}

// The part's sets and `added` more, from now to its end. An exclusive part first fills its own
// nodes; the rest comes from free nodes. Otherwise why not, and from when it could.
std::variant<Sets, std::string> Resizing::Grow(const PartKey& part, Sets sets,
                                               std::vector<uint64_t> added) const {
  const auto& [fence, index] = part;
  HoldRecord hold = *ledger().Find(fence);
  const PartDemand demand = DemandOf(hold, index);
  const std::set<std::string> before = NodesIn(PartOf(hold, index).place);
  SitePlanner trial = plan();
  if (demand.exclusive && demand.place != schemas::Place::kScatter) {
    SetSets(hold, index, sets);
    const std::vector<uint64_t> inside = FillItsNodes(options().nodes, sets, added);
    for (size_t c = 0; c < added.size(); ++c) added[c] -= inside[c];
    const std::string why = HasAny(inside) ? WhyNotInside(hold, index, inside) : "";
    if (!why.empty()) return why;
    if (!HasAny(added)) return sets;
    SetSets(hold, index, sets);
    trial.Free(fence);
    RestoreIn(trial, hold);
  }
  trial.OnlyOn(NodesForMore(hold, index, before));
  auto got = AskForMore(trial, hold, index, added);
  if (auto* why = std::get_if<std::string>(&got)) return std::move(*why);
  const PartPlace& place = std::get<PartPlace>(got);
  if (!Clean(place, demand.exclusive)) {
    return " cannot have that many sets yet: what ran there before is not gone; nothing was "
           "changed";
  }
  auto next = place.chunks.begin();
  for (size_t c = 0; c < added.size(); ++c) {
    const auto end = next + static_cast<ptrdiff_t>(added[c]);
    sets[c].insert(sets[c].end(), next, end);
    next = end;
  }
  return sets;
}

// Why an exclusive part may not have these sets on its own nodes; empty: it may. The room is there
// even if a node is drained, but rules may forbid the sets. So they are booked on trial beside the
// part, as if it shared its nodes. Pools and the federation's share count no more nodes than
// before.
std::string Resizing::WhyNotInside(HoldRecord hold, uint32_t index,
                                   const std::vector<uint64_t>& added) const {
  for (PartDemand& each : hold.order.parts) {
    if (each.index == index) each.exclusive = false;
  }
  SitePlanner trial = plan();
  trial.Free(hold.order.fence);
  RestoreIn(trial, hold);
  trial.OnlyOn(NodesIn(PartOf(hold, index).place));
  auto got = AskForMore(trial, hold, index, added);
  auto* why = std::get_if<std::string>(&got);
  return why == nullptr ? "" : std::move(*why);
}

// Usable nodes on which the part's placement allows more sets. Grouped chunks must stay below their
// switch, so on the part's own nodes. Nodes that it gives back at the same instant are not clean
// yet.
std::set<std::string> Resizing::NodesForMore(const HoldRecord& hold, uint32_t index,
                                             const std::set<std::string>& before) const {
  const PartDemand& demand = DemandOf(hold, index);
  const bool only_own = demand.place == schemas::Place::kPack || !demand.set.empty();
  const bool only_others = demand.place == schemas::Place::kScatter;
  const std::set<std::string> own = NodesIn(PartOf(hold, index).place);
  std::set<std::string> out;
  for (uint32_t n = 0; n < options().nodes.size(); ++n) {
    const std::string& name = options().nodes[n].name;
    const bool its_own = own.contains(name);
    const bool leaves = before.contains(name) && !its_own;
    if (plan().Usable(n) && !leaves && (its_own ? !only_others : !only_own)) out.insert(name);
  }
  return out;
}

// A place for `added` more sets that is free in the trial plan from now to the end of the part,
// which is booked there as in `hold`. Otherwise why not, and from when it could.
std::variant<PartPlace, std::string> Resizing::AskForMore(
    SitePlanner& trial, const HoldRecord& hold, uint32_t index,
    const std::vector<uint64_t>& added) const {
  const Fence tried{hold.order.fence.epoch, UINT64_MAX};
  verifier::Demand demand = DemandNow(hold);
  demand.grows = true;
  PartDemand& asked = demand.parts.front();
  asked = DemandOf(hold, index);
  std::vector<schemas::Chunk> chunks;
  for (size_t c = 0; c < added.size(); ++c) {
    if (added[c] == 0) continue;
    chunks.push_back(asked.chunks[c]);
    chunks.back().count = static_cast<uint32_t>(added[c]);
  }
  asked.chunks = std::move(chunks);
  asked.offset = {};
  asked.tail = {};
  asked.jobwide = {};
  asked.set.clear();
  asked.by_clock = true;
  demand.parts.resize(1);
  const Instant end = trial.EndOf(hold.order.fence, index);
  Instant from = now_floor() + options().facts.turnover;
  std::optional<schemas::Reason> why;
  for (int tries = 0; tries < kMomentsTried && from < end; ++tries) {
    asked.duration = end - from;
    demand.allowed = IntervalSet::Only(from);
    auto answer = trial.Book(tried, demand, now_floor(), std::nullopt);
    if (auto* booked = std::get_if<verifier::Booked>(&answer)) {
      if (!why) return std::move(booked->places.front());
      return " cannot have that many sets now: " + why->text + "; it could from " +
             Rfc3339(from - options().facts.turnover) + "; nothing was changed";
    }
    const auto& refusal = std::get<schemas::VerdictEntry>(answer);
    if (!why) why = refusal.reason.value_or(schemas::Reason{});
    if (!refusal.reason || !refusal.reason->until || *refusal.reason->until <= from) break;
    from = *refusal.reason->until;
  }
  std::string text = " cannot have that many sets before its end";
  if (why && !why->text.empty()) text += ": " + why->text;
  return text + "; nothing was changed";
}

}  // namespace muster::site
