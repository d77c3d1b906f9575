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

// One entry of a proposal: what one attempt would want of this site.
struct ProposalEntry {
  std::vector<PartDemand> parts;
  std::string user;  // for limits and policy
  int32_t priority = 0;
  Instant asked;
  IntervalSet allowed;
  bool want_starts = false;         // co-allocated or asked for: answer with the whole set
  std::vector<Fence> ignoring;      // holds whose booking does not count
  std::vector<std::string> groups;  // of the user
  bool element = false;             // of an array
  std::optional<RequestId> inside;  // the reservation it would run in
  // One of several ways of which at most one is taken: answered on what is booked before it, and
  // not booked for what follows.
  bool alternative = false;
  uint32_t intervals =
      0;  // of feasible starts wanted; 0: kStartIntervals, at most kSearchIntervals
  static constexpr auto Fields() {
    using P = ProposalEntry;
    return FieldList(Field("parts", &P::parts), Field("user", &P::user),
                     Field("priority", &P::priority), Field("asked", &P::asked),
                     Field("allowed", &P::allowed), Field("want_starts", &P::want_starts),
                     Field("ignoring", &P::ignoring), Field("groups", &P::groups),
                     Field("element", &P::element), Field("inside", &P::inside),
                     Field("alternative", &P::alternative), Field("intervals", &P::intervals));
  }
  bool operator==(const ProposalEntry&) const = default;
};
struct Propose {
  ProposalId proposal;
  uint32_t round = 0;
  PlanRevision assumed;
  bool tentative = false;
  std::optional<ProposalId> continues;  // extend that proposal's overlay
  std::vector<ProposalEntry> entries;   // in order
  static constexpr auto Fields() {
    using P = Propose;
    return FieldList(Field("proposal", &P::proposal), Field("round", &P::round),
                     Field("assumed", &P::assumed), Field("tentative", &P::tentative),
                     Field("continues", &P::continues), Field("entries", &P::entries));
  }
  bool operator==(const Propose&) const = default;
};

// kAccepted: at the asked start. kCountered: at the first of `starts`. kNever: not even on the
// empty, whole machine. kBlocked: no start among the allowed ones as things are (nodes that are out
// of use, what is booked until the window closes or the horizon, a rule for a time); another plan
// may have one. kUnanswered: planning budget spent; ask again.
enum class VerdictKind : uint8_t { kAccepted, kCountered, kNever, kBlocked, kUnanswered };

// The answer for one entry, or to an infeasible hold (countered).
struct VerdictEntry {
  VerdictKind kind = VerdictKind::kUnanswered;
  Instant start;       // accepted: asked; countered: first feasible
  IntervalSet starts;  // feasible, at most the wanted ones; empty unless countered or asked for
  Instant complete_until = kFarFuture;  // `starts` lists all there are before this
  std::vector<ResourceSet> taken;       // per node class: what mapping really blocks
  std::optional<Reason> reason;         // why not the asked start / not at all
  std::vector<Chunk> largest;           // kNever: the largest that fits
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
  bool gone = false;  // the overlay to continue is not there
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
