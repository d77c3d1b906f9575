// Restores and revokes. Bookings of which at most one runs form a group, and a group is booked as
// its envelope: the maximum of its members at every instant of every node (G2).
#include "site/plan/plan.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "site/plan/mapper.h"

namespace muster::plan {

using rusv::Rusv;

namespace {

// Rules that restrict nothing: only the machine does.
class NoRules : public Rules {
 public:
  Ruling On(const Order&, const Accounts&, Instant) const override { return {}; }
  Rusv Empty(const Account&) const override { return Rusv(0); }
  Why Binding(const Account&, Instant) const override { return {}; }
};

}  // namespace

Plan::Plan(std::shared_ptr<const machine::Machine> machine, Settings settings,
           std::shared_ptr<const Rules> rules)
    : machine_(std::move(machine)),
      settings_(settings),
      rules_(rules != nullptr ? std::move(rules) : std::make_shared<NoRules>()),
      usable_(machine_->node_count(), true),
      gone_(machine_->node_count(), false),
      occupancy_(machine_, rules_),
      local_(machine_->classes().size()) {
  MUSTER_CHECK(settings_.turnover >= Span{0} && settings_.horizon >= Span{0});
  for (size_t c = 0; c < local_.size(); ++c) {
    for (uint32_t r = 0; r < machine_->resource_count(); ++r) {
      int64_t total = 0;
      for (const uint32_t node : machine_->classes()[c].nodes) total += machine_->Amount(node, r);
      local_[c].emplace_back(total);
    }
  }
}

void Plan::Restore(const Fence& fence, Order order, Instant start,
                   std::vector<std::vector<NodeUse>> uses, std::vector<Chosen> chosen) {
  MUSTER_CHECK(!Has(fence) && uses.size() == order.parts.size());
  const Ruling ruling = rules_->On(order, occupancy_.accounts(), start);
  Insert(fence, MakeBooking(std::move(order), ruling, start, std::move(uses), std::move(chosen)),
         std::nullopt);
}

void Plan::Join(const Fence& fence, const Fence& beside) {
  if (fence == beside || !Has(fence) || !Has(beside)) return;
  const uint64_t group = bookings_.At(fence).group;
  if (group != 0 && group == bookings_.At(beside).group) return;
  // One of the two bookings must be in no group yet: two groups are never merged.
  const Fence& single = group == 0 ? fence : beside;
  const Fence& other = group == 0 ? beside : fence;
  MUSTER_CHECK(bookings_.At(single).group == 0);
  Booking booking = bookings_.At(single);
  Free(single);
  Insert(single, std::move(booking), other);
}

void Plan::Free(const Fence& fence) {
  const Booking* found = bookings_.Find(fence);
  if (found == nullptr) return;
  Put(occupancy_, MembersOf(fence, *found), false);
  const Booking booking = bookings_.Take(fence);
  PutLocal(fence, booking, false);
  lent_.erase(fence);
  waiting_.erase(fence);
  const uint64_t group = booking.group;
  if (group != 0) {
    std::vector<Fence>& members = groups_.at(group);
    std::erase(members, fence);
    Put(occupancy_, MembersOf(members.front()), true);
    if (members.size() == 1) {
      bookings_.At(members.front()).group = 0;
      groups_.erase(group);
    }
  }
  ++revision_;
}

void Plan::FreePartFrom(const Fence& fence, size_t part, Instant from) {
  Booking* booking = bookings_.Find(fence);
  if (booking == nullptr || part >= booking->parts.size()) return;
  Booked& booked = booking->parts[part];
  if (booked.end <= from || booked.begin >= booked.end) return;
  Put(occupancy_, MembersOf(fence, *booking), false);
  PutLocal(fence, *booking, false);
  booked.end = std::max(booked.begin, from);
  Put(occupancy_, MembersOf(fence, *booking), true);
  PutLocal(fence, *booking, true);
  ++revision_;
}

Instant Plan::RoomUntil(const Fence& fence, size_t part, Instant until) const {
  const Booking& booking = bookings_.At(fence);
  const Booked& booked = booking.parts[part];
  const Instant from = std::max(booked.end, occupancy_.forgotten());
  Instant room = until;
  for (const NodeUse& use : booked.uses) {
    for (uint32_t d = 0; d < use.amounts.size(); ++d) {
      if (use.amounts[d] == 0) continue;
      room = std::min(room, occupancy_.Of(use.node, d).FirstShort(use.amounts[d], from));
    }
  }
  for (const Count& count : booking.counts) {
    if (count.part != part || !count.binds) continue;
    room = std::min(room, occupancy_.accounts().Of(count.account).FirstShort(count.amount, from));
  }
  return room;
}

bool Plan::HasRoomFrom(const Fence& fence, size_t part, Instant from) const {
  const Booked& booked = bookings_.At(fence).parts[part];
  const Instant begin = std::max(from, occupancy_.forgotten());
  if (begin >= booked.begin) return true;
  for (const NodeUse& use : booked.uses) {
    for (uint32_t d = 0; d < use.amounts.size(); ++d) {
      if (use.amounts[d] == 0) continue;
      if (use.amounts[d] > occupancy_.Of(use.node, d).FreeIn(begin, booked.begin)) return false;
    }
  }
  return true;
}

std::optional<uint32_t> Plan::ShortOn(const Fence& fence) const {
  for (const Booked& part : bookings_.At(fence).parts) {
    const Instant begin = std::max(part.begin, occupancy_.forgotten());
    if (begin >= part.end) continue;
    for (const NodeUse& use : part.uses) {
      for (uint32_t d = 0; d < use.amounts.size(); ++d) {
        if (use.amounts[d] > 0 && occupancy_.Of(use.node, d).FreeIn(begin, part.end) < 0) {
          return use.node;
        }
      }
    }
  }
  return std::nullopt;
}

std::vector<Fence> Plan::Beside(const Fence& fence, size_t part, Instant begin, Instant end) const {
  std::vector<Fence> out;
  for (const NodeUse& use : bookings_.At(fence).parts[part].uses) {
    for (const Occupant& occupant : occupancy_.OccupantsOf(use.node).Within(begin, end)) {
      if (occupant.fence != fence) out.push_back(occupant.fence);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void Plan::Lengthen(const Fence& fence, size_t part, Instant end) {
  Booking& booking = bookings_.At(fence);
  Booked& booked = booking.parts[part];
  if (end <= booked.end) return;
  Put(occupancy_, MembersOf(fence), false);
  PutLocal(fence, booking, false);
  booked.end = end;
  Put(occupancy_, MembersOf(fence), true);
  PutLocal(fence, booking, true);
  ++revision_;
}

void Plan::SetUsable(uint32_t node, bool usable) {
  if (usable_[node] == usable) return;
  usable_[node] = usable;
  host_lists_.Clear();
  occupancy_.frontier().Forget();
  ++revision_;
}

void Plan::SetDefect(uint32_t node, uint32_t resource, int64_t items) {
  defects_[{node, resource}] = {.items = items};
  occupancy_.SetDefect(node, resource, items);
  ++revision_;
}

void Plan::GiveUp(uint32_t node) {
  for (auto& [where, defect] : defects_) defect.given_up |= where.first == node;
  ++revision_;
}

void Plan::SetGone(uint32_t node, bool gone) {
  if (gone_[node] != gone) ++revision_;
  gone_[node] = gone;
}

void Plan::LimitTime(uint32_t node, TimeLimit limit) {
  time_limits_.resize(machine_->node_count());
  time_limits_[node] = std::move(limit);
  ++revision_;
}

CompiledWays Plan::WaysFor(const Order& order, const Ruling& ruling) const {
  CompiledWays out{WaysOf(order, *machine_, time_limits_), {}};
  for (const Way& way : out.ways.all) {
    out.shapes.push_back(Compile(order, way, *machine_, usable_, settings_.turnover, ruling,
                                 &host_lists_, settings_.policy));
  }
  return out;
}

Plan::Booking Plan::MakeBooking(Order order, const Ruling& ruling, Instant start,
                                std::vector<std::vector<NodeUse>> uses,
                                std::vector<Chosen> chosen) const {
  Booking booking{std::move(order), start, {}, ruling.counts, std::move(chosen), 0};
  for (size_t p = 0; p < uses.size(); ++p) {
    const Part& part = booking.order.parts[p];
    const Instant begin = start + part.offset;
    // What is lent is booked by the clock, however fast its nodes are.
    const bool adds = p < booking.chosen.size() && !booking.order.stays.has_value();
    const Span slower = adds ? booking.chosen[p].slower : Span{0};
    booking.parts.push_back(
        {begin - settings_.turnover, begin + part.length + slower, std::move(uses[p])});
  }
  return booking;
}

void Plan::Insert(const Fence& fence, Booking booking, std::optional<Fence> beside) {
  if (beside.has_value()) {
    Put(occupancy_, MembersOf(*beside), false);
    uint64_t& group = bookings_.At(*beside).group;
    if (group == 0) {
      group = ++last_group_;
      groups_[group].push_back(*beside);
    }
    booking.group = group;
    groups_[group].push_back(fence);
  }
  const Booking& put = bookings_.Put(fence, std::move(booking));
  if (put.order.stays.has_value()) lent_.insert(fence);
  if (put.order.waits_for_lent) waiting_.insert(fence);
  Put(occupancy_, MembersOf(fence, put), true);
  PutLocal(fence, put, true);
  ++revision_;
}

Plan::Members Plan::MembersOf(const Fence& fence, const Booking& booking) const {
  if (booking.group == 0) return {{fence, &booking}};
  Members out;
  for (const Fence& member : groups_.at(booking.group)) {
    out.emplace_back(member, &bookings_.At(member));
  }
  return out;
}

std::vector<Use> Plan::Envelope(const Members& members) const {
  std::vector<Use> out;
  if (members.size() == 1) {
    for (const Booked& part : members.front().second->parts) {
      for (const NodeUse& use : part.uses) {
        for (uint32_t d = 0; d < use.amounts.size(); ++d) {
          if (use.amounts[d] > 0)
            out.push_back({use.node, d, part.begin, part.end, use.amounts[d]});
        }
      }
    }
    return out;
  }
  std::map<std::pair<uint32_t, uint32_t>, Rusv> most;
  for (const auto& [fence, booking] : members) {
    std::map<std::pair<uint32_t, uint32_t>, Rusv> own;
    for (const Use& use : Envelope({{fence, booking}})) {
      own.try_emplace({use.node, use.dimension}, INT64_MAX)
          .first->second.Increment({use.begin, use.end, use.amount});
    }
    for (const auto& [where, used] : own) {
      Rusv& so_far = most.try_emplace(where, INT64_MAX).first->second;
      so_far = rusv::Max(so_far, used);
    }
  }
  for (const auto& [where, used] : most) {
    for (const rusv::Slot& slot : used.Slots()) {
      out.push_back({where.first, where.second, slot.start, slot.stop, slot.items});
    }
  }
  return out;
}

// For a group every account counts the maximum of its members, as nodes do.
void Plan::PutCounts(Occupancy& occupancy, const Members& members, bool add) const {
  std::map<Account, Rusv> most;
  for (const auto& [fence, booking] : members) {
    std::map<Account, Rusv> own;
    for (const Count& count : booking->counts) {
      const Booked& part = booking->parts[count.part];
      const rusv::Slot slot{part.begin, part.end, count.amount};
      if (members.size() > 1) {
        own.try_emplace(count.account, INT64_MAX).first->second.Increment(slot);
      } else if (add) {
        occupancy.accounts().Add(count.account, slot);
      } else {
        occupancy.accounts().Remove(count.account, slot);
      }
    }
    for (const auto& [account, used] : own) {
      Rusv& so_far = most.try_emplace(account, INT64_MAX).first->second;
      so_far = rusv::Max(so_far, used);
    }
  }
  for (const auto& [account, used] : most) {
    for (const rusv::Slot& slot : used.Slots()) {
      if (add) {
        occupancy.accounts().Add(account, slot);
      } else {
        occupancy.accounts().Remove(account, slot);
      }
    }
  }
}

void Plan::SetRules(std::shared_ptr<const Rules> rules, Instant now, bool renewed) {
  rules_ = std::move(rules);
  host_lists_.Clear();
  occupancy_.accounts() = Accounts(rules_);
  occupancy_.accounts().ForgetBefore(occupancy_.forgotten());
  bookings_.Each([&](const Fence&, Booking& booking) {
    booking.counts = rules_->On(booking.order, occupancy_.accounts(), now).counts;
  });
  bookings_.Each([&](const Fence& fence, const Booking& booking) {
    const bool once = booking.group == 0 || groups_.at(booking.group).front() == fence;
    if (once) PutCounts(occupancy_, MembersOf(fence, booking), true);
  });
  if (!renewed) ++revision_;
}

void Plan::Put(Occupancy& occupancy, const Members& members, bool add, bool for_good) const {
  PutCounts(occupancy, members, add);
  if (add) {
    occupancy.Add(Envelope(members));
  } else {
    occupancy.Remove(Envelope(members), for_good);
  }
  for (const auto& [fence, booking] : members) {
    for (uint32_t p = 0; p < booking->parts.size(); ++p) {
      const Booked& part = booking->parts[p];
      for (const NodeUse& use : part.uses) {
        const Occupant occupant{part.end, part.begin, fence, p};
        if (add) {
          occupancy.AddOccupant(use.node, occupant);
        } else {
          occupancy.RemoveOccupant(use.node, occupant);
        }
      }
    }
  }
}

void Plan::PutLocal(const Fence& fence, const Booking& booking, bool add) {
  if (fence.epoch.value != 0 && fence.epoch != kLent) return;
  for (const Booked& part : booking.parts) {
    for (const NodeUse& use : part.uses) {
      std::vector<Rusv>& used = local_[machine_->ClassOf(use.node)];
      for (uint32_t r = 0; r < used.size(); ++r) {
        const rusv::Slot slot{std::max(part.begin, occupancy_.forgotten()), part.end,
                              use.amounts[r]};
        if (add) {
          used[r].Increment(slot);
        } else {
          used[r].Decrement(slot);
        }
      }
    }
  }
}

void Plan::ForgetBefore(Instant t) {
  occupancy_.ForgetBefore(t);
  for (std::vector<Rusv>& used : local_) {
    for (Rusv& rusv : used) rusv.ForgetBefore(t);
  }
}

}  // namespace muster::plan
