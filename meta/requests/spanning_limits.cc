// Parts count together from the first begin to the last end: a request never exceeds a limit, and
// one whose parts have other times may wait a little longer than it must.
#include "meta/requests/spanning_limits.h"

#include <algorithm>
#include <utility>

#include "base/phrases.h"
#include "base/validities.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/credentials.h"
#include "meta/requests/occurrences.h"
#include "meta/requests/refusals.h"
#include "meta/requests/site_speeds.h"
#include "partitioner/split.h"
#include "verifier/start_notice.h"

namespace muster::meta {
namespace {

using policy::Binding;
using policy::Limit;
using schemas::Reason;

bool Has(const RequestsLayer& f, Limit::On on) {
  return std::any_of(f.options.limits.begin(), f.options.limits.end(),
                     [on](const Limit& limit) { return limit.on == on; });
}

std::vector<Binding> BindingOn(const RequestsLayer& f, Limit::On on,
                               const schemas::RequestSpec& spec, const std::string& user,
                               Moment now) {
  // What runs inside of a reservation is the reservation's.
  if (spec.inside || !Has(f, on)) return {};
  return policy::BindingOn(f.options.limits, on, CredentialsOf(f, spec, user, now));
}
std::vector<Binding> BindingOn(const RequestsLayer& f, Limit::On on, const Request& request,
                               Moment now) {
  const schemas::RequestRecord& record = request.record();
  return BindingOn(f, on, record.spec, record.requester.user, now);
}

LimitUse::Key KeyOf(const Binding& binding) { return {binding.limit, binding.consumer}; }

int64_t AmountOf(const Limit& limit, const schemas::PartSpec& part) {
  return partitioner::AmountsOf(part).Get(limit.resource);
}
int64_t AmountOf(const Limit& limit, const schemas::RequestSpec& spec) {
  if (limit.resource == policy::kJobsResource) return 1;
  int64_t sum = 0;
  for (const schemas::PartSpec& part : spec.parts) sum += AmountOf(limit, part);
  return sum;
}

// From the first begin of a part to the last end, as offsets from the start.
std::pair<Span, Span> SpanOf(const schemas::RequestSpec& spec, Span length) {
  Span first = spec.parts[0].offset;
  Span last = first;
  for (const schemas::PartSpec& part : spec.parts) {
    first = std::min(first, part.offset);
    last = std::max(last, part.offset);
  }
  return {first, last + length};
}

// When the limit is valid; behind what is known of a recurring one it is taken for valid.
IntervalSet ValidOf(const RequestsLayer& f, const Limit& limit, Moment now) {
  if (limit.valid.kind == Validity::Kind::kAlways) return IntervalSet::From(Instant{0});
  const Instant from = now.Floor() - Span{86'400};
  const Instant until = now.Floor() + kValidityAhead;
  Expansion known = Intervals(limit.valid, f.options.validities.zone, from, until, kValidityTimes);
  if (known.complete_until >= until) return known.intervals;
  std::vector<Interval> all = known.intervals.intervals();
  all.push_back({known.complete_until, kFarFuture});
  return IntervalSet(std::move(all));
}

// When it binds: while it is valid and none that goes before it is.
IntervalSet TimesOf(const RequestsLayer& f, const Binding& binding, Moment now) {
  IntervalSet out = ValidOf(f, f.options.limits[binding.limit], now);
  for (const size_t other : binding.over) {
    std::vector<Interval> left;
    Instant from{INT64_MIN};
    const IntervalSet taken = ValidOf(f, f.options.limits[other], now);
    for (const Interval& one : taken.intervals()) {
      if (from < one.begin) left.push_back({from, one.begin});
      from = one.end;
    }
    if (from < kFarFuture) left.push_back({from, kFarFuture});
    out = out.Intersect(IntervalSet(std::move(left)));
  }
  return out;
}

// Whose limit: "account chem", "each user of @students".
std::string WhoseText(const Limit& limit) {
  return limit.each ? "each user of " + limit.who : limit.who;
}

// "64 of ncpus for account chem over all sites".
std::string LimitText(const Limit& limit) {
  const std::string what = limit.on == Limit::On::kOpen ? Counted(limit.items, "open job")
                           : limit.on == Limit::On::kPromised
                               ? Counted(limit.items, "promised job")
                               : std::to_string(limit.items) + " of " + limit.resource;
  return what + " for " + WhoseText(limit) + " over all sites";
}

IntervalSet Under(const RequestsLayer& f, const Binding& binding, const schemas::RequestSpec& spec,
                  RequestId apart, Span length, Moment now, IntervalSet allowed) {
  const Limit& limit = f.options.limits[binding.limit];
  const auto [first, last] = SpanOf(spec, length);
  // The run begins `first` after the start.
  return policy::StartsUnder(limit.items, TimesOf(f, binding, now),
                             f.limit_use.Of(KeyOf(binding), apart), AmountOf(limit, spec),
                             last - first, allowed.Shifted(first))
      .Shifted(Span{0} - first);
}

}  // namespace

void CountBooking(RequestsLayer& f, const Request& request, const Attempt& attempt,
                  const std::string& site, Instant start) {
  if (f.options.limits.empty()) return;
  const schemas::RequestSpec& spec = SpecOf(request, attempt);
  const std::string& user = request.record().requester.user;
  const Moment now = f.clock.Read();
  std::vector<LimitUse::Counted> counted;
  const bool sought = attempt.state() <= schemas::AttemptState::kHolding;
  const Span more = WaitOf(f, attempt) + (sought ? kLimitedLater : Span{0});
  const Span length = LengthAt(f, spec, site) + more;
  const std::vector<std::string>& sites = attempt.record().part_sites;
  for (const Limit::On on : {Limit::On::kRunning, Limit::On::kPromised}) {
    for (const Binding& binding : BindingOn(f, on, spec, user, now)) {
      const Limit& limit = f.options.limits[binding.limit];
      // A job counts once, as long as it has a place at one of its sites.
      if (limit.resource == policy::kJobsResource) {
        const Span longest = LengthAt(f, spec, attempt.record().members) + more;
        const auto [first, last] = SpanOf(spec, longest);
        counted.push_back({KeyOf(binding), {start + first, start + last, 1}, true});
        continue;
      }
      for (size_t i = 0; i < sites.size() && i < spec.parts.size(); ++i) {
        if (sites[i] != site) continue;
        const Instant begin = start + spec.parts[i].offset;
        const int64_t amount = AmountOf(limit, spec.parts[i]);
        if (amount > 0) counted.push_back({KeyOf(binding), {begin, begin + length, amount}});
      }
    }
  }
  const bool started = attempt.state() == schemas::AttemptState::kRunning ||
                       attempt.state() == schemas::AttemptState::kPartial;
  f.limit_use.Book(attempt.fence(), site, request.id(), started, std::move(counted));
}

IntervalSet StartsUnderLimits(const RequestsLayer& f, const schemas::RequestSpec& spec,
                              const std::string& user, RequestId apart, Span length, Moment now,
                              IntervalSet allowed) {
  for (const Binding& binding : BindingOn(f, Limit::On::kRunning, spec, user, now)) {
    if (allowed.empty()) break;
    allowed = Under(f, binding, spec, apart, length, now, std::move(allowed));
    // What goes to a site is bounded.
    allowed = allowed.FirstIntervals(kValidityTimes);
  }
  return allowed;
}

bool IsLimited(const RequestsLayer& f, const Request& request, Moment now) {
  return !BindingOn(f, Limit::On::kRunning, request, now).empty();
}

std::optional<Reason> WhyNotPromised(const RequestsLayer& f, const Request& request, Moment now) {
  // What was promised, or lost its promise, has its place among them.
  const schemas::RequestRecord& record = request.record();
  if (record.attempt || verifier::PromiseLost(record.history)) return std::nullopt;
  for (const Binding& binding : BindingOn(f, Limit::On::kPromised, request, now)) {
    const Limit& limit = f.options.limits[binding.limit];
    const size_t others = f.limit_use.UnstartedOf(KeyOf(binding), request.id());
    if (static_cast<int64_t>(others) < limit.items) continue;
    return Reason{.code = schemas::ReasonCode::kLimit, .text = "limit " + LimitText(limit)};
  }
  return std::nullopt;
}

std::optional<Reason> WhyLimited(const RequestsLayer& f, const Request& request, Instant start,
                                 Moment now) {
  const schemas::RequestSpec& spec = request.record().spec;
  const Span length = ShortestLength(f, spec);
  const Span tail{f.options.values.start_wait.milliseconds / 1000};
  const Span more = kLimitedLater + (spec.parts.size() > 1 ? tail : Span{0});
  for (const Binding& binding : BindingOn(f, Limit::On::kRunning, request, now)) {
    // It may have been sought beside another one that could then begin later (kLimitedLater).
    const Instant before = start - more - Span{1};
    if (before < now.Floor()) continue;
    const IntervalSet left =
        Under(f, binding, spec, request.id(), length, now, IntervalSet::Only(before));
    if (!left.empty()) continue;
    return Reason{.code = schemas::ReasonCode::kLimit,
                  .until = start,
                  .text = "limit " + LimitText(f.options.limits[binding.limit])};
  }
  return std::nullopt;
}

std::optional<Reason> WhyNoMore(const RequestsLayer& f, const Request& request,
                                const Attempt& attempt, const schemas::RequestSpec& next,
                                Moment now) {
  const schemas::RequestSpec& before = request.record().spec;
  const Span length = LengthAt(f, next, attempt.record().members);
  const bool longer = length > LengthAt(f, before, attempt.record().members);
  const IntervalSet start = IntervalSet::Only(attempt.record().start);
  const std::string& user = request.record().requester.user;
  for (const Binding& binding : BindingOn(f, Limit::On::kRunning, next, user, now)) {
    const Limit& limit = f.options.limits[binding.limit];
    if (!longer && AmountOf(limit, next) <= AmountOf(limit, before)) continue;
    if (!Under(f, binding, next, request.id(), length, now, start).empty()) continue;
    return Reason{.code = schemas::ReasonCode::kLimit,
                  .text = "limit " + LimitText(f.options.limits[binding.limit])};
  }
  return std::nullopt;
}

std::optional<Reason> WhyNoStart(const RequestsLayer& f, const schemas::RequestSpec& spec,
                                 const std::string& user, RequestId apart, Moment now) {
  const Span length = ShortestLength(f, spec);
  IntervalSet left = partitioner::AllowedStarts(spec, length).NotBefore(now.Ceiling());
  for (const Binding& binding : BindingOn(f, Limit::On::kRunning, spec, user, now)) {
    if (left.empty()) break;
    left = Under(f, binding, spec, apart, length, now, std::move(left));
    if (!left.empty()) continue;
    return Reason{.code = schemas::ReasonCode::kLimit,
                  .text = "limit " + LimitText(f.options.limits[binding.limit])};
  }
  return std::nullopt;
}

verifier::Fault CheckNeverLimited(const RequestsLayer& f, const schemas::RequestSpec& spec,
                                  const std::string& user, Moment now) {
  for (const Binding& binding : BindingOn(f, Limit::On::kRunning, spec, user, now)) {
    const Limit& limit = f.options.limits[binding.limit];
    const bool always = limit.valid.kind == Validity::Kind::kAlways;
    if (!always || AmountOf(limit, spec) <= limit.items) continue;
    return schemas::Refused{
        .code = "never",
        .message = "it asks for " + std::to_string(AmountOf(limit, spec)) + " of " + limit.resource,
        .detail = "limit " + LimitText(limit),
        .changed = kNothingSubmitted};
  }
  return std::nullopt;
}

verifier::Fault CheckOpen(const RequestsLayer& f, const schemas::RequestSpec& spec,
                          const std::string& user, size_t count, Moment now) {
  for (const Binding& binding : BindingOn(f, Limit::On::kOpen, spec, user, now)) {
    const Limit& limit = f.options.limits[binding.limit];
    const size_t open = f.limit_use.OpenOf(KeyOf(binding));
    if (static_cast<int64_t>(open + count) <= limit.items) continue;
    return schemas::Refused{.code = "busy",
                            .message = Counted(static_cast<int64_t>(open), "open job") + " already",
                            .detail = "limit " + LimitText(limit),
                            .help = "wait for some to end",
                            .changed = kNothingSubmitted};
  }
  return std::nullopt;
}

std::vector<LimitUse::Key> OpenUnder(const RequestsLayer& f, const schemas::RequestSpec& spec,
                                     const std::string& user, Moment now) {
  std::vector<LimitUse::Key> keys;
  for (const Binding& binding : BindingOn(f, Limit::On::kOpen, spec, user, now)) {
    keys.push_back(KeyOf(binding));
  }
  return keys;
}

void CountOpen(RequestsLayer& f, const Request& request, Moment now) {
  // Elements count, and the times of a standing reservation.
  if (request.Ended() || request.record().spec.array || IsStanding(request)) return;
  const schemas::RequestRecord& record = request.record();
  f.limit_use.Open(request.id(), OpenUnder(f, record.spec, record.requester.user, now));
}

void RecountLimits(RequestsLayer& f, Moment now) {
  f.limit_use.Clear();
  for (const auto& [fence, attempt] : f.attempts) {
    if (attempt.state() == schemas::AttemptState::kClosed) continue;
    const Request* request = f.requests.Find(attempt.record().request);
    if (!request) continue;
    for (const std::string& site : attempt.record().members) {
      const schemas::MirrorRecord* hold = f.sites.at(site).mirror.Find(fence);
      const bool closed = hold && hold->state == schemas::HoldState::kClosed;
      const Instant start = hold ? hold->start : attempt.record().start;
      if (!closed) CountBooking(f, *request, attempt, site, start);
    }
  }
  for (const RequestId id : f.requests.open()) CountOpen(f, *f.requests.Find(id), now);
}

std::vector<LimitStands> LimitsOf(const RequestsLayer& f, const Credentials& who, Moment now) {
  std::vector<LimitStands> out;
  for (const Limit::On on : {Limit::On::kRunning, Limit::On::kPromised, Limit::On::kOpen}) {
    for (const Binding& binding : policy::BindingOn(f.options.limits, on, who)) {
      LimitStands one{&f.options.limits[binding.limit], binding.consumer, 0};
      const LimitUse::Key key = KeyOf(binding);
      if (on == Limit::On::kOpen) one.used = static_cast<int64_t>(f.limit_use.OpenOf(key));
      if (on == Limit::On::kPromised) {
        one.used = static_cast<int64_t>(f.limit_use.UnstartedOf(key, {}));
      }
      if (on == Limit::On::kRunning) {
        for (const policy::Booked& booked : f.limit_use.Of(key, {})) {
          if (booked.from <= now.Floor() && now.Floor() < booked.to) one.used += booked.amount;
        }
      }
      out.push_back(std::move(one));
    }
  }
  return out;
}

}  // namespace muster::meta
