// A run is as long as that of its longest part, by the clock of the site it ran at, and as the
// reference would have taken.
#include "meta/forecast/learning.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "meta/attempts/attempts.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/terms.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

// A run that was cut short by somebody tells nothing of how long its kind runs.
bool Teaches(const Request& request) {
  if (request.record().spec.array || request.record().spec.reserves) return false;
  if (!request.Ended() || !request.record().outcome) return false;
  const schemas::Outcome outcome = *request.record().outcome;
  return outcome == schemas::Outcome::kDone || outcome == schemas::Outcome::kFailed ||
         outcome == schemas::Outcome::kTimeout;
}

std::optional<Span> RanFor(const ForecastLayer& f, const Request& request) {
  if (!request.record().attempt) return std::nullopt;
  const auto attempt = f.attempts.find(*request.record().attempt);
  if (attempt == f.attempts.end()) return std::nullopt;
  std::optional<Span> out;
  for (size_t i = 0; i < attempt->second.record().part_sites.size(); ++i) {
    const schemas::MirrorPart* part = PartAt(f, attempt->second, i);
    if (!part || !part->started_at || !part->ended_at) continue;
    const Span ran = ReferenceOf(f, request.record().spec, attempt->second.record().part_sites[i],
                                 part->ended_at->Floor() - part->started_at->Floor());
    out = out ? std::max(*out, ran) : ran;
  }
  return out;
}

Moment EndOf(const Request& request) {
  const std::vector<schemas::JobEvent>& events = request.record().events;
  const auto ended = std::find_if(events.rbegin(), events.rend(), [](const auto& event) {
    return event.code == "ended" && event.part.empty();
  });
  return ended == events.rend() ? request.record().submitted_at : ended->at;
}

}  // namespace

std::optional<Moment> StartOf(const ForecastLayer& f, const Request& request) {
  if (!request.record().attempt) return std::nullopt;
  const auto attempt = f.attempts.find(*request.record().attempt);
  if (attempt == f.attempts.end()) return std::nullopt;
  std::optional<Moment> out;
  for (size_t i = 0; i < attempt->second.record().part_sites.size(); ++i) {
    const schemas::MirrorPart* part = PartAt(f, attempt->second, i);
    if (!part || !part->started_at) continue;
    const Span offset = request.record().spec.parts[i].offset;
    const Moment start{part->started_at->milliseconds - offset.seconds * 1000};
    out = out ? std::max(*out, start) : start;
  }
  return out;
}

Span AsReference(const ForecastLayer& f, const Request& request, Span length) {
  if (!request.record().attempt) return length;
  const auto attempt = f.attempts.find(*request.record().attempt);
  if (attempt == f.attempts.end()) return length;
  return ReferenceOf(f, request.record().spec, attempt->second.record().members[0], length);
}

void LearnRun(const ForecastLayer& f, const Request& request, forecast::RunTimes& run_times) {
  if (!Teaches(request)) return;
  const std::optional<Span> ran = RanFor(f, request);
  if (ran) run_times.Learn(KindOf(request), *ran);
}

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

Forecasts Recall(const ForecastLayer& f) {
  Forecasts out;
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
