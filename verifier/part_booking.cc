// See part_booking.h.
#include "verifier/part_booking.h"

#include <algorithm>

#include "verifier/part_table.h"

namespace muster::verifier {

std::vector<std::string> NodesOf(const schemas::PartPlace& place) {
  std::vector<std::string> nodes;
  for (const schemas::ChunkPlace& chunk : place.chunks) {
    if (std::find(nodes.begin(), nodes.end(), chunk.node) == nodes.end()) {
      nodes.push_back(chunk.node);
    }
  }
  return nodes;
}

schemas::PartBooking BookingOf(const schemas::PartRecord& part) {
  schemas::PartBooking booking{.index = part.index,
                               .nodes = NodesOf(part.place),
                               .rendezvous = part.rendezvous,
                               .extended = part.extended,
                               .counts = part.counts,
                               .slower = part.place.slower,
                               .group = part.place.group};
  booking.recalls = part.recalls;
  booking.lost = part.lost;
  booking.saved = part.saved;
  if (part.loan) {
    booking.lent = schemas::Lent{.state = part.loan->state,
                                 .since = part.loan->since,
                                 .started_at = part.loan->started_at,
                                 .recalled_for = part.loan->recalled_for,
                                 .nodes = NodesOf(part.loan->place),
                                 .paused_at = part.loan->paused_at};
  }
  if (part.only_lent && MayHaveProcesses(part.state)) {
    using schemas::LoanState;
    const LoanState ends =
        part.only_lent->recalled_at ? LoanState::kRecalled : LoanState::kReleased;
    booking.lent =
        schemas::Lent{.state = part.state == schemas::PartState::kStarting  ? LoanState::kStarting
                               : part.state == schemas::PartState::kRunning ? LoanState::kRunning
                                                                            : ends,
                      .since = part.only_lent->since,
                      .started_at = part.started_at,
                      .recalled_for = part.only_lent->recalled_for,
                      .nodes = booking.nodes};
  }
  return booking;
}

}  // namespace muster::verifier
