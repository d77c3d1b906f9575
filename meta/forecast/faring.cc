// A job counts as it ended; what has not ended runs, alone, for its usual time.
#include "meta/forecast/faring.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "meta/forecast/forecasting.h"
#include "meta/forecast/run_facts.h"
#include "meta/forecast/site_plan.h"
#include "meta/requests/homes.h"
#include "meta/requests/points.h"
#include "meta/requests/site_speeds.h"
#include "partitioner/split.h"
#include "policy/shares.h"

namespace muster::meta {
namespace {

constexpr Span kLongest{86'400};

const schemas::RequestSpec& PromisedSpec(const Request& request) {
  return request.before() ? *request.before() : request.record().spec;
}

std::string HomeOf(const ForecastLayer& f, const Request& request) {
  const auto user = f.users.find(request.record().requester.user);
  return user == f.users.end() ? "" : user->second.home;
}

// The window that ended last. It is that of balances, a day at most.
Interval LastWindow(const ForecastLayer& f, Instant now) {
  policy::FairshareRules rules = *BalanceRules(f);
  rules.window = std::min(rules.window, kLongest);
  const Zone& zone = f.options.validities.zone;
  const Instant until = policy::WindowOf(rules, zone, now);
  return {policy::WindowOf(rules, zone, until - Span{1}), until};
}

// How long the job runs at its home: as it ran, else for the time that it usually takes.
Span RunsAt(const ForecastLayer& f, const Known& known, const Turn& t, const Request& request,
            const std::string& home, const std::optional<Moment>& started) {
  std::optional<Span> runs = RanFor(f, request);
  if (!runs) {
    const Instant now = t.plan.Floor();
    const Span elapsed = started ? std::max(Span{0}, now - started->Floor()) : Span{0};
    runs = known.run_model.Of(KindOf(PromisedSpec(request), request.record().requester.user), now)
               .Quantile(0.5, elapsed);
  }
  const int64_t speed = SpeedAt(f, home);
  return Span{(runs->seconds * 1000 + speed - 1) / speed};
}

}  // namespace

void Faring::Hear(const ForecastLayer& f, const Turn& t) {
  for (const auto& [name, site] : f.sites) {
    if (!site.capacity || !site.shadow.known()) continue;
    const auto [at, fresh] = heard_.try_emplace(name);
    if (!fresh && at->second.plan == site.plan) continue;
    at->second.plan = site.plan;
    at->second.terrain.Take(t.plan.Floor(), TerrainOf(site));
  }
}

void Faring::Begin(const ForecastLayer& f, const Turn& t) {
  const Instant now = t.plan.Floor();
  const Interval window = LastWindow(f, now);
  if (entered_ == window.end || now < window.end + kSettles) return;
  entered_ = window.end;
  const Span warm_up = window.end - window.begin;
  const Instant begin = window.begin - warm_up;
  if (begin < over_before_) over_.reset();
  over_before_ = begin;
  pass_.emplace(Pass{.window = window, .begin = begin, .looked = over_, .homes = {}, .run = {}});
}

bool Faring::IsOver(const ForecastLayer& f, const Request& request) const {
  if (!request.Ended()) return false;
  const std::optional<Moment> ended = EndOf(f, request);
  return StartOf(f, request) ? ended && ended->Floor() < pass_->begin : true;
}

void Faring::LookAt(const ForecastLayer& f, const Known& known, const Turn& t,
                    const Request& request) {
  const schemas::RequestSpec& spec = PromisedSpec(request);
  const std::string home = HomeOf(f, request);
  if (home.empty() || spec.array || spec.inside || !heard_.contains(home)) return;
  const Interval& window = pass_->window;
  if (request.record().submitted_at.Floor() >= window.end) return;
  const std::optional<Moment> started = StartOf(f, request);
  const std::optional<Moment> ended = EndOf(f, request);
  if (ended && ended->Floor() < pass_->begin) return;
  HomeJobs& all = pass_->homes[home];
  const bool counts =
      ended && window.begin <= ended->Floor() && ended->Floor() < window.end && !spec.reserves;
  if (spec.parts.size() != 1 || !partitioner::MayRunAt(spec.parts[0], home)) {
    if (counts) ++all.left_out;
    return;
  }
  const Site& site = f.sites.at(home);
  const Moment seen = started.value_or(t.plan);
  const Span waited = TimeWaited(f, request, seen);
  const Span turnover = site.capacity->turnover;
  forecast::AloneRun::Job job{.came = seen.Floor() - waited,
                              .amounts = AmountsAt(site, partitioner::AmountsOf(spec.parts[0])),
                              .booked = turnover + AskedAt(f, spec, home),
                              .runs = turnover + RunsAt(f, known, t, request, home, started),
                              .at = {},
                              .waited = {}};
  if (spec.at || spec.reserves) {
    job.at = seen.Floor() - turnover;
  } else if (counts) {
    job.waited = waited;
  }
  const Instant came = job.came;
  all.jobs.emplace(std::pair(came, request.id()), std::move(job));
}

// True while there are more to look at.
bool Faring::Look(const ForecastLayer& f, const Known& known, const Turn& t) {
  const auto& all = f.requests.all();
  auto next = pass_->looked ? all.upper_bound(*pass_->looked) : all.begin();
  for (size_t looked = 0; looked < kLookedPerTurn; ++looked, ++next) {
    if (next == all.end()) {
      // That a home had no job this time is said where something was said before.
      for (const auto& [site, fare] : f.fares.all()) pass_->homes.try_emplace(site);
      return false;
    }
    const bool over = IsOver(f, next->second);
    if (!over) LookAt(f, known, t, next->second);
    pass_->all_over = pass_->all_over && over;
    if (pass_->all_over) over_ = next->first;
    pass_->looked = next->first;
  }
  return true;
}

// Puts the first home's result on record. Nothing was and is said of a home without jobs.
void Faring::Conclude(ForecastLayer& f) {
  const auto home = pass_->homes.begin();
  schemas::FareRecord record{.site = home->first,
                             .from = pass_->window.begin,
                             .until = pass_->window.end,
                             .left_out = home->second.left_out};
  if (pass_->run) {
    const forecast::AloneRun::Outcome outcome = pass_->run->Result();
    record.jobs = outcome.jobs;
    record.left_out += outcome.never;
    record.waited = outcome.waited.seconds;
    record.waited_most = outcome.waited_most.seconds;
    record.alone = outcome.alone.seconds;
    record.alone_most = outcome.alone_most.seconds;
  }
  const schemas::FareRecord* last = f.fares.Find(home->first);
  const bool known = last != nullptr && last->until == record.until;
  if (!known && (last != nullptr || record.jobs > 0 || record.left_out > 0)) {
    f.fares.Edit(home->first) = std::move(record);
  }
  pass_->run.reset();
  pass_->homes.erase(home);
}

void Faring::RunAlone(ForecastLayer& f) {
  const auto& [home, all] = *pass_->homes.begin();
  if (!pass_->run && !all.jobs.empty()) {
    std::vector<forecast::AloneRun::Job> jobs;
    for (const auto& [key, job] : all.jobs) jobs.push_back(job);
    pass_->run.emplace(heard_.at(home).terrain.steps(), std::move(jobs),
                       f.sites.at(home).capacity->turnover);
  }
  size_t work = 0;
  while (pass_->run && !pass_->run->Done() && work < kSliceWork) work += pass_->run->Next();
  if (!pass_->run || pass_->run->Done()) Conclude(f);
}

void Faring::GoOn(ForecastLayer& f, const Known& known, Turn& t) {
  if (!BalanceRules(f)) {
    *this = Faring();
    return;
  }
  Hear(f, t);
  if (!pass_) Begin(f, t);
  if (!pass_) return;
  if (t.boot() < next_slice_) return t.WakeBy(next_slice_);
  if (pass_->looking) {
    pass_->looking = Look(f, known, t);
  } else if (!pass_->homes.empty()) {
    RunAlone(f);
  }
  if (!pass_->looking && pass_->homes.empty()) {
    for (auto& [name, heard] : heard_) {
      heard.terrain.ForgetBefore(pass_->window.begin - (pass_->window.end - pass_->window.begin));
    }
    pass_.reset();
    return;
  }
  next_slice_ = t.boot() + kSliceEvery;
  t.WakeBy(next_slice_);
}

}  // namespace muster::meta
