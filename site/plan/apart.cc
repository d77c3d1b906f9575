// See apart.h.
#include "site/plan/apart.h"

#include <algorithm>
#include <map>

#include "site/plan/ways.h"

namespace muster::plan {
namespace {

using rusv::Rusv;
using rusv::Slot;

// What it costs, in looks at nodes: of a booking that is looked at, and of a use that is added and
// removed again.
constexpr uint64_t kNotedLooks = 4;
constexpr uint64_t kAddedLooks = 40;

int64_t MostUsed(const Rusv& vector, const Interval& when) {
  return vector.avl() - vector.FreeIn(when.begin, when.end);
}

// What has to be added to the vector so that at each instant it is at least at every level: whoever
// fits then has room as well when those come who set the levels, one after another or together.
std::vector<Slot> MissingIn(const Rusv& vector, const std::vector<Slot>& levels, Instant from) {
  Rusv most(INT64_MAX);
  for (const Slot& level : levels) {
    const Instant begin = std::max(level.start, from);
    if (begin >= level.stop || level.items <= 0) continue;
    Rusv one(INT64_MAX);
    one.Increment({begin, level.stop, level.items});
    most = rusv::Max(most, one);
  }
  std::vector<Slot> out;
  for (const Slot& level : most.Slots()) {
    for (Instant at = level.start; at < level.stop;) {
      const Instant next = std::min(level.stop, vector.NextEdge(at));
      const int64_t lacks = level.items - vector.At(at);
      if (lacks > 0) out.push_back({at, next, lacks});
      at = next;
    }
  }
  return out;
}

}  // namespace

bool Plan::Apart::IsNeeded(const Plan& plan, const Order& order) {
  return (order.waits_for_lent && !plan.lent_.empty()) ||
         (order.stays.has_value() && !plan.waiting_.empty());
}

Plan::Apart::Apart(const Plan& plan, const Order& order, const IntervalSet& allowed,
                   Occupancy& occupancy, const std::vector<Fence>& ignoring)
    : occupancy_(occupancy) {
  if (!IsNeeded(plan, order) || allowed.empty() || order.parts.empty()) return;
  labels_.insert(order.label);
  for (const Fence& fence : ignoring) {
    if (plan.Has(fence)) labels_.insert(plan.OrderOf(fence).label);
  }
  labels_.erase("");
  Added lent = LentRest(plan);
  Put(lent, true);
  Stretches stretches;
  if (order.stays.has_value()) {
    const auto& windows = allowed.intervals();
    const Instant soon = std::max(windows.front().begin, occupancy.forgotten()) + kLentSoon;
    // Whoever waits has to have room beside all that is lent already.
    stretches = BeforeWaiting(plan, order, std::min(windows.back().end, soon));
  }
  if (order.waits_for_lent) {
    added_.push_back(std::move(lent));
  } else {
    Put(lent, false);
  }
  added_.push_back(Missing(stretches));
  Put(added_.back(), true);
  // So that passes and verdicts keep to their budgets.
  uint64_t looks = kNotedLooks * (plan.lent_.size() + plan.waiting_.size());
  for (const Added& added : added_) looks += kAddedLooks * added.uses.size();
  occupancy_.Look(looks);
}

Plan::Apart::~Apart() {
  for (const Added& added : added_) Put(added, false);
}

void Plan::Apart::Put(const Added& what, bool add) {
  for (const auto& [account, slot] : what.counts) {
    add ? occupancy_.accounts().Add(account, slot) : occupancy_.accounts().Remove(account, slot);
  }
  for (const auto& [node, occupant] : what.occupants) {
    add ? occupancy_.AddOccupant(node, occupant) : occupancy_.RemoveOccupant(node, occupant);
  }
  if (what.uses.empty()) return;
  add ? occupancy_.Add(what.uses) : occupancy_.Remove(what.uses);
}

// What is lent, from the end of its booking to the end for which it may stay.
Plan::Apart::Added Plan::Apart::LentRest(const Plan& plan) const {
  Added out;
  for (const Fence& fence : plan.lent_) {
    const Booking& lent = plan.bookings_.At(fence);
    if (IsSameJob(lent.order)) continue;
    const Span slower = lent.chosen.empty() ? Span{0} : lent.chosen.front().slower;
    const Instant end = lent.start + *lent.order.stays + slower;
    for (uint32_t p = 0; p < lent.parts.size(); ++p) {
      const Booked& part = lent.parts[p];
      if (part.end >= end) continue;
      for (const NodeUse& use : part.uses) {
        for (uint32_t d = 0; d < use.amounts.size(); ++d) {
          if (use.amounts[d] > 0) out.uses.push_back({use.node, d, part.end, end, use.amounts[d]});
        }
        out.occupants.emplace_back(use.node, Occupant{end, part.end, fence, p});
      }
    }
    for (const Count& count : lent.counts) {
      const Instant begin = lent.parts[count.part].end;
      if (begin < end) out.counts.emplace_back(count.account, Slot{begin, end, count.amount});
    }
  }
  return out;
}

// Whoever is booked for less than it may stay, from `last` at the latest, must have room as well
// while those are there who begin in the time that it may stay; on the slowest nodes, as nothing is
// chosen yet.
Plan::Apart::Stretches Plan::Apart::BeforeWaiting(const Plan& plan, const Order& order,
                                                  Instant last) const {
  const Part& lent = order.parts.front();
  Span stays = *order.stays;
  for (uint32_t n = 0; n < plan.machine_->node_count(); ++n) {
    stays = std::max(stays, *order.stays + SlowerBy(lent, plan.machine_->Speed(n)));
  }
  const Span longer = stays - lent.length;
  Stretches out;
  for (const Fence& fence : plan.waiting_) {
    const Booking& waits = plan.bookings_.At(fence);
    if (IsSameJob(waits.order)) continue;
    const auto stretch = [&](const Booked& part, const Rusv& used) {
      return Slot{part.begin - longer, part.begin, MostUsed(used, {part.begin, part.end})};
    };
    const auto comes = [&](const Booked& part) {
      return part.begin > occupancy_.forgotten() && part.begin < last + stays &&
             part.begin < part.end;
    };
    for (const Booked& part : waits.parts) {
      if (!comes(part)) continue;
      for (const NodeUse& use : part.uses) {
        for (uint32_t d = 0; d < use.amounts.size(); ++d) {
          if (use.amounts[d] == 0) continue;
          out.nodes[{use.node, d}].push_back(stretch(part, occupancy_.Of(use.node, d)));
        }
      }
    }
    for (const Count& count : waits.counts) {
      const Booked& part = waits.parts[count.part];
      if (!count.binds || !comes(part)) continue;
      out.accounts[count.account].push_back(stretch(part, occupancy_.accounts().Of(count.account)));
    }
  }
  return out;
}

Plan::Apart::Added Plan::Apart::Missing(const Stretches& stretches) const {
  const Instant from = occupancy_.forgotten();
  Added out;
  for (const auto& [where, levels] : stretches.nodes) {
    for (const Slot& slot : MissingIn(occupancy_.Of(where.first, where.second), levels, from)) {
      out.uses.push_back({where.first, where.second, slot.start, slot.stop, slot.items});
    }
  }
  for (const auto& [account, levels] : stretches.accounts) {
    for (const Slot& slot : MissingIn(occupancy_.accounts().Of(account), levels, from)) {
      out.counts.emplace_back(account, slot);
    }
  }
  return out;
}

}  // namespace muster::plan
