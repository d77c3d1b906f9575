// Each run starts from the shadows: what is free at a site, the meta's own bookings taken out and
// put back one by one as jobs that may move up. Requests without a place follow by rank.
#include "meta/forecasting.h"

#include <algorithm>
#include <utility>

#include "meta/attempts.h"
#include "meta/packing/packing.h"
#include "meta/placing.h"
#include "meta/queueing.h"
#include "partitioner/split.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

using forecast::Backfilling;
using schemas::RequestState;

bool HasStarted(const Request& request) {
  const RequestState state = request.record.state;
  return state == RequestState::kRunning || state == RequestState::kEnded ||
         state == RequestState::kUnknown;
}

forecast::Shape ShapeOf(const Request& request) {
  const schemas::RequestSpec& spec = request.record.spec;
  int64_t processors = 0;
  for (const schemas::PartSpec& part : spec.parts) {
    processors += partitioner::AmountsOf(part).Get("ncpus");
  }
  return {request.record.requester.user, std::max<int64_t>(1, processors), spec.duration};
}

void Judge(Forecasts& forecasts, Told& told, bool held) {
  if (told.judged || !told.first) return;
  told.judged = true;
  if (told.first->Counts()) forecasts.calibration.Judge(held);
}

void OnStarted(Forecasts& forecasts, const Request& request, Told& told, Instant now) {
  told.started = now;
  told.bound.reset();
  told.expected.reset();
  if (!told.first) return;
  const Span waited = now - told.at;
  Judge(forecasts, told, told.first->Holds(waited));
  forecasts.calibration.Learn(*told.first,
                              forecast::VoiceOf(request.record.requester.user, told.at), waited);
}

// A run that was cut short by somebody tells nothing of how long its kind runs.
bool Teaches(const Request& request) {
  if (request.record.spec.reserves || !request.record.outcome) return false;
  const schemas::Outcome outcome = *request.record.outcome;
  return outcome == schemas::Outcome::kDone || outcome == schemas::Outcome::kFailed ||
         outcome == schemas::Outcome::kTimeout;
}

void Learn(const Federation& f, Forecasts& forecasts, const Turn& t) {
  const Instant now = t.plan.Floor();
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
      if (!told.started) OnStarted(forecasts, *request, told, now);
    }
    if (!request->Ended()) continue;
    const auto told = forecasts.told.find(id);
    if (told == forecasts.told.end()) continue;
    if (told->second.started && Teaches(*request)) {
      forecasts.run_times.Learn(ShapeOf(*request), now - *told->second.started);
    }
    forecasts.told.erase(told);
  }
  // An interval is missed the moment the wait passes its end.
  for (auto& [id, told] : forecasts.told) {
    if (!told.started && told.first && now - told.at > told.first->high) {
      Judge(forecasts, told, false);
    }
  }
}

std::vector<int64_t> AmountsAt(const Site& site, const ResourceSet& amounts) {
  std::vector<int64_t> out;
  for (const std::string& name : site.shadow.resources()) out.push_back(amounts.Get(name));
  return out;
}

// May its booking move up by itself? Parts that meet others, or were asked for at a time, do not.
bool Moves(const Request& request, const Attempt& attempt) {
  const schemas::RequestSpec& spec = request.record.spec;
  return !attempt.PassesBarrier() && !spec.at && !spec.reserves && spec.parts.size() == 1;
}

struct Planner {
  const Federation& f;
  const Forecasts& forecasts;
  ForecastRun& run;

  // Its place in the plan, told of as a member of the futures.
  void Follow(SitePlan& plan, const Request& request, Span elapsed, Span lead) {
    const forecast::Shape shape = ShapeOf(request);
    const RequestId id = request.record.id;
    plan.runners.push_back(
        {id.value, forecast::KinOf(shape), forecasts.run_times.Of(shape), elapsed});
    plan.follows.push_back({id, lead});
  }

