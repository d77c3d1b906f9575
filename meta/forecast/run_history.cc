// Learn takes the requests of a turn by id. At a start of the meta, Recall goes through what
// happened to them in order of time.
#include "meta/forecast/run_history.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/id_text.h"
#include "meta/forecast/layer.h"
#include "meta/forecast/run_facts.h"
#include "meta/forecast/scoring.h"
#include "meta/requests/site_speeds.h"
#include "meta/turn/turn.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

// True if the request ran to its end. A run that a user or operator cut short says nothing about
// run times.
bool Teaches(const Request& request) {
  if (request.record().spec.array || request.record().spec.reserves) return false;
  if (!request.Ended() || !request.record().outcome) return false;
  const schemas::Outcome outcome = *request.record().outcome;
  return outcome == schemas::Outcome::kDone || outcome == schemas::Outcome::kFailed ||
         outcome == schemas::Outcome::kTimeout;
}

// When the request ended: the last that is on record of it.
Moment EndOf(const Request& request) {
  const std::vector<schemas::JobEvent>& events = request.record().events;
  const auto ended = std::find_if(events.rbegin(), events.rend(), [](const auto& event) {
    return event.code == "ended" && event.part.empty();
  });
  if (ended != events.rend()) return ended->at;
  return events.empty() ? request.record().submitted_at : events.back().at;
}

bool HasRunTime(const Request& request) {
  return !request.record().spec.array && !request.record().spec.reserves;
}

// Notes that the request came, or that what it asks for changed.
void NoteSubmitted(const Request& request, Instant at, forecast::RunModel& run_model) {
  const forecast::Shape shape = KindOf(request);
  const forecast::Shape* known = run_model.ShapeOf(request.id().value);
  if (!known || *known != shape) run_model.Submit(request.id().value, shape, at);
}

// The speed of the nodes that the request runs on, in thousandths of the reference.
int64_t SpeedOf(const ForecastLayer& f, const Request& request) {
  if (!request.record().attempt) return 1000;
  const auto attempt = f.attempts.find(*request.record().attempt);
  if (attempt == f.attempts.end()) return 1000;
  return SpeedAt(f, request.record().spec, attempt->second, 0);
}

// How long an ended request ran, if that says something about run times.
std::optional<Span> OutcomeIn(const ForecastLayer& f, const Request& request) {
  return Teaches(request) ? RanFor(f, request) : std::nullopt;
}

// Learns from an ended request that it ran for this long, or nothing.
void LearnEnd(const Request& request, std::optional<Span> ran, Known& known) {
  const uint64_t id = request.id().value;
  if (ran) {
    known.run_model.End(id, *ran);
    known.arrivals.Ended(id, *ran);
  } else {
    known.run_model.Forget(id);
    known.arrivals.Forget(id);
  }
}

// Learns the arrival of a request that has its first place. Call once per request.
void LearnArrival(const ForecastLayer& f, const Request& request, forecast::Arrivals& arrivals) {
  const schemas::RequestSpec& spec = request.record().spec;
  if (spec.array || spec.reserves || spec.inside || !request.record().attempt) return;
  const auto attempt = f.attempts.find(*request.record().attempt);
  if (attempt == f.attempts.end()) return;
  forecast::Newcomer who{.queue = spec.queue, .pieces = {}};
  for (size_t p = 0; p < attempt->second.record().part_sites.size() && p < spec.parts.size(); ++p) {
    const std::string& name = attempt->second.record().part_sites[p];
    const auto site = f.sites.find(name);
    if (site == f.sites.end()) continue;
    const Span turnover = site->second.capacity ? site->second.capacity->turnover : Span{0};
    who.pieces.push_back({name, partitioner::AmountsOf(spec.parts[p]), spec.parts[p].offset,
                          turnover + LengthAt(f, spec, name)});
  }
  arrivals.Learn(request.id().value, request.record().submitted_at.Floor(), std::move(who));
}

void Judge(ForecastLayer& f, Known& known, Turn& t, const Request& request, Told& told, bool held) {
  if (told.judged || !told.first) return;
  told.judged = true;
  if (!told.first->Counts()) return;
  known.calibration.Judge(held);
  CountInterval(f, t, request, held, told.first->high - told.first->low, told.at,
                t.plan.Floor() - told.at);
}

