// Decides when to run forecasts, and publishes their figures.
#include "meta/forecast/forecasting.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/id_text.h"
#include "meta/forecast/bounds.h"
#include "meta/forecast/quoting.h"
#include "meta/forecast/run_facts.h"
#include "meta/forecast/run_history.h"
#include "meta/requests/figures.h"
#include "meta/requests/job_view.h"
#include "meta/search/verifying.h"
#include "meta/sites/say.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

// True if the sites' plans are still those that gave the verified bound.
bool PlansStand(const ForecastLayer& f, const Forecasts& forecasts, const Told& told) {
  return told.verified && forecasts.verified &&
         std::all_of(told.sites.begin(), told.sites.end(), [&](const std::string& site) {
           const auto plan = forecasts.verified->plans.find(site);
           return plan != forecasts.verified->plans.end() && plan->second == f.sites.at(site).plan;
         });
}

// Corrects a shadow's bound, which may be too early because shadows see no fragmentation, by the
// last verified difference.
Instant Corrected(const ForecastLayer& f, const Forecasts& forecasts, const Told& told,
                  Instant shadow) {
  if (!told.verified) return shadow;
  const auto& [bound, shadow_then] = *told.verified;
  if (shadow == shadow_then && PlansStand(f, forecasts, told)) return bound;
  return std::max(shadow, shadow + (bound - shadow_then));
}

// True if many bounds differ from the last verified run, or were not reached by it.
bool ManyMoved(const Forecasts& forecasts, const ForecastRun& run) {
  size_t moved = 0;
  for (const LaidOut& laid_out : run.laid_out) {
    const Told& told = forecasts.known.told.at(laid_out.request);
    if (!told.bound) continue;
    const bool same = told.verified && *told.bound - told.verified->bound <= kMoved &&
                      told.verified->bound - *told.bound <= kMoved;
    if (!same) ++moved;
  }
  return moved * 100 > run.laid_out.size() * kMovedPercent;
}

// True on an ideal link, which has no heartbeats. There, figures are made only when a client asks
// (scheduling.md section 10).
bool IsIdeal(const ForecastLayer& f) { return f.options.values.heartbeat == BootSpan{0}; }

// Verifies at each extraction, when many figures moved, and periodically: scheduling.md section 5
// (Accuracy).
void MaybeVerify(ForecastLayer& f, const Forecasts& forecasts, const Turn& t, ForecastRun& run) {
  if (f.verified_run || run.laid_out.empty()) return;
  const bool due = !forecasts.verified || IsIdeal(f) || forecasts.verified->block != f.last_block ||
                   t.boot() - forecasts.verified->at >= kForecastEvery;
  if (due || ManyMoved(forecasts, run)) BeginVerifying(f, std::move(run.laid_out));
}

// Time from a request's start to its bound.
Span AfterStart(const ForecastLayer& f, const Request& request, const LaidOut& laid_out) {
  return partitioner::FirstOffset(request.record().spec) +
         LateOf(f, partitioner::MembersOf(laid_out.part_sites));
}

// Publishes the order of the waiting requests, each with the start that its bound implies, for
// `explain`.
void NoteOrder(ForecastLayer& f, const Forecasts& forecasts, const ForecastRun& run) {
  f.laid_out = run.laid_out;
  for (LaidOut& one : f.laid_out) {
    const std::optional<Instant>& bound = forecasts.known.told.at(one.request).bound;
    if (bound) one.start = *bound - AfterStart(f, *f.requests.Find(one.request), one);
  }
}

