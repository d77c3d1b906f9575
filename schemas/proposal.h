// Questions to a site's plan and their answers: proposals and verdicts. protocol.md section 2,
// scheduling.md section 3.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/interval.h"
#include "base/resources.h"
#include "base/time.h"
#include "schemas/fields.h"
#include "schemas/hold.h"
#include "schemas/reasons.h"
#include "schemas/request.h"

namespace muster::schemas {

// One entry of a proposal: what one attempt asks of this site.
struct ProposalEntry {
  std::vector<PartDemand> parts;
  std::string user;  // for limits and policy
  int32_t priority = 0;
  Instant asked;
  IntervalSet allowed;
  // The verdict lists all feasible starts: for a co-allocation, or on request.
  bool want_starts = false;
  std::vector<Fence> ignoring;      // holds whose bookings are treated as free
  std::vector<std::string> groups;  // groups of the user
  bool element = false;             // the entry is of an element of an array
  std::optional<RequestId> inside;  // the reservation that the entry would run in
  // One of several alternatives of which at most one will be taken. It is planned on top of the
  // entries before it, and is not booked for the entries after it.
  bool alternative = false;
  // Number of intervals of feasible starts wanted; 0: kStartIntervals; at most kSearchIntervals.
  uint32_t intervals = 0;
  std::string account;  // that the meta vouches for, as for the user; also the next two
  std::string qos;
  std::string queue;
  RequestClass request_class = RequestClass::kBatch;
  std::optional<Contract> only_lent;  // lent room alone, under this (HoldOrder::only_lent)
  static constexpr auto Fields() {
    using P = ProposalEntry;
    return FieldList(
        Field("parts", &P::parts), Field("user", &P::user), Field("priority", &P::priority),
        Field("asked", &P::asked), Field("allowed", &P::allowed),
        Field("want_starts", &P::want_starts), Field("ignoring", &P::ignoring),
        Field("groups", &P::groups), Field("element", &P::element), Field("inside", &P::inside),
        Field("alternative", &P::alternative), Field("intervals", &P::intervals),
        Field("account", &P::account), Field("qos", &P::qos), Field("queue", &P::queue),
        Field("request_class", &P::request_class), Field("only_lent", &P::only_lent));
  }
  bool operator==(const ProposalEntry&) const = default;
};
struct Propose {
  ProposalId proposal;
  uint32_t round = 0;
  PlanRevision assumed;
  bool tentative = false;
  std::optional<ProposalId> continues;  // proposal whose overlay this one extends
  std::vector<ProposalEntry> entries;   // planned in this order
  static constexpr auto Fields() {
    using P = Propose;
    return FieldList(Field("proposal", &P::proposal), Field("round", &P::round),
                     Field("assumed", &P::assumed), Field("tentative", &P::tentative),
                     Field("continues", &P::continues), Field("entries", &P::entries));
  }
  bool operator==(const Propose&) const = default;
};

// kAccepted: feasible at the asked start. kCountered: feasible at the first of `starts`. kNever:
// does not fit even the empty, complete machine. kBlocked: no allowed start is feasible in the
// present plan (nodes out of use, bookings until the window or the horizon ends, a temporary rule);
// a later plan may have one. kUnanswered: the planning budget ran out; ask again.
enum class VerdictKind : uint8_t { kAccepted, kCountered, kNever, kBlocked, kUnanswered };

// The answer to one entry of a proposal, or to an infeasible hold (countered).
struct VerdictEntry {
  VerdictKind kind = VerdictKind::kUnanswered;
  Instant start;  // accepted: the asked start; countered: the first feasible one
  // Feasible starts, no more intervals than wanted. Empty unless countered or `want_starts`.
  IntervalSet starts;
  Instant complete_until = kFarFuture;  // `starts` has every feasible start before this
  std::vector<ResourceSet> taken;       // per node class, the resources that the mapping blocks
  std::optional<Reason> reason;         // why the asked start, or every start, is impossible
  std::vector<Chunk> largest;           // kNever: the largest chunks that would fit
  static constexpr auto Fields() {
    using V = VerdictEntry;
    return FieldList(Field("kind", &V::kind), Field("start", &V::start),
                     Field("starts", &V::starts), Field("complete_until", &V::complete_until),
                     Field("taken", &V::taken), Field("reason", &V::reason),
                     Field("largest", &V::largest));
  }
  bool operator==(const VerdictEntry&) const = default;
};

struct Verdict {
  ProposalId proposal;
  uint32_t round = 0;
  PlanRevision plan;
  bool gone = false;  // the overlay to continue no longer exists
  std::vector<VerdictEntry> entries;
  static constexpr auto Fields() {
    using V = Verdict;
    return FieldList(Field("proposal", &V::proposal), Field("round", &V::round),
                     Field("plan", &V::plan), Field("gone", &V::gone),
                     Field("entries", &V::entries));
  }
  bool operator==(const Verdict&) const = default;
};

}  // namespace muster::schemas
