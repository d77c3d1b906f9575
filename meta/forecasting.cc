// Learning from what a turn changed, when to run the plan forward, and who is told what came out.
#include "meta/forecasting.h"

#include <algorithm>
#include <utility>

#include "base/id_text.h"
#include "meta/figures.h"
#include "meta/learning.h"
#include "meta/outcomes.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

using schemas::RequestState;

void Judge(Federation& f, Forecasts& forecasts, Turn& t, const Request& request, Told& told,
           bool held) {
  if (told.judged || !told.first) return;
  told.judged = true;
  if (!told.first->Counts()) return;
  forecasts.calibration.Judge(held);
  CountInterval(f, t, request, held, told.first->high - told.first->low, t.plan.Floor() - told.at);
}

void OnStarted(Federation& f, Forecasts& forecasts, Turn& t, const Request& request, Told& told) {
  const std::optional<Moment> start = StartOf(f, request);
  told.started = start ? start->Floor() : t.plan.Floor();
  told.bound.reset();
  told.expected.reset();
  if (!told.first) return;
  const Span waited = std::max(Span{0}, *told.started - told.at);
  Judge(f, forecasts, t, request, told, told.first->Holds(waited));
  CountStart(f, t, request, waited - told.first->median);
  forecasts.calibration.Learn(*told.first,
                              forecast::VoiceOf(request.record.requester.user, told.at), waited);
}

// The timelines of this turn say so; a part's end names its part.
std::set<RequestId> EndedIn(const Turn& t) {
  std::set<RequestId> out;
  for (const schemas::EventRow& event : t.happened) {
    if (event.code != "ended" || !event.part.empty()) continue;
    if (const std::optional<RequestId> id = RequestIdOf(event.job)) out.insert(*id);
  }
  return out;
}

void Learn(Federation& f, Forecasts& forecasts, Turn& t) {
  const Instant now = t.plan.Floor();
  const std::set<RequestId> ended = EndedIn(t);
  for (const RequestId id : t.requests) {
    const Request* request = f.requests.Find(id);
    const auto at = forecasts.told.find(id);
    if (!request) {
      if (at != forecasts.told.end()) forecasts.told.erase(at);
      continue;
    }
    if (request->record.spec.array || request->record.spec.reserves) continue;
    if (request->record.state == RequestState::kRunning) {
      Told& told = at == forecasts.told.end() ? forecasts.told[id] : at->second;
      if (!told.started) OnStarted(f, forecasts, t, *request, told);
    } else if (at != forecasts.told.end() && at->second.started && !HasStarted(*request)) {
      // Placed again: another wait begins.
      at->second.started.reset();
      at->second.first.reset();
    }
    if (request->record.attempt && !request->Ended()) {
      Told& told = forecasts.told[id];
      if (!std::exchange(told.arrived, true)) LearnArrival(f, *request, forecasts.arrivals);
    }
    if (!request->Ended()) continue;
    if (ended.contains(id)) LearnRun(f, *request, forecasts.run_times);
    forecasts.told.erase(id);
  }
  // An interval is missed the moment the wait passes its end.
  while (!forecasts.ends.empty() && forecasts.ends.begin()->first < now) {
    const auto told = forecasts.told.find(forecasts.ends.begin()->second);
    const Request* request = told == forecasts.told.end() ? nullptr : f.requests.Find(told->first);
    if (request && !told->second.started) {
      Judge(f, forecasts, t, *request, told->second, false);
    }
    forecasts.ends.erase(forecasts.ends.begin());
  }
}

// Its sites' plans are still those that gave its bound.
bool PlansStand(const Federation& f, const Forecasts& forecasts, const Told& told) {
  return told.verified && forecasts.verified &&
         std::all_of(told.sites.begin(), told.sites.end(), [&](const std::string& site) {
           const auto plan = forecasts.verified->plans.find(site);
           return plan != forecasts.verified->plans.end() && plan->second == f.sites.at(site).plan;
         });
}

// A shadow may be too early, as it sees no nodes: by as much as last time.
Instant Corrected(const Federation& f, const Forecasts& forecasts, const Told& told,
                  Instant shadow) {
  if (!told.verified) return shadow;
  const auto& [bound, shadow_then] = *told.verified;
  if (shadow == shadow_then && PlansStand(f, forecasts, told)) return bound;
  return std::max(shadow, shadow + (bound - shadow_then));
}