// Takes the verified start as the bound of each request for which all its sites gave the same
// start.
void TakeVerifiedBounds(ForecastLayer& f, Forecasts& forecasts, const Turn& t) {
  const VerifiedRun run = std::move(*f.verified_run);
  f.verified_run.reset();
  VerifiedAt& last = forecasts.verified.emplace(VerifiedAt{t.boot(), run.block, {}});
  std::map<RequestId, Instant> starts;
  for (const auto& [name, site] : run.sites) {
    if (site.next > 0) last.plans[name] = site.plan;
  }
  for (size_t i = 0; i < run.laid_out.size(); ++i) {
    const LaidOut& laid_out = run.laid_out[i];
    const Request* request = f.requests.Find(laid_out.request);
    const auto told = forecasts.known.told.find(laid_out.request);
    if (!request || told == forecasts.known.told.end()) continue;
    if (request->record().attempt || !run.found[i].verified) {
      told->second.verified.reset();
      continue;
    }
    const Span after = AfterStart(f, *request, laid_out);
    const Instant bound = run.found[i].start + after;
    told->second.verified = Verified{bound, laid_out.start + after};
    told->second.bound = bound;
    starts[laid_out.request] = run.found[i].start;
  }
  for (LaidOut& one : f.laid_out) {
    const auto start = starts.find(one.request);
    if (start != starts.end()) one.start = start->second;
  }
  NoteBounds(f, forecasts.known, t);
}

// Sets the bounds of waiting requests from where the run laid them out.
void TellBounds(ForecastLayer& f, Forecasts& forecasts, const Turn& t, ForecastRun& run) {
  for (auto& [id, told] : forecasts.known.told) told.bound.reset();
  // Requests that ended or started since they were laid out get no bound.
  std::erase_if(run.laid_out, [&f](const LaidOut& laid_out) {
    const Request* request = f.requests.Find(laid_out.request);
    return !request || HasStarted(*request);
  });
  for (const LaidOut& laid_out : run.laid_out) {
    const Request& request = *f.requests.Find(laid_out.request);
    Told& told = forecasts.known.told[laid_out.request];
    told.sites = partitioner::MembersOf(laid_out.part_sites);
    if (request.record().attempt) continue;
    const Instant shadow = run.planned.at(laid_out.request) + LateOf(f, told.sites);
    told.bound = Corrected(f, forecasts, told, shadow);
  }
  NoteOrder(f, forecasts, run);
  MaybeVerify(f, forecasts, t, run);
  // Bounds being verified are noted when the sites have answered.
  if (!f.verified_run) NoteBounds(f, forecasts.known, t);
}

// Sets the expected start of a request from its sampled starts, relative to the begin of the run.
void TellExpectedOf(Forecasts& forecasts, const ForecastRun& run, const Request& request,
                    std::vector<Span> samples) {
  Told& told = forecasts.known.told[request.id()];
  std::sort(samples.begin(), samples.end());
  // A request without a promise may be placed behind later arrivals.
  Span longest = std::max(Span{0}, run.planned.at(request.id()) - run.began);
  if (!request.record().attempt) longest = std::max(longest, samples.back());
  const forecast::Forecast forecast = forecasts.known.calibration.Of(samples, longest);
  if (!told.first) {
    told.first = forecast;
    told.at = run.began;
    forecasts.known.ends.emplace(run.began + forecast.high, request.id());
  }
  told.expected =
      schemas::Expected{run.began + forecast.median, run.began + forecast.low,
                        run.began + forecast.high, forecasts.known.calibration.confidence()};
  told.course.Tell(run.began, *told.expected);
}

// Sets the expected starts of those that were followed, and of those behind them.
void TellExpected(const ForecastLayer& f, Forecasts& forecasts, const ForecastRun& run) {
  const auto waits = [&f](RequestId id) -> const Request* {
    const Request* request = f.requests.Find(id);
    return request && !HasStarted(*request) ? request : nullptr;
  };
  for (const auto& [id, starts] : run.starts) {
    if (const Request* request = waits(id)) TellExpectedOf(forecasts, run, *request, starts);
  }
  for (const auto& [id, site] : run.behind) {
    const Request* request = waits(id);
    if (!request || !run.planned.contains(id)) continue;
    const Span planned = std::max(Span{0}, run.planned.at(id) - run.began);
    TellExpectedOf(forecasts, run, *request, SamplesBehind(run, run.sites[site], planned));
  }
}

