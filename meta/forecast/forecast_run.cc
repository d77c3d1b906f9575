// A run begins with the amounts that would be free at each site if the meta had booked nothing. Its
// bookings are added as jobs, most of which may move up. Requests without a place follow, block by
// block.
#include "meta/forecast/forecast_run.h"

#include <algorithm>
#include <utility>

#include "meta/forecast/layer.h"
#include "meta/forecast/run_facts.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/site_speeds.h"
#include "meta/search/block_plan.h"
#include "meta/search/candidates.h"
#include "meta/search/gaps.h"
#include "meta/search/queueing.h"
#include "meta/turn/turn.h"
#include "partitioner/split.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

using forecast::Backfilling;

// Laying out one request costs about as much as looking at this many jobs of a future.
constexpr size_t kPackingWork = 500;
// Arrivals later than this are not drawn.
constexpr Span kArrivalsAhead{14 * 86400};

// True if the site may move the booking up. Co-allocations, fixed starts and reservations stay.
bool Moves(const Request& request, const Attempt& attempt) {
  const schemas::RequestSpec& spec = request.record().spec;
  return !attempt.PassesBarrier() && !spec.at && !spec.reserves && spec.parts.size() == 1;
}

struct Planner {
  const ForecastLayer& f;
  const Known& known;
  const Turn& t;
  ForecastRun& run;

  forecast::Runner RunnerOf(const SitePlan& plan, const Request& request, Span elapsed) {
    const forecast::Shape shape = KindOf(request);
    return {request.id().value, forecast::KinOf(shape), known.run_times.Of(shape, run.running),
            elapsed, SpeedAt(f, plan.site)};
  }

  // Call before adding a job that does not run. The job goes behind the first ones if the plan has
  // enough of those, or too many running jobs.
  void Wait(SitePlan& plan, RequestId id) {
    if (plan.running > f.options.forecast_running ||
        plan.runners.size() - plan.running >= f.options.forecast_waiting) {
      plan.Fill();
    }
    if (plan.whole) run.behind.insert(id);
  }

  void AddRunning() {
    for (const auto& [id, told] : known.told) {
      const Request* request = told.started ? f.requests.Find(id) : nullptr;
      if (!request || request->Ended() || !HasStarted(*request)) continue;
      const Span elapsed = std::max(Span{1}, run.began - *told.started);
      run.running.Add(KindOf(*request), AsReference(f, *request, elapsed));
    }
  }

  // Elapsed run time; 0 if the request does not run.
  Span ElapsedOf(const Request& request) const {
    if (!HasStarted(request)) return Span{0};
    const auto told = known.told.find(request.id());
    if (told == known.told.end() || !told->second.started) return Span{1};
    return std::max(Span{1}, run.began - *told->second.started);
  }

  // Adds an attempt's parts at this site, booked as the meta books them on its shadow. Appends to
  // `ends` the ends of these bookings, without the wait for a permit.
  void AddAttempt(SitePlan& plan, const Site& site, const Attempt& attempt,
                  std::vector<Instant>& ends) {
    const Request* request = f.requests.Find(attempt.record().request);
    if (!request || request->Ended() || request->record().spec.inside) return;
    const schemas::RequestSpec& spec = SpecOf(*request, attempt);
    const Span elapsed = ElapsedOf(*request);
    const bool started = elapsed > Span{0};
    const Span turnover = site.capacity->turnover;
    for (size_t p = 0; p < attempt.record().part_sites.size(); ++p) {
      if (attempt.record().part_sites[p] != site.name) continue;
      const Instant booked = attempt.record().start + spec.parts[p].offset;
      const Instant end = booked + LengthAt(f, spec, site.name) + WaitOf(f, attempt);
      if (end <= run.began) continue;
      const Instant begin = started ? run.began - elapsed : std::max(booked - turnover, run.began);
      const Span lead = turnover - spec.parts[p].offset + partitioner::FirstOffset(spec);
      if (started) {
        ++plan.running;
      } else {
        Instant& planned = run.planned[request->id()];
        planned = std::max(planned, begin + lead);
        Wait(plan, request->id());
      }
      plan.Add(AmountsAt(site, partitioner::AmountsOf(spec.parts[p])), {begin, end},
               !Moves(*request, attempt), RunnerOf(plan, *request, elapsed), {request->id(), lead});
      ends.push_back(end - WaitOf(f, attempt));
    }
  }

