// Reasons: which booking on which node keeps an order from starting earlier, and why one can never
// start.
#include <algorithm>
#include <utility>

#include "base/text/node_set.h"
#include "site/plan/mapper.h"
#include "site/plan/plan.h"
#include "site/plan/shape.h"

namespace muster::plan {
namespace {

// "arch=ppc, net=ib"
std::string PropertiesText(const std::map<std::string, std::string>& properties) {
  std::string out;
  for (const auto& [name, value] : properties) {
    if (!out.empty()) out += ", ";
    out += name + "=" + value;
  }
  return out;
}

// An order of this one part, which starts with the order (offset 0).
Order OnlyPart(const Order& order, size_t part) {
  Order out{{order.parts[part]}, order.label, order.who, order.element};
  out.grows = order.grows;
  out.stays = order.stays;
  out.parts.front().offset = Span{0};
  return out;
}

}  // namespace

bool Plan::MapsOnEmpty(const Order& order, const Ruling& ruling, const std::vector<bool>& usable,
                       bool with_defects) const {
  Occupancy empty(machine_, rules_);
  for (const auto& [where, defect] : defects_) {
    if (with_defects || defect.given_up) empty.SetDefect(where.first, where.second, defect.items);
  }
  const std::vector<Way> ways = WaysOf(order, *machine_, time_limits_).all;
  return std::any_of(ways.begin(), ways.end(), [&](const Way& way) {
    const Shape shape = Compile(order, way, *machine_, usable, settings_.turnover, ruling, nullptr,
                                settings_.policy);
    return Mapper(empty, shape).At(Instant{0}).has_value();
  });
}

bool Plan::MapsNow(const Order& order, const Ruling& ruling) const {
  return MapsOnEmpty(order, ruling, usable_, true);
}

bool Plan::MapsWhole(const Order& order, const Ruling& ruling) const {
  std::vector<bool> there = gone_;
  there.flip();
  return MapsOnEmpty(order, ruling, there, false);
}

// REQUIRES: the order maps on the whole machine (MapsWhole), but not as the machine is now
// (MapsNow).
Why Plan::WhyBlocked(const Order& order, const Ruling& ruling) const {
  Why why{Why::Code::kNode, "", "", "", std::nullopt, ""};
  std::vector<bool> there = gone_;
  there.flip();
  const bool in_use = MapsOnEmpty(order, ruling, there, true);
  const auto down = std::find(usable_.begin(), usable_.end(), false);
  if (in_use && down != usable_.end()) {
    why.node = machine_->node(static_cast<uint32_t>(down - usable_.begin())).name;
    why.text = "only with nodes that are out of use, as " + why.node;
    return why;
  }
  // Names the first node and resource with items out of order that some part asks for.
  for (const auto& [where, defect] : defects_) {
    const std::string& resource = machine_->resource(where.second);
    const bool asked = std::any_of(order.parts.begin(), order.parts.end(), [&](const Part& part) {
      return std::any_of(part.chunks.begin(), part.chunks.end(),
                         [&](const Chunk& chunk) { return chunk.resources.Get(resource) > 0; });
    });
    if (defect.given_up || !asked) continue;
    why.node = machine_->node(where.first).name;
    why.resource = resource;
    why.text = "only with what is out of order, as of " + why.node;
    break;
  }
  return why;
}

Why Plan::Binding(const Occupancy& occupancy, uint32_t node, uint32_t dimension, Instant end,
                  Instant until) const {
  Why why{Why::Code::kBooking, machine_->node(node).name, "", "", until, ""};
  if (dimension < occupancy.share()) why.resource = machine_->resource(dimension);
  std::string who = "another booking";
  for (const Occupant& occupant : occupancy.OccupantsOf(node).EndingAt(end)) {
    const Booking* booking = bookings_.Find(occupant.fence);
    if (booking == nullptr) {
      who = "a request planned before it";
      continue;
    }
    const std::vector<NodeUse>& uses = booking->parts[occupant.part].uses;
    const auto use =
        std::find_if(uses.begin(), uses.end(), [node](const NodeUse& u) { return u.node == node; });
    if (use == uses.end() || use->amounts[dimension] == 0) continue;
    if (booking->order.standing) {
      return {
          Why::Code::kReservation, why.node, "", "", until, why.node + ": " + booking->order.label};
    }
    why.label = booking->order.label;
    if (!why.label.empty()) who = "job " + why.label;
    break;
  }
  why.text = why.node + (why.resource.empty() ? "" : " " + why.resource) + ": " + who;
  return why;
}

// One second earlier this mapping did not fit. If an account lacked room then, it is the reason.
// Else the first node and resource that lacked room name the booking that ends where the booked
// window begins. If none lacked room, the reason names no booking.
Why Plan::WhyNotBefore(const Occupancy& occupancy, const Order& order, Instant start,
                       const Mapping& mapping, const Shape& shape) const {
  for (const AccountNeed& need : shape.accounts) {
    const Instant earlier = start - Span{1};
    if (earlier < need.from) continue;
    const Instant begin = earlier + need.shift;
    const rusv::Rusv& used = occupancy.accounts().Of(need.account);
    if (used.FreeIn(begin, begin + need.length) < need.amount) {
      return rules_->Binding(need.account, start);
    }
  }
  const std::vector<std::vector<NodeUse>> uses = UsesOf(order, mapping, occupancy);
  for (size_t p = 0; p < uses.size(); ++p) {
    const Instant begin = start + order.parts[p].offset - settings_.turnover;
    for (const NodeUse& use : uses[p]) {
      for (uint32_t d = 0; d < use.amounts.size(); ++d) {
        if (use.amounts[d] == 0) continue;
        const int64_t free =
            occupancy.Capacity(use.node, d) - occupancy.Of(use.node, d).At(begin - Span{1});
        if (free < use.amounts[d]) {
          const uint32_t share = occupancy.share();
          const bool whole = shape.parts[p].partition.has_value() &&
                             occupancy.Of(use.node, share).At(begin - Span{1}) > 0;
          const uint32_t lacks = whole ? share : d;
          const Instant until = start + order.parts[p].offset;
          return OfTopology(occupancy, shape, start,
                            Binding(occupancy, use.node, lacks, begin, until));
        }
      }
    }
  }
  return {Why::Code::kBooking, "", "", "", start, "the machine is booked until then"};
}

Refused Plan::NeverOrBlocked(const Order& order, const Ruling& ruling,
                             const std::optional<Why>& nonsense) const {
  Refused refused{Refused::Kind::kNever, {}, {}, {}};
  if (nonsense.has_value()) {
    refused.why = *nonsense;
    return refused;
  }
  if (MapsWhole(order, ruling)) {
    refused.kind = Refused::Kind::kBlocked;
    refused.why = WhyBlocked(order, ruling);
    return refused;
  }
  refused.why.code = Why::Code::kNode;
  refused.why.text = "its parts do not fit beside each other, even on the empty machine";
  for (size_t p = 0; p < order.parts.size(); ++p) {
    Order part = OnlyPart(order, p);
    const Ruling on_part = RulingOnEmpty(part);
    if (MapsWhole(part, on_part)) continue;
    refused.why = WhyNever(part, on_part);
    refused.largest = Largest(std::move(part));
    break;
  }
  return refused;
}

Ruling Plan::RulingOnEmpty(const Order& order) const {
  return rules_->On(order, Accounts(rules_), Instant{0});
}

std::string Plan::NoGroupHolds(const NodeSet& set) const {
  if (set.attribute == kSwitchAttribute && machine_->switches().count() == 0) {
    return "no switch is known here";
  }
  if (set.IsOneSwitch()) return "no switch has nodes for all its chunks";
  return "no group of " + text::NodeSetText(set) + " has nodes for all its chunks";
}

// REQUIRES one part.
Why Plan::WhyNever(const Order& order, const Ruling& ruling) const {
  const Part& part = order.parts.front();
  if (part.set) {
    Order anywhere = order;
    anywhere.parts.front().set.reset();
    if (MapsWhole(anywhere, ruling)) {
      return {Why::Code::kTopology, "", "", "", std::nullopt, NoGroupHolds(*part.set)};
    }
  }
  if (part.even && !part.exclusive) {
    Order uneven = order;
    uneven.parts.front().even = false;
    if (MapsWhole(uneven, ruling)) {
      return {Why::Code::kPolicy, "", "", "", std::nullopt, kEqualShares};
    }
  }
  Why why{Why::Code::kNode, "", "", "", std::nullopt, "more chunks than the whole machine takes"};
  if (!ruling.hosts.open.empty() && MapsWhole(order, {})) {
    why.text = ruling.hosts.why;
    return why;
  }
  for (const Chunk& chunk : part.chunks) {
    bool alike = false;
    for (uint32_t n = 0; n < machine_->node_count(); ++n) {
      alike |= machine_->HasProperties(n, chunk.properties);
    }
    if (!alike) {
      why.code = Why::Code::kProperty;
      why.text = "no node has " + PropertiesText(chunk.properties);
      return why;
    }
    for (const ResourceSet::Entry& e : chunk.resources.entries()) {
      int64_t most = 0;
      for (uint32_t n = 0; n < machine_->node_count(); ++n) {
        if (!machine_->HasProperties(n, chunk.properties)) continue;
        most = std::max(most, machine_->node(n).resources.Get(e.first));
      }
      if (most >= e.second) continue;
      why.resource = e.first;
      why.text = most == 0 ? "no node has " + e.first
                           : "no node has more than " + std::to_string(most) + " " + e.first;
      return why;
    }
  }
  if (part.place == Place::kPack) {
    why.text = "no node can take all its chunks together";
  } else if (machine_->geometry() != nullptr) {
    why.code = Why::Code::kTopology;
    why.text = "no partition of this machine holds so many chunks";
  }
  return why;
}

std::vector<Chunk> Plan::Largest(Order order) const {
  Part& part = order.parts.front();
  std::vector<Chunk> wanted = std::move(part.chunks);
  part.chunks.clear();
  for (Chunk& chunk : wanted) {
    // The host that gives most of what is asked, each amount counted as a share of the amount
    // wanted.
    ResourceSet best;
    int64_t best_share = -1;
    for (uint32_t n = 0; n < machine_->node_count(); ++n) {
      if (gone_[n] || !machine_->HasProperties(n, chunk.properties)) continue;
      ResourceSet given;
      int64_t share = 0;
      for (const ResourceSet::Entry& e : chunk.resources.entries()) {
        const int64_t amount = std::min(e.second, machine_->node(n).resources.Get(e.first));
        given.Set(e.first, amount);
        share +=
            static_cast<int64_t>(1e6 * static_cast<double>(amount) / static_cast<double>(e.second));
      }
      if (share > best_share) {
        best_share = share;
        best = std::move(given);
      }
    }
    if (best_share < 0 || (best.empty() && !chunk.resources.empty())) continue;
    chunk.resources = std::move(best);
    uint32_t fits = 0;
    uint32_t fails = chunk.count + 1;
    while (fails - fits > 1) {
      chunk.count = fits + (fails - fits) / 2;
      part.chunks.push_back(chunk);
      (MapsWhole(order, RulingOnEmpty(order)) ? fits : fails) = chunk.count;
      part.chunks.pop_back();
    }
    if (fits == 0) continue;
    chunk.count = fits;
    part.chunks.push_back(chunk);
  }
  return std::move(part.chunks);
}

}  // namespace muster::plan
