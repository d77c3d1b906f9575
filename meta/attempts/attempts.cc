// The loop around the table, and the effects of its rows.
#include "meta/attempts/attempts.h"

#include <algorithm>

#include "base/check.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/endings.h"
#include "meta/requests/figures.h"
#include "meta/requests/gates.h"
#include "meta/requests/reservations.h"
#include "meta/requests/terms.h"
#include "meta/requests/timeline.h"
#include "meta/search/placing.h"
#include "meta/service/alter.h"
#include "meta/sites/say.h"
#include "meta/upward.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

using schemas::AttemptState;
using schemas::HoldState;
using verifier::AttemptStep;

std::string MembersText(const Attempt& attempt) {
  const size_t n = attempt.record().members.size();
  return n == 1 ? "on " + attempt.record().members[0] : "on " + std::to_string(n) + " sites";
}

// What the members agreed on: start and D.
void TakeAgreedStart(AttemptsLayer& f, Attempt& attempt) {
  const std::string& first = attempt.record().members[0];
  const schemas::MirrorRecord& hold = *f.sites.at(first).mirror.Find(attempt.fence());
  schemas::AttemptRecord& record = f.attempts.Edit(attempt);
  record.start = hold.start;
  const Moment d{ToMoment(hold.start).milliseconds + PermitWait(f, attempt).milliseconds};
  record.deadline = attempt.PassesBarrier() ? d : hold.deadline.value_or(d);
}

// C3, C4: the old attempt is superseded in the same batch.
void Supersede(AttemptsLayer& f, Turn& t, Attempt& attempt) {
  if (!attempt.record().replaces) return;
  const auto old = f.attempts.find(*attempt.record().replaces);
  if (old == f.attempts.end()) return;
  f.attempts.Edit(old->second).superseded_by = attempt.fence();
  t.touched.insert(old->first);
}

// What a site says of a hold of this attempt; none if it says nothing.
std::optional<schemas::Cause> CauseToldOf(const AttemptsLayer& f, const Attempt& attempt) {
  for (const std::string& site : attempt.record().members) {
    const schemas::MirrorRecord* hold = f.sites.at(site).mirror.Find(attempt.fence());
    if (hold && hold->cause.code != schemas::CauseCode::kNone) return hold->cause;
  }
  return {};
}

// It was to be earlier. Its new site may have moved it since it was held there, or its old one have
// moved it earlier still and then lost it.
schemas::Cause CauseOfRechoice(const AttemptsLayer& f, const Turn& t, const Request& request,
                               const Attempt& attempt) {
  const auto& told = request.record().history.back().figures.starts_by;
  const auto now = PromiseOf(f, request.record().spec, attempt, t.plan).starts_by;
  if (told && now && now->at > told->at) {
    const auto old = f.attempts.find(*attempt.record().replaces);
    const bool lost = old != f.attempts.end() && old->second.state() == AttemptState::kClosed;
    if (const auto why = CauseToldOf(f, lost ? old->second : attempt)) return *why;
  }
  if (attempt.Several()) return {schemas::CauseCode::kJoint, {}, "meta"};
  return {schemas::CauseCode::kBackfilled, {.site = attempt.record().members[0]}, "meta"};
}

// Why it lost the place that it was promised last; none if it never lost one. A promise that comes
// after a broken one carries its cause.
std::optional<schemas::Cause> CauseOfLastLoss(const Request& request) {
  const auto& history = request.record().history;
  std::optional<schemas::Cause> cause;
  for (auto told = history.rbegin(); told != history.rend(); ++told) {
    if (told->figures.starts_by) return cause;
    if (told->cause) cause = told->cause;
  }
  return {};
}

// Why its figures are of another place than the one that it had. That may have been given back for
// a third one, which was then not to be had: it replaces none any more.
std::optional<schemas::Cause> CauseOfReplacing(const AttemptsLayer& f, const Turn& t,
                                               const Request& request, const Attempt& attempt) {
  const std::optional<Fence>& before = request.record().attempt;
  const bool replaces = attempt.record().replaces.has_value();
  if (request.record().history.empty()) return {};
  if (!before) return CauseOfLastLoss(request);
  if (*before == attempt.fence()) return {};
  if (request.rechoosing) {
    if (replaces) return CauseOfRechoice(f, t, request, attempt);
    return schemas::Cause{
        schemas::CauseCode::kSiteSilent, {.site = attempt.record().members[0]}, "meta"};
  }
  if (attempt.altered) {
    return schemas::Cause{schemas::CauseCode::kUser, {}, "user:" + request.record().requester.user};
  }
  const auto old = replaces ? f.attempts.find(*attempt.record().replaces) : f.attempts.end();
  if (old == f.attempts.end()) return {};
  return old->second.endangered ? old->second.record().cause
                                : CauseOfMove(f, old->second, attempt.record().start);
}