  // As the meta books it on its shadow.
  void AddAttempt(SitePlan& plan, const Site& site, const Attempt& attempt) {
    const Request* request = f.requests.Find(attempt.record.request);
    if (!request || request->Ended() || request->record.spec.inside) return;
    const schemas::RequestSpec& spec = SpecOf(*request, attempt);
    const RequestId id = request->record.id;
    const auto told = forecasts.told.find(id);
    const bool started = HasStarted(*request);
    Span elapsed = started ? Span{1} : Span{0};
    if (started && told != forecasts.told.end() && told->second.started) {
      elapsed = std::max(elapsed, run.began - *told->second.started);
    }
    const Span turnover = site.capacity->turnover;
    const Span first = partitioner::FirstOffset(spec);
    for (size_t p = 0; p < attempt.record.part_sites.size(); ++p) {
      if (attempt.record.part_sites[p] != site.name) continue;
      if (plan.runners.size() > kForecastJobs) continue;
      const Instant booked = attempt.record.start + spec.parts[p].offset;
      const Instant end = booked + spec.duration + WaitOf(f, attempt);
      if (end <= run.began) continue;
      const Instant begin = started ? run.began - elapsed : std::max(booked - turnover, run.began);
      plan.plan.AddAt(AmountsAt(site, partitioner::AmountsOf(spec.parts[p])), begin, end - begin,
                      end - begin, !Moves(*request, attempt));
      const Span lead = turnover - spec.parts[p].offset + first;
      Follow(plan, *request, elapsed, lead);
      if (started) continue;
      Instant& planned = run.planned[id];
      planned = std::max(planned, begin + lead);
    }
  }

  // What is free of all that is not the meta's.
  std::vector<Backfilling::Step> TerrainOf(const Site& site) {
    ResourceSet up;
    for (const schemas::NodeClass& node : site.capacity->classes) up += node.per_node * node.up;
    std::vector<Backfilling::Step> out = {{Instant{-kFarFuture.seconds}, AmountsAt(site, up)}};
    for (const schemas::ProfileStep& step : site.capacity->profile) {
      ResourceSet free;
      for (const ResourceSet& of_class : step.free) free += of_class;
      // The first step counts from the past on.
      if (&step == &site.capacity->profile.front()) {
        out[0].free = AmountsAt(site, free);
      } else {
        out.push_back({step.from, AmountsAt(site, free)});
      }
    }
    return out;
  }

  void AddSite(const Site& site) {
    SitePlan plan{site.name, Backfilling(run.began, TerrainOf(site)), {}, {}};
    // By start, so that those who are forecast are the next ones.
    std::vector<std::pair<Instant, const Attempt*>> own;
    for (const Fence& fence : site.attempts) {
      const auto attempt = f.attempts.find(fence);
      if (attempt == f.attempts.end() || !verifier::Binds(attempt->second.record.state)) continue;
      own.emplace_back(attempt->second.record.start, &attempt->second);
    }
    std::stable_sort(own.begin(), own.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [start, attempt] : own) AddAttempt(plan, site, *attempt);
    run.sites.push_back(std::move(plan));
  }

  // What the packing of those who wait asks for this one; nothing if some part has no site that
  // can be planned for.
  std::optional<packing::Entry> EntryOf(const Turn& t, const Request& request) {
    const schemas::RequestSpec& spec = request.record.spec;
    if (spec.inside || !request.Wanted()) return std::nullopt;
    packing::Entry out{.duration = spec.duration,
                       .allowed = StartsFrom(f, t, request, spec.parts.size() > 1)};
    out.apart = spec.apart;
    out.tail = Span{(f.options.values.start_wait.milliseconds + 999) / 1000};
    out.joint_from = Moment{t.plan.milliseconds + f.options.values.lead.milliseconds}.Ceiling();
    for (size_t p = 0; p < spec.parts.size(); ++p) {
      packing::Part part{.offset = spec.parts[p].offset};
      for (const std::string& name : UsableSites(f, request, p)) {
        const auto at = std::find_if(run.sites.begin(), run.sites.end(),
                                     [&](const SitePlan& plan) { return plan.site == name; });
        if (at == run.sites.end()) continue;
        part.choices.push_back({.bin = static_cast<size_t>(at - run.sites.begin()),
                                .amounts = partitioner::AmountsOf(spec.parts[p]),
                                .length = spec.duration});
      }
      if (part.choices.empty()) return std::nullopt;
      out.parts.push_back(std::move(part));
    }
    if (out.allowed.empty()) return std::nullopt;
    return out;
  }

