// In-memory state of a live hold; none of it is on record.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "base/time.h"
#include "schemas/site_link.h"

namespace muster::site {

// When the last offer for a hold was sent: `any` of any kind, `late` one that included late starts.
struct OfferTimes {
  std::optional<BootInstant> any;
  std::optional<BootInstant> late;
  // The value of Movable::frees when the site last looked for all earlier starts of this hold.
  // While it is the same, looking again would find nothing new.
  std::optional<uint64_t> frees;
};

// Maps and sets are by part index.
struct Live {
  std::map<uint32_t, Moment> retry_at;        // parts whose start failed: not tried again before
  std::map<uint32_t, Moment> look_at;         // parts that cannot start yet: when to look again
  std::map<uint32_t, Instant> booked_until;   // parts that overran: end of the booking in the plan
  std::map<uint32_t, Moment> changing_since;  // parts that are STARTING or ENDING: since when
  std::set<uint32_t> timed_out;               // those of them that exceeded their time-out
  OfferTimes offered;
  std::optional<Moment> lent_again;  // a start on lent room failed: none is lent before
  // Its nodes were drained hard, or have lost resources: the cause of the move to come.
  std::optional<schemas::Cause> drained;
  // The cause to report if the hold starts late. Who uses the machine without muster,
  // and was told to be on its nodes while it was handed over, is named in it.
  // None: the site was down.
  std::optional<schemas::Cause> late;
};

}  // namespace muster::site
