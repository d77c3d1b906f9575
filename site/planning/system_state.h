// The state of a SystemPlan, with the conversions that its questions need. Only for system_plan.cc.
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
#include "site/planning/conversions.h"
#include "verifier/planner.h"

namespace muster::site {

// The epoch in fences of standing reservations; no meta has it.
inline constexpr Epoch kStanding{UINT64_MAX - 1};

// Copyable by value.
struct SystemState {
  // Part indices of each booking. Only the protocol's structs have them, not the plan.
  std::map<Fence, std::vector<uint32_t>> part_indices;
  std::string name;
  std::string driver;
  std::vector<std::string> capabilities;
  Span turnover;
  Span start_slack;
  bool firm;
  std::shared_ptr<const machine::Machine> machine;
  rules::Upkeep rules;
  plan::Plan plan;
  Habits habits;
  uint64_t looks;                     // budget of one verdict, in looks at nodes
  Span ahead;                         // standing reservations are booked at least so far ahead
  Instant standing_known{INT64_MIN};  // from then on they must be booked further

  explicit SystemState(const Options& options);

  // The place in its booking of the part with this index. REQUIRES: the part is booked.
  size_t PlaceIn(const Fence& fence, uint32_t part) const;

  plan::Question QuestionOf(const schemas::ProposalEntry& entry, bool federated) const;
  verifier::Booked BookedOf(const std::vector<uint32_t>& indices, const plan::Order& order,
                            const plan::Placed& placed) const;
  schemas::VerdictEntry EntryOf(const plan::Refused& refused) const;

  // Renew brings up to date what depends on time and on nodes in service; more calls than needed
  // change no answer. Forget also drops what ended before `now`, less some slack.
  void Renew(Instant now);
  void Forget(Instant now);

 private:
  void BookStanding(Instant now);
};

}  // namespace muster::site