  void AddPlaced(const Request& request, const packing::Place& place) {
    const schemas::RequestSpec& spec = request.record.spec;
    run.planned[request.record.id] = place.start + partitioner::FirstOffset(spec);
    const bool fixed = spec.parts.size() > 1 || spec.at.has_value();
    for (size_t p = 0; p < spec.parts.size(); ++p) {
      SitePlan& plan = run.sites[place.bins[p]];
      if (plan.runners.size() > kForecastJobs) continue;
      const Site& site = f.sites.at(plan.site);
      const Span turnover = site.capacity ? site.capacity->turnover : Span{0};
      const Instant begin = place.start + spec.parts[p].offset - turnover;
      const Span length = turnover + spec.duration;
      plan.plan.AddAt(AmountsAt(site, partitioner::AmountsOf(spec.parts[p])),
                      std::max(begin, run.began), length, length, fixed);
      Follow(plan, request, Span{0},
             turnover - spec.parts[p].offset + partitioner::FirstOffset(spec));
    }
  }

  // Behind all bookings, by rank, as if nobody else came.
  void AddWaiting(const Turn& t) {
    packing::Problem problem{.now = run.began};
    for (const SitePlan& plan : run.sites) {
      const Site& site = f.sites.at(plan.site);
      problem.bins.emplace_back(plan.site, site.shadow, run.began,
                                site.capacity ? site.capacity->turnover : Span{0});
    }
    std::vector<const Request*> requests;
    for (auto rank = f.room.queues().After(std::nullopt); rank;
         rank = f.room.queues().After(rank)) {
      const Request* request = f.requests.Find(rank->id);
      std::optional<packing::Entry> entry = request ? EntryOf(t, *request) : std::nullopt;
      if (!entry) continue;
      problem.entries.push_back(*std::move(entry));
      requests.push_back(request);
    }
    const packing::Schedule schedule =
        packing::Pack(packing::Algorithm::kFcfsStar, std::move(problem));
    for (size_t i = 0; i < requests.size(); ++i) {
      if (schedule[i]) AddPlaced(*requests[i], *schedule[i]);
    }
  }
};

void Begin(const Federation& f, Forecasts& forecasts, const Turn& t) {
  ForecastRun run;
  run.began = t.NowCeiling();
  Planner planner{f, forecasts, run};
  for (const std::string& name : f.site_names) {
    const Site& site = f.sites.at(name);
    if (site.Up() && site.capacity && site.shadow.known()) planner.AddSite(site);
  }
  if (f.room.queues().size() > 0) planner.AddWaiting(t);
  forecasts.due = false;
  forecasts.last_run = t.boot();
  forecasts.run = std::move(run);
}

// One future of one site; how many jobs were looked at.
size_t RunOne(const Federation& f, ForecastRun& run) {
  const SitePlan& plan = run.sites[run.site];
  size_t work = 1 + plan.runners.size();
  if (plan.runners.size() <= kForecastJobs) {
    Backfilling future = forecast::FutureOf(plan.plan, plan.runners, f.options.seed, run.sample);
    while (future.waiting() > 0) {
      const Instant next = future.NextEvent();
      if (next >= kFarFuture) break;
      work += future.waiting() + future.running_jobs().size();
      future.RunTo(next);
    }
    for (size_t job = 0; job < plan.follows.size(); ++job) {
      const auto& [id, lead] = plan.follows[job];
      if (!run.planned.contains(id)) continue;
      std::vector<Span>& starts = run.starts[id];
      starts.resize(forecast::kSamples);
      const Instant start = future.StartOf(static_cast<Backfilling::Job>(job)) + lead;
      // The last of its parts decides.
      starts[run.sample] = std::max(starts[run.sample], start - run.began);
    }
  }
  if (++run.sample == forecast::kSamples) {
    run.sample = 0;
    ++run.site;
  }
  return work;
}

