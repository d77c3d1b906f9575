// The record of a request has its figures with their causes. The mirrors of its sites have the
// starts of its parts. Together they tell how a promise came out.
#include "meta/forecast/scoring.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "meta/forecast/known.h"
#include "meta/forecast/layer.h"
#include "meta/forecast/run_facts.h"
#include "meta/requests/request_outcome.h"
#include "meta/turn/turn.h"

namespace muster::meta {
namespace {

using schemas::CauseCode;

// Today's counters, in total and for each site of the request's present or last place.
Outcomes::Of CountsFor(const ForecastLayer& f, const Turn& t, const Request& request) {
  Outcomes::Of out{t.plan.Floor(), {}};
  if (!request.record().attempt) return out;
  const auto attempt = f.attempts.find(*request.record().attempt);
  if (attempt != f.attempts.end()) out.sites = attempt->second.record().members;
  return out;
}

// The promise to judge, and the cause of the last figure after it that got later.
struct Promised {
  Instant by;
  CauseCode later = CauseCode::kNone;
};
std::optional<Promised> PromiseOf(const Request& request) {
  std::optional<Promised> out;
  Instant last;
  for (const schemas::FigureChange& change : request.record().history) {
    const bool firm = change.figures.starts_by && change.figures.starts_by->firm;
    const CauseCode cause = change.cause ? change.cause->code : CauseCode::kNone;
    // A withdrawn promise counts as later than any other figure.
    const Instant at = firm ? change.figures.starts_by->at : kFarFuture;
    if (firm && (!out || cause == CauseCode::kUser)) {
      out = Promised{at};
    } else if (out && at > last && cause != CauseCode::kNone) {
      out->later = cause;
    }
    last = at;
  }
  return out;
}

void CountPromise(ForecastLayer& f, const Turn& t, const Request& request) {
  const schemas::RequestSpec& spec = request.record().spec;
  if (spec.array || spec.reserves) return;
  const std::optional<Promised> promised = PromiseOf(request);
  if (!promised) return;
  const std::optional<Moment> start = StartOf(f, request);
  const bool refused = request.record().outcome == schemas::Outcome::kRefused;
  const bool taken_back = request.Cancelling() || request.record().parked ||
                          request.record().outcome == schemas::Outcome::kCancelled ||
                          (refused && CannotFollow(request));
  if (!start && taken_back) return;
  std::optional<CauseCode> broken_by;
  if (!start || start->Floor() > promised->by) {
    broken_by = promised->later == CauseCode::kNone ? CauseCode::kLate : promised->later;
  }
  f.outcomes.CountPromise(CountsFor(f, t, request), broken_by);
}

}  // namespace

void CountEnded(ForecastLayer& f, Turn& t) {
  for (const RequestId id : std::exchange(t.ended, {})) {
    if (const Request* request = f.requests.Find(id)) CountPromise(f, t, *request);
  }
}

void CountInterval(ForecastLayer& f, const Turn& t, const Request& request, bool held, Span width,
                   Instant told_at, Span waited) {
  f.outcomes.CountInterval(CountsFor(f, t, request), held, width, waited,
                           forecast::VoiceOf(request.record().requester.user, told_at));
}

void CountStart(ForecastLayer& f, const Turn& t, const Request& request, const Told& told) {
  const Instant started = *told.started;
  Outcomes::Start start{
      .expected = told.first->median, .waited = std::max(Span{0}, started - told.at), .ahead = {}};
  for (const uint32_t before : schemas::kAheadSeconds) {
    const auto stood = told.course.StoodAt(started - Span{before});
    if (!stood) continue;
    const bool held = stood->low <= started && started <= stood->high;
    start.ahead.push_back({before, held, started - stood->start});
  }
  f.outcomes.CountStart(CountsFor(f, t, request), start);
}

void CountRun(ForecastLayer& f, const Turn& t, const Request& request,
              const forecast::RunModel& run_model, Span ran) {
  const std::optional<forecast::RunTime> said = run_model.AsSubmitted(request.id().value);
  if (!said) return;
  const forecast::Shape shape = KindOf(request);
  const auto processors = static_cast<double>(shape.processors);
  ran = forecast::OutcomeOf(ran, shape.asked);
  f.outcomes.CountRun(CountsFor(f, t, request),
                      {.bits = said->BitsOf(ran),
                       .expected_work = processors * said->Mean(),
                       .done_work = processors * static_cast<double>(ran.seconds)});
}

}  // namespace muster::meta
