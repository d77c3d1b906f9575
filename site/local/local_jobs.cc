// Jobs submitted at the site itself: what becomes of them. A job has a hold of fence (0, n); one
// that loses its place is placed again under a new number of the same counter, since a closed fence
// never lives again. protocol.md sections 3.1 (local jobs), 3.5, 5.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "schemas/limits.h"
#include "site/planning/environment.h"
#include "site/state.h"
#include "verifier/ending.h"
#include "verifier/request_times.h"
#include "verifier/shown.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::HoldState;
using schemas::LocalRecord;
using schemas::Outcome;
using schemas::PartState;
using schemas::RequestState;

namespace {

Span LongestExtension(const HoldRecord& hold) {
  Span longest;
  for (const schemas::PartRecord& part : hold.parts) longest = std::max(longest, part.extended);
  return longest;
}

bool EndedWell(const schemas::PartEnd& end) {
  return end.by == schemas::EndedBy::kExit && end.exit_code == 0;
}

}  // namespace

const LocalRecord* Core::State::FindLocal(uint64_t number) const {
  const auto it = ledger.locals().find(number);
  return it == ledger.locals().end() ? nullptr : &it->second;
}

void Core::State::NoteLocal(uint64_t number, std::string code, std::string text, std::string part) {
  LocalRecord& job = ledger.EditLocal(number);
  if (job.events.size() >= schemas::kHistoryRows) job.events.erase(job.events.begin());
  job.events.push_back({.at = now(),
                        .code = std::move(code),
                        .part = std::move(part),
                        .site = options.name,
                        .text = std::move(text)});
  locals.changed.insert(number);
}

schemas::Figures Core::State::LocalFigures(const schemas::RequestSpec& spec, Instant start) const {
  const Instant late = start + options.start_slack;
  return {.starts_by = schemas::StartsBy{late + verifier::FirstOffset(spec), true},
          .ends_by = late + verifier::LastOffset(spec) + spec.duration,
          .basis = {{options.name, now(), 0, plan.revision()}}};
}

// The list of figures grows only when one moves; the first has no cause.
void Core::State::TellLocalFigures(uint64_t number, schemas::Figures figures,
                                   std::optional<schemas::Cause> cause) {
  std::vector<schemas::FigureChange>& history = ledger.EditLocal(number).history;
  if (!history.empty()) {
    const schemas::Figures& last = history.back().figures;
    if (last.starts_by == figures.starts_by && last.ends_by == figures.ends_by &&
        last.no_promise_reason == figures.no_promise_reason) {
      return;
    }
    if (!cause) cause = history.back().cause;  // placed again: why it lost its place
    if (history.size() >= schemas::kHistoryRows) history.erase(history.begin() + 1);
  }
  history.push_back({now(), std::move(figures), std::move(cause)});
}

// The one way in which changes of holds leave the core: the meta's by the feed, local ones into
// their job's record.
void Core::State::Report(const Fence& fence, decltype(schemas::Change::what) what) {
  if (verifier::IsLocal(fence)) OnLocalChange(*ledger.Find(fence), what);
  ledger.Report(fence, std::move(what));
}

void Core::State::OnLocalChange(const HoldRecord& hold,
                                const decltype(schemas::Change::what)& what) {
  const uint64_t number = hold.order.request.value;
  LocalRecord& job = ledger.EditLocal(number);
  locals.changed.insert(number);
  if (const auto* changed = std::get_if<schemas::HoldChanged>(&what)) {
    if (changed->state == HoldState::kClosed) {
      locals.closed.insert(hold.order.fence);
      return;
    }
    job.state = RequestState::kPromised;
    NoteLocal(number, "permitted", "booked, and permitted to start");
    TellLocalFigures(number, LocalFigures(job.spec, hold.start), std::nullopt);
  } else if (const auto* moved = std::get_if<schemas::Moved>(&what)) {
    if (moved->new_start == moved->old_start) return;  // H16: its close follows
    NoteLocal(number, "moved",
              "start moved from " + Rfc3339(moved->old_start) + " to " + Rfc3339(moved->new_start) +
                  ": " + verifier::CauseText(moved->cause));
    TellLocalFigures(number, LocalFigures(job.spec, moved->new_start), moved->cause);
  } else if (const auto* part = std::get_if<schemas::PartChanged>(&what)) {
    OnLocalPart(hold, *part);
  }
}

