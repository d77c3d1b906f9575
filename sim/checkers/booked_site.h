// What a site has booked, as the independent checker of plans takes it: kept from the site's own
// writes. Several checkers look at it; none of this is the planner's.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "sim/checkers/checker.h"
#include "sim/plan_checker/plan_checker.h"
#include "site/options.h"

namespace muster::sim {

// What the independent checker has to know of a site, from the options its core is given.
PlanFacts FactsOf(const site::Options& site);

// Soft limits leave alone what starts so soon after it was booked.
inline constexpr Span kAtOnce{60};

// A part that began within a second runs into the turnover of what comes after it, which covers
// that: its booking ends before it, or goes on for all that the part may run.
enum class RunsEnd : uint8_t { kCovered, kWhole };

class BookedSite {
 public:
  BookedSite(const site::Options& site, PlanFacts facts, RunsEnd ends);

  // A batch became durable.
  void Put(Moment at, const SiteWrites& writes);

  // The same bookings, for judging. What is put there for a while has to be removed again.
  PlanChecker& checker() { return checker_; }
  // The bookings of live holds, by fence.
  const std::map<Fence, BookedOrder>& orders() const { return orders_; }
  // The same as they are on record.
  const std::map<Fence, schemas::HoldRecord>& holds() const { return holds_; }
  // The newest live hold of a reservation, if there is one.
  std::optional<Fence> HoldOf(RequestId reservation) const;
  bool shaped() const { return shaped_; }
  Span turnover() const { return turnover_; }

 private:
  struct Begin {
    Instant start;
    bool at_once = false;  // as it was booked
    bool late = false;     // and stays so, whatever causes come to it
  };
  struct Inside {
    RequestId reservation;
    bool started = false;
  };

  void Put(Moment at, const schemas::HoldRecord& hold);
  void Enter(const Fence& fence, BookedOrder order);
  void Follow(const Fence& fence, const Inside& inside);
  Fence First(Fence fence) const;

  PlanChecker checker_;
  Span turnover_;
  RunsEnd ends_;
  bool shaped_ = false;
  std::map<Fence, BookedOrder> orders_;
  std::map<Fence, schemas::HoldRecord> holds_;
  std::map<Fence, Fence> replaces_;
  std::map<RequestId, std::set<Fence>> reservations_;  // their live holds
  std::map<Fence, Inside> inside_;
  std::map<Fence, Begin> begins_;
};

}  // namespace muster::sim
