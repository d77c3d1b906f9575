// Learn takes the requests of a turn by id. At a start of the meta, Recall learns their run times
// in the order of their ends.
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

Moment EndOf(const Request& request) {
  const std::vector<schemas::JobEvent>& events = request.record().events;
  const auto ended = std::find_if(events.rbegin(), events.rend(), [](const auto& event) {
    return event.code == "ended" && event.part.empty();
  });
  return ended == events.rend() ? request.record().submitted_at : ended->at;
}

// Learns the run time of an ended request. Call once per request, in the order of ends.
void LearnRun(const ForecastLayer& f, const Request& request, forecast::RunTimes& run_times) {
  if (!Teaches(request)) return;
  const std::optional<Span> ran = RanFor(f, request);
  if (ran) run_times.Learn(KindOf(request), *ran);
}

// Learns the arrival of a request that has its first place. Call once per request.
void LearnArrival(const ForecastLayer& f, const Request& request, forecast::Arrivals& arrivals) {
  const schemas::RequestSpec& spec = request.record().spec;
  if (spec.array || spec.reserves || spec.inside || !request.record().attempt) return;
  const auto attempt = f.attempts.find(*request.record().attempt);
  if (attempt == f.attempts.end()) return;
  forecast::Newcomer who{KindOf(request), {}};
  for (size_t p = 0; p < attempt->second.record().part_sites.size() && p < spec.parts.size(); ++p) {
    const std::string& name = attempt->second.record().part_sites[p];
    const auto site = f.sites.find(name);
    if (site == f.sites.end()) continue;
    const Span turnover = site->second.capacity ? site->second.capacity->turnover : Span{0};
    who.pieces.push_back({name, partitioner::AmountsOf(spec.parts[p]), spec.parts[p].offset,
                          turnover + LengthAt(f, spec, name)});
  }
  arrivals.Learn(spec.queue, request.record().submitted_at.Floor(), std::move(who));
}

void Judge(ForecastLayer& f, Known& known, Turn& t, const Request& request, Told& told, bool held) {
  if (told.judged || !told.first) return;
  told.judged = true;
  if (!told.first->Counts()) return;
  known.calibration.Judge(held);
  CountInterval(f, t, request, held, told.first->high - told.first->low, t.plan.Floor() - told.at);
}

void OnStarted(ForecastLayer& f, Known& known, Turn& t, const Request& request, Told& told) {
  const std::optional<Moment> start = StartOf(f, request);
  told.started = start ? start->Floor() : t.plan.Floor();
  told.bound.reset();
  told.expected.reset();
  if (!told.first) return;
  const Span waited = std::max(Span{0}, *told.started - told.at);
  Judge(f, known, t, request, told, told.first->Holds(waited));
  CountStart(f, t, request, waited - told.first->median);
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
      continue;
    }
    if (request->record().spec.array || request->record().spec.reserves) continue;
    if (request->state() == schemas::RequestState::kRunning) {
      Told& told = at == known.told.end() ? known.told[id] : at->second;
      if (!told.started) OnStarted(f, known, t, *request, told);
    } else if (at != known.told.end() && at->second.started && !HasStarted(*request)) {
      // The request was placed again: a new wait begins.
      at->second.started.reset();
      at->second.first.reset();
    }
    if (request->record().attempt && !request->Ended()) {
      Told& told = known.told[id];
      if (!std::exchange(told.arrived, true)) LearnArrival(f, *request, known.arrivals);
    }
    if (!request->Ended()) continue;
    if (ended.contains(id)) LearnRun(f, *request, known.run_times);
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
  std::vector<std::pair<Moment, RequestId>> ended;
  for (const auto& [id, request] : f.requests.all()) {
    LearnArrival(f, request, out.arrivals);
    if (!request.Ended() && request.record().attempt) out.told[id].arrived = true;
    if (Teaches(request)) ended.emplace_back(EndOf(request), id);
    if (request.Ended() || request.record().spec.array || request.record().spec.reserves) continue;
    if (!HasStarted(request)) continue;
    const std::optional<Moment> since = StartOf(f, request);
    if (since) out.told[id].started = since->Floor();
  }
  std::sort(ended.begin(), ended.end());
  if (ended.size() > kRecalled) {
    ended.erase(ended.begin(), ended.end() - static_cast<std::ptrdiff_t>(kRecalled));
  }
  for (const auto& [at, id] : ended) LearnRun(f, *f.requests.Find(id), out.run_times);
  return out;
}

}  // namespace muster::meta
