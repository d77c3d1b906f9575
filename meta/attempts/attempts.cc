// The loop around the attempt table, and what is due apart from its rows.
#include "meta/attempts/attempts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "meta/attempts/attempt_actions.h"
#include "meta/attempts/attempt_orders.h"
#include "meta/attempts/attempt_view.h"
#include "meta/attempts/closing.h"
#include "meta/attempts/staying.h"
#include "meta/requests/credentials.h"
#include "meta/requests/credits.h"
#include "meta/requests/request_outcome.h"
#include "meta/requests/start_conditions.h"
#include "meta/requests/use_sums.h"
#include "partitioner/split.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

using schemas::AttemptState;
using verifier::AttemptStep;

// Whether a member reported a part that is starting, or further, or that has lent room.
bool HasBegun(const AttemptsLayer& f, const Attempt& attempt) {
  return std::any_of(
      attempt.record().members.begin(), attempt.record().members.end(),
      [&](const std::string& site) {
        const schemas::MirrorRecord* hold = f.sites.at(site).mirror.Find(attempt.fence());
        return hold && std::any_of(hold->parts.begin(), hold->parts.end(), [](const auto& part) {
                 return part.state >= schemas::PartState::kStarting || part.booking.lent;
               });
      });
}

// Whether the bookings are given back because the request is parked and the attempt has not begun.
bool GivesBackParked(const AttemptsLayer& f, const Request& request, const Attempt& attempt) {
  return request.record().parked && !HasBegun(f, attempt);
}

// Keeps an attempt that started although it was being released for another place.
void Keep(AttemptsLayer& f, Turn& t, Request& request, Attempt& attempt) {
  TellStaying(f, t, request, attempt);
  attempt.released = false;
  attempt.gives_way = false;
  f.attempts.Edit(attempt).cause = {};
  f.attempts.Tell(StartedMeanwhile{request.id()});
}

bool HasOrdersDue(const AttemptsLayer& f, const Turn& t, const Attempt& attempt) {
  return std::any_of(
      attempt.record().members.begin(), attempt.record().members.end(),
      [&](const std::string& site) { return OrderDue(f, t, attempt, site).has_value(); });
}

// For a permitted attempt with a silent member: the moment just after the permit's last start. From
// then on nobody knows whether the silent member's part runs. None once that moment has passed.
std::optional<Moment> UnheardFrom(const AttemptsLayer& f, const Turn& t, const Attempt& attempt) {
  const schemas::AttemptRecord& record = attempt.record();
  if (!record.permit || !verifier::Permitted(record.state)) return std::nullopt;
  const Moment from{ToMoment(record.permit->last_start).milliseconds + 1};
  if (from <= t.plan) return std::nullopt;
  const bool silent = std::any_of(record.members.begin(), record.members.end(),
                                  [&](const auto& site) { return f.sites.at(site).Silent(); });
  return silent ? std::optional(from) : std::nullopt;
}

void Rearm(AttemptsLayer& f, Turn& t, Attempt& attempt, const verifier::AttemptView& view) {
  std::optional<BootInstant> at;
  const auto by = [&at](BootInstant when) {
    if (!at || when < *at) at = when;
  };
  if (const std::optional<Moment> due = verifier::NextDue(view)) by(BootOf(f, *due));
  if (const std::optional<Moment> from = UnheardFrom(f, t, attempt)) by(BootOf(f, *from));
  if (attempt.state() == AttemptState::kHolding) by(attempt.answers_until);
  if (HasOrdersDue(f, t, attempt)) by(attempt.repeat_at);
  // Always later than now: what is due now has been handled.
  if (at && *at <= t.boot()) at = t.boot() + Milliseconds(1);
  f.attempts.WakeAt(attempt, at);
}

// Whether the request seeks an earlier start elsewhere while its present place is permitted
// already.
bool LeavesPlace(const AttemptsLayer& f, const Request& request) {
  if (!request.TriesElsewhere() || !request.replacing) return false;
  const auto place = f.attempts.find(*request.replacing);
  return place != f.attempts.end() && verifier::Permitted(place->second.state());
}

}  // namespace

void HoldAttempt(AttemptsLayer& f, Turn& t, Request& request, HoldWish wish) {
  // The estimate may lie before the allowed starts, since the gate may now open later than when the
  // sites were asked. Requests that come after this one count on its end, so its start must be
  // right.
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
  record.only_lent = !request.replacing && AsksForLentRoom(f, request.record().spec);
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

void Evaluate(AttemptsLayer& f, Turn& t, const Fence& fence) {
  const auto it = f.attempts.find(fence);
  if (it == f.attempts.end()) return;
  Attempt& attempt = it->second;
  Request* request = f.requests.Find(attempt.record().request);
  MUSTER_CHECK(request != nullptr);
  CountUse(f, *request, attempt, t.plan);
  SettleLien(f, *request, attempt, t.plan);
  if (attempt.state() == AttemptState::kClosed) return;
  // Each row leads onwards, so a correct table ends the loop earlier; the bound guards against a
  // bug in the table.
  for (int steps = 0; steps < 16; ++steps) {
    const verifier::AttemptView view = ViewOf(f, t, attempt);
    const std::optional<verifier::AttemptEvent> event = verifier::DueEvent(view);
    if (!event) break;
    const AttemptStep step =
        verifier::NextAttemptStep(attempt.state(), *event, verifier::GuardsOf(view));
    if (step.row == 0) break;
    TakeStep(f, t, *request, attempt, step);
    f.requests.Touch(request->id());
    if (attempt.state() == AttemptState::kClosed) {
      CloseAttempt(f, t, attempt);
      return;
    }
  }
  if (Yields(f, *request, attempt) && !f.attempts.at(*attempt.record().replaces).released) {
    attempt.answers_until = t.boot() + f.options.values.answer_wait;
    f.attempts.Tell(HeldBeside{request->id(), fence});
  }
  if (attempt.gives_way && HasBegun(f, attempt)) Keep(f, t, *request, attempt);
  const bool given_back = request->Cancelling() || GivesBackParked(f, *request, attempt);
  const std::optional<std::string> failed = SiteOfFailedPart(f, *request, attempt);
  if (verifier::Permitted(attempt.state()) && (!attempt.released || attempt.gives_way) &&
      (given_back || failed)) {
    Release(f, attempt,
            given_back ? CauseOfGivingBack(*request)
                       : schemas::Cause{schemas::CauseCode::kPartner, {.site = *failed}, "meta"});
    GiveOrdersDue(f, t, attempt);
  }
  RepeatOrders(f, t, attempt);
  RefreshState(f, t, *request);
  Rearm(f, t, attempt, ViewOf(f, t, attempt));
}

}  // namespace muster::meta
