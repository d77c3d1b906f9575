// Keeps the bookings by order and by node, and checks again what changed. A booking inside of a
// reservation counts in that reservation only, which is a system of its own (Sect. 4, rRS).
#include "sim/plan_checker/plan_checker.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/check.h"
#include "sim/plan_checker/one_order.h"
#include "sim/plan_checker/rule_sums.h"
#include "sim/plan_checker/sums.h"

namespace muster::sim {
namespace {

constexpr char kSystem[] = "";  // bookings outside of any reservation

// The resources that the part takes of the node; none if the part is not on it.
std::optional<ResourceSet> TakenOn(const BookedPart& part, const NodeFacts& node) {
  std::optional<ResourceSet> out;
  for (const PlacedSet& set : part.placed) {
    if (set.node != node.name) continue;
    if (!out) out.emplace();
    *out += set.resources;
  }
  if (out && part.exclusive) return node.has;
  return out;
}

bool AsksForOne(const BookedPart& part, const std::vector<std::string>& resources) {
  return std::any_of(part.wanted.begin(), part.wanted.end(), [&](const WantedChunk& chunk) {
    return std::any_of(resources.begin(), resources.end(), [&](const std::string& resource) {
      return chunk.resources.Get(resource) > 0;
    });
  });
}

std::string At(const Interval& span) { return "at second " + std::to_string(span.begin.seconds); }

}  // namespace

struct PlanChecker::State {
  explicit State(PlanFacts f) : facts(std::move(f)) {
    for (const NodeFacts& node : facts.nodes) {
      MUSTER_CHECK(nodes.emplace(node.name, &node).second);
    }
  }

  void Touch(const BookedOrder& order) {
    touched.insert(order.name);
    for (const BookedPart& part : order.parts) {
      for (const PlacedSet& set : part.placed) touched_nodes.insert(set.node);
    }
  }
  void Index(const BookedOrder& order, bool there) {
    for (const BookedPart& part : order.parts) {
      for (const PlacedSet& set : part.placed) {
        auto& names = on_node[set.node];
        if (there) {
          names.insert(order.name);
        } else {
          names.erase(order.name);
        }
      }
    }
    if (order.inside.empty()) return;
    if (there) {
      inside[order.inside].insert(order.name);
    } else {
      inside[order.inside].erase(order.name);
    }
  }

  std::vector<Taken> TakenOfNode(const NodeFacts& node, const std::string& system) const;
  void CheckNode(const NodeFacts& node, Instant from);
  void CheckRoom(const NodeFacts& node, const ResourceSet& has, const std::string& system,
                 const std::vector<Taken>& taken, Instant from);
  void CheckAlone(const NodeFacts& node, const std::vector<Taken>& taken, Instant from);
  void CheckInside(const BookedOrder& order, Instant from);
  std::vector<Violation> Run(Instant from);

