// Why and how a booking moves: a site cause (H14, H15, H16), an earlier slot (H17, offers for
// several members), a predecessor that overruns. protocol.md sections 3.1, 4, 5; scheduling.md
// section 5 (revoke one, plan it, keep the better).
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "schemas/limits.h"
#include "site/planning/environment.h"
#include "site/state.h"
#include "verifier/start_notice.h"

namespace muster::site {

using schemas::CauseCode;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartRecord;
using schemas::PartState;
using schemas::VerdictEntry;
using verifier::Booked;
using verifier::HoldEvent;
using verifier::HoldRow;

schemas::Cause Core::State::Own(CauseCode code, std::string node) const {
  return {.code = code,
          .subject = {.site = options.name, .node = std::move(node)},
          .who = "site:" + options.name};
}

// The record follows the planner: new start and places. Parts that were ready have to become so
// again.
void Core::State::Remap(const Fence& fence, const Booked& booked) {
  HoldRecord& hold = ledger.Edit(fence);
  MUSTER_CHECK(booked.places.size() == hold.parts.size());
  hold.start = booked.start;
  for (size_t i = 0; i < hold.parts.size(); ++i) {
    PartRecord& part = hold.parts[i];
    schemas::PartPlace place = booked.places[i];
    place.index = part.index;
    const bool other = place != part.place;
    part.place = std::move(place);
    if (hold.state < HoldState::kCommitted) continue;
    if (part.state == PartState::kReady || other) {
      SetPart(fence, part.index, NextPart(part.state, verifier::PartEvent::kNodeLost), now());
    }
  }
  if (Reserves(hold)) OpenSystem(fence);
}

// H14, else H15, else H16. With `places_lost` the nodes cannot be used; otherwise a co-allocated
// hold that may still start late keeps its booking: its tail covers that.
void Core::State::MoveForCause(const Fence& fence, schemas::Cause cause, bool places_lost) {
  const HoldRecord& hold = *ledger.Find(fence);
  const Instant old_start = hold.start;
  const Instant now_at = now_floor();
  verifier::HoldGuards guards = GuardsOf(hold);
  std::optional<Booked> booked;
  std::optional<VerdictEntry> refusal;
  auto rebook = [&](const IntervalSet& allowed) {
    auto answer = plan.Rebook(fence, allowed, now_at);
    if (auto* b = std::get_if<Booked>(&answer)) booked = std::move(*b);
    if (auto* r = std::get_if<VerdictEntry>(&answer)) refusal = std::move(*r);
  };
  if (old_start >= now_at) rebook(IntervalSet::Only(old_start));
  const bool lost = places_lost && cause.code == CauseCode::kNodeLost;
  if (!booked && lost && old_start >= now_at) booked = Displace(fence, cause);
  guards.same_start_fits = booked.has_value();
  if (!booked && !guards.one_member && !places_lost) guards.same_start_fits = true;
  if (!guards.same_start_fits && guards.one_member) {
    const auto& allowed = hold.order.allowed.intervals();
    const Instant end = hold.permit       ? hold.permit->last_start + Span{1}
                        : allowed.empty() ? old_start + Span{1}
                                          : allowed.back().end;
    const Instant from = std::max(now_at, old_start);
    if (from < end) rebook(IntervalSet({{from, end}}));
    guards.later_start_fits = booked.has_value();
  }
  const auto step = NextHold(hold.state, HoldEvent::kSiteCause, guards);
  if (step.effects.present) return;
  if (step.row == HoldRow::kH14) {
    if (!booked) return;
    Remap(fence, *booked);
    return SomethingIsFree();  // where it was
  }
  if (step.row == HoldRow::kH16) {
    return Drop(fence, std::move(cause), refusal ? refusal->starts : IntervalSet());
  }
  MoveLater(fence, *booked, std::move(cause));
}

// H15; the plan has it there already.
void Core::State::MoveLater(const Fence& fence, const Booked& booked, schemas::Cause cause) {
  const Instant old_start = ledger.Find(fence)->start;
  Remap(fence, booked);
  // Its start was tried for so long that its booking had to grow; it takes its own time again.
  if (Live& memory = live[fence]; !memory.booked_until.empty()) {
    memory.booked_until.clear();
    plan.Free(fence);
    RestoreBooking(*ledger.Find(fence));
  }
  SomethingIsFree();  // where it was
  HoldRecord& edited = ledger.Edit(fence);
  edited.cause = cause;
  ArmDeadline(edited);
  Report(fence, schemas::Moved{.old_start = old_start,
                               .new_start = edited.start,
                               .deadline = edited.deadline->wall,
                               .cause = std::move(cause)});
  touched.insert(fence);
  backfilling.Freed(plan.revision());
}

// H16: with the starts that would do instead.
void Core::State::Drop(const Fence& fence, schemas::Cause cause, const IntervalSet& starts) {
  const HoldRecord& hold = *ledger.Find(fence);
  const auto step = NextHold(hold.state, HoldEvent::kSiteCause, {});
  MUSTER_CHECK(step.row == HoldRow::kH16);
  Report(fence, schemas::Moved{.old_start = hold.start,
                               .new_start = hold.start,
                               .cause = cause,
                               .starts = starts.FirstIntervals(schemas::kStartIntervals)});
  Close(fence, step.closed_as, std::move(cause));
}

// The plan must learn that the predecessors are still there before anything can be planned around
// them.
void Core::State::OnOverrun(const Fence& fence, uint32_t index) {
  const Moment again{now().milliseconds + kOverrunLook.milliseconds};
  live[fence].look_at[index] = again;
  const schemas::PartPlace place = PartOf(*ledger.Find(fence), index).place;
  std::string job;
  for (const PartKey& other : node_use.On(place)) {
    if (other.first == fence) continue;
    ExtendBooking(other);
    job = PartName(ledger.Find(other.first)->order, other.second);
  }
  schemas::Cause cause = Own(CauseCode::kOverrun, place.chunks.empty() ? "" : place.chunks[0].node);
  cause.subject.job = std::move(job);
  if (HasStarted(*ledger.Find(fence)))
    return;  // one part of several: it waits until its last start
  MoveForCause(fence, std::move(cause), false);
}

void Core::State::ExtendBooking(const PartKey& part) {
  const HoldRecord& hold = *ledger.Find(part.first);
  const schemas::PartDemand& demand = DemandOf(hold, part.second);
  Instant& until = live[part.first].booked_until[part.second];
  const Span runs = RunTime(hold, part.second);
  const Instant end = std::max(until, hold.start + demand.offset + runs + demand.tail);
  if (end > now_floor() + Span{1}) return;
  until = now_floor() + kOverrunBooked;
  plan.Free(part.first);
  RestoreBooking(hold);
}

// What the plan has to hold of a hold now: parts that ended, that started late, that overran.
verifier::Demand Core::State::DemandNow(const HoldRecord& hold) const {
  verifier::Demand demand = DemandOf(hold.order);
  const auto it = live.find(hold.order.fence);
  for (size_t i = 0; i < demand.parts.size() && i < hold.parts.size(); ++i) {
    schemas::PartDemand& part = demand.parts[i];
    const PartRecord& record = hold.parts[i];
    const Instant start = hold.start + part.offset;
    demand.asked[part.index] = part.duration;
    part.duration = RunTime(hold, record.index);
    // A reservation ends when it was planned to, however late it was opened.
    if (record.started_at && !Reserves(hold)) {
      part.duration = record.started_at->Ceiling() + part.duration - start;
      part.tail = {};
    }
    for (size_t c = 0; c < record.counts.size(); ++c) {
      part.chunks[c].count = static_cast<uint32_t>(record.counts[c]);
    }
    if (record.ended_at) {
      part.duration = record.ended_at->Floor() - start;
      part.tail = {};
    }
    if (it != live.end() && it->second.booked_until.contains(part.index)) {
      part.duration = std::max(part.duration, it->second.booked_until.at(part.index) - start);
    }
    // What a resized part had before says nothing of what others had then: it is booked from now.
    const Span gone = std::max(Span{0}, now_floor() + options.turnover - start);
    if (!record.counts.empty() && !record.ended_at) {
      part.offset = part.offset + gone;
      part.duration = part.duration - gone;
    }
    part.duration = std::max(part.duration, Span{1});
  }
  return demand;
}

void Core::State::RestoreBooking(const HoldRecord& hold) { RestoreIn(plan, hold); }

void Core::State::RestoreIn(SitePlanner& where, const HoldRecord& hold) const {
  Booked booked{.start = hold.start};
  for (const PartRecord& part : hold.parts) booked.places.push_back(part.place);
  verifier::Demand demand = DemandNow(hold);
  // What still runs when its reservation is over has its nodes for itself.
  if (demand.inside && !where.HolderOf(*demand.inside)) demand.inside.reset();
  where.Restore(hold.order.fence, demand, booked);
  // The one it would replace is older, so it is in the plan already.
  const bool beside = hold.state < HoldState::kCommitted && hold.order.replaces.has_value();
  if (beside) where.Join(hold.order.fence, *hold.order.replaces);
}

// How others are told of a hold that is in their way.
verifier::Demand DemandOf(const schemas::HoldOrder& order) {
  return {.parts = order.parts,
          .user = order.requester.user,
          .priority = order.priority,
          .allowed = order.allowed,
          .label = LabelOf(order),
          .groups = order.requester.groups,
          .element = order.request.is_element(),
          .inside = order.inside};
}

std::string LabelOf(const schemas::HoldOrder& order) {
  if (order.part_count == 1 || order.parts.empty()) return JobName(order);
  return PartName(order, order.parts.front().index);
}

// H17, for all that backfilling wants tried in this turn. By rank, so room is kept from who is less
// urgent than the one it is kept for.
void Core::State::Backfill() {
  if (kept_room.LetGo(turn.boot)) backfilling.Freed(plan.revision());
  if (!backfilling.IsDue(turn.boot)) return;
  backfilling.Begin(turn.boot, plan.FreeNow(now_floor()));
  std::vector<Fence> offerable = MayKeepRoom();
  std::vector<Fence> kept;
  while (const auto next = backfilling.Next()) {
    const uint64_t before = plan.looks();
    KeepRoomBefore(next->fence, offerable, kept);
    Backfilling::Came came = TryEarlier(next->fence, next->at_once);
    if (came == Backfilling::Came::kStays && !kept.empty()) came = Backfilling::Came::kWaits;
    backfilling.Answer(came, plan.looks() - before);
  }
  for (const Fence& fence : kept) plan.Free(fence);
  backfilling.End(plan.revision(), !link.up() || HeartbeatPeriod() > BootSpan{0});
}

Backfilling::Came Core::State::TryEarlier(const Fence& fence, bool at_once) {
  using Came = Backfilling::Came;
  const HoldRecord& hold = *ledger.Find(fence);
  if (Reserves(hold)) return Came::kPassed;  // others rely on when it is
  // Without a link no permit can come: an earlier start would only bring D nearer.
  if (hold.state == HoldState::kCommitted && !link.up()) return Came::kWaits;
  const Instant from = verifier::EarliestMove(hold, now());
  // What was given back now is clean for a start then.
  const Instant soon = now_floor() + options.turnover + Span{1};
  const Instant until = at_once ? std::min(soon, hold.start) : hold.start;
  if (from >= until) return Came::kPassed;
  const std::optional<Booked> booked =
      plan.RebookEarlier(fence, IntervalSet({{from, until}}), now_floor());
  if (booked.has_value()) {
    MoveEarlier(fence, *booked);
    return Came::kMoved;
  }
  // That another could not start either is not said if its own words kept it from some of that.
  return at_once && (from > now_floor() || until < soon) ? Came::kPassed : Came::kStays;
}

// H17; the plan has it there already.
void Core::State::MoveEarlier(const Fence& fence, const Booked& booked) {
  const HoldRecord& hold = *ledger.Find(fence);
  const Instant old_start = hold.start;
  verifier::HoldGuards guards = GuardsOf(hold);
  guards.not_before_earliest = booked.start >= verifier::EarliestMove(hold, now());
  const auto step = NextHold(hold.state, HoldEvent::kEarlierSlot, guards);
  MUSTER_CHECK(step.row == HoldRow::kH17 && booked.start < old_start);
  Remap(fence, booked);
  HoldRecord& edited = ledger.Edit(fence);
  // On record stays what made it later before: a listing has to tell why a promise is.
  if (edited.cause.code == CauseCode::kNone) edited.cause = Own(CauseCode::kBackfilled);
  ArmDeadline(edited);
  Report(fence, schemas::Moved{.old_start = old_start,
                               .new_start = edited.start,
                               .deadline = edited.deadline->wall,
                               .cause = Own(CauseCode::kBackfilled)});
  touched.insert(fence);
}

}  // namespace muster::site
