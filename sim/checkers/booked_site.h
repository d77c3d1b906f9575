// The bookings of one site as input for the independent plan checker, taken from the site's own
// durable writes. Several checkers share it; it uses no code of the planner.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "sim/checkers/checker.h"
#include "sim/plan_checker/plan_checker.h"
#include "site/options.h"

namespace muster::sim {

// The facts that the plan checker needs about a site, from the options of the site's core.
PlanFacts FactsOf(const site::Options& site);

// A soft limit does not count for a booking whose start is at most this long after it was booked.
inline constexpr Span kAtOnce{60};

// A part that starts late, if only within its second, runs on into the turnover of the next
// booking. kCovered: that turnover covers the overrun, so the part's booking ends one turnover
// before the part may end. kWhole: the part's booking lasts as long as the part may run.
enum class RunsEnd : uint8_t { kCovered, kWhole };

class BookedSite {
 public:
  BookedSite(const site::Options& site, PlanFacts facts, RunsEnd ends);

  // Takes over the holds of a batch that became durable at `at`.
  void Put(Moment at, const SiteWrites& writes);

  // The plan checker with these bookings. Callers must remove what they add for a trial.
  PlanChecker& checker() { return checker_; }
  // The bookings of live holds, by fence.
  const std::map<Fence, BookedOrder>& orders() const { return orders_; }
  // The hold records behind `orders`, by fence.
  const std::map<Fence, schemas::HoldRecord>& holds() const { return holds_; }
  // The newest live hold of a reservation, if there is one.
  std::optional<Fence> HoldOf(RequestId reservation) const;
  bool shaped() const { return shaped_; }
  Span turnover() const { return turnover_; }

 private:
  struct Begin {
    Instant start;
    bool at_once = false;  // its start was at most kAtOnce after its booking
    bool late = false;     // it began late; stays true if the record gets another cause
  };
  struct Inside {
    RequestId reservation;
    bool started = false;
  };

  void Put(Moment at, const schemas::HoldRecord& hold);
  void Enter(const Fence& fence, BookedOrder order);
  void Follow(const Fence& fence, const Inside& inside);
  Fence First(Fence fence) const;
  bool OneSwitch(const schemas::HoldOrder& order, size_t part) const;

  site::Options options_;
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
