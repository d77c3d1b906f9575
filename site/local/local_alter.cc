// Altering local jobs. A waiting job just changes its record. A placed one takes its new place in
// the write that frees the old one. A running one gets more time or other counts of malleable
// chunks. OpenCCS Sect. 5.4 (replanning, estimation of job runtime); protocol.md section 2b (act),
// cli.md section 3 (alter).
#include <algorithm>
#include <utility>

#include "base/units.h"
#include "schemas/limits.h"
#include "site/holds/hold_facts.h"
#include "site/local/local_jobs.h"
#include "site/local/local_users.h"
#include "site/planning/environment.h"
#include "verifier/alteration.h"
#include "verifier/client_checks.h"
#include "verifier/request_times.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::LocalRecord;
using schemas::Refused;
using schemas::RequestSpec;
using schemas::RequestState;
using schemas::Steered;

namespace {

constexpr char kNothing[] = "nothing was changed";

Refused Conflict(const std::string& job, const std::string& what, std::string help = "") {
  return {.code = "conflict",
          .message = "job " + job + " " + what,
          .help = std::move(help),
          .changed = kNothing};
}

}  // namespace

schemas::Cause LocalJobs::AskedBy(const std::string& user) const {
  return {.code = schemas::CauseCode::kUser,
          .subject = {.site = options().name},
          .who = "user:" + user};
}

LocalJobs::Altered LocalJobs::AlterLocal(const std::string& user, const schemas::Act& act,
                                         uint64_t number, std::vector<schemas::MoveRow>& moves) {
  const std::string name = options().name + "/" + std::to_string(number);
  const LocalRecord& job = *FindLocal(number);
  if (job.state == RequestState::kEnded) return Conflict(name, "has ended", "submit it anew");
  if (job.state == RequestState::kCancelling) return Conflict(name, "is being cancelled");
  const RequestSpec before = SpecNow(job);
  auto changed = verifier::Changed(before, *act.changes);
  if (auto* fault = std::get_if<Refused>(&changed)) return std::move(*fault);
  RequestSpec next = std::get<RequestSpec>(std::move(changed));
  // Values that the site insists on also override an alteration (Sect. 5.1).
  const bool other_work = next.duration != before.duration || next.parts != before.parts;
  if (other_work) next = WithValues(std::move(next), job.requester.user);
  const std::string text = verifier::ChangeText(before, next);
  if (text.empty()) return Conflict(name, "is like that already: nothing to change");
  const std::optional<Fence> placed = PlaceOf(number);
  if (placed && HasStarted(*ledger().Find(*placed))) {
    return AlterRunning(before, next, *placed, user, act.only_try);
  }
  if (auto fault = CheckLocal(next, false)) {
    fault->changed = kNothing;
    return std::move(*fault);
  }
  auto late = verifier::OtherNotice(before, next)
                  ? verifier::CheckStartNotice(next, next.duration, now())
                  : std::nullopt;
  if (late) {
    late->changed = kNothing;
    return std::move(*late);
  }
  if (placed) {
    Altered done = AlterPlaced(user, *placed, next, act, moves);
    if (std::holds_alternative<Refused>(done) || act.only_try) return done;
  }
  if (act.only_try) return text;
  LocalRecord& edited = EditJob(number);
  next.payload = std::move(edited.spec.payload);
  edited.spec = std::move(next);
  const std::string by = user == edited.requester.user ? "" : " by " + user;
  NoteLocal(number, "altered", text + by);
  tried_.reset();  // a waiting job may fit now that it is changed
  if (!placed) return text;
  TellLocalFigures(number,
                   LocalFigures(edited.spec, ledger().Find(*placed)->start, plan().revision()),
                   AskedBy(user));
  return text;
}

