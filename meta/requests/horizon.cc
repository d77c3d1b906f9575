// The horizon limits the allowed starts before any site is asked, so no answer lies beyond it.
#include "meta/requests/horizon.h"

#include <algorithm>

#include "base/units.h"
#include "meta/requests/beyond_balance.h"
#include "meta/requests/credentials.h"
#include "meta/requests/fairshare.h"
#include "meta/requests/members.h"
#include "meta/requests/reservations.h"
#include "meta/requests/site_speeds.h"
#include "meta/requests/spanning_limits.h"
#include "meta/requests/start_conditions.h"
#include "partitioner/split.h"
#include "verifier/start_notice.h"

namespace muster::meta {
namespace {

using Sites = std::vector<std::string>;

constexpr Span kLentAtOnce{2};  // how far ahead a site is asked for lent room, beside its turnover

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

// Why the ceilings of shares let it not start yet. What runs inside of a reservation is the
// reservation's use.
std::optional<schemas::Reason> Barred(const RequestsLayer& f, const Turn& t,
                                      const schemas::RequestSpec& spec, const std::string& user) {
  if (spec.inside || f.ceilings.none()) return std::nullopt;
  return WhyNotAdmitted(f, CredentialsOf(f, spec, user, t.plan));
}
IntervalSet Admitted(const RequestsLayer& f, const Turn& t, const schemas::RequestSpec& spec,
                     const std::string& user, const IntervalSet& starts) {
  const std::optional<schemas::Reason> barred = Barred(f, t, spec, user);
  return barred ? starts.NotBefore(*barred->until) : starts;
}

// What counts under limits over all sites of a run that starts now: with the tail of several sites.
Span CountedLength(const RequestsLayer& f, const schemas::RequestSpec& spec, bool several,
                   const Sites& sites) {
  const Span length = sites.empty() ? ShortestLength(f, spec) : LengthAt(f, spec, sites);
  return several ? length + Span{(f.options.values.start_wait.milliseconds + 999) / 1000} : length;
}

// What a question may be promised: by its window, its user, ceilings, limits over all sites and
// what the sites gave.
IntervalSet MayBeTold(const RequestsLayer& f, const Turn& t, const schemas::RequestSpec& spec,
                      const std::string& user, bool several, const Sites& sites = {}) {
  const bool kept = std::any_of(sites.begin(), sites.end(), [&](const std::string& site) {
    return KeepsRoomFrom(f, spec, user, site);
  });
  if (kept) return {};
  return StartsUnderLimits(f, spec, user, {}, CountedLength(f, spec, several, sites), t.plan,
                           Admitted(f, t, spec, user, Allowed(f, t, spec, user, several, sites)));
}

// Whether the request has a promise, or lost one and wants it back.
bool WasPromised(const Request& request) {
  return request.record().attempt || verifier::PromiseLost(request.record().history);
}

// Whether an alteration makes other work of it: what was promised is no measure for that.
bool IsOtherWork(const Request& request) {
  if (!request.before()) return false;
  const schemas::RequestSpec& before = *request.before();
  const schemas::RequestSpec& spec = request.record().spec;
  return before.account != spec.account || before.parts != spec.parts ||
         before.duration < spec.duration;
}

// The start of its place, if it is as early as all that it was told. None if it has no place, or a
// later one than it was once promised.
std::optional<Instant> KeptStart(const RequestsLayer& f, const Request& request) {
  if (!request.record().attempt) return std::nullopt;
  const auto it = f.attempts.find(*request.record().attempt);
  if (it == f.attempts.end()) return std::nullopt;
  const Instant start = it->second.record().start;
  for (const schemas::FigureChange& change : request.record().history) {
    const auto& told = change.figures.starts_by;
    if (told && told->firm && told->at < start) return std::nullopt;
  }
  return start;
}

// The start that was promised of a place that is lost, or cannot stay; none: it has its place, or
// never had one, or is other work now.
std::optional<Instant> LostStart(const RequestsLayer& f, const Request& request) {
  if (request.before() && !request.TriesElsewhere()) return std::nullopt;
  if (!request.record().attempt) return verifier::PromiseLost(request.record().history);
  const auto it = f.attempts.find(*request.record().attempt);
  if (it == f.attempts.end() || !it->second.endangered) return std::nullopt;
  return it->second.record().start;
}

std::optional<schemas::Reason> Barred(const RequestsLayer& f, const Turn& t,
                                      const Request& request) {
  return Barred(f, t, request.record().spec, request.record().requester.user);
}

IntervalSet Limited(const RequestsLayer& f, const Turn& t, const Request& request, bool several,
                    const Sites& sites, const IntervalSet& starts) {
  if (!IsLimited(f, request, t.plan)) return starts;
  const schemas::RequestSpec& spec = request.record().spec;
  const IntervalSet left =
      StartsUnderLimits(f, spec, request.record().requester.user, request.id(),
                        CountedLength(f, spec, several, sites), t.plan, starts);
  // A promise goes before limits: what lost its place may have another from its old start on.
  const std::optional<Instant> lost = LostStart(f, request);
  if (!lost) return left;
  std::vector<Interval> all = left.intervals();
  const IntervalSet again = starts.NotBefore(*lost);
  all.insert(all.end(), again.intervals().begin(), again.intervals().end());
  return IntervalSet(std::move(all));
}

IntervalSet Allowed(const RequestsLayer& f, const Turn& t, const Request& request, bool several,
                    const Sites& sites = {}) {
  const schemas::RequestSpec& spec = request.record().spec;
  const std::string& user = request.record().requester.user;
  const bool kept = std::any_of(sites.begin(), sites.end(), [&](const std::string& site) {
    return KeepsRoomFrom(f, request, site);
  });
  if (kept) return {};
  IntervalSet allowed = Allowed(f, t, spec, user, several, sites).NotBefore(request.nearest);
  if (const std::optional<Instant> from = AdmittedFrom(f, t, request))
    allowed = allowed.NotBefore(*from);
  if (!request.record().spec.after.empty() || request.id().is_element()) {
    const std::optional<Instant> opens = GateOpensAt(f, request, t.plan);
    if (!opens) return {};
    allowed = allowed.NotBefore(*opens);
  }
  return Limited(f, t, request, several, sites, allowed);
}

// How far ahead a request without a promise is planned: as far as the federation plans, or, if its
// QoS is promised at its start alone, as far as a start counts as now. None: as far as sites do.
std::optional<Span> AheadOf(const RequestsLayer& f, const schemas::RequestSpec& spec) {
  if (!PromisedAtStart(f, spec)) return f.options.horizon;
  Span turnover;
  for (const std::string& name : f.site_names) {
    const Site& site = f.sites.at(name);
    if (site.capacity) turnover = std::max(turnover, site.capacity->turnover);
  }
  // Lent room is there now or not at all: whoever has it gives it back to others, not to these.
  if (AsksForLentRoom(f, spec)) return turnover + kLentAtOnce;
  return Span{(f.options.values.lead.milliseconds + 999) / 1000} + turnover + room::kStartsNow;
}

// A promise counts for more than a policy: once there was one, the whole horizon is open.
std::optional<Span> AheadOf(const RequestsLayer& f, const Turn& t, const Request& request) {
  if (WasPromised(request)) return f.options.horizon;
  const std::optional<Span> ahead = AheadOf(f, request.record().spec);
  // With blocks, what is dated is planned as its block would be: near its date. A place behind it
  // would hold up all blocks until then.
  const bool in_block = f.options.threshold && !AsksForPromise(f, request.record().spec);
  if (!in_block || !Barred(f, t, request)) return ahead;
  return std::min(ahead.value_or(*f.options.threshold), *f.options.threshold);
}

// The horizon counts from now, rounded down to a whole second, as at the sites.
IntervalSet Cut(const Turn& t, IntervalSet allowed, std::optional<Span> ahead) {
  if (!ahead || allowed.empty()) return allowed;
  const Instant end = t.plan.Floor() + *ahead + Span{1};
  if (allowed.intervals().back().end <= end) return allowed;
  const Instant first = allowed.intervals().front().begin;
  if (first >= end) return {};
  return allowed.Intersect(IntervalSet({{first, end}}));
}

std::optional<schemas::Reason> Beyond(const RequestsLayer& f, const Turn& t,
                                      const schemas::RequestSpec& spec,
                                      const std::optional<Span>& ahead,
                                      const std::optional<schemas::Reason>& barred,
                                      const IntervalSet& allowed) {
  if (!ahead || allowed.empty()) return std::nullopt;
  const Instant first = allowed.intervals().front().begin;
  const Instant last = t.plan.Floor() + *ahead;
  if (first <= last) return std::nullopt;
  if (barred && first == *barred->until) return barred;
  const std::string text =
      PromisedAtStart(f, spec)
          ? "QoS " + spec.qos + " is promised nothing before it can start"
          : "starts are planned at most " + DurationText(*ahead) + " ahead by the federation";
  return schemas::Reason{.code = schemas::ReasonCode::kHorizon,
                         .until = t.plan.Floor() + (first - last),
                         .text = text};
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

bool AsksForPromise(const RequestsLayer& f, const schemas::RequestSpec& spec) {
  return spec.firm || spec.at || spec.reserves || spec.inside || LastStart(f, spec) < kFarFuture;
}

IntervalSet StartsFrom(const RequestsLayer& f, const Turn& t, const schemas::RequestSpec& spec,
                       const std::string& user, bool several) {
  return Cut(t, MayBeTold(f, t, spec, user, several), AheadOf(f, spec));
}

IntervalSet StartsFrom(const RequestsLayer& f, const Turn& t, const Request& request,
                       bool several) {
  return Cut(t, Allowed(f, t, request, several), AheadOf(f, t, request));
}

IntervalSet StartsAt(const RequestsLayer& f, const Turn& t, const schemas::RequestSpec& spec,
                     const std::string& user, bool several, const std::vector<std::string>& sites) {
  return Cut(t, MayBeTold(f, t, spec, user, several, sites), AheadOf(f, spec));
}

// What its user alters is other work, of which nothing was promised.
bool TellsLess(const RequestsLayer& f, const Request& request, const std::string& site) {
  const Site& at = f.sites.at(site);
  if (!at.capacity || at.capacity->firm) return false;
  const bool altered = request.before() && !request.TriesElsewhere();
  if (!request.record().attempt || altered || request.record().history.empty()) {
    return false;
  }
  const auto& told = request.record().history.back().figures.starts_by;
  return told && told->firm;
}

IntervalSet StartsAt(const RequestsLayer& f, const Turn& t, const Request& request, bool several,
                     const std::vector<std::string>& sites) {
  for (const std::string& site : sites) {
    if (TellsLess(f, request, site)) return {};
  }
  return Cut(t, Allowed(f, t, request, several, sites), AheadOf(f, t, request));
}

IntervalSet LeftByLimits(const RequestsLayer& f, const Turn& t, const Request& request,
                         bool several, const Sites& sites, const IntervalSet& starts) {
  return Limited(f, t, request, several, sites, starts);
}

IntervalSet StartsSoon(const RequestsLayer& f, const Turn& t, const Request& request,
                       const std::string& site, Span more) {
  if (TellsLess(f, request, site)) return {};
  std::optional<Span> ahead = AheadOf(f, t, request);
  if (ahead && PromisedAtStart(f, request.record().spec) && !WasPromised(request)) {
    ahead = *ahead + more;
  }
  return Cut(t, Allowed(f, t, request, false, {site}), ahead);
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
  return Beyond(f, t, spec, AheadOf(f, spec), Barred(f, t, spec, user),
                MayBeTold(f, t, spec, user, false));
}

std::optional<schemas::Reason> WhyNotAdmitted(const RequestsLayer& f, const Turn& t,
                                              const Request& request) {
  return WasPromised(request) ? std::nullopt : Barred(f, t, request);
}

std::optional<Instant> AdmittedFrom(const RequestsLayer& f, const Turn& t, const Request& request) {
  const std::optional<schemas::Reason> barred = Barred(f, t, request);
  if (!barred) return std::nullopt;
  if (!WasPromised(request) || IsOtherWork(request)) return barred->until;
  const std::optional<Instant> kept = KeptStart(f, request);
  if (!kept) return std::nullopt;
  return std::min(*barred->until, *kept);
}

std::optional<schemas::Reason> BeyondHorizon(const RequestsLayer& f, const Turn& t,
                                             const Request& request) {
  return Beyond(f, t, request.record().spec, AheadOf(f, t, request), WhyNotAdmitted(f, t, request),
                Allowed(f, t, request, false));
}

schemas::Refused NoStarts(const RequestsLayer& f, const Turn& t, const schemas::RequestSpec& spec,
                          const std::string& user) {
  const std::optional<schemas::Reason> beyond = BeyondHorizon(f, t, spec, user);
  if (!beyond) {
    auto outside = WhyNotCounted(f, user);
    if (!outside) outside = Barred(f, t, spec, user);
    if (!outside) outside = WhyNoStart(f, spec, user, {}, t.plan);
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