void OnStarted(ForecastLayer& f, Known& known, Turn& t, const Request& request, Told& told) {
  const std::optional<Moment> start = StartOf(f, request);
  told.started = start ? start->Floor() : t.plan.Floor();
  told.bound.reset();
  told.expected.reset();
  NoteSubmitted(request, *told.started, known.run_model);
  known.run_model.Start(request.id().value, *told.started, SpeedOf(f, request));
  if (!told.first) return;
  const Span waited = std::max(Span{0}, *told.started - told.at);
  Judge(f, known, t, request, told, told.first->Holds(waited));
  CountStart(f, t, request, told);
  known.calibration.Learn(*told.first, forecast::VoiceOf(request.record().requester.user, told.at),
                          waited);
}

// Requests that ended according to this turn's events. An event that names a part is the end of
// that part only.
std::set<RequestId> EndedIn(const Turn& t) {
  std::set<RequestId> out;
  for (const schemas::EventRow& event : t.happened) {
    if (event.code != "ended" || !event.part.empty()) continue;
    if (const std::optional<RequestId> id = RequestIdOf(event.job)) out.insert(*id);
  }
  return out;
}

}  // namespace

void Learn(ForecastLayer& f, Known& known, Turn& t) {
  const Instant now = t.plan.Floor();
  const std::set<RequestId> ended = EndedIn(t);
  for (const RequestId id : f.requests.due()) {
    const Request* request = f.requests.Find(id);
    const auto at = known.told.find(id);
    if (!request) {
      if (at != known.told.end()) known.told.erase(at);
      known.run_model.Forget(id.value);
      continue;
    }
    if (!HasRunTime(*request)) continue;
    if (!request->Ended() && !HasStarted(*request)) NoteSubmitted(*request, now, known.run_model);
    if (request->state() == schemas::RequestState::kRunning) {
      Told& told = at == known.told.end() ? known.told[id] : at->second;
      if (!told.started) OnStarted(f, known, t, *request, told);
    } else if (at != known.told.end() && at->second.started && !HasStarted(*request)) {
      // The request was placed again: a new wait begins.
      at->second.started.reset();
      at->second.first.reset();
      at->second.course = {};
      known.run_model.Stop(id.value);
    }
    if (request->record().attempt && !request->Ended()) {
      Told& told = known.told[id];
      if (!std::exchange(told.arrived, true)) LearnArrival(f, *request, known.arrivals);
    }
    if (!request->Ended()) continue;
    if (ended.contains(id)) {
      const std::optional<Span> ran = OutcomeIn(f, *request);
      if (ran) CountRun(f, t, *request, known.run_model, *ran);
      LearnEnd(*request, ran, known);
    } else {
      known.run_model.Forget(id.value);
    }
    known.told.erase(id);
  }
  // An interval is missed as soon as the wait passes its end.
  while (!known.ends.empty() && known.ends.begin()->first < now) {
    const auto told = known.told.find(known.ends.begin()->second);
    const Request* request = told == known.told.end() ? nullptr : f.requests.Find(told->first);
    if (request && !told->second.started) {
      Judge(f, known, t, *request, told->second, false);
    }
    known.ends.erase(known.ends.begin());
  }
}

Known Recall(const ForecastLayer& f) {
  Known out;
  std::vector<forecast::PastRun> past;
  for (const auto& [id, request] : f.requests.all()) {
    if (!HasRunTime(request)) continue;
    const std::optional<Moment> start = HasStarted(request) ? StartOf(f, request) : std::nullopt;
    if (start && !request.Ended()) out.told[id].started = start->Floor();
    if (!request.Ended() && request.record().attempt) out.told[id].arrived = true;
    forecast::PastRun& one = past.emplace_back();
    one.job = id.value;
    one.shape = KindOf(request);
    one.submitted = request.record().submitted_at;
    one.started = start;
    one.speed = SpeedOf(f, request);
    if (request.Ended()) {
      one.ended = EndOf(request);
      one.ran = OutcomeIn(f, request);
    }
    LearnArrival(f, request, out.arrivals);
    if (one.ran) out.arrivals.Ended(id.value, *one.ran);
  }
  out.run_model = forecast::RunModel::Recalled(std::move(past));
  return out;
}

}  // namespace muster::meta
