// See apart.h.
#include "site/plan/apart.h"

#include <algorithm>

#include "site/plan/ways.h"

namespace muster::plan {
namespace {

bool IsSameJob(const Order& a, const Order& b) { return !a.label.empty() && a.label == b.label; }

}  // namespace

bool Plan::Apart::IsNeeded(const Plan& plan, const Order& order) {
  return (order.waits_for_lent && !plan.lent_.empty()) ||
         (order.stays.has_value() && !plan.waiting_.empty());
}

Plan::Apart::Apart(const Plan& plan, const Order& order, Occupancy& occupancy)
    : occupancy_(occupancy) {
  if (!IsNeeded(plan, order)) return;
  if (order.waits_for_lent) NoteLent(plan, order);
  if (order.stays.has_value() && !order.parts.empty()) NoteWaiting(plan, order);
  if (!uses_.empty()) occupancy_.Add(uses_);
  for (const auto& [account, slot] : counts_) occupancy_.accounts().Add(account, slot);
}

Plan::Apart::~Apart() {
  for (const auto& [account, slot] : counts_) occupancy_.accounts().Remove(account, slot);
  if (!uses_.empty()) occupancy_.Remove(uses_);
}

void Plan::Apart::NoteLent(const Plan& plan, const Order& order) {
  for (const Fence& fence : plan.lent_) {
    const Booking& lent = plan.bookings_.At(fence);
    if (IsSameJob(lent.order, order)) continue;
    const Span slower = lent.chosen.empty() ? Span{0} : lent.chosen.front().slower;
    const Instant end = lent.start + *lent.order.stays + slower;
    for (size_t p = 0; p < lent.parts.size(); ++p) Note(lent, p, {lent.parts[p].end, end});
  }
}

// Whoever is booked for less than it may stay has to begin so much earlier, seen from those that
// wait; on the slowest nodes, as nothing is chosen yet.
void Plan::Apart::NoteWaiting(const Plan& plan, const Order& order) {
  const Part& lent = order.parts.front();
  Span slowest;
  for (uint32_t n = 0; n < plan.machine_->node_count(); ++n) {
    slowest = std::max(slowest, SlowerBy(lent, plan.machine_->Speed(n)));
  }
  const Span longer = *order.stays + slowest - lent.length;
  for (const Fence& fence : plan.waiting_) {
    const Booking& waits = plan.bookings_.At(fence);
    if (IsSameJob(waits.order, order)) continue;
    for (size_t p = 0; p < waits.parts.size(); ++p) {
      const Instant begin = waits.parts[p].begin;
      if (begin > plan.occupancy_.forgotten()) Note(waits, p, {begin - longer, begin});
    }
  }
}

void Plan::Apart::Note(const Booking& booking, size_t part, const Interval& when) {
  if (when.begin >= when.end) return;
  for (const NodeUse& use : booking.parts[part].uses) {
    for (uint32_t d = 0; d < use.amounts.size(); ++d) {
      if (use.amounts[d] == 0) continue;
      uses_.push_back({use.node, d, when.begin, when.end, use.amounts[d]});
    }
  }
  for (const Count& count : booking.counts) {
    if (count.part != part) continue;
    counts_.emplace_back(count.account, rusv::Slot{when.begin, when.end, count.amount});
  }
}

}  // namespace muster::plan
