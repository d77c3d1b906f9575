// Each error names what was found, for the operator who wants to know why a site is quarantined.
#include "meta/attempts/peer_checks.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/node_set.h"
#include "base/units.h"
#include "meta/requests/attempt_facts.h"
#include "schemas/limits.h"
#include "verifier/client_checks.h"

namespace muster::meta {
namespace {

using schemas::HoldState;

constexpr int64_t kMostOfAll = int64_t{1} << 53;  // the codec's bound of one amount
constexpr Span kLongestSlack{3600};  // bound of turnover and start slack for any driver
constexpr Span kOldNews{120};        // bound of a message's delay and clock errors together

absl::Status CheckNotNegative(const ResourceSet& set, const std::string& what) {
  for (const auto& [name, amount] : set.entries()) {
    if (amount < 0) return InvalidArgument("a capacity with negative " + name + " " + what);
  }
  return absl::OkStatus();
}

absl::Status CheckClass(const schemas::NodeClass& alike) {
  if (alike.count > schemas::kNodesPerSite || alike.up > alike.count) {
    return InvalidArgument("a capacity with " + std::to_string(alike.up) + " of " +
                           std::to_string(alike.count) + " nodes up");
  }
  MUSTER_RETURN_IF_ERROR(CheckNotNegative(alike.per_node, "on a node"));
  for (const auto& [name, amount] : alike.per_node.entries()) {
    if (alike.count > 0 && amount > kMostOfAll / alike.count) {
      return InvalidArgument("a capacity with more " + name + " than can be added up");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOutside(const schemas::Capacity& capacity) {
  std::set<uint64_t> keys;
  for (const schemas::OutsideRun& run : capacity.outside) {
    MUSTER_RETURN_IF_ERROR(CheckNotNegative(run.amounts, "taken by a local job"));
    if (run.when.begin >= run.when.end) {
      return InvalidArgument("a capacity with a local job that ends before it starts");
    }
    if (!keys.insert(run.key).second) {
      return InvalidArgument("a capacity with one local job twice");
    }
  }
  return absl::OkStatus();
}

bool IsMember(const Attempt& attempt, const Site& site) {
  const std::vector<std::string>& members = attempt.record().members;
  return std::find(members.begin(), members.end(), site.name) != members.end();
}

// Checks that this meta, or an earlier epoch of it, may have ordered the hold from this site.
absl::Status CheckFence(const AttemptsLayer& f, const Site& site, const Fence& fence) {
  if (!f.fences.Made(fence)) {
    return InvalidArgument("news of hold " + ToText(fence) + ", which nobody asked for");
  }
  const auto it = f.attempts.find(fence);
  if (it != f.attempts.end() && !IsMember(it->second, site)) {
    return InvalidArgument("news of hold " + ToText(fence) + ", which it was never asked for");
  }
  if (!site.mirror.Find(fence) && site.mirror.holds().size() >= schemas::kHoldsPerSite) {
    return InvalidArgument("more holds than a site may have");
  }
  return absl::OkStatus();
}

absl::Status CheckIndex(const Attempt* attempt, const Site& site, uint32_t index) {
  const size_t parts = attempt ? attempt->record().part_sites.size() : schemas::kPartsPerRequest;
  const bool its_own = index >= 1 && index <= parts &&
                       (!attempt || attempt->record().part_sites[index - 1] == site.name);
  if (its_own) return absl::OkStatus();
  return InvalidArgument("news of part " + std::to_string(index) + ", which is not there");
}

absl::Status CheckBooking(const schemas::PartBooking& booking) {
  const Span most{kLongestDuration.seconds * (kFullSpeed / kLeastSpeed)};
  const bool sane = booking.extended >= Span{0} && booking.extended <= kLongestDuration &&
                    booking.slower > -kLongestDuration && booking.slower < most;
  if (booking.lost < BootSpan{0}) return InvalidArgument("a recall lost less than nothing");
  if (sane && booking.counts.size() <= schemas::kChunksPerPart) return absl::OkStatus();
  return InvalidArgument("part " + std::to_string(booking.index) +
                         " goes on for a time, or has sets, that no part can");
}

// Only whoever agreed to it is lent room, and recalled.
absl::Status CheckLent(const AttemptsLayer& f, const Attempt* attempt,
                       const schemas::PartBooking& booking) {
  if ((!booking.lent && booking.recalls == 0) || !attempt) return absl::OkStatus();
  const Request* request = f.requests.Find(attempt->record().request);
  const bool agreed = request && SpecOf(*request, *attempt).contract;
  if (agreed && booking.recalls <= schemas::kRecallsMost) return absl::OkStatus();
  return InvalidArgument("part " + std::to_string(booking.index) +
                         " was lent room, or recalled, without a contract");
}

struct ChangeCheck {
  const AttemptsLayer& f;
  const Site& site;
  const Fence& fence;
  const Attempt* attempt;  // null: the meta does not know it (any more)
  HoldState& state;        // of the hold: before this change, and after it on return

  absl::Status operator()(const schemas::HoldChanged& c) const {
    const bool closed = c.state == HoldState::kClosed;
    if (c.state == HoldState::kNone || closed != (c.closed_as != schemas::ClosedAs::kNotClosed)) {
      return InvalidArgument("hold " + ToText(fence) + " is in no state there is");
    }
    if (c.state < state) {
      return InvalidArgument("hold " + ToText(fence) + " went back to an earlier state");
    }
    // H1 to H3: the hold is granted at an allowed start. Later moves come with their causes.
    const bool granted = state == HoldState::kNone && !closed && attempt &&
                         attempt->record().state == schemas::AttemptState::kHolding;
    if (granted && !attempt->allowed.empty() && !attempt->allowed.Contains(c.start)) {
      return InvalidArgument("hold " + ToText(fence) + " was granted at a start not allowed");
    }
    state = c.state;
    for (const schemas::PartBooking& booking : c.parts) {
      MUSTER_RETURN_IF_ERROR(CheckIndex(attempt, site, booking.index));
      MUSTER_RETURN_IF_ERROR(CheckBooking(booking));
      MUSTER_RETURN_IF_ERROR(CheckLent(f, attempt, booking));
    }
    return absl::OkStatus();
  }
  absl::Status operator()(const schemas::PartChanged& c) const {
    if (c.state == schemas::PartState::kRunning && !c.started_at) {
      return InvalidArgument("part " + std::to_string(c.index) + " runs and never started");
    }
    MUSTER_RETURN_IF_ERROR(CheckBooking(c.booking));
    MUSTER_RETURN_IF_ERROR(CheckLent(f, attempt, c.booking));
    return CheckIndex(attempt, site, c.index);
  }
  absl::Status operator()(const schemas::Moved& c) const {
    if (c.cause.code != schemas::CauseCode::kNone) return absl::OkStatus();
    return InvalidArgument("a promise moved without a cause");
  }
  absl::Status operator()(const schemas::UsageChanged& c) const {
    const bool negative = c.usage.elapsed < BootSpan{0} ||
                          c.usage.cpu.value_or(BootSpan{0}) < BootSpan{0} ||
                          c.usage.max_rss_bytes.value_or(0) < 0;
    if (negative)
      return InvalidArgument("part " + std::to_string(c.index) + " used less than nothing");
    return CheckIndex(attempt, site, c.index);
  }
  absl::Status operator()(const schemas::Steered&) const { return absl::OkStatus(); }
};

const Attempt* Known(const AttemptsLayer& f, const Fence& fence) {
  const auto it = f.attempts.find(fence);
  return it == f.attempts.end() ? nullptr : &it->second;
}

// State of a hold in the mirror. kNone also if the meta closed it itself, as forgotten: the site
// may report such a hold again.
HoldState StateOf(const Site& site, const Fence& fence) {
  const schemas::MirrorRecord* hold = site.mirror.Find(fence);
  const bool forgotten = hold && hold->cause.code == schemas::CauseCode::kForgot;
  return !hold || forgotten ? HoldState::kNone : hold->state;
}

}  // namespace

absl::Status CheckCapacity(const schemas::Capacity& capacity) {
  for (const schemas::NodeClass& alike : capacity.classes) {
    MUSTER_RETURN_IF_ERROR(CheckClass(alike));
  }
  std::optional<Instant> before;
  for (const schemas::ProfileStep& step : capacity.profile) {
    if (before && step.from <= *before) {
      return InvalidArgument("a capacity with steps that go back in time");
    }
    before = step.from;
    if (step.free.size() != capacity.classes.size()) {
      return InvalidArgument("a capacity with steps of other nodes than it has");
    }
    for (size_t c = 0; c < step.free.size(); ++c) {
      MUSTER_RETURN_IF_ERROR(CheckNotNegative(step.free[c], "free"));
      if (!step.free[c].FitsIn(capacity.classes[c].per_node * capacity.classes[c].count)) {
        return InvalidArgument("a capacity with more free than there is");
      }
    }
  }
  MUSTER_RETURN_IF_ERROR(CheckNotNegative(capacity.total, "in total"));
  MUSTER_RETURN_IF_ERROR(CheckOutside(capacity));
  for (const Span span : {capacity.turnover, capacity.start_slack}) {
    if (span < Span{0} || span > kLongestSlack) {
      return InvalidArgument("a capacity with a slack of " + std::to_string(span.seconds) + " s");
    }
  }
  for (const auto* durations : {&capacity.durations, &capacity.forced}) {
    for (const schemas::DefaultDuration& one : *durations) {
      if (one.duration >= Span{1} && one.duration <= verifier::kDurationMost) continue;
      return InvalidArgument("a capacity with a duration of " +
                             std::to_string(one.duration.seconds) + " s");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckReport(const AttemptsLayer& f, const Site& site, const schemas::Report& report) {
  std::map<Fence, HoldState> states;
  uint64_t last = report.after.revision.value;
  for (const schemas::Change& change : report.changes) {
    if (change.revision.value != ++last) {
      return InvalidArgument("a report whose revisions do not follow each other");
    }
    if (change.revision <= site.mirror.position().revision) continue;  // known already
    if (std::holds_alternative<schemas::Steered>(change.what)) continue;
    MUSTER_RETURN_IF_ERROR(CheckFence(f, site, change.fence));
    HoldState& state = states.try_emplace(change.fence, StateOf(site, change.fence)).first->second;
    MUSTER_RETURN_IF_ERROR(
        std::visit(ChangeCheck{f, site, change.fence, Known(f, change.fence), state}, change.what));
  }
  return absl::OkStatus();
}

absl::Status CheckListing(const AttemptsLayer& f, const Site& site, const schemas::Listing& page) {
  if (site.mirror.pending() + page.holds.size() > schemas::kHoldsPerSite) {
    return InvalidArgument("a listing of more holds than a site may have");
  }
  for (const schemas::HoldRecord& hold : page.holds) {
    const Fence& fence = hold.order.fence;
    MUSTER_RETURN_IF_ERROR(CheckFence(f, site, fence));
    const bool whole = hold.parts.size() == hold.order.parts.size();
    if (hold.state == HoldState::kNone || (hold.state != HoldState::kClosed && !whole)) {
      return InvalidArgument("hold " + ToText(fence) + " is listed in part only");
    }
    const Attempt* attempt = Known(f, fence);
    for (const schemas::PartRecord& part : hold.parts) {
      MUSTER_RETURN_IF_ERROR(CheckIndex(attempt, site, part.index));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAnswer(const Site& site, const Attempt& attempt, const schemas::Answer& answer,
                         Instant now) {
  if (!IsMember(attempt, site)) {
    return InvalidArgument("an answer about hold " + ToText(answer.fence) +
                           ", which it was never asked for");
  }
  if (answer.kind != schemas::AnswerKind::kCountered || !answer.verdict) return absl::OkStatus();
  const std::vector<Interval>& starts = answer.verdict->starts.intervals();
  if (starts.size() > schemas::kStartIntervals) {
    return InvalidArgument("more intervals of starts than a counter may have");
  }
  if (starts.empty()) return absl::OkStatus();
  if (starts[0].begin < now - kOldNews) return InvalidArgument("countered with starts in the past");
  if (starts[0].begin != answer.verdict->start) {
    return InvalidArgument("countered with a start that is not the first feasible one");
  }
  return absl::OkStatus();
}

}  // namespace muster::meta
