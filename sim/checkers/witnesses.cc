// The cheap search node by node comes first and leaves few placings; each of these is then booked
// in the plan checker for a trial.
#include "sim/checkers/witnesses.h"

#include <algorithm>
#include <utility>

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::PartState;

// A request that moves to another site has a tail of kMovingTail there, in which its old place is
// given back before the new one is permitted. It starts kMovingLead from now at the earliest.
// protocol.md section 5.
constexpr Span kMovingTail{60};
constexpr Span kMovingLead{2};
// With more parts there are too many subsets to try for each site.
constexpr size_t kSubsetsOf = 4;
constexpr char kWitness[] = "the witness";

int Count(uint32_t bits) { return __builtin_popcount(bits); }

bool MayBeAt(const schemas::PartSpec& part, const std::string& site) {
  const auto in = [&](const std::vector<std::string>& list) {
    return std::find(list.begin(), list.end(), site) != list.end();
  };
  return (part.sites.empty() || in(part.sites)) && !in(part.not_sites);
}

// True if its processes may be running.
bool HasNodes(const schemas::PartRecord& part) {
  return part.state >= PartState::kStarting && part.state < PartState::kEnded;
}

// Makes every booking count against each pool. The planner keeps a pool's amount free whatever the
// pool's own consumers use, while the plan checker sums the bookings of the others only. So no
// witness is found in room that a pool's own consumers have taken.
PlanFacts PoolsForNobody(PlanFacts facts) {
  for (PoolFacts& pool : facts.pools) {
    pool.open_to = Condition({.subject = Comparison::Subject::kDuration,
                              .op = Comparison::Operator::kLess,
                              .numbers = {0}});
  }
  return facts;
}

// Nodes that the part blocks without a chunk set there: units of its partition.
std::vector<std::string> BareOf(const PlacedPart& part) {
  std::vector<std::string> out;
  for (const std::string& node : part.nodes) {
    const bool hosts = std::any_of(part.sets.begin(), part.sets.end(),
                                   [&](const PlacedSet& set) { return set.node == node; });
    if (!hosts) out.push_back(node);
  }
  return out;
}

}  // namespace

uint32_t AllPartsOf(const schemas::RequestSpec& spec) { return (1U << spec.parts.size()) - 1; }

Witnesses::Site::Site(const site::Options& options, const Layouts& layouts)
    : options(options),
      booked(options, PoolsForNobody(FactsOf(options)), RunsEnd::kWhole),
      facts(FactsOf(options)),
      slack(options.facts.start_slack) {
  placing.nodes = facts.nodes;
  placing.even = options.facts.even;
  const auto layout = layouts.find(options.name);
  if (layout != layouts.end()) placing.layout = layout->second;
}

Witnesses::Witnesses(const CheckedWorld& world, const Layouts& layouts) : world_(world) {
  for (const site::Options& site : world.sites) {
    sites_.emplace(std::piecewise_construct, std::forward_as_tuple(site.name),
                   std::forward_as_tuple(site, layouts));
  }
}

void Witnesses::OnSiteWrites(Moment at, const std::string& name, const SiteWrites& writes) {
  Site& site = sites_.at(name);
  site.booked.Put(at, writes);
  ++site.version;
  for (const auto& write : writes) {
    if (!write.key.starts_with(kNodeKeys)) continue;
    const std::string node = write.key.substr(kNodeKeys.size());
    write.value ? void(site.out_of_use.insert(node)) : void(site.out_of_use.erase(node));
  }
}

void Witnesses::OnOutside(const std::string& name, const driver::Outside& outside) {
  Site& site = sites_.at(name);
  ++site.version;
  const auto name_of = [](uint64_t key) { return "outside " + std::to_string(key); };
  std::vector<uint64_t> gone = outside.gone;
  for (const auto& [key, booking] : site.outside) {
    if (outside.whole) gone.push_back(key);
  }
  for (const uint64_t key : gone) {
    site.booked.checker().Remove(name_of(key));
    site.outside.erase(key);
  }
  for (const driver::OutsideBooking& booking : outside.set) {
    site.outside[booking.key] = booking;
    BookedOrder order{.name = name_of(booking.key), .outside = true};
    BookedPart part{.span = booking.when, .jobwide = booking.jobwide};
    for (const auto& chunk : booking.chunks) part.placed.push_back({chunk.node, chunk.resources});
    order.parts.push_back(std::move(part));
    site.booked.checker().Put(order);
  }
  for (const driver::OutsideNode& node : outside.nodes) {
    node.usable ? void(site.lost.erase(node.node)) : void(site.lost.insert(node.node));
  }
}