// Publishes each stage that the run has completed.
void TellStages(ForecastLayer& f, Forecasts& forecasts, const Turn& t) {
  ForecastRun& run = *forecasts.run;
  for (; forecasts.told_of < run.stage; forecasts.told_of = After(forecasts.told_of)) {
    switch (forecasts.told_of) {
      case ForecastStage::kLayingOut:
        TellBounds(f, forecasts, t, run);
        break;
      case ForecastStage::kFutures:
        TellExpected(f, forecasts, run);
        break;
      case ForecastStage::kDone:
        break;
    }
  }
  if (run.stage != ForecastStage::kDone) return;
  for (auto& [id, told] : forecasts.known.told) {
    if (!run.planned.contains(id)) told.expected.reset();
  }
  forecasts.last = std::move(run);
  forecasts.run.reset();
}

// What is told of a promised request that no complete run has looked at yet: as much earlier than
// its promise as the last one that was followed at its site. None without such a run.
std::optional<schemas::Expected> FirstGuess(const ForecastLayer& f, const Forecasts& forecasts,
                                            const Turn& t, const Request& request,
                                            Instant promise) {
  const schemas::RequestSpec& spec = request.record().spec;
  const bool moves = spec.parts.size() == 1 && !spec.at && !spec.reserves && !spec.inside;
  if (!forecasts.last || !moves || !request.record().attempt) return std::nullopt;
  const auto attempt = f.attempts.find(*request.record().attempt);
  if (attempt == f.attempts.end()) return std::nullopt;
  const std::string& site = attempt->second.record().members.front();
  const std::vector<SitePlan>& plans = forecasts.last->sites;
  const auto plan = std::find_if(plans.begin(), plans.end(),
                                 [&](const SitePlan& one) { return one.site == site; });
  if (plan == plans.end()) return std::nullopt;
  const Instant now = t.NowCeiling();
  const Span bound = std::max(Span{0}, promise - now);
  std::vector<Span> samples = SamplesBehind(*forecasts.last, *plan, bound);
  std::sort(samples.begin(), samples.end());
  const forecast::Forecast forecast = forecasts.known.calibration.Of(samples, bound);
  return schemas::Expected{now + forecast.median, now + forecast.low, now + forecast.high,
                           forecasts.known.calibration.confidence()};
}

void AddForecast(const ForecastLayer& f, const Forecasts& forecasts, const Turn& t,
                 const Request& request, const Told& told, schemas::Figures& figures) {
  if (HasStarted(request)) return;
  if (!figures.starts_by && told.bound && request.Wanted()) {
    const bool verified = PlansStand(f, forecasts, told) && told.bound == told.verified->bound;
    figures.starts_by = schemas::StartsBy{*told.bound, false, verified};
    figures.basis = BasisOf(f, told.sites, t.plan);
  }
  if (!figures.starts_by) return;
  const std::optional<schemas::Expected> found =
      told.expected || !figures.starts_by->firm
          ? told.expected
          : FirstGuess(f, forecasts, t, request, figures.starts_by->at);
  if (!found) return;
  // An expected start is never later than a promise. A bound does not limit it, since others may
  // arrive.
  schemas::Expected expected = *found;
  for (Instant* figure : {&expected.start, &expected.low, &expected.high}) {
    if (figures.starts_by->firm) *figure = std::min(*figure, figures.starts_by->at);
  }
  figures.expected = expected;
}

// True if the answer shows a waiting job to a client that just asked. Followers get all answers in
// order, so theirs are never held.
bool WantsForecast(const ForecastLayer& f, const Audience& audience, const ClientAnswer& answer) {
  const auto* rows = std::get_if<schemas::Rows>(&answer.message.body);
  if (!rows || rows->jobs.empty()) return false;
  if (audience.is_follower(answer)) return false;
  return std::any_of(rows->jobs.begin(), rows->jobs.end(), [&f](const schemas::JobView& job) {
    const Request* request = f.requests.Find(RequestIdOf(job.id).value_or(RequestId{}));
    return request && !request->Ended() && !HasStarted(*request);
  });
}

