// Each run starts from the shadows: what is free at a site, the meta's own bookings taken out and
// put back one by one as jobs that may move up. Requests without a place follow by rank.
#include "meta/forecast_run.h"

#include <algorithm>
#include <utility>

#include "meta/attempts.h"
#include "meta/federation.h"
#include "meta/forecasts.h"
#include "meta/learning.h"
#include "meta/placing.h"
#include "meta/queueing.h"
#include "meta/terms.h"
#include "meta/turn.h"
#include "partitioner/split.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

using forecast::Backfilling;

// Laying out one who waits costs about as much as looking at so many jobs of a future.
constexpr size_t kPackingWork = 500;
// Nobody is drawn who comes later than that.
constexpr Span kArrivalsAhead{14 * 86400};

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
  const Turn& t;
  ForecastRun& run;

  // Its place in the plan, told of as a member of the futures.
  void Follow(SitePlan& plan, const Request& request, Span elapsed, Span lead) {
    const forecast::Shape shape = KindOf(request);
    const RequestId id = request.record.id;
    plan.runners.push_back({id.value, forecast::KinOf(shape),
                            forecasts.run_times.Of(shape, run.running), elapsed,
                            SpeedAt(f, plan.site)});
    plan.follows.push_back({id, lead});
  }

  // One more job that does not run yet; false, and it is behind, if the plan is full.
  bool Room(SitePlan& plan, RequestId id) {
    plan.full = plan.full || plan.running > f.options.forecast_running ||
                plan.runners.size() - plan.running >= f.options.forecast_waiting;
    if (plan.full) run.behind.insert(id);
    return !plan.full;
  }

  void AddRunning() {
    for (const auto& [id, told] : forecasts.told) {
      const Request* request = told.started ? f.requests.Find(id) : nullptr;
      if (!request || request->Ended() || !HasStarted(*request)) continue;
      const Span elapsed = std::max(Span{1}, run.began - *told.started);
      run.running.Add(KindOf(*request), AsReference(f, *request, elapsed));
    }
  }

  // How long it runs already; nothing if it does not.
  Span ElapsedOf(const Request& request) const {
    if (!HasStarted(request)) return Span{0};
    const auto told = forecasts.told.find(request.record.id);
    if (told == forecasts.told.end() || !told->second.started) return Span{1};
    return std::max(Span{1}, run.began - *told->second.started);
  }

  // As the meta books it on its shadow.
  void AddAttempt(SitePlan& plan, const Site& site, const Attempt& attempt) {
    const Request* request = f.requests.Find(attempt.record.request);
    if (!request || request->Ended() || request->record.spec.inside) return;
    const schemas::RequestSpec& spec = SpecOf(*request, attempt);
    const Span elapsed = ElapsedOf(*request);
    const bool started = elapsed > Span{0};
    const Span turnover = site.capacity->turnover;
    for (size_t p = 0; p < attempt.record.part_sites.size(); ++p) {
      if (attempt.record.part_sites[p] != site.name) continue;
      const Instant booked = attempt.record.start + spec.parts[p].offset;
      const Instant end = booked + LengthAt(f, spec, site.name) + WaitOf(f, attempt);
      if (end <= run.began) continue;
      const Instant begin = started ? run.began - elapsed : std::max(booked - turnover, run.began);
      const Span lead = turnover - spec.parts[p].offset + partitioner::FirstOffset(spec);
      if (!started) {
        Instant& planned = run.planned[request->record.id];
        planned = std::max(planned, begin + lead);
        if (!Room(plan, request->record.id)) continue;
      }
      plan.plan.AddAt(AmountsAt(site, partitioner::AmountsOf(spec.parts[p])), begin, end - begin,
                      end - begin, !Moves(*request, attempt));
      Follow(plan, *request, elapsed, lead);
      if (started) ++plan.running;
    }
  }

  // What is free of all that is not the meta's.
  std::vector<forecast::Backfilling::Step> TerrainOf(const Site& site) {
    ResourceSet up;
    for (const schemas::NodeClass& node : site.capacity->classes) up += node.per_node * node.up;
    std::vector<forecast::Backfilling::Step> out = {
        {Instant{-kFarFuture.seconds}, AmountsAt(site, up)}};
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
    SitePlan plan{.site = site.name,
                  .plan = forecast::Backfilling(run.began, TerrainOf(site)),
                  .runners = {},
                  .follows = {}};
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
  std::optional<packing::Entry> EntryOf(const Request& request) {
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
                                .length = LengthAt(f, spec, name),
                                .cost = CostAt(f, name)});
      }
      if (part.choices.empty()) return std::nullopt;
      out.parts.push_back(std::move(part));
    }
    if (out.allowed.empty()) return std::nullopt;
    return out;
  }

  void AddPlaced(const Request& request, const packing::Place& place) {
    const schemas::RequestSpec& spec = request.record.spec;
    const RequestId id = request.record.id;
    run.planned[id] = place.start + partitioner::FirstOffset(spec);
    LaidOut& laid_out = run.laid_out.emplace_back(LaidOut{id, {}, place.start});
    for (const size_t bin : place.bins) laid_out.part_sites.push_back(run.sites[bin].site);
    const bool fixed = spec.parts.size() > 1 || spec.at.has_value();
    for (size_t p = 0; p < spec.parts.size(); ++p) {
      SitePlan& plan = run.sites[place.bins[p]];
      if (!Room(plan, id)) continue;
      const Site& site = f.sites.at(plan.site);
      const Span turnover = site.capacity ? site.capacity->turnover : Span{0};
      const Instant begin = place.start + spec.parts[p].offset - turnover;
      const Span length = turnover + LengthAt(f, spec, plan.site);
      const Backfilling::Job job =
          plan.plan.AddAt(AmountsAt(site, partitioner::AmountsOf(spec.parts[p])),
                          std::max(begin, run.began), length, length, fixed);
      plan.plan.Yields(job, request.priority);
      plan.least = std::min(plan.least.value_or(request.priority), request.priority);
      plan.latest = std::max(plan.latest, begin);
      Follow(plan, request, Span{0},
             turnover - spec.parts[p].offset + partitioner::FirstOffset(spec));
    }
  }

  // The next of those that wait, behind all bookings and those before it, as if nobody else came.
  // Whoever got its place since the run began is in no plan of it, and keeps its last figures.
  void AddWaiting() {
    run.packed = f.room.queues().After(run.packed);
    const Request* request = run.packed ? f.requests.Find(run.packed->id) : nullptr;
    if (!run.packed) run.packing.reset();
    if (!request) return;
    const std::optional<packing::Entry> entry = EntryOf(*request);
    if (!entry) return;
    const std::optional<packing::Place> place = run.packing->Add(*entry, run.began);
    if (place) AddPlaced(*request, *place);
  }
};