std::vector<std::string> Witnesses::Sites() const {
  std::vector<std::string> out;
  for (const auto& [name, site] : sites_) {
    if (!world_.liars.contains(name)) out.push_back(name);
  }
  return out;
}

bool Witnesses::MayKeepItsRoom(const std::string& user, const std::string& site) const {
  if (!sites_.at(site).options.lends_beyond || world_.homes.empty()) return false;
  const auto home = world_.homes.find(user);
  return home == world_.homes.end() || home->second != site;
}

std::vector<Share> Witnesses::SharesAt(const Waiter& waiter, const std::string& site) const {
  const schemas::RequestSpec& spec = *waiter.spec;
  const uint32_t all = AllPartsOf(spec);
  const bool own = !waiter.id.site.empty();
  if (own && waiter.id.site != site) return {};
  if (!own && waiter.home != site && MayKeepItsRoom(waiter.requester->user, site)) return {};
  // What was promised firmly is not given up for a bound.
  const bool firm =
      waiter.booked && std::none_of(waiter.own.begin(), waiter.own.end(),
                                    [this](const auto& hold) { return OnlyBounds(hold.first); });
  if (firm && OnlyBounds(site)) return {};
  std::vector<Share> out;
  for (uint32_t parts = 1; parts <= all; ++parts) {
    const bool some = Count(parts) > 1 && parts != all;
    if (some && (spec.apart || spec.parts.size() > kSubsetsOf)) continue;
    if (Count(parts) > 1 && spec.apart) continue;
    if (parts != all && (own || spec.inside)) continue;
    bool may = true;
    for (size_t p = 0; p < spec.parts.size(); ++p) {
      may = may && ((parts >> p & 1) == 0 || own || MayBeAt(spec.parts[p], site));
    }
    if (may) out.push_back({site, parts});
  }
  return out;
}

Span Witnesses::LengthAt(const Waiter& waiter, const std::string& site) const {
  constexpr int64_t kReference = 1000;
  const auto speed = world_.speeds.find(site);
  const Span asked = waiter.spec->duration;
  if (speed == world_.speeds.end() || waiter.spec->reserves || !waiter.id.site.empty()) {
    return asked;
  }
  return {(asked.seconds * kReference + speed->second - 1) / speed->second};
}

// The tail of a share: start_wait if other sites get parts. A request that moves keeps its old
// place until the new one is certain, and has kMovingTail for that.
Span Witnesses::TailOf(const Waiter& waiter, const Share& share) const {
  if (share.parts != AllPartsOf(*waiter.spec)) return WholeSeconds(world_.values.start_wait);
  const bool moves = waiter.booked && waiter.home != share.site;
  return moves ? kMovingTail : Span{0};
}

Instant Witnesses::StartOf(const Waiter& waiter, const Share& share, Instant second) const {
  const Span turnover = sites_.at(share.site).booked.turnover();
  const bool all = share.parts == AllPartsOf(*waiter.spec);
  const bool moves = waiter.booked && waiter.home != share.site;
  Span wait = turnover;
  if (!all) wait = std::max(turnover, WholeSeconds(world_.values.lead) + Span{1});
  if (all && moves) wait = std::max(turnover, kMovingLead);
  const bool interactive = waiter.spec->request_class == schemas::RequestClass::kInteractive;
  if (interactive && waiter.booked) wait = wait + kInteractiveNotice;
  return second + wait;
}

Instant Witnesses::EndOf(const Waiter& waiter, const Share& share, Instant second) const {
  Span last;
  for (size_t p = 0; p < waiter.spec->parts.size(); ++p) {
    if (share.parts >> p & 1) last = std::max(last, waiter.spec->parts[p].offset);
  }
  return StartOf(waiter, share, second) + last + LongestAt(waiter, share) + TailOf(waiter, share);
}

Span Witnesses::LongestAt(const Waiter& waiter, const Share& share) const {
  const Span length = LengthAt(waiter, share.site);
  std::vector<ResourceSet> has;
  for (const NodeFacts& node : sites_.at(share.site).placing.nodes) has.push_back(node.has);
  Span longest = length;
  for (const std::vector<NodeChoice>& choice : ChoicesAt(waiter, share, has)) {
    for (const NodeChoice& part : choice) longest = std::max(longest, AtSpeed(length, part.speed));
  }
  return longest;
}

Span Witnesses::WaitOf(const Waiter& waiter, const std::string& site) const {
  Span out;
  for (const schemas::PartSpec& part : waiter.spec->parts) {
    const bool reserved = waiter.spec->reserves || waiter.spec->inside;
    out = std::max(out, sim::WaitOf(SetAt(sites_.at(site).options, part.set, reserved)));
  }
  return out;
}

