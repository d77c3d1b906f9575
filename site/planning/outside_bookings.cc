// Bookings of those who use the machine without muster, in the plan of the site's own system.
#include <algorithm>
#include <map>
#include <utility>

#include "site/plan/plan.h"
#include "site/planning/system_plan.h"
#include "site/planning/system_state.h"

namespace muster::site {
namespace {

// Epoch 0 is that of local bookings, which the meta's profile counts; jobs of the site's own users
// have lower numbers.
constexpr uint64_t kFirstOutside = uint64_t{1} << 63;

Fence FenceOf(uint64_t key) { return {Epoch{0}, kFirstOutside + key}; }

// What the booking blocks of its nodes; unknown nodes and resources block nothing.
std::vector<plan::NodeUse> UsesOf(const driver::OutsideBooking& booking,
                                  const machine::Machine& machine,
                                  const plan::Occupancy& occupancy) {
  std::map<uint32_t, plan::Amounts> by_node;
  for (const schemas::ChunkPlace& chunk : booking.chunks) {
    const std::optional<uint32_t> node = machine.FindNode(chunk.node);
    if (!node) continue;
    plan::Amounts& amounts = by_node[*node];
    if (amounts.empty()) {
      amounts.resize(occupancy.dimensions());
      amounts.back() = booking.whole_nodes ? plan::kWholeNode : 1;
    }
    for (const auto& [name, amount] : chunk.resources.entries()) {
      const std::optional<uint32_t> resource = machine.FindResource(name);
      if (resource) amounts[*resource] += amount;
    }
    if (!booking.whole_nodes) continue;
    for (uint32_t r = 0; r < occupancy.share(); ++r) {
      if (rules::IsOfOthers(machine.resource(r))) continue;
      amounts[r] = occupancy.Capacity(*node, r);
    }
  }
  std::vector<plan::NodeUse> uses;
  for (auto& [node, amounts] : by_node) uses.push_back({node, std::move(amounts)});
  return uses;
}

bool HasRoom(const plan::NodeUse& use, const plan::Occupancy& occupancy, const Interval& when) {
  const Instant begin = std::max(when.begin, occupancy.forgotten());
  if (begin >= when.end) return true;
  for (uint32_t d = 0; d < use.amounts.size(); ++d) {
    const int64_t amount = use.amounts[d];
    if (amount > 0 && occupancy.Of(use.node, d).FreeIn(begin, when.end) < amount) return false;
  }
  return true;
}

}  // namespace

void SystemPlan::SetOutside(const driver::OutsideBooking& booking) {
  DropOutside(booking.key);
  const plan::Occupancy& occupancy = state_->plan.occupancy();
  std::vector<plan::NodeUse> uses = UsesOf(booking, *state_->machine, occupancy);
  const Instant start = booking.when.begin + state_->turnover;
  const Interval when{booking.when.begin, std::max(booking.when.end, start + Span{1})};
  if (booking.soft) {
    std::erase_if(uses, [&](const plan::NodeUse& use) { return !HasRoom(use, occupancy, when); });
  }
  if (uses.empty() && booking.jobwide.empty()) return;
  plan::Order order{.label = booking.label, .standing = booking.reserved, .outside = true};
  order.parts.push_back({.length = when.end - start, .jobwide = booking.jobwide});
  const Fence fence = FenceOf(booking.key);
  state_->part_indices[fence] = {1};
  state_->plan.Restore(fence, std::move(order), start, {std::move(uses)}, {});
}

ResourceSet SystemPlan::AmountsOf(const driver::OutsideBooking& booking) const {
  const machine::Machine& machine = *state_->machine;
  ResourceSet out;
  for (const plan::NodeUse& use : UsesOf(booking, machine, state_->plan.occupancy())) {
    if (!Usable(use.node)) continue;
    ResourceSet taken;
    for (uint32_t r = 0; r < machine.resource_count(); ++r) {
      if (rules::IsOfOthers(machine.resource(r))) continue;
      const int64_t has = state_->plan.occupancy().Capacity(use.node, r);
      if (const int64_t amount = std::min(use.amounts[r], has); amount > 0) {
        taken.Set(machine.resource(r), amount);
      }
    }
    out += taken;
  }
  return rules::Shown(out);
}

void SystemPlan::DropOutside(uint64_t key) { Free(FenceOf(key)); }

std::optional<uint64_t> SystemPlan::OutsideOf(const Fence& fence) {
  if (fence.epoch != Epoch{0} || fence.number < kFirstOutside) return std::nullopt;
  return fence.number - kFirstOutside;
}

std::optional<std::string> SystemPlan::ShortOn(const Fence& fence) const {
  const std::optional<uint32_t> node = state_->plan.ShortOn(fence);
  if (!node) return std::nullopt;
  return state_->machine->node(*node).name;
}

}  // namespace muster::site
