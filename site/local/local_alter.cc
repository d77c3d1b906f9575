// Jobs of the site's own users become others: one that waits is another one from then on, one that
// is promised takes its new place in the write that gives the old one back, one that runs gets more
// time or other counts of malleable chunks. OpenCCS Sect. 5.4 (replanning, estimation of job
// runtime); protocol.md section 2b (act), cli.md section 3 (alter).
#include <algorithm>
#include <utility>

#include "base/units.h"
#include "schemas/limits.h"
#include "site/planning/environment.h"
#include "site/state.h"
#include "verifier/alteration.h"
#include "verifier/client_checks.h"
#include "verifier/request_times.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::LocalRecord;
using schemas::PartRecord;
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

schemas::Cause Core::State::AskedBy(const std::string& user) const {
  return {
      .code = schemas::CauseCode::kUser, .subject = {.site = options.name}, .who = "user:" + user};
}

// What runs may have got more since it was submitted.
RequestSpec Core::State::SpecNow(const LocalRecord& job) const {
  RequestSpec spec = job.spec;
  const auto placed = locals.holds.find(job.number);
  if (placed == locals.holds.end()) return spec;
  const HoldRecord& hold = *ledger.Find(placed->second);
  Span longest;
  for (const PartRecord& part : hold.parts) {
    longest = std::max(longest, part.extended);
    const std::vector<uint64_t>& counts = part.counts;
    std::vector<schemas::Chunk>& chunks = spec.parts[part.index - 1].chunks;
    for (size_t c = 0; c < counts.size() && c < chunks.size(); ++c) {
      chunks[c].count = static_cast<uint32_t>(counts[c]);
    }
  }
  spec.duration = spec.duration + longest;
  return spec;
}

void Core::State::Alter(const ClientLine& line, const schemas::Act& act) {
  if (!act.changes || *act.changes == schemas::Alteration{} || act.requests.empty() ||
      act.requests.size() > schemas::kActTargets) {
    return Tell(line, Refused{.code = "usage",
                              .message = "nothing to change",
                              .help = "as in muster alter 41 -t 20m",
                              .changed = kNothing});
  }
  for (const RequestId id : act.requests) {
    const LocalRecord* job = FindLocal(id.value);
    if (job == nullptr) return Tell(line, NoSuchLocal(id.value, kNothing));
    if (job->requester.user == line.user || IsOperator(line.user)) continue;
    return Tell(line, NotYours(options.name + "/" + std::to_string(id.value), job->requester.user,
                               line.user, kNothing));
  }
  schemas::Accepted out;
  std::optional<Refused> first;
  size_t refused = 0;
  for (const RequestId id : act.requests) {
    Altered altered = AlterLocal(line, act, id.value, out.moves);
    if (auto* why = std::get_if<Refused>(&altered)) {
      ++refused;
      out.notes.push_back("not altered: " + why->message);
      if (!first) first = std::move(*why);
    } else {
      out.notes.push_back(std::get<std::string>(std::move(altered)));
    }
    out.requests.push_back(id);
    out.states.push_back(FindLocal(id.value)->state);
  }
  if (first && refused == act.requests.size()) return Tell(line, std::move(*first));
  Tell(line, std::move(out));
}

