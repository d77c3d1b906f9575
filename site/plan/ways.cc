// Parts without groups of their own share one level of speed, so that their number does not
// multiply the ways.
#include "site/plan/ways.h"

#include <algorithm>
#include <set>
#include <utility>

#include "site/plan/value_groups.h"

namespace muster::plan {
namespace {

using machine::Machine;
using Nodes = std::vector<bool>;
using Choice = NodeSet::Choice;

// What one part may be, with what it adds to its way.
struct Option {
  PartWay way;
  uint32_t wish = 0;
  int64_t value = 0;
};

// Adds the nodes that could host a set of the chunk. This runs for each booking of each pass of
// backfilling, so resources are looked up once and nodes compared by number.
void AddHosts(const Chunk& chunk, const Machine& machine, Nodes& out) {
  std::vector<std::pair<uint32_t, int64_t>> needs;
  for (const ResourceSet::Entry& e : chunk.resources.entries()) {
    if (e.second <= 0) continue;
    const std::optional<uint32_t> resource = machine.FindResource(e.first);
    if (!resource) return;
    needs.emplace_back(*resource, e.second);
  }
  for (uint32_t node = 0; node < machine.node_count(); ++node) {
    if (out[node]) continue;
    const bool fits = std::all_of(needs.begin(), needs.end(), [&](const auto& need) {
      return need.second <= machine.Amount(node, need.first);
    });
    out[node] = fits && machine.HasProperties(node, chunk.properties);
  }
}

// The nodes that could host a set of any of the part's chunks.
Nodes HostsOf(const Part& part, const Machine& machine) {
  Nodes out(machine.node_count(), false);
  for (const Chunk& chunk : part.chunks) AddHosts(chunk, machine, out);
  return out;
}

Nodes Both(const Nodes& a, const Nodes& b) {
  Nodes out(a.size());
  for (size_t n = 0; n < a.size(); ++n) out[n] = a[n] && b[n];
  return out;
}

Nodes Union(const std::vector<NodeGroup>& groups, size_t count) {
  Nodes out(count, false);
  for (const NodeGroup& group : groups) {
    for (size_t n = 0; n < count; ++n) out[n] = out[n] || (*group.nodes)[n];
  }
  return out;
}

// The distinct values of these nodes, the greatest first.
template <class ValueAt>
std::vector<int64_t> Levels(const Nodes& nodes, ValueAt value_at) {
  std::set<int64_t, std::greater<>> out;
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n]) out.insert(value_at(n));
  }
  return {out.begin(), out.end()};
}

template <class ValueAt>
Nodes AtLeast(const Nodes& nodes, int64_t least, ValueAt value_at) {
  Nodes out = nodes;
  for (uint32_t n = 0; n < nodes.size(); ++n) out[n] = nodes[n] && value_at(n) >= least;
  return out;
}

// More ways of lying are not tried for one part.
constexpr size_t kMostEven = 8;

// How many sets of the chunk the node with the most room could take.
int64_t MostSets(const Chunk& chunk, const Machine& machine) {
  int64_t most = 0;
  for (uint32_t node = 0; node < machine.node_count(); ++node) {
    int64_t sets = chunk.count;
    for (const auto& [name, amount] : chunk.resources.entries()) {
      if (amount <= 0) continue;
      const std::optional<uint32_t> resource = machine.FindResource(name);
      sets = resource ? std::min(sets, machine.Amount(node, *resource) / amount) : 0;
    }
    most = std::max(most, sets);
  }
  return most;
}

// How an even part may lie, on the fewest nodes first; empty: it cannot.
std::vector<PartWay> EvenWays(const Part& part, const Machine& machine) {
  std::vector<PartWay> out;
  const Chunk& first = part.chunks.front();
  if (part.chunks.size() > 1) {
    if (part.place == Place::kFree) out.push_back({.place = Place::kPack});
    const bool alike = std::all_of(part.chunks.begin(), part.chunks.end(), [&](const Chunk& chunk) {
      return chunk.resources == first.resources;
    });
    if (alike) out.push_back({.place = Place::kScatter});
    return out;
  }
  const int64_t most = part.place == Place::kScatter ? 1 : MostSets(first, machine);
  for (int64_t sets = std::min<int64_t>(first.count, most); sets > 1; --sets) {
    if (first.count % sets != 0 || out.size() + 1 == kMostEven) continue;
    out.push_back({.place = Place::kScatter, .sets = static_cast<uint32_t>(sets)});
  }
  out.push_back({.place = Place::kScatter});
  return out;
}

class PartOptions {
 public:
  PartOptions(const Part& part, const Machine& machine)
      : part_(part), machine_(machine), hosts_(HostsOf(part, machine)) {
    if (part.set && !part.set->IsOneSwitch()) groups_ = GroupsOn(*part.set, machine, hosts_);
  }