// Changes the parts one by one and stops at the first refusal, which is the answer. Parts changed
// before keep what they got, as the job's record shows.
LocalJobs::Altered LocalJobs::AlterRunning(const RequestSpec& before, const RequestSpec& next,
                                           const Fence& fence, const std::string& user,
                                           bool only_try) {
  const uint64_t number = ledger().Find(fence)->order.request.value;
  const std::string name = options().name + "/" + std::to_string(number);
  const auto change = verifier::ChangeOfRunning(before, next);
  if (!change) {
    return Conflict(name, "runs already",
                    "a running job can get more time (-t) and other counts of malleable chunks");
  }
  const std::string text = verifier::ChangeText(before, next);
  if (only_try) return text;
  std::string done;
  std::optional<Refused> refused;
  const auto take = [&](const std::optional<Steered>& came) {
    const Steered result = came.value_or(
        Steered{.text = "the machine of " + options().name +
                        " is asked to keep its nodes for longer: say it again in a moment"});
    HearHolds();
    Note("user:" + user + ": " + result.text);
    done += (done.empty() ? "" : "; ") + result.text;
    if (!result.done && !refused) {
      refused = Refused{.code = "conflict", .message = result.text, .changed = kNothing};
    }
  };
  for (const schemas::PartRecord& part : std::vector(ledger().Find(fence)->parts)) {
    if (change->longer > Span{0} && !refused) {
      take(ExtendPart({fence, part.index}, change->longer, !IsOperator(options(), user)));
    }
  }
  for (const auto& [index, counts] : change->counts) {
    if (!refused) take(ResizePart({fence, index}, counts));
  }
  if (refused) return std::move(*refused);
  EditJob(number).spec.name = next.name;
  if (done.empty()) done = text;
  NoteLocal(number, "altered", done);
  return done;
}

// If the altered job needs another place, plans it on a trial plan without its present booking.
LocalJobs::Altered LocalJobs::AlterPlaced(const std::string& user, const Fence& fence,
                                          const RequestSpec& next, const schemas::Act& act,
                                          std::vector<schemas::MoveRow>& moves) {
  const HoldRecord& hold = *ledger().Find(fence);
  LocalRecord job = *FindLocal(hold.order.request.value);
  const std::string name = options().name + "/" + std::to_string(job.number);
  const std::string text = verifier::ChangeText(job.spec, next);
  const bool another = verifier::NeedsAnotherPlace(job.spec, next, hold.start, next.duration);
  job.spec = next;
  const schemas::HoldOrder order = LocalOrder(job, fence, hold.order.payload);
  if (order.allowed.empty()) return Conflict(name, "has no start in that window any more");
  if (another && options().facts.most_walls > 0) {
    return Conflict(name, "needs another place, which its machine has to keep free first",
                    "cancel it, and submit it anew");
  }
  SitePlanner trial = plan();
  std::optional<verifier::Booked> booked;
  if (another) {
    trial.Free(fence);
    verifier::Demand demand = DemandOf(order);
    if (const auto barred = WhyBarred(demand.who, &hold)) {
      demand.allowed = demand.allowed.NotBefore(*barred->until);
    }
    auto answer = trial.Book(fence, demand, now_floor(), std::nullopt);
    if (auto* refusal = std::get_if<schemas::VerdictEntry>(&answer)) {
      Refused why = Unplaced(*refusal);
      why.changed = kNothing;
      return why;
    }
    booked = std::get<verifier::Booked>(std::move(answer));
  }
  const Instant start = booked ? booked->start : hold.start;
  if (start != hold.start) {
    moves.push_back({.job = name, .before = hold.start, .after = start, .because = text});
  }
  if (act.only_try) return text;
  if (start > hold.start && !act.may_move) {
    return Refused{
        .code = "conflict",
        .message = "this would move 1 promise, by up to " + DurationText(start - hold.start),
        .detail = name,
        .help = "see 'muster whatif alter …'; go ahead with --yes",
        .changed = kNothing};
  }
  std::optional<OwnPlace> place;
  if (booked) place = OwnPlace{std::move(trial), *std::move(booked)};
  AlterOwn(order, std::move(place), AskedBy(user), PermitOf(fence, next));
  return text;
}

}  // namespace muster::site
