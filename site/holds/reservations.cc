// Holds that are reservations: nothing is started at their start. What they have booked is a
// resource system of its own for the holds inside, which end no later. OpenCCS Sect. 4 and 5.4,
// protocol.md section 2b (submit: a reservation's permit opens it).
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/check.h"
#include "site/holds/hold_facts.h"
#include "site/holds/rebooking.h"

namespace muster::site {

using schemas::ClosedAs;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartRecord;
using schemas::PartState;
using verifier::PartEvent;

// The system consists of what the hold has of each node, in the site's order. If a reservation has
// several holds the newest counts: the older ones are attempts that a meta has yet to release.
void Rebooking::OpenSystem(const Fence& fence) {
  const HoldRecord& hold = *ledger().Find(fence);
  const std::optional<Fence> holder = plan().HolderOf(hold.order.request);
  if (holder && *holder > fence) return;
  Reserved reserved{.id = hold.order.request,
                    .fence = fence,
                    .owner = hold.order.requester.user,
                    .allow = hold.order.reserves->allow};
  Instant begin = kFarFuture;
  Instant end = hold.start;
  std::map<std::string, ResourceSet> held;
  std::set<std::string> whole_nodes;
  for (const PartRecord& part : hold.parts) {
    const schemas::PartDemand& demand = DemandOf(hold, part.index);
    begin = std::min(begin, hold.start + demand.offset);
    end = std::max(end, hold.start + demand.offset + RunTime(hold, part.index));
    const bool whole = demand.exclusive || options().units.geometry != nullptr;
    for (const schemas::ChunkPlace& chunk : part.place.chunks) {
      held[chunk.node] += chunk.resources;
      if (whole) whole_nodes.insert(chunk.node);
    }
  }
  reserved.span = {begin, end};
  for (const Node& node : options().nodes) {
    const auto it = held.find(node.name);
    if (it == held.end()) continue;
    const ResourceSet& own = whole_nodes.contains(node.name) ? node.resources : it->second;
    reserved.nodes.push_back({node.name, own, node.properties, {}, node.speed});
  }
  planner().OpenSystem(reserved);
  const std::vector<Fence> inside = InsideOf(hold.order.request);
  for (const Fence& one : inside) RestoreBooking(*ledger().Find(one));
  for (const Fence& one : inside) FitInside(one, reserved);
}

std::vector<Fence> Rebooking::InsideOf(RequestId reservation) const {
  std::vector<Fence> inside;
  for (const auto& [fence, _] : live()) {
    const HoldRecord* hold = ledger().Find(fence);
    if (hold != nullptr && hold->order.inside == reservation) inside.push_back(fence);
  }
  return inside;
}

std::optional<Fence> Rebooking::NewestOf(RequestId reservation, const Fence& before) const {
  for (auto it = live().lower_bound(before); it != live().begin();) {
    const HoldRecord* hold = ledger().Find((--it)->first);
    if (hold != nullptr && Reserves(*hold) && hold->order.request == reservation) return it->first;
  }
  return std::nullopt;
}

// The amounts that all holds inside use of a node together, ignoring times.
ResourceSet Rebooking::TakenInside(RequestId reservation, const Node& node) const {
  ResourceSet taken;
  for (const Fence& fence : InsideOf(reservation)) {
    const HoldRecord& hold = *ledger().Find(fence);
    for (const PartRecord& part : hold.parts) {
      for (const schemas::ChunkPlace& chunk : part.place.chunks) {
        if (chunk.node != node.name) continue;
        taken += DemandOf(hold, part.index).exclusive ? node.resources : chunk.resources;
      }
    }
  }
  return taken;
}

// After its reservation was moved or changed: if the hold no longer fits inside, moves it to a
// place where it does, or drops it.
void Rebooking::FitInside(const Fence& fence, const Reserved& reserved) {
  const HoldRecord& hold = *ledger().Find(fence);
  if (HasStarted(hold) || hold.state < HoldState::kPrepared) return;
  bool fits = true;
  for (const PartRecord& part : hold.parts) {
    const schemas::PartDemand& demand = DemandOf(hold, part.index);
    const Instant start = hold.start + demand.offset;
    const Instant end = start + RunTime(hold, part.index);
    fits = fits && start >= reserved.span.begin && end <= reserved.span.end;
    for (const schemas::ChunkPlace& chunk : part.place.chunks) {
      const auto named = [&](const Node& node) { return node.name == chunk.node; };
      const auto own = std::find_if(reserved.nodes.begin(), reserved.nodes.end(), named);
      const auto node = std::find_if(options().nodes.begin(), options().nodes.end(), named);
      // If the holds there do not all fit at once, this one is planned anew, at its present place
      // if possible.
      fits = fits && own != reserved.nodes.end() && node != options().nodes.end() &&
             TakenInside(reserved.id, *node).FitsIn(own->resources);
    }
  }
  if (fits) return;
  schemas::Cause cause = Own(schemas::CauseCode::kOperator);
  cause.subject.job = "R" + ToText(reserved.id);
  MoveForCause(fence, cause, true);
}

// Ends the reservation's system. Holds inside that have not started are dropped. Running ones are
// stopped, unless the reservation has reached its planned end, which is theirs too.
void Rebooking::CloseSystem(const HoldRecord& reservation, bool ended) {
  const RequestId id = reservation.order.request;
  if (plan().HolderOf(id) != reservation.order.fence) return;  // another hold has taken over
  // A cause on record explains the reservation's place, not a regular end.
  schemas::Cause cause = ended ? schemas::Cause{} : reservation.cause;
  if (cause.code == schemas::CauseCode::kNone) cause = Own(schemas::CauseCode::kOperator);
  cause.subject.site = options().name;
  cause.subject.job = "R" + ToText(id);
  const std::vector<Fence> inside = InsideOf(id);
  planner().CloseSystem(id, reservation.order.fence);
  if (const std::optional<Fence> older = NewestOf(id, reservation.order.fence)) {
    return OpenSystem(*older);
  }
  for (const Fence& fence : inside) {
    const HoldRecord& hold = *ledger().Find(fence);
    if (HasStarted(hold)) RestoreBooking(hold);
    if (IsStopping(hold)) continue;
    if (HasStarted(hold)) {
      if (ended) continue;
      records().Edit(fence).closed_as = ClosedAs::kReleased;
      StopParts(fence, cause);
    } else if (hold.state == HoldState::kHeld) {
      Close(fence, ClosedAs::kExpired, cause);
    } else {
      Drop(fence, cause, {});
    }
  }
}

void Rebooking::EndReserved(const Fence& fence, uint32_t index, schemas::PartEnd end) {
  PartRecord& part = PartOf(records().Edit(fence), index);
  const bool ran_its_time = end.by == schemas::EndedBy::kExit;
  part.end = std::move(end);
  if (part.started_at) {
    part.usage.elapsed = BootSpan{now().milliseconds - part.started_at->milliseconds};
  }
  SetPart(fence, index, NextPart(part.state, PartEvent::kEndInSight), now());
  SetPart(fence, index, NextPart(part.state, PartEvent::kProcessesGone), now());
  // Before its nodes are freed, so that parts running inside keep theirs.
  CloseSystem(*ledger().Find(fence), ran_its_time);
  planner().FreePartFrom(fence, index, now_floor());
  SomethingIsFree();
}

}  // namespace muster::site
