// A change is applied once, by its revision; its effects are written in the same batch as the feed
// position.
#include "meta/attempts/feed.h"

#include <algorithm>

#include "base/check.h"
#include "base/units.h"
#include "meta/attempts/peer_checks.h"
#include "meta/attempts/reconciliation.h"
#include "meta/attempts/shadows.h"
#include "meta/attempts/staying.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/credits.h"
#include "meta/requests/figures.h"
#include "meta/requests/request_outcome.h"
#include "meta/requests/start_conditions.h"
#include "meta/requests/timeline.h"
#include "meta/requests/verdict_log.h"
#include "meta/sites/links.h"
#include "verifier/shown.h"

namespace muster::meta {
namespace {

using schemas::HoldState;
using schemas::PartState;

std::string EndText(const schemas::PartEnd& end) {
  switch (end.by) {
    case schemas::EndedBy::kExit:
      if (end.signal) return "ended by signal " + std::to_string(*end.signal);
      return "ended, exit " + std::to_string(end.exit_code.value_or(0));
    case schemas::EndedBy::kWalltime:
      return "ended by its walltime";
    case schemas::EndedBy::kRelease:
      return "stopped";
    case schemas::EndedBy::kFailedToStart:
      return end.text.empty() ? "could not be started" : "could not be started: " + end.text;
    case schemas::EndedBy::kUnknown:
      return "ended, nobody can tell how";
    case schemas::EndedBy::kNotEnded:
      break;
  }
  return "ended";
}

// Applies a change to the timeline, the figures and the shadow of its request.
struct Teller {
  AttemptsLayer& f;
  Turn& t;
  Site& site;
  Request& request;
  Attempt& attempt;

  bool Binding() const { return request.record().attempt == attempt.fence(); }

  void operator()(const schemas::HoldChanged& c) {
    const Fence& fence = attempt.fence();
    if (c.state == HoldState::kClosed) {
      FreeShadow(f, fence, site.name);
      if (Binding() && c.closed_as != schemas::ClosedAs::kEnded &&
          c.started == schemas::Started::kNo) {
        AddEvent(f, t, request,
                 c.closed_as == schemas::ClosedAs::kReleased ? "released" : "dropped",
                 c.cause.code == schemas::CauseCode::kNone ? "given back" : CauseText(c.cause),
                 site.name);
      }
      return;
    }
    BookShadow(f, attempt, site.name, c.start);
    LogGrant(t, request, attempt, site, c);
  }

  // A recall, or a pause, moves no figure; people are told all the same, with the figure that
  // stays.
  void TellWhatStays(const std::string& job) {
    if (attempt.record().only_lent || request.record().history.empty()) return;
    schemas::Cause cause{.code = schemas::CauseCode::kPreempted,
                         .subject = {.site = site.name, .job = job},
                         .who = "site:" + site.name};
    schemas::Figures figures = PromiseOf(f, SpecOf(request, attempt), attempt, t.plan);
    f.requests.Edit(request).history.push_back({t.plan, std::move(figures), std::move(cause)});
  }

  // Whether the last that was told of the part's life on lent room is that it is paused.
  bool WasPaused(uint32_t part) const {
    const std::string name = ShownId(request) + "." + std::to_string(part);
    const auto& events = request.record().events;
    const auto last = std::find_if(events.rbegin(), events.rend(), [&](const auto& event) {
      return event.part == name && event.site == site.name;
    });
    return last != events.rend() && last->code == "paused";
  }

  // L1 to L5, L9, L10.
  void TellLoan(const schemas::PartChanged& c) {
    using schemas::LoanState;
    const std::optional<schemas::Lent>& lent = c.booking.lent;
    if (!lent) {
      if (c.booking.recalls == 0) return;
      const Span lost{c.booking.lost.milliseconds / 1000};
      std::string text = "off its lent room; in all ";
      if (c.booking.saved > Span{0}) text += DurationText(c.booking.saved) + " of work saved, ";
      AddEvent(f, t, request, "returned", text + DurationText(lost) + " lost", site.name, c.index);
      return;
    }
    switch (lent->state) {
      case LoanState::kStarting:
        AddEvent(f, t, request, "lent", "starts on lent room, from which it may be recalled",
                 site.name, c.index);
        break;
      case LoanState::kRunning:
        if (WasPaused(c.index)) {
          AddEvent(f, t, request, "resumed", "goes on on lent room", site.name, c.index);
        } else {
          AddEvent(f, t, request, "lent_started", "started on lent room", site.name, c.index);
        }
        break;
      case LoanState::kRecalled: {
        const std::string& job = lent->recalled_for;
        AddEvent(f, t, request, "recalled",
                 "recalled from lent room" + (job.empty() ? "" : ": job " + job + " is due there"),
                 site.name, c.index);
        TellWhatStays(job);
        break;
      }
      case LoanState::kPaused: {
        const std::string job = lent->recalled_for;
        AddEvent(f, t, request, "paused",
                 "paused on lent room: " + (job.empty() ? "others are" : "job " + job + " is") +
                     " due on its cores",
                 site.name, c.index);
        TellWhatStays(job);
        break;
      }
      case LoanState::kReleased:
        break;
    }
  }