bool IsOld(const ForecastLayer& f, const Forecasts& forecasts, const Turn& t) {
  return t.boot() - forecasts.last_run >= kForecastEvery && !f.requests.open().empty();
}

// The question that the answer's offers belong to; none if it has no offers.
std::optional<Quote> TakeQuote(Turn& t, const ClientAnswer& answer) {
  const auto at = std::find_if(t.offered.begin(), t.offered.end(), [&](const Offered& offered) {
    return offered.user == answer.user && offered.link == answer.link &&
           offered.number == answer.message.answers;
  });
  if (at == t.offered.end()) return std::nullopt;
  Quote out{.spec = std::move(at->spec), .user = at->user, .next = 0, .quoting = {}};
  t.offered.erase(at);
  return out;
}

// Holds back those answers of this turn that need figures, until a run has figures that reflect all
// changes up to now.
void Hold(const ForecastLayer& f, Forecasts& forecasts, Turn& t, const Audience& audience) {
  const bool due = forecasts.due || (!forecasts.run && IsOld(f, forecasts, t));
  std::vector<ClientAnswer> now;
  for (ClientAnswer& answer : t.out.to_clients) {
    std::optional<Quote> quote = TakeQuote(t, answer);
    if (!quote && (!WantsForecast(f, audience, answer) || (!due && !forecasts.run))) {
      now.push_back(std::move(answer));
      continue;
    }
    const bool first = quote && forecasts.runs == 0;
    forecasts.held.push_back({.answer = std::move(answer),
                              .run = forecasts.runs + (due || first ? 1 : 0),
                              .until = t.boot() + kAnswerWait,
                              .quote = std::move(quote)});
    forecasts.due = forecasts.due || first;
  }
  t.out.to_clients = std::move(now);
}

// Number of the last complete run. On an ideal link the sites must have verified it too.
uint64_t RunsKnown(const ForecastLayer& f, const Forecasts& forecasts) {
  const bool open = forecasts.run && !Knows(*forecasts.run, ForecastStage::kFutures);
  const bool verifying = IsIdeal(f) && f.verified_run.has_value();
  return forecasts.runs - (open || verifying ? 1 : 0);
}

// Updates the jobs of a held answer to their present state.
void Refresh(const ForecastLayer& f, const Turn& t, schemas::Rows& rows) {
  if (!rows.jobs.empty()) rows.as_of = t.plan;
  for (schemas::JobView& job : rows.jobs) {
    const Request* request = f.requests.Find(RequestIdOf(job.id).value_or(RequestId{}));
    if (request) job = JobViewOf(f, *request, t.plan, !job.events.empty());
  }
}

void Release(const ForecastLayer& f, Forecasts& forecasts, Turn& t) {
  const uint64_t known = RunsKnown(f, forecasts);
  const size_t most = IsIdeal(f) ? std::numeric_limits<size_t>::max() : kSliceWork;
  size_t work = 0;
  std::erase_if(forecasts.held, [&](HeldAnswer& held) {
    const bool late = t.boot() >= held.until;
    if (held.run > known && !late) return false;
    if (held.quote && !late) {
      if (work < most) work += GoOnQuoting(f, forecasts, t, most - work, held);
      if (!QuoteIsDone(held)) return false;
    }
    Refresh(f, t, std::get<schemas::Rows>(held.answer.message.body));
    t.out.to_clients.push_back(std::move(held.answer));
    return true;
  });
  for (const HeldAnswer& held : forecasts.held) t.WakeBy(held.until);
  if (work > 0 && !forecasts.held.empty()) t.WakeBy(t.boot() + kSliceEvery);
}

// True while a block or a gap pass is in progress: its requests are in no queue just now.
bool Unsettled(const ForecastLayer& f) { return f.block.has_value() || f.gaps.running(); }

// Sites that order by points of their own are asked for their order; what they answer counts from
// the next run on.
void AskMoveOrders(ForecastLayer& f, Turn& t) {
  for (auto& [name, site] : f.sites) {
    const bool asks = site.Up() && site.Can(schemas::kOrdersByPoints);
    if (!asks || !site.move_order.IsDue(t.plan)) continue;
    const uint64_t inspection = f.prover.NewOwner();
    site.move_order.Ask(inspection, t.plan);
    Say(f, t, site,
        schemas::Inspect{.inspection = inspection,
                         .kind = schemas::InspectKind::kOrder,
                         .offset = site.move_order.version()});
  }
}