std::vector<std::vector<NodeChoice>> Witnesses::ChoicesAt(
    const Waiter& waiter, const Share& share, const std::vector<ResourceSet>& has) const {
  const Site& site = sites_.at(share.site);
  const schemas::RequestSpec& spec = *waiter.spec;
  std::vector<SetChoices> parts;
  for (size_t p = 0; p < spec.parts.size(); ++p) {
    if ((share.parts >> p & 1) == 0) continue;
    const schemas::PartSpec& part = spec.parts[p];
    std::vector<WantedChunk> wanted;
    for (const schemas::Chunk& chunk : part.chunks) {
      wanted.push_back({int64_t{chunk.count}, chunk.resources, chunk.properties});
    }
    const auto set = SetAt(site.options, part.set, spec.reserves || spec.inside);
    parts.push_back(ChoicesOf(set, spec.reserves.has_value(), wanted, site.placing.nodes, has));
  }
  return TogetherOf(parts);
}

Instant Witnesses::EndOfReservation(RequestId reservation, const std::string& name) const {
  const Site& site = sites_.at(name);
  const std::optional<Fence> hold = site.booked.HoldOf(reservation);
  Instant end{0};
  if (!hold) return end;
  for (const BookedPart& part : site.booked.orders().at(*hold).parts) {
    end = std::max(end, part.span.end);
  }
  return end;
}

// True if a start at `start` meets the request's window, slots and reservation even with the latest
// promise for it. The meta counts it as if it got the slowest nodes that it may have at the site.
bool Witnesses::MayStart(const Waiter& waiter, const Share& share, Instant start) const {
  const schemas::RequestSpec& spec = *waiter.spec;
  Span last;
  for (const schemas::PartSpec& part : spec.parts) last = std::max(last, part.offset);
  const Instant told = start + sites_.at(share.site).slack + TailOf(waiter, share);
  const Instant end = told + last + LongestAt(waiter, share);
  if (spec.from && start < *spec.from) return false;
  if (spec.start_by && told > *spec.start_by) return false;
  if (spec.deadline && end > *spec.deadline) return false;
  const Instant booked_until = start + last + LongestAt(waiter, share) + TailOf(waiter, share);
  if (spec.inside && booked_until > EndOfReservation(*spec.inside, share.site)) return false;
  const auto& slots = spec.slots.intervals();
  return slots.empty() || std::any_of(slots.begin(), slots.end(), [&](const Interval& slot) {
           return slot.begin <= start && end <= slot.end;
         });
}

Witnesses::Choice Witnesses::ChoiceOf(const Waiter& waiter, const Share& share, Instant start,
                                      const std::vector<NodeChoice>& nodes) const {
  const Site& site = sites_.at(share.site);
  const schemas::RequestSpec& spec = *waiter.spec;
  Choice out;
  for (size_t p = 0; p < spec.parts.size(); ++p) {
    if ((share.parts >> p & 1) == 0) continue;
    const schemas::PartSpec& part = spec.parts[p];
    const NodeChoice& chosen = nodes[out.parts.size()];
    const Span length = AtSpeed(LengthAt(waiter, share.site), chosen.speed);
    const auto set = SetAt(site.options, part.set, spec.reserves || spec.inside);
    const Instant begin = start + part.offset;
    BookedPart booked{
        .name = kWitness + std::to_string(p),
        .span = {begin - site.booked.turnover(), begin + length + TailOf(waiter, share)},
        .duration = length,
        .spread = static_cast<Spread>(part.place),
        .exclusive = part.exclusive || site.booked.shaped(),
        .one_switch = set && set->IsOneSwitch(),
        .jobwide = part.jobwide};
    for (const schemas::Chunk& chunk : part.chunks) {
      booked.wanted.push_back({int64_t{chunk.count}, chunk.resources, chunk.properties});
    }
    out.parts.push_back(std::move(booked));
    out.within.push_back(chosen.nodes);
  }
  return out;
}

