// A run begins with the amounts that would be free at each site if the meta had booked nothing. Its
// bookings are added as jobs, most of which may move up. Requests without a place follow, block by
// block.
#include "meta/forecast/forecast_run.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "meta/forecast/layer.h"
#include "meta/forecast/run_facts.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/block_shares.h"
#include "meta/requests/credentials.h"
#include "meta/requests/homes.h"
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

  forecast::Runner RunnerOf(const Request& request, Span elapsed, int64_t speed) {
    const forecast::Shape shape = KindOf(request);
    return {request.id().value, forecast::KinOf(shape), RunTimeOf(known, shape, run), elapsed,
            speed};
  }

  // Call before adding a waiting job. True if it is to be added to the plan. A plan that is not
  // among those of the run yet becomes the next of them.
  bool Follow(SitePlan& plan, RequestId id) {
    if (plan.FollowsOneMore()) return true;
    run.behind[id] = static_cast<size_t>(
        std::find_if(run.sites.begin(), run.sites.end(),
                     [&](const SitePlan& one) { return one.site == plan.site; }) -
        run.sites.begin());
    return false;
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
      const Instant end = booked + BookedLength(f, spec, attempt, p) + WaitOf(f, attempt);
      if (end <= run.began) continue;
      const Instant begin = started ? run.began - elapsed : std::max(booked - turnover, run.began);
      const Span lead = turnover - spec.parts[p].offset + partitioner::FirstOffset(spec);
      if (started) {
        ++plan.running;
      } else {
        Instant& planned = run.planned[request->id()];
        planned = std::max(planned, begin + lead);
      }
      ends.push_back(end - WaitOf(f, attempt));
      if (!started && !Follow(plan, request->id())) continue;
      plan.Add(AmountsAt(site, partitioner::AmountsOf(spec.parts[p])), {begin, end},
               !Moves(*request, attempt), RunnerOf(*request, elapsed, SpeedAt(f, spec, attempt, p)),
               {request->id(), lead});
    }
  }

  // Waiting jobs that are followed at a site on which so many run.
  size_t FollowedBeside(size_t running) const {
    const size_t waiting = f.options.forecast_waiting;
    if (running <= f.options.forecast_running) return waiting;
    return std::max(std::min(waiting, kLeastFollowed),
                    waiting * f.options.forecast_running / running);
  }

  // Adds what runs there beside muster: it ends when such jobs do, and at its limit at the latest.
  void AddOutside(SitePlan& plan, const Site& site) {
    for (const schemas::OutsideRun& one : site.capacity->outside) {
      if (one.when.end <= run.began) continue;
      ++plan.running;
      plan.Add(AmountsAt(site, one.amounts), {std::min(one.when.begin, run.began), one.when.end},
               true, known.outside.RunnerOf(site.name, one, run.began, run.run_times), {});
    }
  }

  // Adds a site's plan. Returns the ends of the committed bookings.
  std::vector<Instant> AddSite(const Site& site) {
    SitePlan plan(site.name, forecast::Backfilling(run.began, TerrainWithoutRuns(site)));
    AddOutside(plan, site);
    std::vector<const Attempt*> running;
    std::vector<const Attempt*> waiting;
    for (const Fence& fence : site.attempts) {
      const auto at = f.attempts.find(fence);
      if (at == f.attempts.end() || !verifier::Binds(at->second.state())) continue;
      if (at->second.record().only_lent) continue;  // it gives way to all who are laid out
      const Request* request = f.requests.Find(at->second.record().request);
      const bool started = request && ElapsedOf(*request) > Span{0};
      (started ? running : waiting).push_back(&at->second);
    }
    // The jobs that start next are followed. They move up by rank.
    plan.most = FollowedBeside(plan.running + running.size());
    std::stable_sort(waiting.begin(), waiting.end(), [](const Attempt* a, const Attempt* b) {
      return a->record().start < b->record().start;
    });
    const auto first =
        waiting.begin() + static_cast<std::ptrdiff_t>(std::min(waiting.size(), plan.most));
    std::stable_sort(waiting.begin(), first, [&](const Attempt* a, const Attempt* b) {
      return PlaceOf(site, *a) < PlaceOf(site, *b);
    });
    std::vector<Instant> ends;
    for (const Attempt* attempt : running) AddAttempt(plan, site, *attempt, ends);
    for (const Attempt* attempt : waiting) AddAttempt(plan, site, *attempt, ends);
    run.sites.push_back(std::move(plan));
    return ends;
  }

  // In which order the site moves bookings earlier: as it has said itself, else as sites without
  // points do (SitePolicy::EarlierRankOf).
  std::tuple<size_t, int32_t, bool, RequestId> PlaceOf(const Site& site,
                                                       const Attempt& attempt) const {
    const size_t place = site.move_order.PlaceOf(attempt.fence());
    const Request* request = f.requests.Find(attempt.record().request);
    if (request == nullptr) return {place, 0, false, attempt.record().request};
    const schemas::RequestRecord& record = request->record();
    const bool other = !GoesFirstAt(f, record.requester.user, site.name);
    return {place, -UrgencyOf(f, record.spec), other, attempt.record().request};
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
      if (!Follow(plan, id)) continue;
      const Site& site = f.sites.at(plan.site);
      const Span turnover = site.capacity ? site.capacity->turnover : Span{0};
      const Instant begin = std::max(place.start + spec.parts[p].offset - turnover, run.began);
      const Span length = turnover + LengthAt(f, spec, plan.site);
      const Span lead = turnover - spec.parts[p].offset + partitioner::FirstOffset(spec);
      const Backfilling::Job job =
          plan.Add(AmountsAt(site, partitioner::AmountsOf(spec.parts[p])), {begin, begin + length},
                   fixed, RunnerOf(request, Span{0}, SpeedAt(f, plan.site)), {id, lead});
      plan.plan.Yields(job, request.priority);
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

// Records when requests start in a future.
void TakeStarts(const SitePlan& plan, const Backfilling& future, ForecastRun& run) {
  for (size_t job = 0; job < plan.follows.size(); ++job) {
    const auto& [id, lead] = plan.follows[job];
    if (!run.planned.contains(id) || run.behind.contains(id)) continue;
    std::vector<Span>& starts = run.starts[id];
    starts.resize(forecast::kSamples);
    const Instant start = future.StartOf(static_cast<Backfilling::Job>(job)) + lead;
    // The part that starts last decides.
    starts[run.sample] = std::max(starts[run.sample], start - run.began);
  }
}

// Simulates one step of a future. Returns the number of jobs looked at.
size_t StepFuture(const ForecastLayer& f, const Known& known, ForecastRun& run) {
  if (run.site == run.sites.size()) {
    run.stage = ForecastStage::kDone;
    return 1;
  }
  const SitePlan& plan = run.sites[run.site];
  if (!run.walk) {
    run.walk.emplace(forecast::FutureOf(plan.plan, plan.runners, f.options.seed, run.sample),
                     known.arrivals, f.options.seed, run.sample);
    return 1 + plan.runners.size();
  }
  if (!run.walk->Done()) return run.walk->Next(known.arrivals, BookAt(f, plan));
  TakeStarts(plan, run.walk->future(), run);
  run.walk.reset();
  // After a site's last future comes the next site.
  if (++run.sample == forecast::kSamples) {
    run.sample = 0;
    ++run.site;
  }
  return 1 + plan.runners.size();
}

packing::BlockTerms TermsOf(const ForecastLayer& f, const Turn& t) {
  const int64_t lead = f.options.values.lead.milliseconds;
  return {.threshold = f.options.threshold,
          .block_max = BlockMax(f),
          .pin = f.options.packing,
          .voting = f.scheduler.voting,
          .came = NewVoters(f),
          .near = NearNow(f),
          .order = BlockOrderOf(f, t),
          .lead = Span{(lead + 999) / 1000},
          .transfer_of = TransferOfSites(f)};
}

}  // namespace