void Bind(AttemptsLayer& f, Turn& t, Request& request, Attempt& attempt) {
  f.fences.Settle(attempt.fence());
  f.attempts.MakeDurable(attempt);
  Supersede(f, t, attempt);
  const std::optional<Fence> before = request.record().attempt;
  const bool replaced = before && *before != attempt.fence();
  const std::optional<schemas::Cause> cause = CauseOfReplacing(f, t, request, attempt);
  AlterDone(Above(f), t, request);
  schemas::RequestRecord& record = f.requests.Edit(request);
  record.attempt = attempt.fence();
  record.reason.reset();
  request.seeking.reset();
  request.replacing.reset();
  request.tries = 0;
  request.moves_failed = 0;
  request.ask_sites = false;
  request.gap_refused = false;
  request.extracted = false;
  f.room.Remove(request.id());
  f.windows.erase({LastStart(f, request.record().spec), request.id()});
  TellFigures(f, request, PromiseOf(f, request.record().spec, attempt, t.plan), cause, t.plan);
  t.moved.insert(request.id());
  TellThoseInside(f, request);
  TakePlace(f, request, attempt);
  for (const std::string& site : attempt.record().members) {
    BookShadow(f, attempt, site, attempt.record().start);
  }
  if (replaced && !f.attempts.contains(*before)) EraseAttempt(f, *before);
  if (replaced && f.attempts.contains(*before) &&
      f.attempts.at(*before).record().state == AttemptState::kClosed) {
    EraseAttempt(f, *before);
  }
}

schemas::Cause LossCause(const AttemptsLayer& f, const Attempt& attempt) {
  for (const std::string& site : attempt.record().members) {
    const schemas::MirrorRecord* hold = f.sites.at(site).mirror.Find(attempt.fence());
    const bool closed = attempt.lost.contains(site) || (hold && hold->state == HoldState::kClosed);
    if (!closed) continue;
    // Closed without a cause: by the commit of what was to replace it, whose answer was lost.
    const bool replaced = hold && hold->cause.code == schemas::CauseCode::kNone;
    if (replaced) return {schemas::CauseCode::kSiteSilent, {.site = site}, "meta"};
    // A site that closed it and does not say why has forgotten it.
    const bool silent = hold && hold->cause.code == schemas::CauseCode::kNone;
    if (!attempt.Several() && silent) return {schemas::CauseCode::kForgot, {.site = site}, "meta"};
    if (!attempt.Several() && hold) return hold->cause;
    return {schemas::CauseCode::kPartner, {.site = site}, "meta"};
  }
  for (const std::string& site : attempt.record().members) {
    if (!f.sites.at(site).Up()) return {schemas::CauseCode::kSiteSilent, {.site = site}, "meta"};
  }
  return {schemas::CauseCode::kNoPermit, {}, "meta"};
}

void Decide(AttemptsLayer& f, Turn& t, Request& request, Attempt& attempt, bool permit) {
  TakeAgreedStart(f, attempt);
  Bind(f, t, request, attempt);
  if (permit) f.attempts.Edit(attempt).permit = DrawPermit(f, request, attempt);
  AddEvent(f, t, request, permit ? "committed" : "decided",
           (permit ? "committed " : "prepared ") + MembersText(attempt));
}

void Abort(AttemptsLayer& f, Turn& t, Request& request, Attempt& attempt) {
  const bool user = request.Cancelling() || request.record().parked;
  f.attempts.Edit(attempt).cause =
      user
          ? schemas::Cause{schemas::CauseCode::kUser, {}, "user:" + request.record().requester.user}
          : LossCause(f, attempt);
  Release(f, attempt, attempt.record().cause);
  if (request.replacing == attempt.fence()) request.replacing.reset();
  if (request.record().attempt != attempt.fence() || request.Cancelling()) return;
  AddEvent(f, t, request, "aborted",
           "given up before its start: " + CauseText(attempt.record().cause));
  PlaceAgain(f, t, request, attempt.record().cause, "placed again");
}

