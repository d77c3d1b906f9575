// This file keeps no state.
#include "meta/search/search_steps.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "meta/attempts/attempts.h"
#include "meta/requests/credits.h"
#include "meta/requests/horizon.h"
#include "meta/requests/rank.h"
#include "meta/requests/request_outcome.h"
#include "meta/requests/reservations.h"
#include "meta/requests/site_speeds.h"
#include "meta/requests/spanning_limits.h"
#include "meta/requests/start_conditions.h"
#include "meta/requests/verdict_log.h"
#include "meta/search/candidates.h"
#include "meta/search/replacement.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

using schemas::Reason;

constexpr BootSpan kCheaperAgain = Seconds(300);  // a place may be cheaper by then
constexpr BootSpan kLimitedAgain = Seconds(60);   // what counts under a limit is looked at again

SearchStep StepOf(const SearchLayer& f, const Turn& t, const Request& request, SearchEvent event) {
  // The refused attempt has already left HOLDING.
  const Stage stage = event == SearchEvent::kRefused ? Stage::kHolds : StageOf(f, request);
  const SearchStep step = NextSearchStep(GoalOf(f, t, request), stage, event);
  MUSTER_CHECK(step.row != 0);
  return step;
}

// Of the parts at these sites, which together cost too much, the one for which another site costs
// least in comparison is sought below its price. False if there is none: then all is as before.
bool SeeksCheaper(SearchLayer& f, const Request& request,
                  const std::vector<std::string>& part_sites, const Reason& why) {
  const schemas::RequestSpec& spec = request.record().spec;
  if (part_sites.size() < 2) return false;
  std::optional<size_t> dearest;
  int64_t most = 0;
  for (size_t part = 0; part < part_sites.size(); ++part) {
    const int64_t price = LeastPriceAt(f, spec, part, part_sites[part]);
    for (const std::string& site : UpSites(f, spec, part)) {
      const int64_t saved = price - LeastPriceAt(f, spec, part, site);
      if (saved <= most || f.searches.SaidNever(request.id(), part, site)) continue;
      most = saved;
      dearest = part;
    }
  }
  if (!dearest) return false;
  const int64_t price = LeastPriceAt(f, spec, *dearest, part_sites[*dearest]);
  f.searches.SeekBelow(request.id(), *dearest, price, why);
  return true;
}

}  // namespace

Goal GoalOf(const SearchLayer& f, const Turn& t, const Request& request) {
  if (request.before()) {
    if (!request.TriesElsewhere()) return Goal::kAltered;
    const bool joint = request.record().spec.parts.size() > 1;
    return joint ? Goal::kEarlierJointly : Goal::kEarlierElsewhere;
  }
  if (SoundPlace(f, t, request)) return Goal::kGateMoved;
  return BoundAttempt(f, request) ? Goal::kEndangered : Goal::kFirstPlace;
}

Stage StageOf(const SearchLayer& f, const Request& request) {
  if (request.seeking) return Stage::kHolds;
  if (f.searches.IsAsked(request.id())) return Stage::kAsked;
  const bool settled = request.record().attempt && !request.replacing && !request.before();
  return settled || request.Ended() ? Stage::kDone : Stage::kWaits;
}

void AskSites(SearchLayer& f, const Turn& t, const Request& request) {
  StepOf(f, t, request, SearchEvent::kAsk);
  f.searches.Ask(request.id());
}

void WaitForCredit(SearchLayer& f, const Turn& t, Request& request, const Reason& why) {
  f.searches.ForgetPrices(request.id());
  f.requests.SetReason(request, why);
  std::optional<BootInstant> until;
  if (why.until) until = t.boot() + ToBootSpan(std::max(Span{1}, *why.until - t.plan.Floor()));
  // In other hours, or at another site, it may cost less than where it was sought.
  if (!WhyNotPaid(f, request, t.plan)) {
    until = std::min(until.value_or(t.boot() + kCheaperAgain), t.boot() + kCheaperAgain);
  }
  f.room.Stick(RankOf(request), WaitingRoom::StuckBy::kCredit, until);
}

