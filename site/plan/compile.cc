// Rare chunks first: a chunk with few hosts must not lose them to one that fits anywhere.
#include "site/plan/compile.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "site/plan/partition.h"
#include "site/plan/smallest_switches.h"

namespace muster::plan {
namespace {

// Longest span and offset an order may have, so that no sum of instants overflows.
constexpr Span kLongest{int64_t{1} << 38};

__extension__ using Wide = __int128;

// Largest share of the machine that one set takes (W of OpenCCS Sect. 5.2), in millionths.
int64_t Weight(const Group& group, const machine::Machine& machine) {
  int64_t weight = 0;
  for (const auto& [resource, amount] : group.needs) {
    const int64_t total = machine.Total(resource);
    if (total > 0) {
      const Wide share = Wide{amount} * 1000000 / total;
      weight = std::max(weight, static_cast<int64_t>(std::min<Wide>(share, INT64_MAX)));
    }
  }
  return weight;
}

void AddNeed(Group& group, uint32_t resource, int64_t amount) {
  for (auto& [known, sum] : group.needs) {
    if (known != resource) continue;
    sum = amount > INT64_MAX - sum ? INT64_MAX : sum + amount;
    return;
  }
  group.needs.emplace_back(resource, amount);
}

// Adds `sets` sets of the chunk. False if it wants a resource that the machine does not have.
bool AddChunk(Group& group, const Chunk& chunk, int64_t sets, const machine::Machine& machine) {
  for (const ResourceSet::Entry& e : chunk.resources.entries()) {
    const std::optional<uint32_t> resource = machine.FindResource(e.first);
    if (!resource.has_value()) return false;
    AddNeed(group, *resource, SaturatingProduct(e.second, sets));
  }
  return true;
}

bool CouldHost(uint32_t node, const Group& group, const machine::Machine& machine) {
  return std::all_of(group.needs.begin(), group.needs.end(), [&](const auto& need) {
    return need.second <= machine.Amount(node, need.first);
  });
}

// What every host of a group must satisfy; for a packed part, all that its chunks ask for together.
struct Wanted {
  const Part& part;
  const PartWay& way;
  size_t place;  // of the part within its order
  std::vector<uint32_t> chunks;
  bool known = true;  // the machine has every resource
};

void SlowestFirst(const PartWay& way, const machine::Machine& machine,
                  std::vector<uint32_t>& hosts) {
  const auto value = [&](uint32_t n) {
    return way.values != nullptr ? (*way.values)[n] : machine.Speed(n);
  };
  std::stable_sort(hosts.begin(), hosts.end(),
                   [&](uint32_t a, uint32_t b) { return value(a) < value(b); });
}

HostList HostsOf(const Wanted& wanted, const Group& group, const machine::Machine& machine,
                 const std::vector<bool>& usable, const Hosts& by_rule) {
  std::vector<uint32_t> hosts;
  if (!wanted.known) return HostList(std::move(hosts));
  for (const uint32_t n : machine.cheap_first()) {
    if (!usable[n] || !CouldHost(n, group, machine)) continue;
    if (wanted.way.only != nullptr && !(*wanted.way.only)[n]) continue;
    const bool may = std::all_of(wanted.chunks.begin(), wanted.chunks.end(), [&](uint32_t c) {
      return by_rule.May(wanted.place, c, n) &&
             machine.HasProperties(n, wanted.part.chunks[c].properties);
    });
    if (may) hosts.push_back(n);
  }
  if (wanted.way.prefer == Prefer::kSlowest) SlowestFirst(wanted.way, machine, hosts);
  return HostList(std::move(hosts));
}

void FindHosts(const Wanted& wanted, Group& group, const machine::Machine& machine,
               const std::vector<bool>& usable, const Hosts& by_rule, HostLists* lists) {
  const bool shared = lists != nullptr && wanted.way.only == nullptr;
  if (!shared || wanted.chunks.size() > 1 || !wanted.known) {
    group.hosts = HostsOf(wanted, group, machine, usable, by_rule);
    return;
  }
  const uint32_t chunk = wanted.chunks.front();
  HostLists::Key key{group.needs, wanted.part.chunks[chunk].properties, {}};
  if (!by_rule.open.empty()) key.open = by_rule.open[wanted.place][chunk];
  const HostList* known = lists->Find(key);
  group.hosts = known != nullptr ? *known : HostsOf(wanted, group, machine, usable, by_rule);
  if (known == nullptr) lists->Keep(std::move(key), group.hosts);
}

// Sorts groups: few hosts first, then great weight, then as given.
void Rank(std::vector<Group>& groups, const machine::Machine& machine) {
  std::vector<std::pair<std::pair<size_t, int64_t>, Group>> ranked;
  for (Group& group : groups) {
    const std::pair<size_t, int64_t> rank{group.hosts.size(), -Weight(group, machine)};
    ranked.emplace_back(rank, std::move(group));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  groups.clear();
  for (auto& [rank, group] : ranked) groups.push_back(std::move(group));
}

Policy PolicyFor(const PartWay& way, Policy policy) {
  switch (way.prefer) {
    case Prefer::kSlowest:
      return Policy::kGreedy;
    case Prefer::kFewSwitches:
      return Policy::kSwitch;
    case Prefer::kAsSiteSays:
      break;
  }
  return policy;
}

PartShape CompilePart(const Part& part, const PartWay& way, Span length,
                      const machine::Machine& machine, const std::vector<bool>& usable,
                      Span turnover, const Hosts& by_rule, size_t place, HostLists* lists,
                      Policy policy) {
  const Place lies = way.place.value_or(part.place);
  PartShape shape{part.offset - turnover, length + turnover, lies, part.exclusive, {}, {}, {},
                  PolicyFor(way, policy)};
  shape.restricted = way.only != nullptr;
  shape.sets = way.sets;
  const bool pack = lies == Place::kPack;
  Wanted wanted{part, way, place, {}};
  for (uint32_t c = 0; c < part.chunks.size(); ++c) {
    const Chunk& chunk = part.chunks[c];
    shape.counts.push_back(chunk.count);
    if (!pack || c == 0) {
      shape.groups.push_back({c, pack ? 1 : int64_t{chunk.count / way.sets}, {}, {}});
      wanted.chunks.clear();
      wanted.known = true;
    }
    Group& group = shape.groups.back();
    wanted.chunks.push_back(c);
    wanted.known &= AddChunk(group, chunk, pack ? chunk.count : way.sets, machine);
    if (pack && c + 1 < part.chunks.size()) continue;
    FindHosts(wanted, group, machine, usable, by_rule, lists);
  }
  if (shape.groups.size() > 1) Rank(shape.groups, machine);
  for (const Group& group : shape.groups) {
    for (const auto& need : group.needs) shape.dimensions.push_back(need.first);
  }
  std::sort(shape.dimensions.begin(), shape.dimensions.end());
  shape.dimensions.erase(std::unique(shape.dimensions.begin(), shape.dimensions.end()),
                         shape.dimensions.end());
  if (machine.geometry() != nullptr) {
    MUSTER_CHECK(part.exclusive);
    shape.partition = PartitionFor(shape, machine);
  }
  return shape;
}

// Sums what overlapping parts need of the machine, per stretch between neighbouring begins and ends
// of their windows.
std::vector<SystemNeed> SystemNeeds(const std::vector<PartShape>& parts, uint32_t resources) {
  std::vector<Span> ends;
  for (const PartShape& part : parts) {
    ends.push_back(part.shift);
    ends.push_back(part.shift + part.length);
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::vector<SystemNeed> out;
  for (auto it = ends.begin(); it != ends.end() && std::next(it) != ends.end(); ++it) {
    const Span begin = *it;
    const Span end = *std::next(it);
    std::vector<int64_t> sums(resources, 0);
    for (const PartShape& part : parts) {
      if (part.shift > begin || part.shift + part.length < end) continue;
      for (const Group& group : part.groups) {
        for (const auto& [resource, amount] : group.needs) {
          const int64_t more = SaturatingProduct(amount, group.count);
          int64_t& sum = sums[resource];
          sum = more > INT64_MAX - sum ? INT64_MAX : sum + more;
        }
      }
    }
    for (uint32_t r = 0; r < resources; ++r) {
      if (sums[r] > 0) out.push_back({begin, end - begin, r, sums[r]});
    }
  }
  return out;
}

// Sums what parts that overlap count in one account.
std::vector<AccountNeed> AccountNeeds(const std::vector<PartShape>& parts, const Ruling& ruling) {
  std::map<std::pair<Account, Instant>, std::vector<const Count*>> by_account;
  for (const Count& count : ruling.counts) {
    if (count.binds) by_account[{count.account, count.from}].push_back(&count);
  }
  std::vector<AccountNeed> out;
  for (const auto& [key, counts] : by_account) {
    std::set<Span> ends;
    for (const Count* count : counts) {
      ends.insert(parts[count->part].shift);
      ends.insert(parts[count->part].shift + parts[count->part].length);
    }
    for (auto it = ends.begin(); std::next(it) != ends.end(); ++it) {
      int64_t sum = 0;
      for (const Count* count : counts) {
        const PartShape& part = parts[count->part];
        if (part.shift > *it || part.shift + part.length < *std::next(it)) continue;
        sum = count->amount > INT64_MAX - sum ? INT64_MAX : sum + count->amount;
      }
      if (sum > 0) out.push_back({*it, *std::next(it) - *it, key.first, sum, key.second});
    }
  }
  return out;
}

bool Overlap(const PartShape& a, const PartShape& b) {
  return a.shift < b.shift + b.length && b.shift < a.shift + a.length;
}

}  // namespace

Shape Compile(const Order& order, const Way& way, const machine::Machine& machine,
              const std::vector<bool>& usable, Span turnover, const Ruling& ruling,
              HostLists* lists, Policy policy) {
  Shape shape;
  for (size_t i = 0; i < order.parts.size(); ++i) {
    const Part& part = order.parts[i];
    const PartWay& its = way.parts[i];
    // What is lent is booked by the clock.
    const Span slower = order.stays.has_value() ? Span{0} : SlowerBy(part, its.speed);
    const Span length = part.length + slower;
    shape.parts.push_back(
        CompilePart(part, its, length, machine, usable, turnover, ruling.hosts, i, lists, policy));
    PartShape& last = shape.parts.back();
    if (its.one_switch) {
      const std::vector<bool> all(machine.node_count(), true);
      // Which switches are the smallest depends on neither the level of speed that is searched nor
      // on how an even part lies.
      PartWay any = its;
      any.only = nullptr;
      any.place.reset();
      any.sets = 1;
      last.one_switch = true;
      last.switches = SmallestSwitches(
          CompilePart(part, any, length, machine, all, turnover, ruling.hosts, i, nullptr, policy),
          machine);
    }
    if (last.place == Place::kFree && last.groups.size() > 1) shape.monotone = false;
    for (size_t p = 0; p + 1 < shape.parts.size(); ++p) {
      if (Overlap(shape.parts[p], last)) shape.monotone = false;
    }
  }
  shape.system = SystemNeeds(shape.parts, static_cast<uint32_t>(machine.resource_count()));
  shape.accounts = AccountNeeds(shape.parts, ruling);
  return shape;
}

std::optional<Why> CheckOrder(const Order& order) {
  const auto bad = [](const char* text) {
    return Why{Why::Code::kPolicy, "", "", "", std::nullopt, text};
  };
  if (order.parts.empty()) return bad("a request needs at least one part");
  for (const Part& part : order.parts) {
    if (part.chunks.empty()) return bad("a part needs at least one chunk");
    if (part.set && part.set->attribute.empty()) return bad("a node set names no attribute");
    if (part.offset < Span{0} || part.offset > kLongest) return bad("an offset is out of range");
    if (part.length <= Span{0} || part.length > kLongest) return bad("a duration is out of range");
    for (const Chunk& chunk : part.chunks) {
      if (chunk.count == 0) return bad("a chunk needs a count of at least 1");
      for (const ResourceSet::Entry& e : chunk.resources.entries()) {
        if (e.second < 0) return bad("an amount is below zero");
      }
    }
  }
  return std::nullopt;
}

}  // namespace muster::plan
