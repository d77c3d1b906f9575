// Until when a hold with only lent room is booked at least: it is booked for longer as long as
// nobody is due there, which no write says.
#pragma once

#include <algorithm>
#include <optional>

#include "schemas/hold.h"
#include "schemas/site_records.h"
#include "site/planning/lent_room.h"

namespace muster::sim {

// None: it has room of its own. `planned`: the end of its duration.
inline std::optional<Instant> EndOfLentRoom(const schemas::HoldRecord& hold, Instant planned,
                                            Span turnover) {
  if (!hold.order.only_lent) return std::nullopt;
  const Span first = site::BookedFirst(*hold.order.contract, turnover);
  return std::min(planned, hold.start + first - turnover);
}

}  // namespace muster::sim
