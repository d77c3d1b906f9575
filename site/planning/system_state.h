// What the plan of a system keeps, with what a question needs of it before the plan is asked. Only
// for system_plan.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "schemas/site_link.h"
#include "site/machine/machine.h"
#include "site/options.h"
#include "site/plan/order.h"
#include "site/plan/plan.h"
#include "site/plan/rules/upkeep.h"
#include "verifier/planner.h"

namespace muster::site {

// Bookings of standing reservations: no meta has this epoch.
inline constexpr Epoch kStanding{UINT64_MAX - 1};

// Copyable by value.
struct SystemState {
  // What only the protocol's structs need of a booking.
  std::map<Fence, std::vector<uint32_t>> part_indices;
  std::string name;
  std::string driver;
  std::vector<std::string> capabilities;
  Span turnover;
  Span start_slack;
  std::shared_ptr<const machine::Machine> machine;
  rules::Upkeep rules;
  plan::Plan plan;
  uint64_t looks;                     // of one verdict
  Span ahead;                         // standing reservations are booked so far at least
  Instant standing_known{INT64_MIN};  // and are booked further from then on

  explicit SystemState(const Options& options);

  bool WholeNodes() const { return machine->geometry() != nullptr; }
  // Place of a part, by its index, in its booking. REQUIRES: it is booked.
  size_t PlaceIn(const Fence& fence, uint32_t part) const;

  plan::Question QuestionOf(const schemas::ProposalEntry& entry, bool federated) const;
  verifier::Booked BookedOf(const std::vector<uint32_t>& indices, const plan::Order& order,
                            const plan::Placed& placed) const;
  schemas::VerdictEntry EntryOf(const plan::Refused& refused) const;

  // Brings what depends on time and on nodes in service up to now; no answer depends on when that
  // is done. Forget drops what ended before, too.
  void Renew(Instant now);
  void Forget(Instant now);

 private:
  void BookStanding(Instant now);
};

}  // namespace muster::site