// What the futures of this site say of its jobs.
void TakeStarts(const SitePlan& plan, const Backfilling& future, ForecastRun& run) {
  for (size_t job = 0; job < plan.follows.size(); ++job) {
    const auto& [id, lead] = plan.follows[job];
    if (!run.planned.contains(id) || run.behind.contains(id)) continue;
    std::vector<Span>& starts = run.starts[id];
    starts.resize(forecast::kSamples);
    const Instant start = future.StartOf(static_cast<Backfilling::Job>(job)) + lead;
    // The last of its parts decides.
    starts[run.sample] = std::max(starts[run.sample], start - run.began);
  }
}

// Who comes before some of those that wait without a promise, for as long as they may wait. Where
// nobody waits in a lower queue nobody is drawn.
std::vector<forecast::Arrival> WhoComes(const Federation& f, const Forecasts& forecasts,
                                        const SitePlan& plan, const ForecastRun& run) {
  if (!plan.least) return {};
  std::vector<std::string> queues;
  for (const Queue& queue : f.options.queues) {
    if (f.requests.PriorityOf(queue.name) > *plan.least) queues.push_back(queue.name);
  }
  const int64_t wait = std::max<int64_t>(0, (plan.latest - run.began).seconds);
  const Span ahead = std::min(Span{2 * wait + 3600}, kArrivalsAhead);
  return forecasts.arrivals.Draw(queues, f.options.seed, run.sample, run.began, run.began + ahead);
}