  // The site's free amounts over time if the meta had booked nothing.
  std::vector<forecast::Backfilling::Step> TerrainOf(const Site& site) {
    ResourceSet up;
    for (const schemas::NodeClass& node : site.capacity->classes) up += node.per_node * node.up;
    std::vector<forecast::Backfilling::Step> out = {
        {Instant{-kFarFuture.seconds}, AmountsAt(site, up)}};
    for (const schemas::ProfileStep& step : site.capacity->profile) {
      ResourceSet free;
      for (const ResourceSet& of_class : step.free) free += of_class;
      // The first step also covers the past.
      if (&step == &site.capacity->profile.front()) {
        out[0].free = AmountsAt(site, free);
      } else {
        out.push_back({step.from, AmountsAt(site, free)});
      }
    }
    return out;
  }

  // Adds a site's plan. Returns the ends of the committed bookings.
  std::vector<Instant> AddSite(const Site& site) {
    SitePlan plan(site.name, forecast::Backfilling(run.began, TerrainOf(site)));
    std::vector<const Attempt*> running;
    std::vector<const Attempt*> waiting;
    for (const Fence& fence : site.attempts) {
      const auto at = f.attempts.find(fence);
      if (at == f.attempts.end() || !verifier::Binds(at->second.state())) continue;
      const Request* request = f.requests.Find(at->second.record().request);
      const bool started = request && ElapsedOf(*request) > Span{0};
      (started ? running : waiting).push_back(&at->second);
    }
    // The jobs that start next become the first ones of the plan; most futures simulate only these.
    // Within the first ones, and within the others, jobs move up by rank.
    std::stable_sort(waiting.begin(), waiting.end(), [](const Attempt* a, const Attempt* b) {
      return a->record().start < b->record().start;
    });
    const auto first = waiting.begin() + static_cast<std::ptrdiff_t>(
                                             std::min(waiting.size(), f.options.forecast_waiting));
    const auto by_rank = [this](const Attempt* a, const Attempt* b) {
      return PriorityAndId(*a) < PriorityAndId(*b);
    };
    std::stable_sort(waiting.begin(), first, by_rank);
    std::stable_sort(first, waiting.end(), by_rank);
    std::vector<Instant> ends;
    for (const Attempt* attempt : running) AddAttempt(plan, site, *attempt, ends);
    for (const Attempt* attempt : waiting) AddAttempt(plan, site, *attempt, ends);
    run.sites.push_back(std::move(plan));
    return ends;
  }

  std::pair<int32_t, RequestId> PriorityAndId(const Attempt& attempt) const {
    const Request* request = f.requests.Find(attempt.record().request);
    return {request ? -request->priority : 0, attempt.record().request};
  }

  // The packing entry of a request; none if it needs no layout, has no allowed start, or has a part
  // without a site that can be planned for.
  std::optional<packing::BlockRequest> Asked(const Request& request) {
    if (request.record().spec.inside || !request.Wanted() || request.record().attempt) {
      return std::nullopt;
    }
    packing::BlockRequest out{.entry = EntryOf(f, t, request, names),
                              .voter = VoterOf(request),
                              .shape = GapShapeOf(f, t, request),
                              .chunks = ChunksOf(request)};
    const bool nowhere =
        std::any_of(out.entry.parts.begin(), out.entry.parts.end(),
                    [](const packing::Part& part) { return part.choices.empty(); });
    if (nowhere || out.entry.allowed.empty()) return std::nullopt;
    return out;
  }

  void AddPlaced(const Request& request, const packing::Blocks::Placed& placed) {
    const schemas::RequestSpec& spec = request.record().spec;
    const RequestId id = request.id();
    const packing::Place& place = placed.place;
    run.planned[id] = place.start + partitioner::FirstOffset(spec);
    LaidOut& laid_out = run.laid_out.emplace_back(LaidOut{id, {}, place.start, placed.asked});
    for (const size_t bin : place.bins) laid_out.part_sites.push_back(run.sites[bin].site);
    const bool fixed = spec.parts.size() > 1 || spec.at.has_value();
    for (size_t p = 0; p < spec.parts.size(); ++p) {
      SitePlan& plan = run.sites[place.bins[p]];
      Wait(plan, id);
      const Site& site = f.sites.at(plan.site);
      const Span turnover = site.capacity ? site.capacity->turnover : Span{0};
      const Instant begin = std::max(place.start + spec.parts[p].offset - turnover, run.began);
      const Span length = turnover + LengthAt(f, spec, plan.site);
      const Span lead = turnover - spec.parts[p].offset + partitioner::FirstOffset(spec);
      const Backfilling::Job job =
          plan.Add(AmountsAt(site, partitioner::AmountsOf(spec.parts[p])), {begin, begin + length},
                   fixed, RunnerOf(plan, request, Span{0}), {id, lead});
      plan.Yields(job, request.priority);
      plan.least = std::min(plan.least.value_or(request.priority), request.priority);
      plan.latest = std::max(plan.latest, begin);
    }
  }

