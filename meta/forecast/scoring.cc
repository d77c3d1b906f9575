// The record of a request has its figures with their causes. The mirrors of its sites have the
// starts of its parts. Together they tell how a promise came out.
#include "meta/forecast/scoring.h"

#include <optional>
#include <utility>

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
                   Span waited) {
  f.outcomes.CountInterval(CountsFor(f, t, request), held, width, waited);
}

void CountStart(ForecastLayer& f, const Turn& t, const Request& request, Span from_expected) {
  f.outcomes.CountStart(CountsFor(f, t, request), from_expected);
}

}  // namespace muster::meta