// The effects of one row, in the order of the table. The caller has set the new state.
void CarryOut(AttemptsLayer& f, Turn& t, Request& request, Attempt& attempt,
              const AttemptStep& step) {
  switch (step.row) {
    case 2:
      f.fences.Settle(attempt.fence());
      Release(f, attempt, {});
      PlacingFailed(Above(f), t, request, attempt);
      break;
    case 3:
    case 4:
      Decide(f, t, request, attempt, step.row == 4);
      break;
    case 5:
      AddEvent(f, t, request, "committed", "committed " + MembersText(attempt));
      break;
    case 7:
      attempt.endangered = true;
      f.attempts.Edit(attempt).cause = LossCause(f, attempt);
      t.Note("request " + ToText(request.id()) +
             " is endangered: " + CauseText(attempt.record().cause));
      request.replacing = attempt.fence();
      if (request.Wanted() && !request.seeking) f.room.Ready(RankOf(request));
      break;
    case 8:
      f.attempts.Edit(attempt).permit = DrawPermit(f, request, attempt);
      TakePlace(f, request, attempt);
      // Nothing may take its place any more; the next of an array is looked at.
      if (request.replacing == attempt.fence()) {
        request.replacing.reset();
        f.room.Remove(request.id());
      }
      if (request.id().is_element()) t.moved.insert(request.id());
      AddEvent(f, t, request, "permitted", "all parts ready; permitted " + MembersText(attempt));
      break;
    case 9:
      Abort(f, t, request, attempt);
      break;
    case 10:
      for (const std::string& site : attempt.record().members) {
        BookShadow(f, attempt, site, attempt.record().start);
      }
      break;
    case 11:
      f.attempts.Edit(attempt).cause = LossCause(f, attempt);
      f.attempts.Edit(attempt).partial = true;
      ++f.partial_starts;
      AddEvent(f, t, request, "partial",
               "started only in part: " + CauseText(attempt.record().cause));
      t.Note("partial start of request " + ToText(request.id()) + ": " +
             CauseText(attempt.record().cause));
      Release(f, attempt, attempt.record().cause);
      break;
    case 12:
      if (GaveWay(Above(f), request, attempt)) {
        t.touched.insert(*request.seeking);
      } else {
        SettleOutcome(f, t, request, attempt);
      }
      break;
    default:
      break;
  }
}

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

void GiveOrdersDue(AttemptsLayer& f, Turn& t, Attempt& attempt) {
  for (const std::string& site : attempt.record().members) {
    if (std::optional<schemas::Order> order = OrderDue(f, t, attempt, site)) {
      GiveOrder(t, f.sites.at(site), std::move(*order));
    }
  }
  attempt.repeats = 0;
  attempt.repeat_at = t.boot() + Seconds(1);
}

void SetTimer(AttemptsLayer& f, const Fence& fence, Attempt& attempt,
              std::optional<BootInstant> at) {
  if (attempt.wake == at) return;
  if (attempt.wake) f.attempt_timers.erase({*attempt.wake, fence});
  attempt.wake = at;
  if (at) f.attempt_timers.insert({*at, fence});
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
  SetTimer(f, attempt.fence(), attempt, at);
}

}  // namespace

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
    f.attempts.Edit(attempt).state = step.next;
    CarryOut(f, t, *request, attempt, step);
    constexpr uint32_t kOrders =
        verifier::kOrderCommit | verifier::kOrderPermit | verifier::kOrderRelease;
    if (step.effects & kOrders) GiveOrdersDue(f, t, attempt);
    f.requests.Touch(request->id());
    if (attempt.state() == AttemptState::kClosed) {
      CloseAttempt(f, t, attempt);
      return;
    }
  }
  if (Yields(Above(f), *request, attempt)) ReleaseForAltered(Above(f), t, *request, attempt);
  if (attempt.gives_way && HasBegun(f, attempt)) KeepForAltered(Above(f), t, *request, attempt);
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