  PlanFacts facts;
  NodesByName nodes;
  OrdersByName orders;
  std::map<std::string, std::set<std::string>> on_node;  // orders by node
  std::map<std::string, std::set<std::string>> inside;   // orders by reservation
  std::set<std::string> touched;
  std::set<std::string> touched_nodes;
  std::vector<Violation> found;
};

std::vector<Taken> PlanChecker::State::TakenOfNode(const NodeFacts& node,
                                                   const std::string& system) const {
  std::vector<Taken> out;
  const auto there = on_node.find(node.name);
  if (there == on_node.end()) return out;
  for (const std::string& name : there->second) {
    const BookedOrder& order = orders.at(name);
    if (order.inside != system) continue;
    for (uint32_t p = 0; p < order.parts.size(); ++p) {
      const BookedPart& part = order.parts[p];
      auto amounts = TakenOn(part, node);
      if (!amounts) continue;
      out.push_back({.span = part.span,
                     .amounts = *std::move(amounts),
                     .chain = order.chain,
                     .order = name,
                     .part = p,
                     .exclusive = part.exclusive});
    }
  }
  return out;
}

void PlanChecker::State::CheckRoom(const NodeFacts& node, const ResourceSet& has,
                                   const std::string& system, const std::vector<Taken>& taken,
                                   Instant from) {
  Sweep(taken, from, [&](const Level& level) {
    if (level.amounts.FitsIn(has)) return true;
    const Breach breach = system == kSystem ? Breach::kTwice : Breach::kReservation;
    found.push_back({breach, node.name + (system == kSystem ? "" : " inside " + system) + " has " +
                                 ToText(has) + " and is booked with " + ToText(level.amounts) +
                                 " " + At(level.span) + " by " + Names(level.who)});
    return false;
  });
}

// Checks that an exclusive part is alone on its node, whatever amounts others take.
void PlanChecker::State::CheckAlone(const NodeFacts& node, const std::vector<Taken>& taken,
                                    Instant from) {
  Sweep(taken, from, [&](const Level& level) {
    for (const Taken* one : level.who) {
      if (!one->exclusive) continue;
      for (const Taken* other : level.who) {
        const bool same = one->order == other->order && one->part == other->part;
        const bool either = one->chain == other->chain && one->order != other->order;
        if (same || either) continue;
        found.push_back({Breach::kExclusive, one->order + " has " + node.name +
                                                 " for itself and yet beside it is " +
                                                 other->order + " " + At(level.span)});
        return false;
      }
    }
    return true;
  });
}

void PlanChecker::State::CheckNode(const NodeFacts& node, Instant from) {
  const std::vector<Taken> taken = TakenOfNode(node, kSystem);
  CheckRoom(node, node.has, kSystem, taken, from);
  CheckAlone(node, taken, from);
  if (!node.kept_for.empty()) {
    std::vector<Taken> others;
    for (const Taken& t : taken) {
      if (!AsksForOne(orders.at(t.order).parts[t.part], node.kept_for)) others.push_back(t);
    }
    ResourceSet left = node.has;
    left -= node.kept;
    Sweep(others, from, [&](const Level& level) {
      if (level.amounts.FitsIn(left)) return true;
      found.push_back({Breach::kKept, node.name + " keeps " + ToText(node.kept) +
                                          " for others, and others have " + ToText(level.amounts) +
                                          " " + At(level.span) + ": " + Names(level.who)});
      return false;
    });
  }
  std::set<std::string> systems;
  for (const std::string& name : on_node[node.name]) systems.insert(orders.at(name).inside);
  for (const std::string& system : systems) {
    if (system == kSystem || !orders.contains(system)) continue;
    ResourceSet has;
    for (const BookedPart& part : orders.at(system).parts) {
      const bool bare = std::find(part.bare.begin(), part.bare.end(), node.name) != part.bare.end();
      const auto amounts = bare ? std::optional(node.has) : TakenOn(part, node);
      if (amounts) has += *amounts;
    }
    const std::vector<Taken> within = TakenOfNode(node, system);
    CheckRoom(node, has, system, within, from);
    CheckAlone(node, within, from);
  }
}

// Checks that the order is within its reservation's time and admitted to it.
void PlanChecker::State::CheckInside(const BookedOrder& order, Instant from) {
  const auto it = orders.find(order.inside);
  if (it == orders.end() || !it->second.reserves) {
    for (const BookedPart& part : order.parts) {
      if (part.span.end <= from) continue;
      found.push_back({Breach::kReservation,
                       part.name + " is booked inside " + order.inside + ", which is not there"});
    }
    return;
  }
  const BookedOrder& reservation = it->second;
  if (order.user != reservation.user && !Allows(reservation.allow, order)) {
    found.push_back({Breach::kReservation, order.name + " of " + order.user + " is inside " +
                                               order.inside + ", which is not for them"});
  }
  for (const BookedPart& part : order.parts) {
    const bool covered = std::any_of(
        reservation.parts.begin(), reservation.parts.end(), [&](const BookedPart& room) {
          return room.span.begin <= part.span.begin && part.span.end <= room.span.end;
        });
    if (covered || part.span.end <= from) continue;
    found.push_back(
        {Breach::kReservation, part.name + " is booked inside " + order.inside +
                                   " and outlasts it: " + ToText(IntervalSet({part.span}))});
  }
}

std::vector<Violation> PlanChecker::State::Run(Instant from) {
  found.clear();
  std::set<std::string> users;
  for (const std::string& name : std::set<std::string>(touched)) {
    for (const std::string& other : inside[name]) touched.insert(other);
  }
  for (const std::string& name : touched) {
    const auto it = orders.find(name);
    if (it == orders.end()) continue;
    for (Violation& v : CheckOneOrder(it->second, nodes, facts.above))
      found.push_back(std::move(v));
    if (!it->second.inside.empty()) CheckInside(it->second, from);
    users.insert(it->second.user);
  }
  for (const std::string& name : touched_nodes) {
    const auto it = nodes.find(name);
    if (it != nodes.end()) CheckNode(*it->second, from);
  }
  if (!users.empty()) {
    for (Violation& v : CheckRules(facts, orders, users, from)) found.push_back(std::move(v));
  }
  touched.clear();
  touched_nodes.clear();
  return std::move(found);
}

PlanChecker::PlanChecker(PlanFacts facts) : state_(std::make_unique<State>(std::move(facts))) {}
PlanChecker::PlanChecker(PlanChecker&&) noexcept = default;
PlanChecker::~PlanChecker() = default;

void PlanChecker::Put(BookedOrder order) {
  if (order.chain.empty()) order.chain = order.name;
  Remove(order.name);
  state_->Touch(order);
  state_->Index(order, true);
  const std::string name = order.name;
  state_->orders.emplace(name, std::move(order));
}

void PlanChecker::Remove(const std::string& name) {
  const auto it = state_->orders.find(name);
  if (it == state_->orders.end()) return;
  state_->Touch(it->second);
  state_->Index(it->second, false);
  state_->orders.erase(it);
}

std::vector<Violation> PlanChecker::Check(Instant from) { return state_->Run(from); }

std::vector<Violation> PlanChecker::CheckAll(Instant from) {
  for (const auto& [name, order] : state_->orders) state_->Touch(order);
  return state_->Run(from);
}

size_t PlanChecker::booked() const { return state_->orders.size(); }

}  // namespace muster::sim