void WaitForLimit(SearchLayer& f, const Turn& t, Request& request, const Reason& why) {
  f.requests.SetReason(request, why);
  f.room.Stick(RankOf(request), WaitingRoom::StuckBy::kPlan, t.boot() + kLimitedAgain);
}

void HoldPlace(SearchLayer& f, Turn& t, Request& request, std::vector<std::string> part_sites,
               IntervalSet allowed, Instant estimate) {
  // The start that HoldAttempt will choose.
  const Instant start = allowed.FirstFrom(estimate).value_or(estimate);
  const bool several = partitioner::MembersOf(part_sites).size() > 1;
  if (IsLimited(f, request, t.plan)) {
    // Others of the same wave or block may have taken what was left.
    const Instant last = start + kLimitedLater;
    allowed = allowed.Intersect(IntervalSet({{start, last + Span{1}}}));
    allowed = LeftByLimits(f, t, request, several, part_sites, allowed);
    if (!allowed.Contains(start)) {
      const Reason why{.code = schemas::ReasonCode::kLimit, .text = "others came first"};
      if (!SearchEnds(f, t, request, SearchEvent::kNoPlace, why)) f.room.Ready(RankOf(request));
      return;
    }
  }
  if (const auto why = WhyNotPromised(f, request, t.plan)) {
    if (!SearchEnds(f, t, request, SearchEvent::kNoPlace, *why)) WaitForLimit(f, t, request, *why);
    return;
  }
  const Span tail =
      several ? Span{f.options.values.start_wait.milliseconds / 1000} : TailAlone(f, t, request);
  if (const auto why = SetAside(f, request, part_sites, start, tail, t.plan)) {
    if (SearchEnds(f, t, request, SearchEvent::kNoPlace, *why)) return;
    if (!SeeksCheaper(f, request, part_sites, *why)) return WaitForCredit(f, t, request, *why);
    f.searches.MeetAlone(request.id());
    return f.room.Ready(RankOf(request));
  }
  StepOf(f, t, request, SearchEvent::kHold);
  HoldAttempt(f, t, request,
              {.part_sites = std::move(part_sites),
               .allowed = std::move(allowed),
               .estimate = estimate,
               .of_block = f.searches.Of(request.id()).left_queue});
}

bool SearchEnds(SearchLayer& f, Turn& t, Request& request, SearchEvent event, const Reason& why,
                bool ever) {
  switch (StepOf(f, t, request, event).then) {
    case Then::kGoesOn:
    case Then::kTriesAgain:
      return false;
    case Then::kKeepsPlace:
      return KeepsItsPlace(f, t, request, std::nullopt);
    case Then::kGivesUp:
      AlterFails(f, t, request, why, ever);
      return true;
    case Then::kEnds:
      EndRequest(f, t, request, schemas::Outcome::kRefused, why.text, why);
      return true;
  }
  return false;
}

bool EndIfHopeless(SearchLayer& f, Turn& t, Request& request) {
  const schemas::RequestSpec& spec = request.record().spec;
  if (const auto gone = ReservationGone(f, spec)) {
    return SearchEnds(f, t, request, SearchEvent::kNever, *gone);
  }
  const Instant last = LastStart(f, spec);
  if (last < t.plan.Floor()) {
    Reason reason{.code = schemas::ReasonCode::kHorizon,
                  .until = last,
                  .text = "no site could start it within its window"};
    if (request.record().reason && request.record().reason->code != schemas::ReasonCode::kHorizon) {
      reason.text += "; last: " + request.record().reason->text;
    }
    return SearchEnds(f, t, request, SearchEvent::kNever, reason);
  }
  for (size_t i = 0; i < spec.parts.size(); ++i) {
    const std::vector<std::string> sites = partitioner::EligibleSites(spec.parts[i], f.site_names);
    const bool never = std::all_of(sites.begin(), sites.end(), [&](const std::string& site) {
      return f.searches.SaidNever(request.id(), i, site);
    });
    if (!never) continue;
    return SearchEnds(f, t, request, SearchEvent::kNever, WhyNever(request, i, sites), true);
  }
  return false;
}

}  // namespace muster::meta
