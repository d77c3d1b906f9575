// The pure interface through which the protocol reaches a site's plan. Declared here so that
// `verifier` never includes `site`; implemented by site/plan (through the site's core), and by a
// small exact planner in tests.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/interval.h"
#include "base/time.h"
#include "schemas/hold.h"
#include "schemas/site_link.h"

namespace muster::verifier {

// What a booking needs to know of a hold.
struct Demand {
  std::vector<schemas::PartDemand> parts;
  std::string user;
  int32_t priority = 0;
  IntervalSet allowed;  // starts of the hold that are allowed; the earliest feasible one is taken
  std::string label;    // names the job in reasons given to others: "41", "42.3"; may be empty
  std::vector<std::string> groups;  // of the user
  bool element = false;             // of a job array
  std::optional<RequestId> inside;  // the reservation it runs in
  // By part, where another duration is booked than was asked for: rules judge by that.
  std::map<uint32_t, Span> asked = {};
  bool grows = false;  // more for a job that is booked: none by itself where jobs are counted
};

// A mapped booking: starts of the parts are start + their offset.
struct Booked {
  Instant start;
  std::vector<schemas::PartPlace> places;  // same order as the parts
  bool operator==(const Booked&) const = default;
};

// Booked, or why not: countered with feasible starts, never, or blocked.
using BookAnswer = std::variant<Booked, schemas::VerdictEntry>;

// The plan of one site. Every booked span is [start - turnover, start + duration + tail) of each
// part. No method fails for lack of room: that is an answer. All results are pure functions of the
// plan.
class Planner {
 public:
  virtual ~Planner() = default;

  // p: changes whenever a verdict could change.
  virtual PlanRevision revision() const = 0;

  // Plans and books under `fence` at the earliest allowed start >= now. With `beside`, that fence's
  // booking and this one may share nodes (of the two at most one will run; G2 counts their
  // maximum). REQUIRES: `fence` has no booking.
  virtual BookAnswer Book(const Fence& fence, const Demand& demand, Instant now,
                          std::optional<Fence> beside) = 0;

  // Books exactly these places at this start: a rebuild from the store. CHECKs nothing about room,
  // so that a machine that shrank while the daemon was down still loads; what no longer fits is
  // found by the core.
  virtual void Restore(const Fence& fence, const Demand& demand, const Booked& booked) = 0;

  // Says that of these two bookings at most one will run, as `beside` does when booking: a rebuild
  // from the store calls it for a hold and the one it replaces. Nothing happens if one of them is
  // not booked.
  virtual void Join(const Fence& fence, const Fence& beside) {
    (void)fence;
    (void)beside;
  }

  // Frees a booking; nothing happens if there is none.
  virtual void Free(const Fence& fence) = 0;

  // Frees what one part still has booked from `from` on (an early end); the part's past stays.
  virtual void FreePartFrom(const Fence& fence, uint32_t part, Instant from) = 0;

  // Plans the booking anew with other allowed starts and replaces it (H14 to H17); on a refusal the
  // old booking stays as it was.
  virtual BookAnswer Rebook(const Fence& fence, const IntervalSet& allowed, Instant now) = 0;

  // Plans the entries in order on a copy, as scheduling.md section 3 says: accepted as asked, else
  // booked at the first feasible start and countered, else never or blocked. Writes nothing.
  virtual std::vector<schemas::VerdictEntry> Verify(
      const std::vector<schemas::ProposalEntry>& entries, Instant now) const = 0;
};

}  // namespace muster::verifier
