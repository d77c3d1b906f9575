// What members are told, and what they have told so far: orders name a target, so they can be said
// again.
#include <algorithm>

#include "base/check.h"
#include "meta/attempts/attempt_actions.h"
#include "meta/attempts/attempts.h"
#include "meta/requests/array_jobs.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/endings.h"
#include "meta/requests/gates.h"
#include "meta/requests/terms.h"
#include "meta/sites/links.h"
#include "meta/sites/say.h"
#include "partitioner/split.h"
#include "schemas/canonical.h"
#include "verifier/start_notice.h"

namespace muster::meta {
namespace {

using schemas::AttemptState;
using schemas::HoldState;
using schemas::PartState;

const schemas::MirrorPart* PartOf(const schemas::MirrorRecord& hold, uint32_t index) {
  for (const schemas::MirrorPart& part : hold.parts) {
    if (part.index == index) return &part;
  }
  return nullptr;
}

verifier::MemberView MemberOf(const AttemptsLayer& f, const Turn& t, const Attempt& attempt,
                              const Request& request, const std::string& name) {
  const Site& site = f.sites.at(name);
  verifier::MemberView out;
  out.refused = attempt.refused.contains(name);
  out.lost = attempt.lost.contains(name);
  out.link_up = site.Up();
  out.link_lost = site.Silent() || site.link.state() == schemas::SiteState::kQuarantined;
  // Over an ideal link nobody speaks who has nothing to say, and whoever is up is heard.
  out.heard = IsIdeal(f.options.values) ? t.plan : site.heard;
  const auto running = attempt.seen_running.find(name);
  if (running != attempt.seen_running.end()) out.seen_running = running->second;
  const schemas::MirrorRecord* hold = site.mirror.Find(attempt.fence());
  if (!hold) return out;
  out.hold = hold->state;
  out.closed_as = hold->closed_as;
  out.started = hold->started;
  out.start = hold->start;
  out.first_parts_ready = true;
  out.all_parts_running = true;
  const schemas::RequestSpec& spec = SpecOf(request, attempt);
  const Span first = partitioner::FirstOffset(spec);
  for (size_t i = 0; i < attempt.record().part_sites.size(); ++i) {
    if (attempt.record().part_sites[i] != name) continue;
    const schemas::MirrorPart* part = PartOf(*hold, static_cast<uint32_t>(i + 1));
    const PartState state = part ? part->state : PartState::kBooked;
    if (spec.parts[i].offset == first && state < PartState::kReady) out.first_parts_ready = false;
    // One released while it started is ending, and never ran.
    const bool ran =
        state == PartState::kRunning || (state > PartState::kRunning && part->started_at);
    if (!ran) out.all_parts_running = false;
  }
  return out;
}

// Most sites off alike: then it is the meta's clock that is wrong. protocol.md section 6.
bool ClockIsTrusted(const AttemptsLayer& f) {
  size_t known = 0;
  size_t ahead = 0;
  size_t behind = 0;
  for (const auto& [name, site] : f.sites) {
    if (!site.link.offset()) continue;
    ++known;
    if (site.link.offset()->Provable() <= verifier::kClockQuarantine) continue;
    ++(site.link.offset()->milliseconds > 0 ? ahead : behind);
  }
  return known < 3 || 2 * std::max(ahead, behind) <= known;
}

// Every member has come as far as `stage`, and has not closed it.
bool AllHold(const AttemptsLayer& f, const Attempt& attempt, HoldState stage) {
  return std::all_of(attempt.record().members.begin(), attempt.record().members.end(),
                     [&](const std::string& site) {
                       const auto* hold = f.sites.at(site).mirror.Find(attempt.fence());
                       return hold && hold->state >= stage && hold->state != HoldState::kClosed;
                     });
}

// Closed by the very commit of what replaces it: nothing was lost.
bool MadeRoom(const AttemptsLayer& f, const Request& request, const Attempt& attempt) {
  if (!request.seeking) return false;
  const auto next = f.attempts.find(*request.seeking);
  if (next == f.attempts.end() || next->second.record().replaces != attempt.fence()) return false;
  return AllHold(f, next->second, HoldState::kCommitted);
}

// It is to start earlier than where it is permitted to start already.
bool LeavesPlace(const AttemptsLayer& f, const Request& request) {
  if (!request.TriesElsewhere() || !request.replacing) return false;
  const auto place = f.attempts.find(*request.replacing);
  return place != f.attempts.end() && verifier::Permitted(place->second.state());
}

// Start of the place that is left for an earlier one, as long as it stands.
std::optional<Instant> PlaceLeft(const AttemptsLayer& f, const Request& request) {
  if (!request.replacing) return std::nullopt;
  const auto place = f.attempts.find(*request.replacing);
  const bool stands = place != f.attempts.end() && !place->second.endangered &&
                      verifier::Binds(place->second.state());
  return stands ? std::optional(place->second.record().start) : std::nullopt;
}

}  // namespace

bool Yields(const AttemptsLayer& f, const Request& request, const Attempt& attempt) {
  if (!request.before() || !attempt.altered || !attempt.record().replaces ||
      attempt.state() != AttemptState::kHolding) {
    return false;
  }
  const auto old = f.attempts.find(*attempt.record().replaces);
  if (old == f.attempts.end() || !verifier::Permitted(old->second.state())) return false;
  return AllHold(f, attempt,
                 attempt.PassesBarrier() ? HoldState::kPrepared : HoldState::kCommitted);
}

verifier::AttemptView ViewOf(const AttemptsLayer& f, const Turn& t, const Attempt& attempt) {
  const Request* request = f.requests.Find(attempt.record().request);
  MUSTER_CHECK(request != nullptr);
  verifier::AttemptView v;
  v.state = attempt.state();
  for (const std::string& name : attempt.record().members) {
    v.members.push_back(MemberOf(f, t, attempt, *request, name));
  }
  v.wanted = !request->Ended() && !request->Cancelling() && !request->record().parked;
  // What it was altered to has been given up, or altered again.
  if (v.state == AttemptState::kHolding && attempt.altered && !request->before()) v.wanted = false;
  // What was to be earlier and no longer is (its site moved it meanwhile) gives way to the place
  // that is there.
  const bool held = v.members[0].hold >= HoldState::kPrepared;
  if (v.state == AttemptState::kHolding && held &&
      request->replacing == attempt.record().replaces) {
    const std::optional<Instant> place =
        request->TriesElsewhere() ? PlaceLeft(f, *request) : SoundPlace(f, t, *request);
    if (place && v.members[0].start >= *place) v.wanted = false;
  }
  v.start = attempt.record().start;
  v.deadline = attempt.record().deadline;
  v.gated = attempt.record().gated;
  if (v.state == AttemptState::kHolding && attempt.PassesBarrier() &&
      v.members[0].hold >= HoldState::kPrepared) {
    v.deadline =
        Moment{ToMoment(v.members[0].start).milliseconds + PermitWait(f, attempt).milliseconds};
  }
  if (v.state == AttemptState::kAborting && !attempt.durable()) {
    // C2 wrote nothing: what the members armed is the only D there is.
    for (const std::string& name : attempt.record().members) {
      const schemas::MirrorRecord* hold = f.sites.at(name).mirror.Find(attempt.fence());
      if (hold && hold->deadline) v.deadline = std::max(v.deadline, *hold->deadline);
    }
  }
  v.superseded = attempt.record().superseded_by.has_value();
  for (const Fence& other : request->attempts) {
    if (other == attempt.fence()) continue;
    const auto it = f.attempts.find(other);
    if (it != f.attempts.end() && verifier::Permitted(it->second.state())) {
      v.rival_permitted = true;
    }
  }
  // Its turn comes when the one it replaces is known not to have started.
  if (Yields(f, *request, attempt)) v.members[0].hold = HoldState::kHeld;
  v.endangered = attempt.endangered || MadeRoom(f, *request, attempt);
  v.secret_at_hand = !f.secrets.empty();
  // A site that commits what replaces it closes it in the same write: until that is known, no
  // permit.
  const bool giving_way = request->seeking && request->replacing == attempt.fence();
  v.permits_allowed = !giving_way && (!attempt.Several() || ClockIsTrusted(f)) &&
                      GateIsOpenFor(f, *request, attempt, t.plan);
  v.answers_overdue = t.boot() >= attempt.answers_until;
  v.now = t.plan;
  v.values = f.options.values;
  return v;
}

schemas::HoldOrder HoldOrderFor(const AttemptsLayer& f, const Turn& t, const Request& request,
                                const Attempt& attempt, const std::string& site) {
  const schemas::RequestRecord& r = request.record();
  schemas::HoldOrder o;
  o.fence = attempt.fence();
  o.request = r.id;
  o.job_name = r.spec.name;
  o.requester = r.requester;
  o.inside = r.spec.inside;
  o.reserves = r.spec.reserves;
  o.notice = r.spec.notice;
  o.start_notice = verifier::StartNoticeOf(r.spec);
  o.request_class = r.spec.request_class;
  o.priority = request.priority;
  o.members = attempt.record().members;
  o.part_count = static_cast<uint32_t>(r.spec.parts.size());
  o.part_sites = attempt.record().part_sites;
  o.parts = partitioner::DemandsAt(r.spec, attempt.record().part_sites, site,
                                   LengthAt(f, r.spec, site), WaitOf(f, attempt));
  o.payload = PayloadOf(f, request);
  o.payload_digest = schemas::DigestOf(o.payload);
  o.allowed = attempt.allowed;
  // Nor nearer than its user, who is told when the place it had is given back, has notice of.
  o.earliest = std::max({r.spec.from.value_or(Instant{0}), t.NowCeiling(), request.nearest});
  // Never moved to before its gate opens: its permit would not come.
  o.keeps_order = attempt.PassesBarrier() && r.id.is_element();
  if (!o.keeps_order) {
    const Instant start = attempt.record().start;
    o.earliest = std::max(o.earliest, GateOpensAt(f, request, t.plan).value_or(start));
  }
  if (r.spec.at) o.earliest = *r.spec.at;
  o.stage = attempt.PassesBarrier() ? HoldState::kPrepared : HoldState::kCommitted;
  o.deadline_after = Span{PermitWait(f, attempt).milliseconds / 1000};
  o.assumed = f.sites.at(site).plan;
  if (attempt.record().replaces &&
      f.sites.at(site).mirror.Find(*attempt.record().replaces) != nullptr) {
    o.replaces = attempt.record().replaces;
  }
  return o;
}

void HoldAttempt(AttemptsLayer& f, Turn& t, Request& request, HoldWish wish) {
  // Its gate may open later than when its sites were asked: those behind it count on its end.
  const Instant start = wish.allowed.FirstFrom(wish.estimate).value_or(wish.estimate);
  const Fence fence = f.fences.Mint();
  schemas::AttemptRecord record;
  record.fence = fence;
  record.request = request.id();
  record.state = AttemptState::kSeeking;
  record.members = partitioner::MembersOf(wish.part_sites);
  record.part_sites = std::move(wish.part_sites);
  record.start = start;
  record.replaces = request.replacing;
  const bool several = record.members.size() > 1;
  record.gated = !several && !GateIsOpen(f, request, t.plan);
  if (several) {
    record.deadline =
        Moment{ToMoment(start).milliseconds + f.options.values.start_wait.milliseconds};
  }
  Attempt& attempt = f.attempts.Add(std::move(record));
  attempt.allowed = std::move(wish.allowed);
  attempt.of_block = wish.of_block;
  attempt.altered = request.before().has_value();
  attempt.leaves_place = !attempt.Several() && LeavesPlace(f, request);
  TakePlace(f, request, attempt);
  attempt.answers_until = t.boot() + f.options.values.answer_wait;
  request.attempts.insert(fence);
  request.seeking = fence;
  for (const std::string& name : attempt.record().members) {
    f.sites.at(name).attempts.insert(fence);
  }
  TakeStep(f, t, request, attempt,
           verifier::NextAttemptStep(attempt.state(), verifier::AttemptEvent::kCommonStart, {}));
  f.attempts.Touch(fence);
}

Span TailAlone(const AttemptsLayer& f, const Turn& t, const Request& request) {
  BootSpan wait{0};
  if (!GateIsOpen(f, request, t.plan)) wait = schemas::kSingleWait;
  if (LeavesPlace(f, request)) wait = schemas::kMoveWait;
  return Span{wait.milliseconds / 1000};
}

std::optional<schemas::Order> OrderDue(const AttemptsLayer& f, const Turn& t,
                                       const Attempt& attempt, const std::string& name) {
  const Site& site = f.sites.at(name);
  const Fence& fence = attempt.fence();
  const schemas::MirrorRecord* hold = site.mirror.Find(fence);
  const bool closed = attempt.lost.contains(name) || attempt.refused.contains(name) ||
                      (hold && hold->state == HoldState::kClosed);
  if (closed || attempt.state() == AttemptState::kClosed) return std::nullopt;
  if (attempt.released || attempt.state() == AttemptState::kAborting ||
      attempt.state() == AttemptState::kPartial) {
    return schemas::Order{schemas::ReleaseOrder{fence, attempt.record().cause, attempt.gives_way}};
  }
  if (verifier::Permitted(attempt.state())) {
    const bool obeyed = hold && hold->state >= HoldState::kPermitted;
    if (obeyed || !attempt.record().permit || t.plan > attempt.record().deadline)
      return std::nullopt;
    return schemas::Order{schemas::PermitOrder{fence, *attempt.record().permit}};
  }
  if (verifier::Binds(attempt.state()) && (!hold || hold->state < HoldState::kCommitted)) {
    return schemas::Order{schemas::CommitOrder{fence}};
  }
  return std::nullopt;
}

void BookShadow(AttemptsLayer& f, const Attempt& attempt, const std::string& name, Instant start) {
  const Request* request = f.requests.Find(attempt.record().request);
  Site& site = f.sites.at(name);
  // What is inside of a reservation takes nothing that the reservation has not taken.
  if (!request || request->record().spec.inside) return;
  // At this one of its sites it has ended already.
  const schemas::MirrorRecord* hold = site.mirror.Find(attempt.fence());
  if (hold && hold->state == HoldState::kClosed) return;
  const Span turnover = site.capacity ? site.capacity->turnover : Span{0};
  std::vector<partitioner::Shadow::Booking> bookings;
  const schemas::RequestSpec& spec = SpecOf(*request, attempt);
  for (size_t i = 0; i < attempt.record().part_sites.size(); ++i) {
    if (attempt.record().part_sites[i] != name) continue;
    const Instant begin = start + spec.parts[i].offset;
    bookings.push_back({{begin - turnover, begin + LengthAt(f, spec, name) + WaitOf(f, attempt)},
                        partitioner::AmountsOf(spec.parts[i])});
  }
  // What is ordered for a block counts before its sites have it: the next block is due behind it.
  if ((attempt.durable() || attempt.of_block) && !bookings.empty()) {
    Instant first = bookings[0].span.begin + turnover;
    Instant end = bookings[0].span.end;
    for (const partitioner::Shadow::Booking& booking : bookings) {
      first = std::min(first, booking.span.begin + turnover);
      end = std::max(end, booking.span.end);
    }
    site.committed.Set(attempt.fence(), first, end, attempt.of_block);
  }
  if (!site.shadow.Book(attempt.fence(), std::move(bookings))) return;
  // Its site moved it, or it takes less: others look for what it had.
  f.attempts.Tell(RoomBack{.was_committed = attempt.durable() || attempt.of_block});
}

void FreeShadow(AttemptsLayer& f, const Fence& fence, const std::string& name) {
  Site& site = f.sites.at(name);
  const bool booked = site.shadow.Free(fence);
  const bool committed = site.committed.Erase(fence);
  if (committed || booked) f.attempts.Tell(RoomBack{.was_committed = committed});
}

schemas::Permit DrawPermit(AttemptsLayer& f, const Request& request, const Attempt& attempt) {
  schemas::Permit permit;
  permit.secret = f.secrets.Draw();
  for (size_t i = 0; attempt.Several() && i < attempt.record().part_sites.size(); ++i) {
    const schemas::MirrorRecord* hold =
        f.sites.at(attempt.record().part_sites[i]).mirror.Find(attempt.fence());
    const schemas::MirrorPart* part = hold ? PartOf(*hold, static_cast<uint32_t>(i + 1)) : nullptr;
    permit.rendezvous.push_back(part ? part->booking.rendezvous : "");
  }
  if (attempt.Several()) {
    permit.last_start = attempt.record().deadline.Floor();
    return permit;
  }
  const Instant start = attempt.record().start;
  const schemas::RequestSpec& spec = SpecOf(request, attempt);
  const Instant allowed =
      partitioner::LastAllowedStart(spec, LengthAt(f, spec, attempt.record().members));
  permit.last_start = std::min(start + schemas::kKeepMax, allowed);
  // A start exactly then still needs the moment in which a process is spawned.
  const Span spawn{schemas::kSingleWait.milliseconds / 1000};
  permit.last_start = std::max(permit.last_start, start + spawn);
  // A site may have said any start, up to the end of time, and is answered all the same.
  permit.last_start = std::min(permit.last_start, kFarFuture);
  return permit;
}

void EraseAttempt(AttemptsLayer& f, const Fence& fence) {
  std::vector<std::string> members;
  const auto it = f.attempts.find(fence);
  if (it != f.attempts.end()) {
    members = it->second.record().members;
    f.attempts.Erase(fence);
  }
  for (const std::string& name : members) {
    Site& site = f.sites.at(name);
    const schemas::MirrorRecord* hold = site.mirror.Find(fence);
    // A hold that a cut-off site may still have is compared again when it is back.
    if (!hold || hold->state != HoldState::kClosed) continue;
    site.mirror.Erase(fence);
  }
}

void CloseAttempt(AttemptsLayer& f, Turn& t, Attempt& attempt) {
  const Fence fence = attempt.fence();
  f.fences.Settle(fence);
  f.attempts.WakeAt(attempt, std::nullopt);
  for (const std::string& name : attempt.record().members) {
    f.sites.at(name).attempts.erase(fence);
    FreeShadow(f, fence, name);
  }
  Request* request = f.requests.Find(attempt.record().request);
  if (!request) {
    EraseAttempt(f, fence);
    return;
  }
  request->attempts.erase(fence);
  if (request->seeking == fence) request->seeking.reset();
  if (request->replacing == fence) request->replacing.reset();
  GiveBackPlace(f, t, *request);
  const bool shown = request->record().attempt == fence;
  if (!shown) EraseAttempt(f, fence);
  // A cancel waits for this: nothing of the request is left anywhere.
  const bool left = std::any_of(request->attempts.begin(), request->attempts.end(),
                                [&](const Fence& other) { return f.attempts.at(other).durable(); });
  if (request->Cancelling() && !left) {
    EndRequest(f, t, *request, schemas::Outcome::kCancelled, "cancelled", request->record().reason);
  }
  RefreshState(f, t, *request);
}

}  // namespace muster::meta
