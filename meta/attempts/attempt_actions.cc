// Each function is one effect, whichever row it belongs to.
#include "meta/attempts/attempt_actions.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "meta/attempts/attempt_orders.h"
#include "meta/attempts/closing.h"
#include "meta/attempts/shadows.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/credits.h"
#include "meta/requests/figures.h"
#include "meta/requests/rank.h"
#include "meta/requests/request_outcome.h"
#include "meta/requests/reservations.h"
#include "meta/requests/start_conditions.h"
#include "meta/requests/timeline.h"
#include "meta/requests/trials.h"
#include "meta/requests/windows.h"
#include "meta/sites/links.h"
#include "meta/sites/say.h"
#include "verifier/attempt_executor.h"

namespace muster::meta {
namespace {

using schemas::AttemptState;
using schemas::HoldState;

std::string MembersText(const Attempt& attempt) {
  const size_t n = attempt.record().members.size();
  return n == 1 ? "on " + attempt.record().members[0] : "on " + std::to_string(n) + " sites";
}

// Cause that a site reported for a hold of this attempt; nullopt if none did.
std::optional<schemas::Cause> CauseToldOf(const AttemptsLayer& f, const Attempt& attempt) {
  for (const std::string& site : attempt.record().members) {
    const schemas::MirrorRecord* hold = f.sites.at(site).mirror.Find(attempt.fence());
    if (hold && hold->cause.code != schemas::CauseCode::kNone) return hold->cause;
  }
  return {};
}

// Cause of a move that was meant to bring an earlier start. If the promise rises all the same, the
// new site has moved its hold since, or the old site had moved its own still earlier and lost it.
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
  if (request.GivesWay()) {
    const auto old = f.attempts.find(*attempt.record().replaces);
    if (old != f.attempts.end()) {
      return {schemas::CauseCode::kHome, {.site = old->second.record().members[0]}, "meta"};
    }
  }
  return {schemas::CauseCode::kBackfilled, {.site = attempt.record().members[0]}, "meta"};
}

// Why the request lost the place that it was promised last; nullopt if it lost none. A promise that
// follows a broken one carries this cause.
std::optional<schemas::Cause> CauseOfLastLoss(const Request& request) {
  const auto& history = request.record().history;
  std::optional<schemas::Cause> cause;
  for (auto told = history.rbegin(); told != history.rend(); ++told) {
    if (told->figures.starts_by) return cause;
    if (told->cause) cause = told->cause;
  }
  return {};
}

// Why the figures now belong to another place. The old place may have been given back for a third
// one that could then not be had; in that case this attempt replaces none.
std::optional<schemas::Cause> CauseOfReplacing(const AttemptsLayer& f, const Turn& t,
                                               const Request& request, const Attempt& attempt) {
  const std::optional<Fence>& before = request.record().attempt;
  const bool replaces = attempt.record().replaces.has_value();
  if (request.record().history.empty()) return {};
  if (!before) return CauseOfLastLoss(request);
  if (*before == attempt.fence()) return {};
  if (request.TriesElsewhere()) {
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

// The cause that all members get for the loss at one of them, `site`, whose own cause is `own`.
schemas::Cause PartnerCause(const std::string& site, const schemas::Cause& own) {
  schemas::Cause out = own;
  out.code = schemas::CauseCode::kPartner;
  out.because = own.code;
  out.subject.site = site;
  out.who = "meta";
  return out;
}

schemas::Cause LossCause(const AttemptsLayer& f, const Attempt& attempt) {
  for (const std::string& site : attempt.record().members) {
    const schemas::MirrorRecord* hold = f.sites.at(site).mirror.Find(attempt.fence());
    const bool closed = attempt.lost.contains(site) || (hold && hold->state == HoldState::kClosed);
    if (!closed) continue;
    // A part that ran and ended is no loss, unless there is no other part.
    if (attempt.Several() && hold && hold->started == schemas::Started::kYes) continue;
    // The hold is closed without a cause: the commit of its replacement closed it, and the answer
    // to that commit was lost.
    const bool replaced = hold && hold->cause.code == schemas::CauseCode::kNone;
    if (replaced) return {schemas::CauseCode::kSiteSilent, {.site = site}, "meta"};
    if (!attempt.Several() && hold) return hold->cause;
    return PartnerCause(site, hold ? hold->cause : schemas::Cause{});
  }
  for (const std::string& site : attempt.record().members) {
    if (!f.sites.at(site).Up()) return {schemas::CauseCode::kSiteSilent, {.site = site}, "meta"};
  }
  return {schemas::CauseCode::kNoPermit, {}, "meta"};
}

const char* HowItMoved(const AttemptsLayer& f, const Attempt& next) {
  if (next.Several()) return kStartsJointly;
  const auto old =
      next.record().replaces ? f.attempts.find(*next.record().replaces) : f.attempts.end();
  const bool stays =
      old != f.attempts.end() && old->second.record().members == next.record().members;
  return stays ? kStartsEarlier : kStartsElsewhere;
}

// Whether the attempt closed, without having started, to make room for the place that a trial
// seeks.
bool GaveWay(const AttemptsLayer& f, const Request& request, const Attempt& attempt) {
  if (!request.before() || !request.seeking) return false;
  const auto next = f.attempts.find(*request.seeking);
  if (next == f.attempts.end() || next->second.record().replaces != attempt.fence()) return false;
  return std::all_of(attempt.record().members.begin(), attempt.record().members.end(),
                     [&](const std::string& site) {
                       const auto* hold = f.sites.at(site).mirror.Find(attempt.fence());
                       return hold && hold->started == schemas::Started::kNo;
                     });
}

class Actions final : public verifier::AttemptActions {
 public:
  Actions(AttemptsLayer& f, Turn& t, Request& request, Attempt& attempt)
      : f_(f), t_(t), request_(request), attempt_(attempt) {}

  void Enter(AttemptState next) override;
  void WriteDecision() override;
  void WritePromise() override;
  void WriteSuperseded() override;
  void WritePermit() override;
  void WriteAbort() override;
  void WritePartial() override;
  void WriteOutcome() override;
  void BookMembers() override;
  void OrderHolds() override;
  void OrderCommit() override { GiveOrdersDue(f_, t_, attempt_); }
  void OrderPermit() override { GiveOrdersDue(f_, t_, attempt_); }
  void OrderRelease() override;
  void ReleaseReplaced() override;
  void TellUser() override;
  void SeekReplacement() override;
  void ResumeSearch() override {
    f_.attempts.Tell(PlacingRefused{request_.id(), attempt_.fence(), attempt_.record().part_sites,
                                    attempt_.refused});
  }
  void PlaceAgain() override;
  void CountPartial() override;

 private:
  schemas::Cause AbortCause() const;
  bool IsBinding() const { return request_.record().attempt == attempt_.fence(); }
  void Tell(std::string code, std::string text) {
    AddEvent(f_, t_, request_, std::move(code), std::move(text));
  }

  AttemptsLayer& f_;
  Turn& t_;
  Request& request_;
  Attempt& attempt_;
  // Why the request must be placed again, after an abort or an outcome.
  std::optional<LostPlace> lost_;
  std::optional<schemas::Cause> moved_by_;  // why this promise differs from the one before
  std::optional<Fence> shown_;              // attempt that the request showed before this promise
};

void Actions::Enter(AttemptState next) {
  // None of its holds can be created any more, so the floor may pass its fence.
  if (attempt_.state() == AttemptState::kHolding) f_.fences.Settle(attempt_.fence());
  f_.attempts.Enter(attempt_, next);
}

void Actions::WriteDecision() {
  f_.attempts.MakeDurable(attempt_);
  const std::string& first = attempt_.record().members[0];
  const schemas::MirrorRecord& hold = *f_.sites.at(first).mirror.Find(attempt_.fence());
  schemas::AttemptRecord& record = f_.attempts.Edit(attempt_);
  record.start = hold.start;
  const Moment d{ToMoment(hold.start).milliseconds + PermitWait(f_, attempt_).milliseconds};
  record.deadline = attempt_.PassesBarrier() ? d : hold.deadline.value_or(d);
}

void Actions::WritePromise() {
  shown_ = request_.record().attempt;
  moved_by_ = CauseOfReplacing(f_, t_, request_, attempt_);
  TakeLien(f_, request_, attempt_, t_.plan);
  if (request_.TriesElsewhere()) {
    const bool gives_way = request_.GivesWay();
    f_.requests.TakeTried(request_);
    Tell("moved", gives_way ? kGivesWay : HowItMoved(f_, attempt_));
  } else if (request_.before()) {
    TakeAltered(f_, t_, request_);
  }
  schemas::RequestRecord& record = f_.requests.Edit(request_);
  record.attempt = attempt_.fence();
  record.reason.reset();
  request_.seeking.reset();
  request_.replacing.reset();
  f_.attempts.Tell(Bound{request_.id()});
  f_.room.Remove(request_.id());
  ForgetWindow(f_, request_);
  TellFigures(f_, request_, PromiseOf(f_, request_.record().spec, attempt_, t_.plan), moved_by_,
              t_.plan);
  t_.moved.insert(request_.id());
  TellThoseInside(f_, request_);
  TakePlace(f_, request_, attempt_);
}

// C3, C4: written in the same batch as the decision. If the replaced attempt has no cause of its
// own, it gets the cause of the new promise.
void Actions::WriteSuperseded() {
  if (!attempt_.record().replaces) return;
  const auto old = f_.attempts.find(*attempt_.record().replaces);
  if (old == f_.attempts.end()) return;
  schemas::AttemptRecord& record = f_.attempts.Edit(old->second);
  record.superseded_by = attempt_.fence();
  const bool bare = record.cause.code == schemas::CauseCode::kNone;
  if (bare && moved_by_ && !verifier::Permitted(record.state)) record.cause = *moved_by_;
}

// The permit ends the search for a replacement of this attempt and its danger. In an array, the
// element that is next in line is looked at.
void Actions::WritePermit() {
  attempt_.endangered = false;
  schemas::AttemptRecord& record = f_.attempts.Edit(attempt_);
  record.permit = DrawPermit(f_, request_, attempt_);
  record.cause = {};
  TakePlace(f_, request_, attempt_);
  if (request_.replacing == attempt_.fence()) {
    request_.replacing.reset();
    f_.room.Remove(request_.id());
  }
  if (request_.id().is_element()) t_.moved.insert(request_.id());
}

schemas::Cause Actions::AbortCause() const {
  const schemas::AttemptRecord& record = attempt_.record();
  if (request_.Cancelling() || request_.record().parked) return CauseOfGivingBack(request_);
  const bool replaced = record.superseded_by && record.cause.code != schemas::CauseCode::kNone;
  return replaced ? record.cause : LossCause(f_, attempt_);
}

// An attempt released for a cause keeps that cause; any other attempt gets the cause of its loss.
void Actions::WritePartial() {
  schemas::AttemptRecord& record = f_.attempts.Edit(attempt_);
  const bool told = attempt_.released && record.cause.code != schemas::CauseCode::kNone;
  if (!told) record.cause = LossCause(f_, attempt_);
}

void Actions::WriteAbort() {
  const schemas::Cause cause = AbortCause();
  f_.attempts.Edit(attempt_).cause = cause;
  if (request_.replacing == attempt_.fence()) request_.replacing.reset();
  if (IsBinding() && !request_.Cancelling()) lost_ = LostPlace{cause, "placed again"};
}

void Actions::WriteOutcome() {
  if (GaveWay(f_, request_, attempt_)) {
    f_.attempts.Touch(*request_.seeking);
    return;
  }
  lost_ = SettleOutcome(f_, t_, request_, attempt_);
}

void Actions::BookMembers() {
  for (const std::string& site : attempt_.record().members) {
    BookShadow(f_, attempt_, site, attempt_.record().start);
  }
}

void Actions::OrderHolds() {
  for (const std::string& site : attempt_.record().members) {
    GiveOrder(t_, f_.sites.at(site), {HoldOrderFor(f_, t_, request_, attempt_, site)});
  }
}

void Actions::OrderRelease() {
  Release(f_, attempt_, attempt_.record().cause);
  GiveOrdersDue(f_, t_, attempt_);
}

// The replaced attempt is superseded, and its own row C9 releases it. If the attempt shown before
// is closed, no request shows it now, so it is erased.
void Actions::ReleaseReplaced() {
  if (attempt_.record().replaces) f_.attempts.Touch(*attempt_.record().replaces);
  if (!shown_ || *shown_ == attempt_.fence()) return;
  const auto old = f_.attempts.find(*shown_);
  const bool known = old != f_.attempts.end();
  if (known && old->second.state() == AttemptState::kClosed) EraseAttempt(f_, *shown_);
}

void Actions::TellUser() {
  const schemas::Cause& cause = attempt_.record().cause;
  switch (attempt_.state()) {
    case AttemptState::kDecided:
      return Tell("decided", "prepared " + MembersText(attempt_));
    case AttemptState::kCommitted:
      return Tell("committed", "committed " + MembersText(attempt_));
    case AttemptState::kPermitted:
      if (!attempt_.PassesBarrier()) return Tell("committed", "committed " + MembersText(attempt_));
      return Tell("permitted", "all parts ready; permitted " + MembersText(attempt_));
    case AttemptState::kAborting:
      if (lost_) Tell("aborted", "given up before its start: " + CauseText(cause));
      return;
    case AttemptState::kPartial:
      return Tell("partial", "started only in part: " + CauseText(cause));
    default:
      MUSTER_CHECK(false);
  }
}

void Actions::SeekReplacement() {
  attempt_.endangered = true;
  f_.attempts.Edit(attempt_).cause = LossCause(f_, attempt_);
  t_.Note("request " + ToText(request_.id()) +
          " is endangered: " + CauseText(attempt_.record().cause));
  request_.replacing = attempt_.fence();
  if (request_.Wanted() && !request_.seeking) f_.room.Ready(RankOf(request_));
}

void Actions::PlaceAgain() {
  if (lost_) meta::PlaceAgain(f_, t_, request_, lost_->cause, lost_->text);
}

void Actions::CountPartial() {
  f_.attempts.Edit(attempt_).partial = true;
  t_.Note("partial start of request " + ToText(request_.id()) + ": " +
          CauseText(attempt_.record().cause));
}

}  // namespace

schemas::Cause CauseOfGivingBack(const Request& request) {
  if (request.Cancelling() && request.record().attempt && CannotFollow(request)) {
    return {schemas::CauseCode::kPartner, {.job = request.record().reason->subject.job}, "meta"};
  }
  return {schemas::CauseCode::kUser, {}, "user:" + request.record().requester.user};
}

void TakeStep(AttemptsLayer& f, Turn& t, Request& request, Attempt& attempt,
              const verifier::AttemptStep& step) {
  Actions actions(f, t, request, attempt);
  verifier::Execute(step, actions);
}

}  // namespace muster::meta
