// See hold_facts.h.
#include "site/holds/hold_facts.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "site/planning/environment.h"

namespace muster::site {

using schemas::ClosedAs;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartRecord;
using schemas::PartState;

schemas::PartChanged ChangeOf(const PartRecord& part, Moment at) {
  return {.index = part.index,
          .state = part.state,
          .at = at,
          .booking = BookingOf(part),
          .end = part.end,
          .started_at = part.started_at};
}

const schemas::PartPlace& PlaceNow(const PartRecord& part) {
  return part.loan ? part.loan->place : part.place;
}

const std::string& TokenNow(const PartRecord& part) {
  return part.loan ? part.loan->token : part.token;
}

schemas::PartPlace WithoutCores(schemas::PartPlace place) {
  for (schemas::ChunkPlace& chunk : place.chunks) chunk.resources.Set("ncpus", 0);
  return place;
}

bool IsOffItsCores(const PartRecord& part) { return part.loan && part.loan->paused_at.has_value(); }

Span InSeconds(BootSpan paused) { return {(paused.milliseconds + 999) / 1000}; }

BootSpan PausedBy(const schemas::Loan& loan, Moment at) {
  if (!loan.paused_at) return loan.paused;
  const int64_t until = loan.told_at.value_or(at).milliseconds;
  return loan.paused + BootSpan{std::max<int64_t>(until - loan.paused_at->milliseconds, 0)};
}

bool IsBeginning(const PartRecord& part) {
  return part.loan ? part.loan->state == schemas::LoanState::kStarting
                   : part.state == PartState::kStarting;
}

bool IsEnding(const PartRecord& part) {
  if (!part.loan) return part.state == PartState::kEnding;
  return part.loan->state == schemas::LoanState::kRecalled ||
         part.loan->state == schemas::LoanState::kReleased;
}

const schemas::PartDemand& DemandOf(const HoldRecord& hold, uint32_t index) {
  const auto it = std::find_if(hold.order.parts.begin(), hold.order.parts.end(),
                               [&](const auto& demand) { return demand.index == index; });
  MUSTER_CHECK(it != hold.order.parts.end());
  return *it;
}

const PartRecord& PartOf(const HoldRecord& hold, uint32_t index) {
  const auto it = std::find_if(hold.parts.begin(), hold.parts.end(),
                               [&](const auto& part) { return part.index == index; });
  MUSTER_CHECK(it != hold.parts.end());
  return *it;
}

PartRecord& PartOf(HoldRecord& hold, uint32_t index) {
  return const_cast<PartRecord&>(PartOf(std::as_const(hold), index));
}

Span LeftOf(const HoldRecord& hold, uint32_t index) {
  return DemandOf(hold, index).duration - PartOf(hold, index).saved;
}

Span RunTime(const HoldRecord& hold, uint32_t index) {
  const PartRecord& part = PartOf(hold, index);
  return LeftOf(hold, index) + part.place.slower + part.extended + InSeconds(part.paused);
}

bool WaitsToStart(PartState state) {
  return state == PartState::kBooked || state == PartState::kReady;
}

bool HasNotBegun(const PartRecord& part) { return !part.started_at && !part.ended_at; }

bool OneMember(const HoldRecord& hold) { return hold.order.members.size() == 1; }

Span PermitWait(const HoldRecord& hold) {
  return hold.order.parts.empty() ? Span{0} : hold.order.parts.front().tail;
}

bool HasStarted(const HoldRecord& hold) {
  return std::any_of(hold.parts.begin(), hold.parts.end(),
                     [](const auto& part) { return !WaitsToStart(part.state); });
}

bool IsLent(const HoldRecord& hold) {
  return std::any_of(hold.parts.begin(), hold.parts.end(),
                     [](const PartRecord& part) { return part.loan.has_value(); });
}

bool HasOnlyLentRoom(const HoldRecord& hold) {
  return !hold.parts.empty() && hold.parts.front().only_lent.has_value();
}

bool CanBeRecalled(const HoldRecord& hold) {
  return IsLent(hold) || (HasOnlyLentRoom(hold) && HasStarted(hold));
}

bool IsRecalled(const PartRecord& part) {
  return part.only_lent && part.only_lent->recalled_at.has_value();
}

bool MayRun(const HoldRecord& hold) { return HasStarted(hold) || IsLent(hold); }

bool AllEnded(const HoldRecord& hold) {
  return !hold.parts.empty() &&
         std::all_of(hold.parts.begin(), hold.parts.end(),
                     [](const auto& part) { return part.state == PartState::kEnded; });
}

bool IsLive(const HoldRecord& hold) {
  return hold.state != HoldState::kNone && hold.state != HoldState::kClosed;
}

bool Reserves(const HoldRecord& hold) { return hold.order.reserves.has_value(); }

bool IsStopping(const HoldRecord& hold) {
  return hold.state == HoldState::kPermitted && hold.closed_as != ClosedAs::kNotClosed;
}

schemas::HoldChanged HoldChangedOf(const HoldRecord& hold) {
  schemas::HoldChanged changed{.state = hold.state,
                               .request = hold.order.request,
                               .cause = hold.cause,
                               .start = hold.start,
                               .started = hold.started};
  if (hold.state == HoldState::kClosed) changed.closed_as = hold.closed_as;
  if (hold.deadline) changed.deadline = hold.deadline->wall;
  for (const PartRecord& part : hold.parts) changed.parts.push_back(BookingOf(part));
  return changed;
}

std::vector<uint64_t> CountsOf(const PartRecord& part, const schemas::PartDemand& demand) {
  if (!part.counts.empty()) return part.counts;
  std::vector<uint64_t> counts;
  for (const schemas::Chunk& chunk : demand.chunks) counts.push_back(chunk.count);
  return counts;
}

verifier::Demand DemandOf(const schemas::HoldOrder& order) {
  return {.parts = order.parts,
          .who = CredentialsOf(order),
          .priority = order.priority,
          .allowed = order.allowed,
          .label = LabelOf(order),
          .element = order.request.is_element(),
          .inside = order.inside};
}

std::string LabelOf(const schemas::HoldOrder& order) {
  if (order.part_count == 1 || order.parts.empty()) return JobName(order);
  return PartName(order, order.parts.front().index);
}

std::string ShownAs(const schemas::HoldOrder& order, uint32_t index) {
  return order.part_count == 1 ? JobName(order) : PartName(order, index);
}

}  // namespace muster::site