  // Lays out the next block of waiting requests, beside all bookings and earlier blocks, as if no
  // other request came. A request that got a place since the run began is left out; the next run
  // has its figures. Returns the number of requests looked at.
  size_t AddBlock() {
    // A site that takes no new work has a plan, but no request can choose it.
    names.clear();
    for (const SitePlan& plan : run.sites) {
      names.push_back(f.sites.at(plan.site).disk_low ? std::string() : plan.site);
    }
    const packing::Blocks::Step step =
        run.blocks->Next([this](RequestId id) -> std::optional<packing::BlockRequest> {
          const Request* request = f.requests.Find(id);
          if (!request) return std::nullopt;
          return Asked(*request);
        });
    for (const packing::Blocks::Placed& placed : step.placed) {
      const Request* request = f.requests.Find(placed.request);
      if (request) AddPlaced(*request, placed);
    }
    return 1 + step.looked;
  }

  std::vector<std::string> names = {};  // names of run.sites; empty for sites that take no new work
};

// Records when requests start in a future: those with a job behind the first ones, or the others.
void TakeStarts(const SitePlan& plan, const Backfilling& future, bool behind, ForecastRun& run) {
  const size_t jobs = behind ? plan.follows.size() : plan.first();
  for (size_t job = 0; job < jobs; ++job) {
    const auto& [id, lead] = plan.follows[job];
    if (!run.planned.contains(id) || run.behind.contains(id) != behind) continue;
    std::vector<Span>& starts = run.starts[id];
    starts.resize(behind ? kSamplesBehind : forecast::kSamples);
    const Instant start = future.StartOf(static_cast<Backfilling::Job>(job)) + lead;
    // The part that starts last decides.
    starts[run.sample] = std::max(starts[run.sample], start - run.began);
  }
}

// Draws arrivals for every queue of higher priority than some request of the plan that has no
// promise. They come within twice the time such requests are planned to wait, and an hour.
std::vector<forecast::Arrival> WhoComes(const ForecastLayer& f, const Known& known,
                                        const SitePlan& plan, const ForecastRun& run,
                                        uint32_t sample) {
  if (!plan.least) return {};
  std::vector<std::string> queues;
  for (const Queue& queue : f.options.queues) {
    if (f.requests.PriorityOf(queue.name) > *plan.least) queues.push_back(queue.name);
  }
  const int64_t wait = std::max<int64_t>(0, (plan.latest - run.began).seconds);
  const Span ahead = std::min(Span{2 * wait + 3600}, kArrivalsAhead);
  return known.arrivals.Draw(queues, f.options.seed, sample, run.began, run.began + ahead);
}

// Advances the future to an arrival, and books its parts at this site.
void Come(const ForecastLayer& f, const Known& known, const forecast::Arrival& arrival,
          const SitePlan& plan, const ForecastRun& run, Backfilling& future) {
  const Site& site = f.sites.at(plan.site);
  future.RunTo(arrival.at);
  const forecast::RunTime run_time = known.run_times.Of(arrival.who.shape, run.running);
  const double draw = static_cast<double>(arrival.draw >> 11) * 0x1p-53;
  const int64_t speed = SpeedAt(f, plan.site);
  const Span runs{(run_time.Quantile(draw, Span{0}).seconds * 1000 + speed - 1) / speed};
  for (const forecast::Newcomer::Piece& piece : arrival.who.pieces) {
    if (piece.site != plan.site) continue;
    future.Arrive(AmountsAt(site, piece.amounts), piece.length, runs,
                  f.requests.PriorityOf(arrival.queue));
  }
}

bool TellsOfBehind(const SitePlan& plan, const ForecastRun& run) {
  return std::any_of(plan.follows.begin(), plan.follows.end(),
                     [&](const Follows& of) { return run.behind.contains(of.request); });
}

// Goes to the next future, and after a site's last one to the next site.
void NextFuture(ForecastRun& run) {
  const uint32_t samples =
      run.stage == ForecastStage::kFirst ? uint32_t{forecast::kSamples} : kSamplesBehind;
  if (++run.sample < samples) return;
  run.sample = 0;
  ++run.site;
}

