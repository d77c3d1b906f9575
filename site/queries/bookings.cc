// The plan as a chart: bookings and drains. protocol.md section 2b (inspect, view).
#include <algorithm>
#include <map>
#include <utility>

#include "site/holds/hold_facts.h"
#include "site/queries/queries.h"

namespace muster::site {

schemas::BookingsView Queries::BookingsShown() const {
  schemas::BookingsView view;
  // A drain lasts until it is resumed: shown to the end of the planning horizon.
  const auto out_of_use = [&](const std::string& name, Instant since) {
    view.bookings.push_back({.node = name,
                             .begin = since,
                             .end = now_floor() + options().horizon,
                             .kind = schemas::BookingKind::kDrained});
  };
  for (uint32_t n = 0; n < options().nodes.size(); ++n) {
    const std::string& name = options().nodes[n].name;
    view.nodes.push_back(name);
    if (view.bookings.size() == kViewRows) continue;
    const auto drained = ledger().drained().find(name);
    if (drained != ledger().drained().end()) {
      out_of_use(name, drained->second.at.Floor());
    } else if (!plan().Usable(n)) {  // lost, or its batch system does not let it be used
      out_of_use(name, now_floor());
    }
  }
  for (const auto& standing : plan().StandingIn(now_floor(), now_floor() + options().horizon)) {
    for (const uint32_t node : standing.nodes) {
      if (view.bookings.size() == kViewRows) return view;
      view.bookings.push_back({.node = options().nodes[node].name,
                               .job = standing.outside ? "" : standing.name,
                               .begin = standing.when.begin,
                               .end = standing.when.end,
                               .kind = standing.outside ? schemas::BookingKind::kDrained
                                                        : schemas::BookingKind::kReserved});
    }
  }
  for (const auto& [key, booking] : outside()) {
    if (muster::site::OutsideWork::IsShunned(key)) continue;
    for (const schemas::ChunkPlace& chunk : booking.chunks) {
      if (view.bookings.size() == kViewRows) return view;
      view.bookings.push_back({.node = chunk.node,
                               .job = booking.label,
                               .begin = booking.when.begin,
                               .end = booking.when.end,
                               .running = booking.running,
                               .resources = chunk.resources,
                               .kind = booking.reserved ? schemas::BookingKind::kReserved
                                                        : schemas::BookingKind::kLocal});
    }
  }
  for (const auto& [fence, _] : live()) {
    const schemas::HoldRecord& hold = *ledger().Find(fence);
    for (const schemas::PartRecord& part : hold.parts) {
      if (part.loan) {
        schemas::PartPlace place = part.loan->place;
        if (IsOffItsCores(part)) place = WithoutCores(std::move(place));
        for (const auto& chunk : place.chunks) {
          if (view.bookings.size() == kViewRows) return view;
          view.bookings.push_back({.node = chunk.node,
                                   .job = ShownAs(hold.order, part.index),
                                   .begin = part.loan->since.Floor(),
                                   .end = plan().EndOf(RoomOf(fence), part.index),
                                   .running = part.loan->state == schemas::LoanState::kRunning,
                                   .resources = chunk.resources});
        }
      }
      const schemas::PartDemand& demand = DemandOf(hold, part.index);
      Instant begin = hold.start + demand.offset;
      if (part.started_at) begin = part.started_at->Floor();
      Instant end = begin + RunTime(hold, part.index);
      if (part.ended_at) end = part.ended_at->Ceiling();
      std::map<std::string, ResourceSet> per_node;
      for (const auto& chunk : part.place.chunks) per_node[chunk.node] += chunk.resources;
      const std::string job = ShownAs(hold.order, part.index);
      for (auto& [node, resources] : per_node) {
        if (view.bookings.size() == kViewRows) return view;
        view.bookings.push_back({.node = node,
                                 .job = job,
                                 .begin = begin,
                                 .end = std::max(end, begin),
                                 .running = part.state == schemas::PartState::kRunning,
                                 .co_allocation = !OneMember(hold),
                                 .resources = std::move(resources),
                                 .kind = Reserves(hold) ? schemas::BookingKind::kReserved
                                                        : schemas::BookingKind::kJob});
      }
    }
  }
  return view;
}

}  // namespace muster::site