  void operator()(const schemas::PartChanged& c) {
    if (!Binding()) return;
    const bool recalled = c.booking.lent && c.booking.lent->state == schemas::LoanState::kRecalled;
    // A life with only lent room is told as any other, but for its recall.
    if (attempt.record().only_lent ? recalled
                                   : c.booking.lent.has_value() ||
                                         (c.state == PartState::kBooked && c.booking.recalls > 0)) {
      return TellLoan(c);
    }
    switch (c.state) {
      case PartState::kReady:
        AddEvent(f, t, request, "ready", "ready", site.name, c.index);
        break;
      case PartState::kStarting:
        AddEvent(f, t, request, "starting", "starting", site.name, c.index);
        break;
      case PartState::kRunning:
        attempt.seen_running.emplace(site.name, t.plan);
        TellStaying(f, t, request, attempt);
        // An extended or resized part only reports again; the answer to the alteration shows that
        // change.
        if (verifier::ChangedWhileRunning(c.booking).empty()) {
          AddEvent(f, t, request, "started", "started", site.name, c.index);
        }
        break;
      case PartState::kEnded:
        AddEvent(f, t, request, "ended", EndText(c.end), site.name, c.index);
        break;
      case PartState::kBooked:
      case PartState::kEnding:
        break;
    }
  }

  void operator()(const schemas::Moved& c) {
    // A dropped hold is handled at its close; its move only brings feasible starts (H16). A hold
    // that moved and ended within one report did move, and its figure shows that with the cause.
    const schemas::MirrorRecord* hold = site.mirror.Find(attempt.fence());
    const bool dropped = hold && hold->closed_as == schemas::ClosedAs::kDropped;
    if (!hold || dropped || c.new_start == c.old_start) return;
    BookShadow(f, attempt, site.name, c.new_start);
    if (attempt.Several() || !Binding()) return;
    t.moved.insert(request.id());
    f.attempts.Edit(attempt).start = c.new_start;
    EaseLien(f, request, attempt);
    TakePlace(f, request, attempt);
    if (c.deadline) f.attempts.Edit(attempt).deadline = *c.deadline;
    // A place that is being given back promises nothing any more, unless it runs all the same.
    const bool runs = std::any_of(hold->parts.begin(), hold->parts.end(),
                                  [](const auto& part) { return part.started_at.has_value(); });
    if (attempt.released && !runs) return;
    AddEvent(f, t, request, "moved",
             std::string(c.new_start < c.old_start ? "starts earlier: " : "starts later: ") +
                 CauseText(c.cause),
             site.name);
    // Earlier moves of this place were not shown.
    if (attempt.released) return TellStaying(f, t, request, attempt);
    schemas::Figures now = PromiseOf(f, SpecOf(request, attempt), attempt, t.plan);
    const auto& history = request.record().history;
    const auto told = history.empty() ? std::nullopt : history.back().figures.starts_by;
    // If the promise rises although this move is to an earlier start, a previous move to a later
    // one was not shown, since the place was being given back then.
    const bool rises = told && now.starts_by && now.starts_by->at > told->at;
    const bool after_later = rises && c.new_start < c.old_start;
    TellFigures(f, request, std::move(now), after_later ? WhyMoved(site, *hold, true) : c.cause,
                t.plan);
  }