// Bounds that are not what the last verified run said, or that it did not come to.
bool ManyMoved(const Forecasts& forecasts, const ForecastRun& run) {
  size_t moved = 0;
  for (const LaidOut& laid_out : run.laid_out) {
    const Told& told = forecasts.told.at(laid_out.request);
    if (!told.bound) continue;
    const bool same = told.verified && *told.bound - told.verified->bound <= kMoved &&
                      told.verified->bound - *told.bound <= kMoved;
    if (!same) ++moved;
  }
  return moved * 100 > run.laid_out.size() * kMovedPercent;
}

// scheduling.md section 5 (Accuracy): at each extraction, when figures moved, and at times.
void MaybeVerify(Federation& f, const Forecasts& forecasts, const Turn& t, ForecastRun& run) {
  if (f.verified_run || run.laid_out.empty()) return;
  const bool due = !forecasts.verified || forecasts.verified->block != f.last_block ||
                   t.boot() - forecasts.verified->at >= kForecastEvery;
  if (due || ManyMoved(forecasts, run)) BeginVerifying(f, std::move(run.laid_out));
}

// What the sites gave is the bound of those that all of their sites answered for.
void TakeVerifiedBounds(Federation& f, Forecasts& forecasts, const Turn& t) {
  const VerifiedRun run = std::move(*f.verified_run);
  f.verified_run.reset();
  VerifiedAt& last = forecasts.verified.emplace(VerifiedAt{t.boot(), run.block, {}});
  for (const auto& [name, site] : run.sites) {
    if (site.next > 0) last.plans[name] = site.plan;
  }
  for (size_t i = 0; i < run.laid_out.size(); ++i) {
    const LaidOut& laid_out = run.laid_out[i];
    const Request* request = f.requests.Find(laid_out.request);
    const auto told = forecasts.told.find(laid_out.request);
    if (!request || told == forecasts.told.end()) continue;
    const size_t sites = partitioner::MembersOf(laid_out.part_sites).size();
    if (request->record.attempt || run.found[i].answers < sites) {
      told->second.verified.reset();
      continue;
    }
    const Span first = partitioner::FirstOffset(request->record.spec);
    const Instant bound = run.found[i].start + first;
    told->second.verified = Verified{bound, laid_out.start + first};
    told->second.bound = bound;
  }
  NoteBounds(f, forecasts, t);
}

void Finish(Federation& f, Forecasts& forecasts, const Turn& t) {
  ForecastRun run = std::move(*forecasts.run);
  forecasts.run.reset();
  for (auto& [id, told] : forecasts.told) {
    told.bound.reset();
    told.expected.reset();
  }
  // Those that are gone since the run laid them out are told of nothing.
  std::erase_if(run.laid_out, [&f](const LaidOut& laid_out) {
    const Request* request = f.requests.Find(laid_out.request);
    return !request || HasStarted(*request);
  });
  for (const LaidOut& laid_out : run.laid_out) {
    forecasts.told[laid_out.request].sites = partitioner::MembersOf(laid_out.part_sites);
  }
  for (const auto& [id, planned] : run.planned) {
    const Request* request = f.requests.Find(id);
    if (!request || HasStarted(*request)) continue;
    Told& told = forecasts.told[id];
    if (!request->record.attempt) told.bound = Corrected(f, forecasts, told, planned);
    const auto starts = run.starts.find(id);
    if (starts == run.starts.end()) continue;
    std::vector<Span> samples = starts->second;
    std::sort(samples.begin(), samples.end());
    // Whoever comes may be placed before one that has no promise.
    Span longest = std::max(Span{0}, planned - run.began);
    if (!request->record.attempt) longest = std::max(longest, samples.back());
    const forecast::Forecast forecast = forecasts.calibration.Of(samples, longest);
    if (!told.first) {
      told.first = forecast;
      told.at = run.began;
      forecasts.ends.emplace(run.began + forecast.high, id);
    }
    told.expected =
        schemas::Expected{run.began + forecast.median, run.began + forecast.low,
                          run.began + forecast.high, forecasts.calibration.confidence()};
  }
  MaybeVerify(f, forecasts, t, run);
  // What is being verified is noted once the sites have spoken.
  if (!f.verified_run) NoteBounds(f, forecasts, t);
}