  const std::optional<Why>& none() const { return groups_.none; }
  // Are its groups chosen? Else it has levels alone.
  bool Chooses() const {
    return part_.set && !part_.set->IsOneSwitch() && part_.set->choice != Choice::kAnyOf;
  }

  // Its groups, then the mixtures that are the best without one.
  std::vector<Option> Groups() const {
    std::vector<Option> out;
    uint32_t last = 0;
    for (const NodeGroup& group : groups_.all) {
      Option option{{group.nodes, LeastSpeed(*group.nodes)}, group.wish, group.value};
      option.way.group = group.name;
      option.way.values = groups_.numbers;
      last = std::max(last, group.wish);
      out.push_back(std::move(option));
    }
    if (part_.set->best) AddMixtures(last + 1, out);
    return out;
  }

  // The speeds of its hosts, the fastest first.
  std::vector<int64_t> Speeds() const {
    if (part_.by_clock) return {kFullSpeed};
    std::vector<int64_t> out = Levels(Allowed(), [&](uint32_t n) { return machine_.Speed(n); });
    return out.empty() ? std::vector<int64_t>{kFullSpeed} : out;
  }

  // With the hosts of at least this speed, or, if all are slower, the fastest of them.
  PartWay AtLevel(int64_t least) const {
    PartWay way{.one_switch = part_.set && part_.set->IsOneSwitch()};
    const std::vector<int64_t> speeds = Speeds();
    for (const int64_t speed : speeds) {
      if (speed >= least || speed == speeds.front()) way.speed = speed;
    }
    const bool all = way.speed == speeds.back();
    if (all && groups_.all.empty()) return way;
    const auto at = [&](uint32_t n) { return part_.by_clock ? kFullSpeed : machine_.Speed(n); };
    way.only = std::make_shared<const Nodes>(AtLeast(Allowed(), way.speed, at));
    return way;
  }

 private:
  Nodes Allowed() const {
    return groups_.all.empty() ? hosts_ : Both(hosts_, Union(groups_.all, hosts_.size()));
  }

  int64_t LeastSpeed(const Nodes& nodes) const {
    if (part_.by_clock) return kFullSpeed;
    const Nodes both = Both(nodes, hosts_);
    const std::vector<int64_t> speeds = Levels(both, [&](uint32_t n) { return machine_.Speed(n); });
    return speeds.empty() ? kFullSpeed : speeds.back();
  }

  // For each value the nodes of at least it, the least first: of all mixtures with that slowest
  // node, they are the one of the least loss. Switches have one mixture only. Without numbers and
  // named values, nodes that are in no group mix too.
  void AddMixtures(uint32_t wish, std::vector<Option>& out) const {
    const bool few = part_.set->attribute == kSwitchAttribute;
    const auto at = [&](uint32_t n) {
      return groups_.numbers ? (*groups_.numbers)[n] : machine_.Speed(n);
    };
    const bool any = part_.set->values.empty() && !groups_.numbers;
    const Nodes allowed = any ? hosts_ : Allowed();
    std::vector<int64_t> levels = Levels(allowed, at);
    if (few && !levels.empty()) levels = {levels.back()};
    for (const int64_t least : levels) {
      auto nodes = std::make_shared<const Nodes>(AtLeast(allowed, least, at));
      Option option{{nodes, LeastSpeed(*nodes)}, wish, least};
      option.way.prefer = few ? Prefer::kFewSwitches : Prefer::kSlowest;
      option.way.values = groups_.numbers;
      out.push_back(std::move(option));
    }
  }

  const Part& part_;
  const Machine& machine_;
  Nodes hosts_;
  NodeGroups groups_;
};

// The ways of the parts without groups, one for each level of speed.
void AddLevels(const std::vector<PartOptions>& parts, Ways& out) {
  std::set<int64_t, std::greater<>> levels;
  for (const PartOptions& part : parts) {
    if (part.Chooses()) continue;
    for (const int64_t speed : part.Speeds()) levels.insert(speed);
  }
  if (levels.empty()) levels.insert(kFullSpeed);
  for (const int64_t level : levels) {
    Way& way = out.all.emplace_back();
    way.level = static_cast<uint32_t>(out.all.size() - 1);
    for (const PartOptions& part : parts) {
      way.parts.push_back(part.Chooses() ? PartWay{} : part.AtLevel(level));
    }
  }
}

// Multiplies the ways by the groups of one part. False if there are too many.
bool Multiply(size_t place, const std::vector<Option>& options, Ways& out) {
  if (out.all.size() * options.size() > kMostWays) return false;
  std::vector<Way> before = std::exchange(out.all, {});
  for (const Option& option : options) {
    for (const Way& one : before) {
      Way& way = out.all.emplace_back(one);
      way.parts[place] = option.way;
      way.wish.push_back(option.wish);
      way.value.push_back(option.value);
    }
  }
  return true;
}

// A wait holds for the whole order: the shortest of its parts.
void TakeWait(const NodeSet& set, Ways& out) {
  if (!set.best && set.choice != Choice::kFirstOf) return;
  out.wait = out.has_groups ? std::min(out.wait, set.wait) : set.wait;
  out.has_groups = true;
}