// It is booked at this site with what it asked for there; how many jobs were looked at.
size_t Come(const Federation& f, const Forecasts& forecasts, const forecast::Arrival& arrival,
            ForecastRun& run) {
  const SitePlan& plan = run.sites[run.site];
  const Site& site = f.sites.at(plan.site);
  run.future->RunTo(arrival.at);
  const forecast::RunTime run_time = forecasts.run_times.Of(arrival.who.shape, run.running);
  const double draw = static_cast<double>(arrival.draw >> 11) * 0x1p-53;
  const int64_t speed = SpeedAt(f, plan.site);
  const Span runs{(run_time.Quantile(draw, Span{0}).seconds * 1000 + speed - 1) / speed};
  for (const forecast::Newcomer::Piece& piece : arrival.who.pieces) {
    if (piece.site != plan.site) continue;
    run.future->Arrive(AmountsAt(site, piece.amounts), piece.length, runs,
                       f.requests.PriorityOf(arrival.queue));
  }
  return 1 + std::min(run.future->waiting(), Backfilling::kMostYielding);
}

// One step of one future of one site; how many jobs were looked at.
size_t StepFuture(const Federation& f, const Forecasts& forecasts, ForecastRun& run) {
  const SitePlan& plan = run.sites[run.site];
  if (!run.future) {
    run.future = forecast::FutureOf(plan.plan, plan.runners, f.options.seed, run.sample);
    run.coming = WhoComes(f, forecasts, plan, run);
    run.next_coming = 0;
    return 1 + plan.runners.size();
  }
  const Instant next = run.future->waiting() > 0 ? run.future->NextEvent() : kFarFuture;
  if (next < kFarFuture) {
    if (run.next_coming < run.coming.size() && run.coming[run.next_coming].at <= next) {
      return Come(f, forecasts, run.coming[run.next_coming++], run);
    }
    const size_t work = run.future->waiting() + run.future->running_jobs().size();
    run.future->RunTo(next);
    return work;
  }
  TakeStarts(plan, *run.future, run);
  run.future.reset();
  if (++run.sample == forecast::kSamples) {
    run.sample = 0;
    ++run.site;
  }
  return 1 + plan.runners.size();
}

}  // namespace

bool HasStarted(const Request& request) {
  const schemas::RequestState state = request.record.state;
  return state == schemas::RequestState::kRunning || state == schemas::RequestState::kEnded ||
         state == schemas::RequestState::kUnknown;
}

forecast::Shape KindOf(const Request& request) {
  const schemas::RequestSpec& spec = request.record.spec;
  int64_t processors = 0;
  for (const schemas::PartSpec& part : spec.parts) {
    processors += partitioner::AmountsOf(part).Get("ncpus");
  }
  return {request.record.requester.user, std::max<int64_t>(1, processors), spec.duration};
}

ForecastRun BeginRun(const Federation& f, const Forecasts& forecasts, const Turn& t) {
  ForecastRun run;
  run.began = t.NowCeiling();
  Planner planner{f, forecasts, t, run};
  planner.AddRunning();
  std::vector<packing::Bin> bins;
  for (const std::string& name : f.site_names) {
    const Site& site = f.sites.at(name);
    if (!site.Up() || !site.capacity || !site.shadow.known()) continue;
    planner.AddSite(site);
    if (f.room.queues().size() > 0) {
      bins.emplace_back(name, site.shadow, run.began, site.capacity->turnover);
    }
  }
  if (!bins.empty()) run.packing.emplace(run.began, std::move(bins));
  return run;
}

size_t GoOn(const Federation& f, const Forecasts& forecasts, const Turn& t, size_t most,
            ForecastRun& run) {
  Planner planner{f, forecasts, t, run};
  size_t work = 0;
  while (work < most && !Done(run)) {
    if (run.packing) {
      planner.AddWaiting();
      work += kPackingWork;
    } else {
      work += StepFuture(f, forecasts, run);
    }
  }
  return work;
}

bool Done(const ForecastRun& run) { return !run.packing && run.site >= run.sites.size(); }

}  // namespace muster::meta