void AddForecast(const Federation& f, const Forecasts& forecasts, const Turn& t,
                 const Request& request, const Told& told, schemas::Figures& figures) {
  if (HasStarted(request)) return;
  if (!figures.starts_by && told.bound && request.Wanted()) {
    const bool verified = PlansStand(f, forecasts, told) && told.bound == told.verified->bound;
    figures.starts_by = schemas::StartsBy{*told.bound, false, verified};
    figures.basis = BasisOf(f, told.sites, t.plan);
  }
  if (!figures.starts_by || !told.expected) return;
  // Never behind what is promised; a bound is one only as long as nobody comes.
  schemas::Expected expected = *told.expected;
  for (Instant* figure : {&expected.start, &expected.low, &expected.high}) {
    if (figures.starts_by->firm) *figure = std::min(*figure, figures.starts_by->at);
  }
  figures.expected = expected;
}

// Somebody who asked is told of jobs in this turn.
bool Asked(const Turn& t) {
  return std::any_of(t.out.to_clients.begin(), t.out.to_clients.end(),
                     [](const ClientAnswer& answer) {
                       const auto* rows = std::get_if<schemas::Rows>(&answer.message.body);
                       return rows && !rows->jobs.empty();
                     });
}

}  // namespace

void Forecast(Federation& f, Forecasts& forecasts, Turn& t) {
  forecasts.calibration.Aim(f.options.confidence);
  Learn(f, forecasts, t);
  if (!t.requests.empty() || !t.attempts.empty()) forecasts.due = true;
  GoOnVerifying(f, t);
  if (VerifyingIsDone(f)) TakeVerifiedBounds(f, forecasts, t);
  const bool asked = Asked(t);
  // Nobody is told and nobody wants to be when they change: a replay asks nobody.
  if (!forecasts.run && !asked && f.followers.empty()) return;
  if (forecasts.run && t.boot() < forecasts.next_slice) return t.WakeBy(forecasts.next_slice);
  const BootSpan since = t.boot() - forecasts.last_run;
  const bool old = since >= kForecastEvery && !f.requests.open().empty();
  // Who asks sees every change, if that fits in a slice, and who follows, if it costs next to
  // nothing; else it is done for many changes at once.
  const bool at_once = forecasts.last_work <= (asked ? kSliceWork : kFollowedWork);
  if (!forecasts.run && forecasts.due && !at_once && since < kForwardEvery) {
    return t.WakeBy(forecasts.last_run + kForwardEvery);
  }
  if (!forecasts.run) {
    if (!forecasts.due && !old) return;
    forecasts.run = BeginRun(f, forecasts, t);
    forecasts.due = false;
    forecasts.last_run = t.boot();
    forecasts.last_work = 0;
  }
  forecasts.last_work += GoOn(f, forecasts, t, kSliceWork, *forecasts.run);
  if (Done(*forecasts.run)) {
    Finish(f, forecasts, t);
    return GoOnVerifying(f, t);
  }
  forecasts.next_slice = t.boot() + kSliceEvery;
  t.WakeBy(forecasts.next_slice);
}

void TellForecasts(const Federation& f, const Forecasts& forecasts, Turn& t) {
  for (ClientAnswer& answer : t.out.to_clients) {
    auto* rows = std::get_if<schemas::Rows>(&answer.message.body);
    if (!rows) continue;
    for (schemas::JobView& job : rows->jobs) {
      const auto told = forecasts.told.find(RequestIdOf(job.id).value_or(RequestId{}));
      const Request* request =
          told == forecasts.told.end() ? nullptr : f.requests.Find(told->first);
      if (!request) continue;
      AddForecast(f, forecasts, t, *request, told->second, job.figures);
      // Lists of many jobs go without.
      if (rows->jobs.size() == 1) AddBounds(told->second.bounds, job.history);
    }
  }
}

}  // namespace muster::meta