Why NoWay(Why::Code code, std::string text) {
  return {code, "", "", "", std::nullopt, std::move(text)};
}

// Multiplies the ways by those in which one even part may lie.
void MakeEven(const Order& order, size_t place, const Machine& machine, Ways& out) {
  const Part& part = order.parts[place];
  if (!part.even || part.exclusive || part.place == Place::kPack) return;
  std::vector<PartWay> even = EvenWays(part, machine);
  if (even.empty()) {
    out.all.clear();
    out.none = NoWay(Why::Code::kPolicy, kEqualShares);
    return;
  }
  // With too many, those on the fewest nodes are tried.
  even.resize(std::clamp<size_t>(kMostWays / out.all.size(), 1, even.size()));
  std::vector<Way> before = std::exchange(out.all, {});
  for (const Way& one : before) {
    for (size_t i = 0; i < even.size(); ++i) {
      Way& way = out.all.emplace_back(one);
      way.level = static_cast<uint32_t>(one.level * even.size() + i);
      way.parts[place].place = even[i].place;
      way.parts[place].sets = even[i].sets;
    }
  }
}

// Leaves out nodes that do not host parts as long as one of the order's.
void LimitTime(const Order& order, size_t place, const std::vector<TimeLimit>& limits, Ways& out) {
  const Span lasts = order.parts[place].duration();
  auto only = std::make_shared<Nodes>(limits.size(), true);
  const TimeLimit* longest = nullptr;
  for (size_t n = 0; n < limits.size(); ++n) {
    const TimeLimit& limit = limits[n];
    (*only)[n] = limit.most <= Span{0} || lasts <= limit.most;
    if (!(*only)[n] && (longest == nullptr || longest->most < limit.most)) longest = &limit;
  }
  if (longest == nullptr) return;
  if (std::find(only->begin(), only->end(), true) == only->end()) {
    out.all.clear();
    out.none = NoWay(Why::Code::kPolicy, longest->by + ": a part lasts at most " +
                                             std::to_string(longest->most.seconds) + " s here");
    return;
  }
  for (Way& way : out.all) {
    PartWay& part = way.parts[place];
    part.only =
        std::make_shared<const Nodes>(part.only == nullptr ? *only : Both(*part.only, *only));
  }
}

// The only way of an order whose parts have no groups, on nodes of one speed.
Ways OneWay(const Order& order, int64_t speed) {
  Way way;
  for (const Part& part : order.parts) {
    way.parts.push_back({.speed = part.by_clock ? kFullSpeed : speed,
                         .one_switch = part.set && part.set->IsOneSwitch()});
  }
  return {.all = {std::move(way)}};
}

// By sets and speeds.
Ways WaysOfSets(const Order& order, const Machine& machine) {
  const bool plain = std::all_of(order.parts.begin(), order.parts.end(), [](const Part& part) {
    return !part.set || part.set->IsOneSwitch();
  });
  if (plain && machine.one_speed()) return OneWay(order, *machine.one_speed());
  Ways out;
  std::vector<PartOptions> parts;
  parts.reserve(order.parts.size());
  for (const Part& part : order.parts) {
    parts.emplace_back(part, machine);
    if (!out.none) out.none = parts.back().none();
  }
  if (out.none) return out;
  AddLevels(parts, out);
  for (const Part& part : order.parts) {
    if (part.set) TakeWait(*part.set, out);
  }
  for (size_t p = 0; p < parts.size(); ++p) {
    if (!parts[p].Chooses()) continue;
    out.has_groups = true;
    if (Multiply(p, parts[p].Groups(), out)) continue;
    out.all.clear();
    out.none =
        NoWay(Why::Code::kTopology,
              "the node sets of its parts have too many combinations here: name fewer values");
    return out;
  }
  return out;
}

}  // namespace

Ways WaysOf(const Order& order, const Machine& machine, const std::vector<TimeLimit>& limits) {
  Ways out = WaysOfSets(order, machine);
  for (size_t p = 0; p < order.parts.size() && !out.none; ++p) {
    if (!order.standing && !order.outside) LimitTime(order, p, limits, out);
    if (!out.none) MakeEven(order, p, machine, out);
  }
  return out;
}

Span SlowerBy(const Part& part, int64_t speed) {
  const Span duration = part.duration();
  if (part.by_clock || duration <= Span{0}) return {};
  return AtSpeed(duration, speed) - duration;
}

std::vector<Chosen> ChosenBy(const Order& order, const Way& way) {
  std::vector<Chosen> out;
  bool differs = false;
  for (size_t p = 0; p < way.parts.size(); ++p) {
    out.push_back({SlowerBy(order.parts[p], way.parts[p].speed), way.parts[p].group});
    differs = differs || out.back() != Chosen{};
  }
  return differs ? out : std::vector<Chosen>{};
}

}  // namespace muster::plan