// Skips sites that this stage does not concern. If the stage has no more futures, begins the next
// stage and returns false.
bool MoreFutures(ForecastRun& run) {
  const bool behind = run.stage == ForecastStage::kBehind;
  while (behind && run.site < run.sites.size() && !TellsOfBehind(run.sites[run.site], run)) {
    ++run.site;
  }
  if (run.site < run.sites.size()) return true;
  run.stage = behind || run.behind.empty() ? ForecastStage::kDone : ForecastStage::kBehind;
  run.site = 0;
  return false;
}

// Simulates one step of a future. Returns the number of jobs looked at.
size_t StepFuture(const ForecastLayer& f, const Known& known, ForecastRun& run) {
  if (!run.walk && !MoreFutures(run)) return 1;
  const SitePlan& plan = run.sites[run.site];
  const bool behind = run.stage == ForecastStage::kBehind;
  if (!run.walk) {
    run.walk.emplace(f, known, plan, behind, run, run.sample);
    return 1 + plan.runners.size();
  }
  if (!run.walk->Done()) return run.walk->Next(f, known, plan, run);
  TakeStarts(plan, run.walk->future(), behind, run);
  run.walk.reset();
  NextFuture(run);
  return 1 + plan.runners.size();
}

packing::BlockTerms TermsOf(const ForecastLayer& f) {
  const int64_t lead = f.options.values.lead.milliseconds;
  return {.threshold = f.options.threshold,
          .block_max = BlockMax(f),
          .pin = f.options.packing,
          .voting = f.scheduler.voting,
          .came = NewVoters(f),
          .near = NearNow(f),
          .lead = Span{(lead + 999) / 1000},
          .transfer_of = TransferOfSites(f)};
}

}  // namespace

FutureWalk::FutureWalk(const ForecastLayer& f, const Known& known, const SitePlan& plan, bool all,
                       const ForecastRun& run, uint32_t sample)
    : future_(forecast::FutureOf(
          all && plan.whole ? *plan.whole : plan.plan,
          std::span(plan.runners).first(all ? plan.runners.size() : plan.first()), f.options.seed,
          sample)),
      coming_(WhoComes(f, known, plan, run, sample)) {
  LookAhead();
}

void FutureWalk::LookAhead() {
  next_ = future_.waiting() > 0 ? future_.NextEvent() : kFarFuture;
  done_ = next_ >= kFarFuture;
}

size_t FutureWalk::Next(const ForecastLayer& f, const Known& known, const SitePlan& plan,
                        const ForecastRun& run) {
  size_t work = future_.waiting() + future_.running_jobs().size();
  if (next_coming_ < coming_.size() && coming_[next_coming_].at <= next_) {
    Come(f, known, coming_[next_coming_++], plan, run, future_);
    work = 1 + std::min(future_.waiting(), Backfilling::kMostYielding);
  } else {
    future_.RunTo(next_);
  }
  LookAhead();
  return work;
}

ForecastRun BeginRun(const ForecastLayer& f, const Known& known, const Turn& t) {
  ForecastRun run;
  run.began = t.NowCeiling();
  Planner planner{f, known, t, run};
  planner.AddRunning();
  std::vector<packing::BlockSite> sites;
  for (const std::string& name : f.site_names) {
    const Site& site = f.sites.at(name);
    if (!site.Up() || !site.capacity || !site.shadow.known()) continue;
    std::vector<Instant> ends = planner.AddSite(site);
    if (f.room.queues().size() == 0) continue;
    sites.push_back({.bin = packing::Bin(name, site.shadow, run.began, site.capacity->turnover),
                     .asked = !site.disk_low,
                     .last_start = site.committed.LastBlockStart(),
                     .plan_end = site.committed.End(),
                     .ends = std::move(ends)});
  }
  if (!sites.empty()) {
    run.blocks.emplace(run.began, std::move(sites), f.room.queues(), TermsOf(f));
  }
  return run;
}

size_t GoOn(const ForecastLayer& f, const Known& known, const Turn& t, size_t most,
            ForecastRun& run) {
  Planner planner{f, known, t, run};
  size_t work = 0;
  while (work < most && run.stage != ForecastStage::kDone) {
    if (run.stage != ForecastStage::kLayingOut) {
      work += StepFuture(f, known, run);
    } else if (run.blocks && !run.blocks->Done()) {
      work += planner.AddBlock() * kPackingWork;
    } else {
      run.blocks.reset();
      run.stage = ForecastStage::kFirst;
    }
  }
  return work;
}

}  // namespace muster::meta