// The nodes as the request may use them: those of the machine, or of the reservation it runs in.
PlacingRoom Witnesses::RoomAt(const Waiter& waiter, const Share& share, Instant second) const {
  const Site& site = sites_.at(share.site);
  const size_t nodes = site.placing.nodes.size();
  PlacingRoom room;
  room.occupied.resize(nodes);
  std::optional<Fence> system;
  if (waiter.spec->inside) system = site.booked.HoldOf(*waiter.spec->inside);
  for (size_t n = 0; n < nodes; ++n) {
    const NodeFacts& node = site.placing.nodes[n];
    room.has.push_back(system ? ResourceSet() : node.has);
    room.usable.push_back(!site.out_of_use.contains(node.name) && !site.lost.contains(node.name));
  }
  const bool nowhere = waiter.spec->inside && !system;
  if (nowhere) room.usable.assign(nodes, false);
  const std::string inside = system ? ToText(*system) : "";
  for (const auto& [fence, order] : site.booked.orders()) {
    if (waiter.own.contains({share.site, fence})) continue;
    const HoldRecord& hold = site.booked.holds().at(fence);
    for (size_t p = 0; p < order.parts.size(); ++p) {
      const BookedPart& part = order.parts[p];
      // The part stays longer than planned.
      const bool overdue = HasNodes(hold.parts[p]) && part.span.end <= second;
      for (size_t n = 0; n < nodes; ++n) {
        const NodeFacts& node = site.placing.nodes[n];
        ResourceSet amounts;
        bool there = false;
        for (const schemas::ChunkPlace& place : hold.parts[p].place.chunks) {
          if (place.node != node.name) continue;
          there = true;
          amounts += place.resources;
        }
        if (!there) continue;
        if (overdue) room.usable[n] = false;
        if (part.exclusive) amounts = node.has;
        if (system && fence == *system) room.has[n] += amounts;
        if (order.inside != inside) continue;
        room.occupied[n].push_back({part.span, amounts, order.chain, order.name, part.exclusive});
      }
    }
  }
  return room;
}

std::vector<Placing> Witnesses::PlacingsOf(const Waiter& waiter, const Share& share,
                                           Instant second) {
  const Site& site = sites_.at(share.site);
  const Instant start = StartOf(waiter, share, second);
  if (!MayStart(waiter, share, start)) return {};
  const PlacingRoom room = RoomAt(waiter, share, second);
  std::vector<Placing> out;
  for (const std::vector<NodeChoice>& nodes : ChoicesAt(waiter, share, room.has)) {
    const Choice choice = ChoiceOf(waiter, share, start, nodes);
    std::vector<Placing> placings =
        sim::PlacingsOf(choice.parts, site.placing, room, choice.within);
    placings = WithoutBreach(waiter, share, choice.parts, std::move(placings), second);
    out.insert(out.end(), placings.begin(), placings.end());
  }
  return out;
}

std::vector<Placing> Witnesses::WithoutBreach(const Waiter& waiter, const Share& share,
                                              const std::vector<BookedPart>& parts,
                                              std::vector<Placing> placings, Instant second) {
  if (placings.empty()) return placings;
  Site& site = sites_.at(share.site);
  // A pool's share is of the nodes in service, but the plan checker counts all nodes. So no witness
  // is reported here.
  if (!site.facts.pools.empty() && !site.out_of_use.empty()) return {};
  PlanChecker& checker = site.booked.checker();
  for (const auto& [at, fence] : waiter.own) {
    if (at == share.site) checker.Remove(ToText(fence));
  }
  checker.Check(second);  // clears violations that exist without the witness
  BookedOrder order{
      .name = kWitness,
      .user = waiter.requester->user,
      .groups = waiter.requester->groups,
      .account = waiter.spec->account,
      .qos = waiter.spec->qos,
      .queue = waiter.id.site.empty() ? waiter.spec->queue : "",
      .interactive = waiter.spec->request_class == schemas::RequestClass::kInteractive,
      .parts = parts,
      .element = waiter.id.request.is_element(),
      .at_once = StartOf(waiter, share, second) <= second + kAtOnce,
      .federated = waiter.id.site.empty(),
      .reserves = waiter.spec->reserves.has_value()};
  if (waiter.spec->reserves) order.allow = waiter.spec->reserves->allow;
  if (waiter.spec->inside) {
    const std::optional<Fence> system = site.booked.HoldOf(*waiter.spec->inside);
    if (system) order.inside = ToText(*system);
  }
  std::erase_if(placings, [&](const Placing& placing) {
    for (size_t p = 0; p < placing.size(); ++p) {
      order.parts[p].placed = placing[p].sets;
      order.parts[p].bare = BareOf(placing[p]);
    }
    checker.Put(order);
    const bool breach = !checker.Check(second).empty();
    checker.Remove(kWitness);
    return breach;
  });
  for (const auto& [at, fence] : waiter.own) {
    if (at == share.site) checker.Put(site.booked.orders().at(fence));
  }
  return placings;
}

Instant Witnesses::PlanEnd(const Waiter& waiter, const std::string& name) const {
  const Site& site = sites_.at(name);
  Instant end{0};
  for (const auto& [fence, order] : site.booked.orders()) {
    if (!order.federated || waiter.own.contains({name, fence})) continue;
    for (const BookedPart& part : order.parts) end = std::max(end, part.span.end);
  }
  return end;
}

}  // namespace muster::sim