Core::State::Altered Core::State::AlterLocal(const ClientLine& line, const schemas::Act& act,
                                             uint64_t number,
                                             std::vector<schemas::MoveRow>& moves) {
  const std::string name = options.name + "/" + std::to_string(number);
  const LocalRecord& job = *FindLocal(number);
  if (job.state == RequestState::kEnded) return Conflict(name, "has ended", "submit it anew");
  if (job.state == RequestState::kCancelling) return Conflict(name, "is being cancelled");
  const RequestSpec before = SpecNow(job);
  auto changed = verifier::Changed(before, *act.changes);
  if (auto* fault = std::get_if<Refused>(&changed)) return std::move(*fault);
  RequestSpec next = std::get<RequestSpec>(std::move(changed));
  // What the site insists on outranks what is asked for now, too (Sect. 5.1).
  const bool other_work = next.duration != before.duration || next.parts != before.parts;
  if (other_work) next = WithValues(std::move(next), job.requester.user);
  const std::string text = verifier::ChangeText(before, next);
  if (text.empty()) return Conflict(name, "is like that already: nothing to change");
  const auto placed = locals.holds.find(number);
  if (placed != locals.holds.end() && HasStarted(*ledger.Find(placed->second))) {
    return AlterRunning(before, next, placed->second, line.user, act.only_try);
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
  if (placed != locals.holds.end()) {
    Altered done = AlterPlaced(line, placed->second, next, act, moves);
    if (std::holds_alternative<Refused>(done) || act.only_try) return done;
  }
  if (act.only_try) return text;
  LocalRecord& edited = ledger.EditLocal(number);
  next.payload = std::move(edited.spec.payload);
  edited.spec = std::move(next);
  const std::string by = line.user == edited.requester.user ? "" : " by " + line.user;
  NoteLocal(number, "altered", text + by);
  locals.tried.reset();  // one that has no place may have one as it is now
  const auto it = locals.holds.find(number);
  if (it == locals.holds.end()) return text;
  TellLocalFigures(number, LocalFigures(edited.spec, ledger.Find(it->second)->start),
                   AskedBy(line.user));
  return text;
}

// Each part by itself, and the first word against it is the answer: what others got they keep, as
// the job's record says.
Core::State::Altered Core::State::AlterRunning(const RequestSpec& before, const RequestSpec& next,
                                               const Fence& fence, const std::string& user,
                                               bool only_try) {
  const uint64_t number = ledger.Find(fence)->order.request.value;
  const std::string name = options.name + "/" + std::to_string(number);
  const auto change = verifier::ChangeOfRunning(before, next);
  if (!change) {
    return Conflict(name, "runs already",
                    "a running job can get more time (-t) and other counts of malleable chunks");
  }
  const std::string text = verifier::ChangeText(before, next);
  if (only_try) return text;
  std::string done;
  std::optional<Refused> refused;
  const auto take = [&](const Steered& result) {
    effects.notes.push_back("user:" + user + ": " + result.text);
    done += (done.empty() ? "" : "; ") + result.text;
    if (!result.done && !refused) {
      refused = Refused{.code = "conflict", .message = result.text, .changed = kNothing};
    }
  };
  for (const schemas::PartRecord& part : std::vector(ledger.Find(fence)->parts)) {
    if (change->longer > Span{0} && !refused) {
      take(ExtendPart({fence, part.index}, change->longer, !IsOperator(user)));
    }
  }
  for (const auto& [index, counts] : change->counts) {
    if (!refused) take(ResizePart({fence, index}, counts));
  }
  if (refused) return std::move(*refused);
  ledger.EditLocal(number).spec.name = next.name;
  if (done.empty()) done = text;
  NoteLocal(number, "altered", done);
  return done;
}

// In a plan that is tried: beside all that is booked, but for what it has itself.
Core::State::Altered Core::State::AlterPlaced(const ClientLine& line, const Fence& fence,
                                              const RequestSpec& next, const schemas::Act& act,
                                              std::vector<schemas::MoveRow>& moves) {
  const HoldRecord& hold = *ledger.Find(fence);
  LocalRecord job = *FindLocal(hold.order.request.value);
  const std::string name = options.name + "/" + std::to_string(job.number);
  const std::string text = verifier::ChangeText(job.spec, next);
  const bool another = verifier::NeedsAnotherPlace(job.spec, next, hold.start, next.duration);
  job.spec = next;
  const schemas::HoldOrder order = LocalOrder(job, fence, hold.order.payload);
  if (order.allowed.empty()) return Conflict(name, "has no start in that window any more");
  SitePlanner trial = plan;
  std::optional<verifier::Booked> booked;
  if (another) {
    trial.Free(fence);
    auto answer = trial.Book(fence, DemandOf(order), now_floor(), std::nullopt);
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
  HoldRecord& edited = ledger.Edit(fence);
  edited.order = order;
  if (booked) {
    plan = std::move(trial);
    if (start > edited.start) edited.cause = AskedBy(line.user);
    edited.start = start;
    for (size_t i = 0; i < edited.parts.size(); ++i) {
      edited.parts[i].place = booked->places[i];
      edited.parts[i].place.index = edited.parts[i].index;
    }
  }
  PermitLocal(edited, next);
  touched.insert(fence);
  SomethingIsFree();
  return text;
}

}  // namespace muster::site
