// The loop around the table, and what is due besides its rows.
#include "meta/attempts/attempts.h"

#include <algorithm>

#include "base/check.h"
#include "meta/attempts/attempt_actions.h"
#include "meta/attempts/feed.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/endings.h"
#include "meta/requests/gates.h"
#include "meta/requests/timeline.h"
#include "meta/requests/trials.h"
#include "meta/sites/say.h"

namespace muster::meta {
namespace {

using schemas::AttemptState;
using schemas::HoldState;
using verifier::AttemptStep;

// A site has told of a start.
bool HasBegun(const AttemptsLayer& f, const Attempt& attempt) {
  return std::any_of(
      attempt.record().members.begin(), attempt.record().members.end(),
      [&](const std::string& site) {
        const schemas::MirrorRecord* hold = f.sites.at(site).mirror.Find(attempt.fence());
        return hold && std::any_of(hold->parts.begin(), hold->parts.end(), [](const auto& part) {
                 return part.state >= schemas::PartState::kStarting;
               });
      });
}

// Parked, and not begun: what is booked is given back.
bool GivesBackParked(const AttemptsLayer& f, const Request& request, const Attempt& attempt) {
  return request.record().parked && !HasBegun(f, attempt);
}

// It has started although it was given back for another place: it stays where it is.
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

void Rearm(AttemptsLayer& f, Turn& t, Attempt& attempt, const verifier::AttemptView& view) {
  std::optional<BootInstant> at;
  const auto by = [&at](BootInstant when) {
    if (!at || when < *at) at = when;
  };
  if (const std::optional<Moment> due = verifier::NextDue(view)) by(BootOf(f, *due));
  if (attempt.state() == AttemptState::kHolding) by(attempt.answers_until);
  if (HasOrdersDue(f, t, attempt)) by(attempt.repeat_at);
  // Never at or before this moment: what was due at it has been looked at.
  if (at && *at <= t.boot()) at = t.boot() + Milliseconds(1);
  f.attempts.WakeAt(attempt, at);
}

}  // namespace

void GiveOrdersDue(AttemptsLayer& f, Turn& t, Attempt& attempt) {
  for (const std::string& site : attempt.record().members) {
    if (std::optional<schemas::Order> order = OrderDue(f, t, attempt, site)) {
      GiveOrder(t, f.sites.at(site), std::move(*order));
    }
  }
  attempt.repeats = 0;
  attempt.repeat_at = t.boot() + Seconds(1);
}

void RepeatOrders(AttemptsLayer& f, Turn& t, Attempt& attempt) {
  if (attempt.state() == AttemptState::kHolding || t.boot() < attempt.repeat_at) return;
  for (const std::string& site : attempt.record().members) {
    if (std::optional<schemas::Order> order = OrderDue(f, t, attempt, site)) {
      GiveOrder(t, f.sites.at(site), std::move(*order));
    }
  }
  // Permits are repeated every second until D; what nobody hurries for less and less often.
  const bool hurry = attempt.state() == AttemptState::kPermitted && !attempt.released;
  attempt.repeats = std::min<uint32_t>(attempt.repeats + 1, 5);
  attempt.repeat_at =
      t.boot() + (hurry ? Seconds(1) : Seconds(1) * (int64_t{1} << attempt.repeats));
}

void Evaluate(AttemptsLayer& f, Turn& t, const Fence& fence) {
  const auto it = f.attempts.find(fence);
  if (it == f.attempts.end() || it->second.state() == AttemptState::kClosed) return;
  Attempt& attempt = it->second;
  Request* request = f.requests.Find(attempt.record().request);
  MUSTER_CHECK(request != nullptr);
  // Each row leads onwards, so the loop is shorter than the table; the bound is against a bug in
  // it.
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
  const bool by_user = request->Cancelling() || GivesBackParked(f, *request, attempt);
  if (verifier::Permitted(attempt.state()) && (!attempt.released || attempt.gives_way) &&
      (by_user || PartFailed(f, *request, attempt))) {
    const schemas::Cause cause = by_user
                                     ? schemas::Cause{schemas::CauseCode::kUser,
                                                      {},
                                                      "user:" + request->record().requester.user}
                                     : schemas::Cause{schemas::CauseCode::kPartner, {}, "meta"};
    Release(f, attempt, cause);
    GiveOrdersDue(f, t, attempt);
  }
  RepeatOrders(f, t, attempt);
  RefreshState(f, t, *request);
  Rearm(f, t, attempt, ViewOf(f, t, attempt));
}

void Release(AttemptsLayer& f, Attempt& attempt, const schemas::Cause& cause) {
  attempt.released = true;
  attempt.gives_way = false;
  if (cause.code != schemas::CauseCode::kNone &&
      attempt.record().cause.code == schemas::CauseCode::kNone) {
    f.attempts.Edit(attempt).cause = cause;
  }
}

}  // namespace muster::meta