void Core::State::OnLocalPart(const HoldRecord& hold, const schemas::PartChanged& part) {
  const uint64_t number = hold.order.request.value;
  LocalRecord& job = ledger.EditLocal(number);
  const std::string name = PartName(hold.order, part.index);
  if (part.state == PartState::kStarting) NoteLocal(number, "starting", "being started", name);
  if (part.state == PartState::kRunning) {
    const std::string changed = verifier::ChangedWhileRunning(part.booking);
    NoteLocal(number, changed.empty() ? "started" : "changed", changed.empty() ? "runs" : changed,
              name);
    if (part.booking.extended > Span{0}) {
      schemas::Figures figures = LocalFigures(job.spec, hold.start);
      figures.ends_by = *figures.ends_by + LongestExtension(hold);
      TellLocalFigures(number, std::move(figures),
                       schemas::Cause{.code = schemas::CauseCode::kUser,
                                      .subject = {.site = options.name},
                                      .who = "user:" + job.requester.user});
    }
  }
  if (part.state == PartState::kEnded) {
    NoteLocal(number, "ended", EndedWell(part.end) ? "ended well" : "ended", name);
    const bool alone = hold.parts.size() == 1 || job.spec.keep_going;
    if (!EndedWell(part.end) && !alone) locals.failed.insert(hold.order.fence);
  }
  if (job.state == RequestState::kCancelling || job.state == RequestState::kEnded) return;
  const bool all_run = std::all_of(hold.parts.begin(), hold.parts.end(),
                                   [](const auto& p) { return p.started_at.has_value(); });
  job.state = all_run            ? RequestState::kRunning
              : HasStarted(hold) ? RequestState::kStarting
                                 : RequestState::kPromised;
}

std::string Core::State::CancelLocal(uint64_t number, const std::string& user) {
  LocalRecord& job = ledger.EditLocal(number);
  if (job.state == RequestState::kEnded) return "had ended already";
  if (job.state == RequestState::kCancelling) return "is being cancelled already";
  const std::string by = user == job.requester.user ? "" : " by " + user;
  const auto placed = locals.holds.find(number);
  if (placed == locals.holds.end()) {
    EndLocal(number, Outcome::kCancelled, "cancelled before its start" + by);
    return "cancelled before its start";
  }
  const Fence fence = placed->second;
  const bool ran = HasStarted(*ledger.Find(fence));
  job.state = RequestState::kCancelling;
  NoteLocal(number, "cancelled", "cancel asked for" + by);
  answers.clear();
  OnOrder(schemas::ReleaseOrder{
      fence, {.code = schemas::CauseCode::kUser, .who = "user:" + user}});  // H12, H13
  answers.clear();
  return ran ? "is being stopped" : "cancelled before its start";
}

void Core::State::EndLocal(uint64_t number, Outcome outcome, std::string text) {
  LocalRecord& job = ledger.EditLocal(number);
  job.state = RequestState::kEnded;
  job.outcome = outcome;
  job.spec.payload = {};
  NoteLocal(number, outcome == Outcome::kRefused ? "refused" : "ended", std::move(text));
  locals.waiting.erase(number);
  locals.ended.insert({now(), number});
  auto& open = locals.open[job.requester.user];
  open.erase(number);
  if (open.empty()) locals.open.erase(job.requester.user);
}

// Its hold closed: the job ends by what its parts did, or waits for another place.
void Core::State::EndOrWait(const HoldRecord& hold) {
  const uint64_t number = hold.order.request.value;
  LocalRecord& job = ledger.EditLocal(number);
  locals.holds.erase(number);
  job.parts = PartsShown(hold);
  std::vector<verifier::PartFacts> facts;
  for (const schemas::PartRecord& part : hold.parts) {
    facts.push_back({part.end, hold.started, part.ended_at});
  }
  using verifier::Ending;
  switch (EndingOf(facts, job.state == RequestState::kCancelling, job.spec.rerunnable)) {
    case Ending::kDone:
      return EndLocal(number, Outcome::kDone, "done");
    case Ending::kFailed:
      return EndLocal(number, Outcome::kFailed, "failed");
    case Ending::kTimeout:
      return EndLocal(number, Outcome::kTimeout, "reached its walltime");
    case Ending::kCancelled:
      return EndLocal(number, Outcome::kCancelled,
                      hold.started == schemas::Started::kNo ? "cancelled before its start"
                                                            : "cancelled while it ran");
    case Ending::kUndecidable:
      return EndLocal(number, Outcome::kLost, "nobody can tell whether it ran to its end");
    case Ending::kAgain:
      break;
  }
  const std::string why = verifier::CauseText(hold.cause);
  NoteLocal(number, "dropped", "lost its place: " + why);
  const auto lost = std::count_if(job.events.begin(), job.events.end(),
                                  [](const auto& event) { return event.code == "dropped"; });
  if (lost > schemas::kReplacementsPerRequest) {
    return EndLocal(number, Outcome::kRefused,
                    "given up after " + std::to_string(lost) + " lost places, the last by " + why);
  }
  job.state = RequestState::kWaiting;
  job.parts.clear();
  job.spec.payload = hold.order.payload;  // the record of the hold goes
  schemas::Figures none;
  none.no_promise_reason = schemas::Reason{.code = schemas::ReasonCode::kBlocked,
                                           .subject = hold.cause.subject,
                                           .text = "lost its place: " + why};
  TellLocalFigures(number, std::move(none), hold.cause);
  locals.waiting.insert(number);
  locals.tried.reset();
}

