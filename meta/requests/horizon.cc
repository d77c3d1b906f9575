// The horizon limits the allowed starts before any site is asked, so no answer lies beyond it.
#include "meta/requests/horizon.h"

#include <algorithm>

#include "base/units.h"
#include "meta/requests/members.h"
#include "meta/requests/reservations.h"
#include "meta/requests/site_speeds.h"
#include "meta/requests/start_conditions.h"
#include "partitioner/split.h"
#include "verifier/start_notice.h"

namespace muster::meta {
namespace {

using Sites = std::vector<std::string>;

// Before a start is shown, it is asked about, it is held, and the old place is given back. Each
// step takes at most one answer_wait.
constexpr int64_t kWaitsUntilTold = 3;

IntervalSet Allowed(const RequestsLayer& f, const Turn& t, const schemas::RequestSpec& spec,
                    const std::string& user, bool several, const Sites& sites = {}) {
  const Moment from{t.plan.milliseconds + (several ? f.options.values.lead.milliseconds : 0)};
  const Span length = sites.empty() ? ShortestLength(f, spec) : LengthAt(f, spec, sites);
  const IntervalSet allowed = partitioner::AllowedStarts(spec, length).NotBefore(from.Ceiling());
  return StartsOfUser(f, user, WithinReservation(f, spec, length, allowed), t.plan);
}

IntervalSet Allowed(const RequestsLayer& f, const Turn& t, const Request& request, bool several,
                    const Sites& sites = {}) {
  const IntervalSet allowed =
      Allowed(f, t, request.record().spec, request.record().requester.user, several, sites)
          .NotBefore(request.nearest);
  if (request.record().spec.after.empty() && !request.id().is_element()) return allowed;
  const std::optional<Instant> opens = GateOpensAt(f, request, t.plan);
  return opens ? allowed.NotBefore(*opens) : IntervalSet();
}

// The horizon counts from now, rounded down to a whole second, as at the sites.
Instant HorizonEnd(const RequestsLayer& f, const Turn& t) {
  return t.plan.Floor() + *f.options.horizon;
}

IntervalSet Cut(const RequestsLayer& f, const Turn& t, IntervalSet allowed) {
  if (!f.options.horizon || allowed.empty()) return allowed;
  const Instant end = HorizonEnd(f, t) + Span{1};
  if (allowed.intervals().back().end <= end) return allowed;
  const Instant first = allowed.intervals().front().begin;
  if (first >= end) return {};
  return allowed.Intersect(IntervalSet({{first, end}}));
}

std::optional<schemas::Reason> Beyond(const RequestsLayer& f, const Turn& t,
                                      const IntervalSet& allowed) {
  if (!f.options.horizon || allowed.empty()) return std::nullopt;
  const Instant first = allowed.intervals().front().begin;
  const Instant last = HorizonEnd(f, t);
  if (first <= last) return std::nullopt;
  return schemas::Reason{.code = schemas::ReasonCode::kHorizon,
                         .until = t.plan.Floor() + (first - last),
                         .text = "starts are planned at most " + DurationText(*f.options.horizon) +
                                 " ahead by the federation"};
}

// The last start that the window of the request, and its reservation if it is inside one, allow.
Instant LastAllowed(const RequestsLayer& f, const schemas::RequestSpec& spec) {
  const Instant last = LastStart(f, spec);
  if (!spec.inside) return last;
  const Span length = ShortestLength(f, spec);
  const IntervalSet inside =
      WithinReservation(f, spec, length, partitioner::AllowedStarts(spec, length));
  return inside.empty() ? last : std::min(last, inside.intervals().back().end - Span{1});
}

// The nearest start allowed by the start notice if the user sees it at `at`.
Instant NearestIfTold(const RequestsLayer& f, const Request& request, Moment at) {
  const schemas::RequestSpec& spec = request.record().spec;
  if (verifier::StartNoticeOf(spec) == Span{0}) return Instant{0};
  if (request.before() && !request.TriesElsewhere()) return Instant{0};
  std::optional<Instant> told = verifier::PromiseLost(request.record().history);
  if (request.record().attempt) {
    const auto it = f.attempts.find(*request.record().attempt);
    if (it != f.attempts.end()) told = it->second.record().start;
  }
  if (!told) return Instant{0};
  // Notice is due only for starts before the promised one. It must not rule out the last allowed
  // start, which may come before the promised one if the reservation has moved.
  return std::min({*told, verifier::EarliestMove(spec, at), LastAllowed(f, spec)});
}

}  // namespace

IntervalSet StartsFrom(const RequestsLayer& f, const Turn& t, const schemas::RequestSpec& spec,
                       const std::string& user, bool several) {
  return Cut(f, t, Allowed(f, t, spec, user, several));
}

IntervalSet StartsFrom(const RequestsLayer& f, const Turn& t, const Request& request,
                       bool several) {
  return Cut(f, t, Allowed(f, t, request, several));
}

IntervalSet StartsAt(const RequestsLayer& f, const Turn& t, const schemas::RequestSpec& spec,
                     const std::string& user, bool several, const std::vector<std::string>& sites) {
  return Cut(f, t, Allowed(f, t, spec, user, several, sites));
}

IntervalSet StartsAt(const RequestsLayer& f, const Turn& t, const Request& request, bool several,
                     const std::vector<std::string>& sites) {
  return Cut(f, t, Allowed(f, t, request, several, sites));
}

Instant NearestStart(const RequestsLayer& f, const Turn& t, const Request& request) {
  const int64_t until_told = kWaitsUntilTold * f.options.values.answer_wait.milliseconds;
  return NearestIfTold(f, request, {t.plan.milliseconds + until_told});
}

Instant NearestFound(const RequestsLayer& f, const Turn& t, const Request& request) {
  if (request.nearest >= NearestIfTold(f, request, t.plan)) return request.nearest;
  return NearestStart(f, t, request);
}

std::optional<schemas::Reason> BeyondHorizon(const RequestsLayer& f, const Turn& t,
                                             const schemas::RequestSpec& spec,
                                             const std::string& user) {
  return Beyond(f, t, Allowed(f, t, spec, user, false));
}

std::optional<schemas::Reason> BeyondHorizon(const RequestsLayer& f, const Turn& t,
                                             const Request& request) {
  return Beyond(f, t, Allowed(f, t, request, false));
}

schemas::Refused NoStarts(const RequestsLayer& f, const Turn& t, const schemas::RequestSpec& spec,
                          const std::string& user) {
  const std::optional<schemas::Reason> beyond = BeyondHorizon(f, t, spec, user);
  if (!beyond) {
    const auto outside = WhyNotCounted(f, user);
    if (!outside) return {.code = "usage", .message = "its window has passed"};
    return {.code = "never",
            .message = "nothing of " + user + " may start in its window",
            .detail = outside->text};
  }
  return {.code = "never",
          .message = "no start of it can be planned yet",
          .detail = beyond->text,
          .help = "submit it all the same: it waits, and is planned when its time comes near"};
}

}  // namespace muster::meta
