// Takes news of holds into the records of their jobs, and acts on them.
#include "site/local/local_jobs.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "schemas/limits.h"
#include "site/holds/hold_facts.h"
#include "site/planning/environment.h"
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

bool EndedWell(const schemas::PartEnd& end) {
  return end.by == schemas::EndedBy::kExit && end.exit_code == 0;
}

}  // namespace

void LocalJobs::HearHolds() {
  for (const HoldNews& news : TakeNews()) Take(news);
}

void LocalJobs::Take(const HoldNews& news) {
  const uint64_t number = ledger().Find(news.fence)->order.request.value;
  LocalRecord& job = EditJob(number);
  MarkChanged(number);
  if (const auto* changed = std::get_if<schemas::HoldChanged>(&news.what)) {
    if (changed->state == HoldState::kClosed) {
      closed_.insert(news.fence);
      return;
    }
    job.state = RequestState::kPromised;
    NoteLocal(number, "permitted", "booked, and permitted to start");
    TellLocalFigures(number, LocalFigures(job.spec, news.start, news.plan), std::nullopt);
  } else if (const auto* moved = std::get_if<schemas::Moved>(&news.what)) {
    if (moved->new_start == moved->old_start) return;  // H16: news of the close follows
    NoteLocal(number, "moved",
              "start moved from " + Rfc3339(moved->old_start) + " to " + Rfc3339(moved->new_start) +
                  ": " + verifier::CauseText(moved->cause));
    TellLocalFigures(number, LocalFigures(job.spec, moved->new_start, news.plan), moved->cause);
  } else if (const auto* part = std::get_if<schemas::PartChanged>(&news.what)) {
    TakePart(news, *part);
  }
}

void LocalJobs::TakePart(const HoldNews& news, const schemas::PartChanged& part) {
  const HoldRecord& hold = *ledger().Find(news.fence);
  const uint64_t number = hold.order.request.value;
  LocalRecord& job = EditJob(number);
  const std::string name = PartName(hold.order, part.index);
  if (part.state == PartState::kStarting) NoteLocal(number, "starting", "being started", name);
  if (part.state == PartState::kRunning) {
    const std::string changed = verifier::ChangedWhileRunning(part.booking);
    NoteLocal(number, changed.empty() ? "started" : "changed", changed.empty() ? "runs" : changed,
              name);
    if (part.booking.extended > Span{0}) {
      schemas::Figures figures = LocalFigures(job.spec, news.start, news.plan);
      figures.ends_by = *figures.ends_by + news.extended;
      TellLocalFigures(number, std::move(figures),
                       schemas::Cause{.code = schemas::CauseCode::kUser,
                                      .subject = {.site = options().name},
                                      .who = "user:" + job.requester.user});
    }
  }
  if (part.state == PartState::kEnded) {
    NoteLocal(number, "ended", EndedWell(part.end) ? "ended well" : "ended", name);
    const bool alone = hold.parts.size() == 1 || job.spec.keep_going;
    if (!EndedWell(part.end) && !alone) failed_.insert(news.fence);
  }
  if (job.state == RequestState::kCancelling || job.state == RequestState::kEnded) return;
  job.state = news.all_run   ? RequestState::kRunning
              : news.started ? RequestState::kStarting
                             : RequestState::kPromised;
}

// The job's hold closed: the job ends with the outcome of its parts, or waits for another place.
void LocalJobs::EndOrWait(const HoldRecord& hold) {
  const uint64_t number = hold.order.request.value;
  LocalRecord& job = EditJob(number);
  LosePlace(number);
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
  job.spec.payload = hold.order.payload;  // the hold's record will be deleted
  schemas::Figures none;
  none.no_promise_reason = schemas::Reason{.code = schemas::ReasonCode::kBlocked,
                                           .subject = hold.cause.subject,
                                           .text = "lost its place: " + why};
  TellLocalFigures(number, std::move(none), hold.cause);
  WaitForPlace(number);
  tried_.reset();
}

void LocalJobs::SettleLocals() {
  while (!failed_.empty() || !closed_.empty()) {
    for (const Fence& fence : std::exchange(failed_, {})) {
      const HoldRecord& hold = *ledger().Find(fence);
      if (!IsLive(hold) || IsStopping(hold) || AllEnded(hold)) continue;
      StopOwn(fence, schemas::CauseCode::kPartner);
      HearHolds();
    }
    for (const Fence& fence : std::exchange(closed_, {})) EndOrWait(*ledger().Find(fence));
  }
}

void LocalJobs::PlaceWaiting() {
  SettleLocals();
  if (waiting().empty()) return;
  for (const uint64_t number : std::set<uint64_t>(waiting())) {
    const schemas::RequestSpec& spec = FindLocal(number)->spec;
    const Instant last = verifier::LastAllowedStart(spec, LongestHere(spec));
    if (now() < ToMoment(last + Span{1})) continue;
    EndLocal(number, Outcome::kRefused, "its window passed before it had a place again");
  }
  if (tried_ == plan().revision()) return;
  if (tried_up_to_ == 0) pass_ = plan().revision();
  size_t tries = 0;
  const auto next = waiting().upper_bound(tried_up_to_);
  for (const uint64_t number : std::set<uint64_t>(next, waiting().end())) {
    if (++tries > kTriesPerTurn) return;  // the next turn continues here
    tried_up_to_ = number;
    const Fence next_fence{{}, ledger().identity().last_local + 1};
    const Fence fence = AskedAs({number}).value_or(next_fence);
    LocalRecord& job = EditJob(number);
    if (PlaceLocal(LocalRecord(job), fence, job.spec.payload)) continue;
    if (fence == next_fence) MUSTER_CHECK(NextJob() == fence.number);
    job.spec.payload = {};
    ReportHold(fence);
    HearHolds();
  }
  tried_ = pass_;
  tried_up_to_ = 0;
}

std::string LocalJobs::CancelLocal(uint64_t number, const std::string& user) {
  LocalRecord& job = EditJob(number);
  if (job.state == RequestState::kEnded) return "had ended already";
  if (job.state == RequestState::kCancelling) return "is being cancelled already";
  const std::string by = user == job.requester.user ? "" : " by " + user;
  const std::optional<Fence> placed = PlaceOf(number);
  if (!placed) {
    EndLocal(number, Outcome::kCancelled, "cancelled before its start" + by);
    return "cancelled before its start";
  }
  const bool ran = HasStarted(*ledger().Find(*placed));
  job.state = RequestState::kCancelling;
  NoteLocal(number, "cancelled", "cancel asked for" + by);
  Holds::Take(schemas::ReleaseOrder{
      *placed, {.code = schemas::CauseCode::kUser, .who = "user:" + user}});  // H12, H13
  HearHolds();
  return ran ? "is being stopped" : "cancelled before its start";
}

std::optional<BootInstant> LocalJobs::NextOfLocals() const {
  if (tried_up_to_ > 0) return turn().boot;
  std::optional<BootInstant> next;
  for (const uint64_t number : waiting()) {
    const schemas::RequestSpec& spec = FindLocal(number)->spec;
    const Instant last = verifier::LastAllowedStart(spec, LongestHere(spec));
    if (last >= kFarFuture) continue;
    const BootInstant at = plan_clock().When(ToMoment(last + Span{1}));
    next = next ? std::min(*next, at) : at;
  }
  return next;
}

}  // namespace muster::site
