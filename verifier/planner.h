// The interface through which the protocol uses a site's plan. Declared here so that `verifier`
// never includes `site`. Implemented by site/planning.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/credentials.h"
#include "base/ids.h"
#include "base/interval.h"
#include "base/time.h"
#include "schemas/hold.h"
#include "schemas/site_link.h"

namespace muster::verifier {

// The properties of a hold that a booking depends on.
struct Demand {
  std::vector<schemas::PartDemand> parts;
  Credentials who;
  int32_t priority = 0;
  IntervalSet allowed;   // allowed starts; the booking takes the earliest feasible one
  std::string label;     // names the job in reasons shown to others: "41", "42.3"; may be empty
  bool element = false;  // the job is an element of an array
  std::optional<RequestId> inside;  // the reservation that the job runs in
  // By part index, the duration that was requested, of parts that are booked for a different one.
  // Rules judge by the requested one.
  std::map<uint32_t, Span> asked = {};
  // For room that is lent (scheduling.md section 18): also room that is kept for others, where the
  // rule that keeps it lends it.
  bool lent = false;
  // On lent room: how long it may stay from its start on if nobody takes the room back, on nodes of
  // the reference speed.
  std::optional<Span> stays = {};
  // The demand is for more resources of a job that is booked already: it counts as no further job.
  bool grows = false;
};

// A mapped booking. A part starts at `start` + its offset.
struct Booked {
  Instant start;
  std::vector<schemas::PartPlace> places;  // same order as the parts
  bool operator==(const Booked&) const = default;
};

// The booking, or why there is none: countered with feasible starts, never, or blocked.
using BookAnswer = std::variant<Booked, schemas::VerdictEntry>;

// The plan of one site. Each part is booked for [start - turnover, start + duration + tail). Lack
// of room is an answer, not an error. All results are pure functions of the plan.
class Planner {
 public:
  virtual ~Planner() = default;

  // The plan revision: changes whenever a verdict could change.
  virtual PlanRevision revision() const = 0;

  // Plans and books under `fence` at the earliest allowed start >= now. The booking may share nodes
  // with the one under `beside`, because at most one of the two will run (G2 counts their maximum).
  // REQUIRES: `fence` has no booking.
  virtual BookAnswer Book(const Fence& fence, const Demand& demand, Instant now,
                          std::optional<Fence> beside) = 0;

  // Books exactly these places and this start, when a core is rebuilt from its store. Does not
  // check for room, so that a machine that shrank while the daemon was down still loads; the core
  // then finds what no longer fits.
  virtual void Restore(const Fence& fence, const Demand& demand, const Booked& booked) = 0;

  // Declares that at most one of these two bookings will run, like `beside` of Book. A rebuild from
  // the store calls it for a hold and the one it replaces. No effect if one of them is not booked.
  virtual void Join(const Fence& fence, const Fence& beside) {
    (void)fence;
    (void)beside;
  }

  // Frees a booking, if there is one.
  virtual void Free(const Fence& fence) = 0;

  // Frees what a part has booked from `from` on, after an early end; what it has before that stays.
  virtual void FreePartFrom(const Fence& fence, uint32_t part, Instant from) = 0;

  // Plans the booking again with other allowed starts and replaces it (H14 to H17). If no start is
  // feasible, the old booking stays.
  virtual BookAnswer Rebook(const Fence& fence, const IntervalSet& allowed, Instant now) = 0;

  // Plans the entries in order on a copy, by the rules of scheduling.md section 3: accepted as
  // asked, else booked at the first feasible start and countered, else never or blocked. Changes
  // nothing.
  virtual std::vector<schemas::VerdictEntry> Verify(
      const std::vector<schemas::ProposalEntry>& entries, Instant now) const = 0;
};

}  // namespace muster::verifier