const forecast::RunTime& RunTimeOf(const Known& known, const forecast::Shape& shape,
                                   ForecastRun& run) {
  const auto at = run.run_times.find(shape);
  if (at != run.run_times.end()) return at->second;
  return run.run_times.emplace(shape, known.run_model.Of(shape, run.began)).first->second;
}

forecast::FutureWalk::Book BookAt(const ForecastLayer& f, const SitePlan& plan) {
  return [&f, &plan](const forecast::Arrivals::Past& past, Backfilling& future) {
    const Site& site = f.sites.at(plan.site);
    const int64_t speed = SpeedAt(f, plan.site);
    const Span runs{(past.ran->seconds * 1000 + speed - 1) / speed};
    for (const forecast::Newcomer::Piece& piece : past.who.pieces) {
      if (piece.site != plan.site) continue;
      future.Arrive(AmountsAt(site, piece.amounts), piece.length, runs,
                    f.requests.PriorityOf(past.who.queue));
    }
  };
}

std::vector<Span> SamplesBehind(const ForecastRun& run, const SitePlan& plan, Span planned) {
  if (!Knows(run, ForecastStage::kFutures)) return {planned};
  std::optional<RequestId> last;
  for (size_t job = plan.running; job < plan.follows.size(); ++job) {
    const RequestId id = plan.follows[job].request;
    if (!run.starts.contains(id)) continue;
    if (!last || run.planned.at(id) > run.planned.at(*last)) last = id;
  }
  if (!last) return {planned};
  const int64_t whole = std::max<int64_t>(1, (run.planned.at(*last) - run.began).seconds);
  std::vector<Span> out;
  for (const Span start : run.starts.at(*last)) {
    const double share = static_cast<double>(start.seconds) / static_cast<double>(whole);
    out.push_back(Span{std::llround(share * static_cast<double>(planned.seconds))});
  }
  return out;
}

ForecastRun BeginRun(const ForecastLayer& f, const Known& known, const Turn& t) {
  ForecastRun run;
  run.began = t.NowCeiling();
  Planner planner{f, known, t, run};
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
    run.blocks.emplace(run.began, std::move(sites), f.room.queues(), TermsOf(f, t));
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
      run.stage = ForecastStage::kFutures;
    }
  }
  return work;
}

}  // namespace muster::meta