  void operator()(const schemas::Steered&) {}
  void operator()(const schemas::UsageChanged&) { f.requests.Touch(request.id()); }
};

// A listing says where a hold is, but not how it got there. The promise moves all the same, with
// the cause on the hold's record.
void TellListed(AttemptsLayer& f, Turn& t, Site& site, Attempt& attempt,
                const schemas::MirrorRecord& hold) {
  if (attempt.Several() || hold.start == attempt.record().start) return;
  Request* request = f.requests.Find(attempt.record().request);
  MUSTER_CHECK(request != nullptr);
  schemas::Moved moved{
      .old_start = attempt.record().start, .new_start = hold.start, .deadline = hold.deadline};
  moved.cause = WhyMoved(site, hold, moved.new_start > moved.old_start);
  Teller{f, t, site, *request, attempt}(moved);
}

absl::Status OnAnswer(AttemptsLayer& f, Turn& t, Site& site, const schemas::Answer& answer) {
  const auto it = f.attempts.find(answer.fence);
  if (it == f.attempts.end()) return absl::OkStatus();
  Attempt& attempt = it->second;
  const absl::Status status = CheckAnswer(site, attempt, answer, t.plan.Floor());
  if (!status.ok()) return status;
  switch (answer.kind) {
    case schemas::AnswerKind::kUnknown:
      if (site.mirror.Forgot(answer.fence)) {
        FreeShadow(f, answer.fence, site.name);
      } else if (!site.mirror.Find(answer.fence)) {
        attempt.lost.insert(site.name);
      }
      break;
    case schemas::AnswerKind::kCountered:
      LogRefusal(f, t, attempt, site, answer.verdict);
      attempt.refused[site.name] = answer.verdict.value_or(schemas::VerdictEntry{});
      break;
    case schemas::AnswerKind::kStale:
      attempt.refused[site.name] = {};
      break;
    case schemas::AnswerKind::kPresent: {
      // Only the present state: the feed reports how it came about. A closed hold that the feed
      // will not report (a release below the floor) counts as refused.
      const bool closed = answer.present && answer.present->state == HoldState::kClosed;
      if (closed && !site.mirror.Find(answer.fence)) attempt.refused[site.name] = {};
      break;
    }
  }
  f.attempts.Touch(answer.fence);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<verifier::Mirror::Outcome> TakeReport(AttemptsLayer& f, Site& site,
                                                     const schemas::Report& report) {
  MUSTER_RETURN_IF_ERROR(CheckReport(f, site, report));
  return site.mirror.Apply(report);
}

std::optional<SteeredCame> TellChange(AttemptsLayer& f, Turn& t, Site& site,
                                      const schemas::Change& change) {
  if (const auto* steered = std::get_if<schemas::Steered>(&change.what)) {
    return SteeredCame{*steered};
  }
  const auto it = f.attempts.find(change.fence);
  if (it == f.attempts.end()) return std::nullopt;
  Request* request = f.requests.Find(it->second.record().request);
  MUSTER_CHECK(request != nullptr);
  std::visit(Teller{f, t, site, *request, it->second}, change.what);
  f.attempts.Touch(change.fence);
  return std::nullopt;
}

absl::Status EndReport(AttemptsLayer& f, Turn& t, Site& site,
                       const verifier::Mirror::Outcome& outcome) {
  // TellChange has touched the known attempts, so they are evaluated. Only holds of unknown or
  // closed attempts are compared here, and only if the site is up: the end of SYNCING compares all.
  if (site.Up()) {
    for (const schemas::Change& change : outcome.applied) {
      const auto it = f.attempts.find(change.fence);
      const bool known =
          it != f.attempts.end() && it->second.state() != schemas::AttemptState::kClosed;
      if (!known) CompareHold(f, t, site, change.fence);
    }
  }
  if (outcome.heard == verifier::Mirror::Heard::kGap) AskFrom(f, t, site);
  if (outcome.heard == verifier::Mirror::Heard::kDiverged && !site.resync_all) {
    // A site restored from a backup does this once; the listing settles it.
    AskListing(f, t, site);
    return absl::InvalidArgumentError("a feed of another history");
  }
  return absl::OkStatus();
}

absl::Status OnListing(AttemptsLayer& f, Turn& t, Site& site, const schemas::Listing& page) {
  MUSTER_RETURN_IF_ERROR(CheckListing(f, site, page));
  if (page.first) site.listed.clear();
  for (const schemas::HoldRecord& hold : page.holds) {
    if (hold.state == HoldState::kClosed || f.attempts.contains(hold.order.fence)) continue;
    site.listed[hold.order.fence] = hold.order;
  }
  std::vector<Fence> changed;
  if (!site.mirror.Take(page, changed)) return absl::OkStatus();
  site.resync_all = false;
  site.reach = page.feed.revision;
  for (const Fence& fence : changed) {
    f.attempts.Touch(fence);
    const auto it = f.attempts.find(fence);
    const schemas::MirrorRecord* hold = site.mirror.Find(fence);
    if (it == f.attempts.end() || !hold) continue;
    f.requests.Touch(it->second.record().request);
    if (hold->state == HoldState::kClosed) {
      FreeShadow(f, fence, site.name);
    } else {
      BookShadow(f, it->second, site.name, hold->start);
      TellListed(f, t, site, it->second, *hold);
    }
  }
  if (site.link.state() != schemas::SiteState::kSyncing) CompareSite(f, t, site);
  return absl::OkStatus();
}

std::vector<absl::Status> OnAnswers(AttemptsLayer& f, Turn& t, Site& site,
                                    const schemas::Answers& answers) {
  std::vector<absl::Status> out;
  for (const schemas::Answer& answer : answers.answers) {
    absl::Status status = OnAnswer(f, t, site, answer);
    if (!status.ok()) out.push_back(std::move(status));
  }
  return out;
}

}  // namespace muster::meta
