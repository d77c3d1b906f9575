// What a site remembers of a live hold while it runs; none of it is on record.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "base/time.h"
#include "schemas/site_link.h"

namespace muster::site {

// When the meta was last told of earlier starts of a hold: of any; of late ones too.
struct OfferTimes {
  std::optional<BootInstant> any;
  std::optional<BootInstant> late;
};

// By part index, where a part is meant.
struct Live {
  std::map<uint32_t, Moment> retry_at;        // parts whose start failed: not before
  std::map<uint32_t, Moment> look_at;         // parts whose nodes are not clean: looked at again
  std::map<uint32_t, Instant> booked_until;   // parts that overran: what the plan was told
  std::map<uint32_t, Moment> changing_since;  // parts that are starting or ending
  std::set<uint32_t> timed_out;               // of those, the ones that took too long
  OfferTimes offered;
  std::optional<schemas::Cause> drained;  // HELD on nodes that were drained hard: moves next
  schemas::CauseCode late_cause = schemas::CauseCode::kSiteDown;  // of a start that comes late
};

}  // namespace muster::site