void Finish(const Federation& f, Forecasts& forecasts) {
  const ForecastRun run = std::move(*forecasts.run);
  forecasts.run.reset();
  for (auto& [id, told] : forecasts.told) {
    told.bound.reset();
    told.expected.reset();
  }
  for (const auto& [id, planned] : run.planned) {
    const Request* request = f.requests.Find(id);
    if (!request || HasStarted(*request)) continue;
    Told& told = forecasts.told[id];
    if (!request->record.attempt) told.bound = planned;
    const auto starts = run.starts.find(id);
    if (starts == run.starts.end()) continue;
    std::vector<Span> samples = starts->second;
    std::sort(samples.begin(), samples.end());
    const forecast::Forecast forecast =
        forecasts.calibration.Of(samples, std::max(Span{0}, planned - run.began));
    if (!told.first) {
      told.first = forecast;
      told.at = run.began;
    }
    told.expected =
        schemas::Expected{run.began + forecast.median, run.began + forecast.low,
                          run.began + forecast.high, forecasts.calibration.confidence()};
  }
}

void AddForecast(const Request& request, const Told& told, schemas::Figures& figures) {
  if (HasStarted(request)) return;
  if (!figures.starts_by && told.bound && request.Wanted()) {
    figures.starts_by = schemas::StartsBy{*told.bound, false};
  }
  if (!figures.starts_by || !told.expected) return;
  // Never behind what is promised.
  schemas::Expected expected = *told.expected;
  for (Instant* figure : {&expected.start, &expected.low, &expected.high}) {
    *figure = std::min(*figure, figures.starts_by->at);
  }
  figures.expected = expected;
}

// Somebody is told of jobs in this turn, or wants to be told when they change. Otherwise nothing is
// forecast: a replay asks nobody.
bool Asked(const Federation& f, const Turn& t) {
  return !f.followers.empty() || std::any_of(t.out.to_clients.begin(), t.out.to_clients.end(),
                                             [](const ClientAnswer& answer) {
                                               const auto* rows =
                                                   std::get_if<schemas::Rows>(&answer.message.body);
                                               return rows && !rows->jobs.empty();
                                             });
}

}  // namespace

void Forecast(const Federation& f, Forecasts& forecasts, Turn& t) {
  Learn(f, forecasts, t);
  if (!t.requests.empty() || !t.attempts.empty()) forecasts.due = true;
  if (!forecasts.run && !Asked(f, t)) return;
  const BootSpan since = t.boot() - forecasts.last_run;
  const bool old = since >= kForecastEvery && !f.requests.open().empty();
  // What fits in a slice follows every change; more than that is done for many changes at once.
  const bool large = forecasts.last_work > kSliceWork;
  if (!forecasts.run && forecasts.due && large && since < kForwardEvery) {
    t.WakeBy(forecasts.last_run + kForwardEvery);
  } else if (!forecasts.run && (forecasts.due || old)) {
    Begin(f, forecasts, t);
    forecasts.last_work = 0;
  }
  size_t work = 0;
  while (forecasts.run && forecasts.run->site < forecasts.run->sites.size() && work < kSliceWork) {
    work += RunOne(f, *forecasts.run);
  }
  if (!forecasts.run) return;
  forecasts.last_work += work;
  if (forecasts.run->site < forecasts.run->sites.size()) {
    t.WakeBy(t.boot() + Milliseconds(1));
  } else {
    Finish(f, forecasts);
  }
}

void TellForecasts(const Federation& f, const Forecasts& forecasts, Turn& t) {
  std::map<std::string, RequestId> shown;
  for (ClientAnswer& answer : t.out.to_clients) {
    auto* rows = std::get_if<schemas::Rows>(&answer.message.body);
    if (!rows || rows->jobs.empty()) continue;
    if (shown.empty()) {
      for (const auto& [id, told] : forecasts.told) shown[ToText(id)] = id;
    }
    for (schemas::JobView& job : rows->jobs) {
      const auto id = shown.find(job.id);
      if (id == shown.end()) continue;
      const Request* request = f.requests.Find(id->second);
      if (request) AddForecast(*request, forecasts.told.at(id->second), job.figures);
    }
  }
}

}  // namespace muster::meta
