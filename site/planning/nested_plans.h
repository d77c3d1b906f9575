// Reservations as systems of their own (OpenCCS Sect. 4, rRS): what a reservation holds, node by
// node, is a machine with its own plan, whose bookings lie within the reservation's time. A job
// inside is booked only in that plan, since the site's plan has the reservation itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/interval.h"
#include "base/time.h"
#include "schemas/site_link.h"
#include "site/options.h"
#include "site/plan/order.h"
#include "site/planning/reserved.h"
#include "site/planning/system_plan.h"
#include "verifier/planner.h"

namespace muster::site {

// Value type. A booking that is in none of these plans is in the site's own plan.
class NestedPlans {
 public:
  // Uses the site's options without its rules: inside of a reservation no rule binds, since the
  // reservation itself was booked under them.
  explicit NestedPlans(const Options& options);

  // Opens the reservation's system, or opens it anew with other nodes or times. Nothing is booked
  // in it then.
  void Open(const Reserved& reserved);
  void Share(RequestId id, const std::vector<std::string>& allow);
  // Closes the system with all its bookings. Does nothing if another booking of the reservation
  // holds the system now.
  void Close(RequestId id, const Fence& fence);
  // The booking that holds the reservation's system; none: it is not open.
  std::optional<Fence> HolderOf(RequestId id) const;

  // The plan, inside of a reservation, that has this booking; null: none has.
  SystemPlan* Of(const Fence& fence);
  const SystemPlan* Of(const Fence& fence) const;
  // The end of the reservation that this booking is inside of. REQUIRES: Of(fence) is not null.
  Instant EndOf(const Fence& fence) const;

  verifier::BookAnswer Book(const Fence& fence, verifier::Demand demand, Instant now,
                            std::optional<Fence> beside);
  void Restore(const Fence& fence, verifier::Demand demand, const verifier::Booked& booked);
  void Free(const Fence& fence);
  verifier::BookAnswer Rebook(const Fence& fence, const IntervalSet& allowed, Instant now);
  // Verdicts on entries inside of reservation `id`, in their order.
  std::vector<schemas::VerdictEntry> Verify(RequestId id,
                                            std::vector<schemas::ProposalEntry> entries,
                                            Instant now) const;
  std::vector<plan::Obstacle> Obstacles(schemas::ProposalEntry entry, Instant start) const;
  std::vector<plan::Window> Windows(schemas::ProposalEntry entry, Instant until, Instant now,
                                    size_t limit) const;

  void SetUsable(const std::string& node, bool usable);
  void LimitTime(const std::string& node, const plan::TimeLimit& limit);
  void OnlyOn(const std::set<std::string>& nodes);
  void Forget(Instant now);
  // Counts changes of all systems.
  uint64_t changes() const { return changes_; }
  void Changed() { ++changes_; }

 private:
  struct System {
    Reserved reserved;
    SystemPlan plan;
    std::map<Fence, std::vector<schemas::PartDemand>> booked;
    std::vector<uint32_t> nodes;  // by place inside: the node's place in the site
    bool has_whole_nodes = false;
  };
  const System* Find(RequestId id) const;
  std::optional<schemas::VerdictEntry> Refusal(RequestId id,
                                               const std::vector<schemas::PartDemand>& parts,
                                               const Credentials& who) const;
  static IntervalSet Within(const System& system, const std::vector<schemas::PartDemand>& parts,
                            const IntervalSet& allowed);

  Options base_;
  std::map<RequestId, System> open_;
  std::map<Fence, RequestId> inside_;
  std::set<std::string> unusable_;
  std::map<std::string, plan::TimeLimit> time_limits_;
  uint64_t changes_ = 0;
};

}  // namespace muster::site