void GoOnWithRun(ForecastLayer& f, Forecasts& forecasts, Turn& t, const Audience& audience) {
  // Without askers or followers no run begins, as in a replay.
  const bool asked = !forecasts.held.empty() || audience.awaits_order;
  if (!forecasts.run && !asked && !audience.follows) return;
  if (forecasts.run && t.boot() < forecasts.next_slice) return t.WakeBy(forecasts.next_slice);
  // Run at once for an asker if the last run fitted into one slice, for followers if it was nearly
  // free. Otherwise batch the changes of kForwardEvery.
  const bool at_once = IsIdeal(f) || forecasts.last_work <= (asked ? kSliceWork : kFollowedWork);
  if (!forecasts.run && forecasts.due && !at_once &&
      t.boot() - forecasts.last_run < kForwardEvery) {
    return t.WakeBy(forecasts.last_run + kForwardEvery);
  }
  if (!forecasts.run) {
    if (Unsettled(f) || (!forecasts.due && !IsOld(f, forecasts, t))) return;
    AskMoveOrders(f, t);
    forecasts.run = BeginRun(f, forecasts.known, t);
    ++forecasts.runs;
    forecasts.told_of = ForecastStage::kLayingOut;
    forecasts.due = false;
    forecasts.last_run = t.boot();
    forecasts.last_work = 0;
  }
  // On an ideal link no time passes, so there are no later turns for further slices.
  const size_t most = IsIdeal(f) ? std::numeric_limits<size_t>::max() : kSliceWork;
  forecasts.last_work += GoOn(f, forecasts.known, t, most, *forecasts.run);
  TellStages(f, forecasts, t);
  GoOnVerifying(f, t);
  if (!forecasts.run) return;
  forecasts.next_slice = t.boot() + kSliceEvery;
  t.WakeBy(forecasts.next_slice);
}

}  // namespace

bool Forecast(ForecastLayer& f, Forecasts& forecasts, Turn& t, const Audience& audience) {
  forecasts.known.calibration.Aim(f.options.confidence);
  Learn(f, forecasts.known, t);
  forecasts.known.outside.Hear(f.sites, t.plan.Floor());
  // Changed scheduler settings, or a vote, change the layout of blocks.
  if (!f.requests.due().empty() || f.attempts.due() || f.scheduler.record.due())
    forecasts.due = true;
  for (auto& [name, site] : f.sites) {
    if (site.move_order.TakeNews()) forecasts.due = true;
  }
  GoOnVerifying(f, t);
  if (VerifyingIsDone(f)) TakeVerifiedBounds(f, forecasts, t);
  Hold(f, forecasts, t, audience);
  GoOnWithRun(f, forecasts, t, audience);
  Release(f, forecasts, t);
  const bool laying_out = forecasts.run && !Knows(*forecasts.run, ForecastStage::kLayingOut);
  return !forecasts.due && !laying_out && !f.verified_run;
}

void TellForecasts(const ForecastLayer& f, const Forecasts& forecasts, Turn& t) {
  for (ClientAnswer& answer : t.out.to_clients) {
    auto* rows = std::get_if<schemas::Rows>(&answer.message.body);
    if (!rows) continue;
    for (schemas::JobView& job : rows->jobs) {
      const auto told = forecasts.known.told.find(RequestIdOf(job.id).value_or(RequestId{}));
      const Request* request =
          told == forecasts.known.told.end() ? nullptr : f.requests.Find(told->first);
      if (!request) continue;
      AddForecast(f, forecasts, t, *request, told->second, job.figures);
      // Only an answer about a single job shows the history.
      if (rows->jobs.size() == 1) AddBounds(told->second.bounds, job.history);
    }
  }
}

}  // namespace muster::meta
