// The asked job's own run time does not affect its start, but it is drawn like that of every job of
// the plan.
#include "meta/forecast/quoting.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "meta/forecast/layer.h"
#include "meta/forecast/run_facts.h"
#include "meta/forecast/site_plan.h"
#include "meta/requests/figures.h"
#include "meta/requests/homes.h"
#include "meta/requests/site_speeds.h"
#include "meta/turn/turn.h"
#include "partitioner/split.h"
#include "schemas/canonical.h"

namespace muster::meta {
namespace {

using forecast::Backfilling;
using schemas::OfferView;

// The latest run with complete plans.
const ForecastRun* PlansOf(const Forecasts& forecasts) {
  if (forecasts.run && Knows(*forecasts.run, ForecastStage::kLayingOut)) return &*forecasts.run;
  return forecasts.last ? &*forecasts.last : nullptr;
}

std::vector<OfferView>& OffersOf(HeldAnswer& held) {
  return std::get<schemas::Rows>(held.answer.message.body).offers;
}

// The start of the request in an offer.
Instant StartOf(const ForecastLayer& f, const Quote& quote, const OfferView& offer) {
  return offer.figures.starts_by->at - LateOf(f, partitioner::MembersOf(offer.sites)) -
         partitioner::FirstOffset(quote.spec);
}

// True if the job never moves up.
bool IsFixed(const schemas::RequestSpec& spec) {
  return spec.parts.size() > 1 || spec.at || spec.reserves || !spec.after.empty();
}

// The first waiting job that the asked job of `user` moves up before: one of lower priority, one
// of another home if the user is at home, or one without a promise. None if there is none.
std::optional<Backfilling::Job> Behind(const ForecastLayer& f, const SitePlan& plan, size_t jobs,
                                       int32_t priority, const std::string& user) {
  const bool at_home = GoesFirstAt(f, user, plan.site);
  for (size_t job = plan.running; job < jobs; ++job) {
    const Request* request = f.requests.Find(plan.follows[job].request);
    if (!request || !request->record().attempt) return static_cast<Backfilling::Job>(job);
    const bool other = at_home && !GoesFirstAt(f, request->record().requester.user, plan.site);
    if (request->priority - (other ? 1 : 0) < priority) return static_cast<Backfilling::Job>(job);
  }
  return std::nullopt;
}

// True if a job that starts here at `begin` starts behind all that the plan follows.
bool IsBehind(const SitePlan& plan, Instant begin) {
  if (!plan.full) return false;
  for (size_t job = plan.running; job < plan.runners.size(); ++job) {
    if (begin <= plan.plan.StartOf(static_cast<Backfilling::Job>(job))) return false;
  }
  return true;
}

Quoting Begin(const ForecastLayer& f, const Known& known, const ForecastRun& run,
              const SitePlan& plan, const Quote& quote, Instant start) {
  const schemas::RequestSpec& spec = quote.spec;
  const Site& site = f.sites.at(plan.site);
  const Span turnover = site.capacity ? site.capacity->turnover : Span{0};
  const Instant begin = std::max(start + spec.parts[0].offset - turnover, run.began);
  const Span length = turnover + LengthAt(f, spec, plan.site);
  Quoting out{.plan = plan, .began = run.began, .lead = turnover};
  const int32_t priority = f.requests.PriorityOf(spec.queue);
  const size_t jobs = out.plan.runners.size();
  const auto before = Behind(f, out.plan, jobs, priority, quote.user);
  const forecast::Shape shape = KindOf(spec, quote.user);
  const forecast::Runner runner{std::numeric_limits<uint64_t>::max(), forecast::KinOf(shape),
                                known.run_model.Of(shape, run.began), Span{0},
                                SpeedAt(f, plan.site)};
  out.job = out.plan.Add(AmountsAt(site, partitioner::AmountsOf(spec.parts[0])),
                         {begin, begin + length}, false, runner, {RequestId{}, turnover});
  if (before) out.plan.plan.Precede(out.job, *before);
  // If other jobs here wait for their blocks, this one would wait, too, and yield to arrivals.
  if (f.options.threshold && out.plan.least) out.plan.plan.Yields(out.job, priority);
  return out;
}

size_t GoOn(const ForecastLayer& f, const Known& known, Quoting& q) {
  if (!q.walk) {
    const auto sample = static_cast<uint32_t>(q.samples.size());
    q.walk.emplace(forecast::FutureOf(q.plan.plan, q.plan.runners, f.options.seed, sample),
                   known.arrivals, f.options.seed, sample);
    return 1 + q.plan.runners.size();
  }
  if (!q.walk->Done() && !q.walk->future().Started(q.job)) {
    return q.walk->Next(known.arrivals, BookAt(f, q.plan));
  }
  q.samples.push_back(q.walk->future().StartOf(q.job) + q.lead - q.began);
  q.walk.reset();
  return 1;
}

void Tell(Forecasts& forecasts, const Turn& t, const Quote& quote, Instant began,
          std::vector<Span> samples, Instant start, OfferView& offer) {
  std::sort(samples.begin(), samples.end());
  const Span longest = std::max(Span{0}, start - began);
  const forecast::Forecast forecast = forecasts.known.calibration.Of(samples, longest);
  offer.figures.expected =
      schemas::Expected{began + forecast.median, began + forecast.low, began + forecast.high,
                        forecasts.known.calibration.confidence()};
  forecasts.quoted.push_back({t.boot(), schemas::DigestOf(quote.spec), quote.user, offer.sites,
                              offer.figures.starts_by->at, *offer.figures.expected});
}

bool SaidBefore(const Forecasts& forecasts, const Quote& quote, OfferView& offer) {
  const Digest digest = schemas::DigestOf(quote.spec);
  for (const Quoted& said : forecasts.quoted) {
    if (said.spec != digest || said.user != quote.user || said.sites != offer.sites ||
        said.start != offer.figures.starts_by->at) {
      continue;
    }
    offer.figures.expected = said.expected;
    return true;
  }
  return false;
}

// Does one step for an offer. Returns the jobs looked at, or 0 if the offer is done.
size_t Step(const ForecastLayer& f, Forecasts& forecasts, const Turn& t, const ForecastRun& run,
            Quote& quote, OfferView& offer) {
  // The plans of a run leave out requests inside of reservations.
  if (!offer.figures.starts_by || quote.spec.inside) return 0;
  const Instant first = StartOf(f, quote, offer) + partitioner::FirstOffset(quote.spec);
  if (!quote.quoting) {
    if (SaidBefore(forecasts, quote, offer)) return 0;
    if (IsFixed(quote.spec)) {
      Tell(forecasts, t, quote, run.began, {std::max(Span{0}, first - run.began)}, first, offer);
      return 0;
    }
    const auto plan = std::find_if(run.sites.begin(), run.sites.end(), [&](const SitePlan& one) {
      return one.site == offer.sites.front();
    });
    if (plan == run.sites.end()) return 0;
    if (IsBehind(*plan, first)) {
      const Span planned = std::max(Span{0}, first - run.began);
      Tell(forecasts, t, quote, run.began, SamplesBehind(run, *plan, planned), first, offer);
      return 0;
    }
    quote.quoting = Begin(f, forecasts.known, run, *plan, quote, StartOf(f, quote, offer));
    return 1 + plan->runners.size();
  }
  if (quote.quoting->samples.size() < forecast::kSamples) {
    return GoOn(f, forecasts.known, *quote.quoting);
  }
  Tell(forecasts, t, quote, quote.quoting->began, std::move(quote.quoting->samples), first, offer);
  quote.quoting.reset();
  return 0;
}

}  // namespace

bool QuoteIsDone(const HeldAnswer& held) {
  const auto& rows = std::get<schemas::Rows>(held.answer.message.body);
  return !held.quote || held.quote->next >= rows.offers.size();
}

size_t GoOnQuoting(const ForecastLayer& f, Forecasts& forecasts, const Turn& t, size_t most,
                   HeldAnswer& held) {
  std::erase_if(forecasts.quoted,
                [&t](const Quoted& said) { return t.boot() - said.at >= kQuotesKept; });
  std::vector<OfferView>& offers = OffersOf(held);
  const ForecastRun* run = PlansOf(forecasts);
  if (!run) held.quote->next = offers.size();
  size_t work = 0;
  while (work < most && !QuoteIsDone(held)) {
    const size_t more = Step(f, forecasts, t, *run, *held.quote, offers[held.quote->next]);
    if (more == 0) ++held.quote->next;
    work += more;
  }
  return work;
}

}  // namespace muster::meta
