// Times are expanded as starts of one second each, so that none are merged.
#include "meta/requests/standing.h"

#include <algorithm>
#include <utility>

#include "base/units.h"
#include "base/validity.h"
#include "meta/requests/occurrences.h"
#include "meta/requests/rank.h"
#include "meta/requests/request_outcome.h"
#include "meta/requests/spanning_limits.h"
#include "meta/requests/timeline.h"
#include "meta/requests/windows.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

using schemas::RequestSpec;
using verifier::Usage;

// How far ahead occurrences are made if the federation has no horizon.
constexpr Span kAhead{int64_t{90} * 86400};
constexpr Span kSought{int64_t{10} * 366 * 86400};  // a time beyond this counts as never
constexpr size_t kCompared = 1024;  // number of successive times checked for overlaps
constexpr Span kLook{3600};         // longest time between two checks

Validity StartsOf(const schemas::Recurrence& every) {
  Validity out{.kind = Validity::Kind::kCron, .begin = {}, .end = {}, .times = {}, .length = {1}};
  out.times.minutes = every.minutes;
  out.times.hours = static_cast<uint32_t>(every.hours);
  out.times.days = static_cast<uint32_t>(every.days);
  out.times.months = static_cast<uint32_t>(every.months);
  out.times.weekdays = static_cast<uint32_t>(every.weekdays);
  return out;
}

bool Proper(const schemas::Recurrence& every) {
  const auto within = [](uint64_t bits, uint64_t all) { return bits != 0 && (bits & ~all) == 0; };
  return within(every.minutes, CronTimes::kAllMinutes) &&
         within(every.hours, CronTimes::kAllHours) && within(every.days, CronTimes::kAllDays) &&
         within(every.months, CronTimes::kAllMonths) &&
         within(every.weekdays, CronTimes::kAllWeekdays);
}

// Starts in [from, until) from which an occurrence ends by the deadline, ascending, at most `most`.
std::vector<Instant> StartsIn(const RequestsLayer& f, const RequestSpec& spec, Instant from,
                              Instant until, size_t most) {
  if (spec.deadline) until = std::min(until, *spec.deadline - spec.duration + Span{1});
  std::vector<Instant> out;
  if (from >= until || most == 0) return out;
  const Validity every = StartsOf(*spec.reserves->every);
  const Expansion all = Intervals(every, f.options.validities.zone, from, until, most);
  for (const Interval& one : all.intervals.intervals()) out.push_back(one.begin);
  return out;
}

Request& MakeOne(RequestsLayer& f, Turn& t, const Request& standing, Instant start) {
  const schemas::RequestRecord& whole = standing.record();
  schemas::RequestRecord record;
  record.id = RequestId{++f.identity.Edit().last_request.value};
  record.requester = whole.requester;
  record.key = {.text = "standing:" + ToText(whole.id) + ":" + std::to_string(start.seconds),
                .generated = whole.key.generated};
  record.spec = whole.spec;
  record.spec.from.reset();
  record.spec.deadline.reset();
  record.spec.at = start;
  record.spec.reserves->every.reset();
  record.spec.reserves->of = whole.id;
  record.submitted_at = t.plan;
  Request& made = f.requests.Add(std::move(record));
  CountOpen(f, made, t.plan);
  AddEvent(f, t, made, "accepted", "of standing reservation R" + ToText(whole.id));
  WatchWindow(f, made);
  f.room.Ready(RankOf(made));
  return made;
}

}  // namespace

verifier::Fault CheckStanding(const RequestsLayer& f, const RequestSpec& spec, Moment now) {
  if (!spec.reserves) return std::nullopt;
  if (spec.reserves->of) return Usage("only a standing reservation makes others of its own");
  if (!spec.reserves->every) return std::nullopt;
  if (spec.at || spec.start_by || !spec.slots.empty() || spec.reserves->confirm_within) {
    return Usage("--every says when; --at, --start-by, --slot and --provisional do not go with it",
                 "--from and --deadline bound it");
  }
  if (!Proper(*spec.reserves->every) || !CanMatch(StartsOf(*spec.reserves->every).times)) {
    return Usage("--every: a time that never comes", "as in --every 'cron 0 8 * * Mon'");
  }
  const Instant from = std::max(spec.from.value_or(now.Ceiling()), now.Ceiling());
  const std::vector<Instant> starts = StartsIn(f, spec, from, from + kSought, kCompared);
  if (starts.empty()) {
    return Usage("--every: none of its times lies between --from and --deadline",
                 "a later --deadline, or other times");
  }
  for (size_t i = 1; i < starts.size(); ++i) {
    if (starts[i] - starts[i - 1] >= spec.duration) continue;
    return Usage("--every: each lasts " + DurationText(spec.duration) + ", and the next begins " +
                     DurationText(starts[i] - starts[i - 1]) + " after it",
                 "a shorter -t, or fewer times");
  }
  return std::nullopt;
}

void TendStanding(RequestsLayer& f, Turn& t, Request& request) {
  if (request.Ended() || request.Cancelling()) return;
  const Instant now = t.NowCeiling();
  const Span ahead = f.options.horizon.value_or(kAhead);
  const size_t open = UnfinishedOccurrences(f, request).size();
  const Instant from = std::max(request.record().spec.from.value_or(now), now);
  std::vector<Instant> starts;
  if (!request.record().parked && open < kOccurrencesAhead) {
    starts = StartsIn(f, request.record().spec, from, now + ahead, kOccurrencesAhead - open);
  }
  std::string made;
  for (const Instant start : starts) {
    const Request& one = MakeOne(f, t, request, start);
    made += (made.empty() ? "" : ", ") + ShownId(one);
    f.requests.Edit(request).spec.from = start + Span{1};
  }
  if (!made.empty()) AddEvent(f, t, request, "occurs", "made ahead of time: " + made);
  const Instant next = std::max(request.record().spec.from.value_or(now), now);
  const std::vector<Instant> later = StartsIn(f, request.record().spec, next, next + kSought, 1);
  if (later.empty() && open + starts.size() == 0) {
    return EndRequest(f, t, request, schemas::Outcome::kDone, "the last of its times is over");
  }
  Instant look = now + kLook;
  if (!later.empty() && later.front() - ahead < look) {
    look = std::max(later.front() - ahead, now + Span{60});
  }
  f.provisional.Add(ToMoment(look), request.id());
  schemas::Reason reason{.code = schemas::ReasonCode::kReservation,
                         .text = "standing: each time is a reservation of its own"};
  if (const auto first = NextOccurrence(f, request)) {
    reason.subject.job = "R" + ToText(*first);
    reason.text += ", the next is " + reason.subject.job;
  }
  f.requests.SetReason(request, std::move(reason));
}

}  // namespace muster::meta