void Core::State::SettleLocals() {
  while (!locals.failed.empty() || !locals.closed.empty()) {
    for (const Fence& fence : std::exchange(locals.failed, {})) {
      const HoldRecord& hold = *ledger.Find(fence);
      if (!IsLive(hold) || IsStopping(hold) || AllEnded(hold)) continue;
      ledger.Edit(fence).closed_as = schemas::ClosedAs::kReleased;
      StopParts(fence, {.code = schemas::CauseCode::kPartner, .who = Own({}).who});
    }
    for (const Fence& fence : std::exchange(locals.closed, {})) EndOrWait(*ledger.Find(fence));
  }
}

// Those that lost their place, once the plan is another one; those whose window is over.
void Core::State::PlaceWaiting() {
  SettleLocals();
  if (locals.waiting.empty()) return;
  for (const uint64_t number : std::set<uint64_t>(locals.waiting)) {
    const Instant last = verifier::LastAllowedStart(FindLocal(number)->spec);
    if (now() < ToMoment(last + Span{1})) continue;
    EndLocal(number, Outcome::kRefused, "its window passed before it had a place again");
  }
  if (locals.tried == plan.revision()) return;
  if (locals.tried_up_to == 0) locals.pass = plan.revision();
  size_t tries = 0;
  const auto next = locals.waiting.upper_bound(locals.tried_up_to);
  for (const uint64_t number : std::set<uint64_t>(next, locals.waiting.end())) {
    if (++tries > kTriesPerTurn) return;  // goes on from there with the next turn
    locals.tried_up_to = number;
    const Fence fence{{}, ledger.identity().last_local + 1};
    LocalRecord& job = ledger.EditLocal(number);
    if (PlaceLocal(LocalRecord(job), fence, job.spec.payload)) continue;
    MUSTER_CHECK(ledger.NextLocal() == fence.number);
    job.spec.payload = {};
    locals.waiting.erase(number);
    ReportHold(fence);
  }
  locals.tried = locals.pass;
  locals.tried_up_to = 0;
}

// Records whose time is over go, and their client keys with them.
void Core::State::ForgetLocals() {
  const Moment before{now().milliseconds - schemas::kRecordKeep.seconds * 1000};
  while (!locals.ended.empty() && locals.ended.begin()->first < before) {
    const uint64_t number = locals.ended.begin()->second;
    locals.ended.erase(locals.ended.begin());
    const LocalRecord& job = *FindLocal(number);
    locals.keys.erase({job.requester.user, job.key.text});
    ledger.EraseLocal(number);
  }
}

std::optional<BootInstant> Core::State::NextLocal() const {
  std::optional<BootInstant> next;
  for (const uint64_t number : locals.waiting) {
    const Instant last = verifier::LastAllowedStart(FindLocal(number)->spec);
    if (last >= kFarFuture) continue;
    const BootInstant at = clock.When(ToMoment(last + Span{1}));
    next = next ? std::min(*next, at) : at;
  }
  for (const auto& [line, follower] : locals.followers) {
    next = next ? std::min(*next, follower.until) : follower.until;
  }
  return next;
}

// From the ledger, after a restart.
void Core::State::RebuildLocals() {
  for (const auto& [fence, hold] : ledger.holds()) {
    if (!verifier::IsLocal(fence) || !IsLive(hold)) continue;
    locals.holds[hold.order.request.value] = fence;
  }
  for (const auto& [number, job] : ledger.locals()) {
    locals.keys[{job.requester.user, job.key.text}] = number;
    if (job.state == RequestState::kEnded) {
      locals.ended.insert({job.events.empty() ? job.submitted_at : job.events.back().at, number});
      continue;
    }
    locals.open[job.requester.user].insert(number);
    if (!locals.holds.contains(number)) locals.waiting.insert(number);
  }
}

}  // namespace muster::site
