// From what is known to an attempt, or to a reason why there is none.
#include "meta/search/placing.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "meta/requests/figures.h"
#include "meta/requests/gates.h"
#include "meta/requests/horizon.h"
#include "meta/requests/rank.h"
#include "meta/requests/timeline.h"
#include "meta/search/candidates.h"
#include "meta/search/meeting_search.h"
#include "meta/search/queueing.h"
#include "meta/search/replacement.h"
#include "meta/search/search_steps.h"
#include "partitioner/choose.h"
#include "partitioner/meet.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

using partitioner::Candidate;
using schemas::Reason;
using schemas::ReasonCode;
using schemas::VerdictEntry;
using schemas::VerdictKind;

constexpr uint32_t kMoveTries = 3;  // joint moves that fail in a row and are sought again at once
constexpr BootSpan kBackOffLeast = Milliseconds(100);
constexpr BootSpan kBackOffMost = Seconds(10);
constexpr BootSpan kContendedFor = Seconds(30);   // then the whole search begins again
constexpr BootSpan kHorizonAgain = Seconds(600);  // a site's file may say another one by then

// At that start alone, also where one site has all the parts: with a later one it would have been
// another assignment.
void Place(SearchLayer& f, Turn& t, Request& request, const partitioner::Met& met) {
  HoldPlace(f, t, request, met.part_sites, IntervalSet::Only(met.start), met.start);
}

std::string SitesText(size_t sites) {
  return std::to_string(sites) + (sites == 1 ? " site" : " sites");
}

// Behind the fact that an earlier start was not ruled out.
std::string WhyUnproved(const partitioner::Meeting& search) {
  const std::vector<std::string> silent = search.Silent();
  if (silent.empty()) return "";
  std::string out = ": no answer of";
  for (const std::string& site : silent) out += (out.back() == 'f' ? " " : ", ") + site;
  return out;
}

void BackOff(SearchLayer& f, Turn& t, Request& request) {
  const int64_t doubled = kBackOffLeast.milliseconds
                          << std::min<size_t>(f.searches.Of(request.id()).tries, 7);
  const int64_t span = std::min(doubled, kBackOffMost.milliseconds);
  f.room.Sleep(RankOf(request), t.boot() + Milliseconds(f.random.Between(span / 2, span)));
}

void Contend(SearchLayer& f, Turn& t, Request& request) {
  const Reason why{.code = ReasonCode::kContended,
                   .text = "its sites' plans change faster than a common start is agreed"};
  if (SearchEnds(f, t, request, SearchEvent::kNoPlace, why)) return;
  f.requests.SetReason(request, why);
  f.searches.StartOver(request.id());
  f.room.Sleep(RankOf(request), t.boot() + kContendedFor);
}

void Learn(SearchLayer& f, const Request& request, const Answers& answers) {
  for (const auto& [part, by_site] : answers) {
    for (const auto& [site, verdict] : by_site) {
      if (verdict.kind == VerdictKind::kNever) f.searches.Learn(request.id(), part, site);
    }
  }
}

// Nothing can be held now: what the sites said is why.
void WaitBecause(SearchLayer& f, Turn& t, Request& request, const Answers& answers) {
  bool unanswered = false;
  std::optional<Reason> reason;
  for (const auto& [part, by_site] : answers) {
    for (const auto& [site, verdict] : by_site) {
      if (verdict.kind == VerdictKind::kUnanswered) unanswered = true;
      if (verdict.kind != VerdictKind::kBlocked || reason) continue;
      reason = verdict.reason.value_or(Reason{});
      if (reason->code != ReasonCode::kHorizon) reason->code = ReasonCode::kBlocked;
      if (reason->subject.site.empty()) reason->subject.site = site;
      if (reason->text.empty()) reason->text = "blocked at " + site;
    }
  }
  const bool told = reason && !unanswered;
  if (!told)
    reason = Reason{.code = ReasonCode::kBudget, .text = "not all of its sites have answered"};
  if (SearchEnds(f, t, request, SearchEvent::kNoPlace, *reason)) return;
  if (!PromisedAtOnce(f, request)) return GapRefused(f, request, !unanswered);
  f.requests.SetReason(request, *reason);
  if (told) {
    const bool horizon = reason->code == ReasonCode::kHorizon;
    if (horizon && reason->until) return SleepUntil(f, t, request, *reason->until);
    // Another plan may have a start within the horizon, and so may time alone.
    std::optional<BootInstant> again;
    if (horizon || f.options.horizon) again = t.boot() + kHorizonAgain;
    return f.room.Stick(RankOf(request), WaitingRoom::StuckBy::kPlan, again);
  }
  // That a site has no start for it is no try: only a hold that was refused, or silence.
  if (request.record().spec.parts.size() == 1) f.searches.CountTry(request.id());
  BackOff(f, t, request);
}

// Its sites have no common start, as far as they answered. Only what is refused when it is held
// counts as a try.
void WaitForMeeting(SearchLayer& f, Turn& t, Request& request, const partitioner::Meeting& search,
                    const Answers& answers) {
  const std::vector<std::string> silent = search.Silent();
  if (!PromisedAtOnce(f, request)) return GapRefused(f, request, silent.empty());
  if (!silent.empty()) {
    const Reason why = SilentReason(f, silent, t.plan);
    if (SearchEnds(f, t, request, SearchEvent::kNoPlace, why)) return;
    f.requests.SetReason(request, why);
    return f.room.Sleep(RankOf(request), t.boot() + kBackOffMost);
  }
  // It looked only behind the slot at which it was refused: there may be an earlier start by now.
  if (SeeksBehind(f, request)) return Contend(f, t, request);
  const bool some_part_nowhere = std::any_of(answers.begin(), answers.end(), [](const auto& part) {
    return std::none_of(part.second.begin(), part.second.end(), [](const auto& told) {
      return told.second.kind == VerdictKind::kAccepted ||
             told.second.kind == VerdictKind::kCountered;
    });
  });
  if (some_part_nowhere || answers.empty()) return WaitBecause(f, t, request, answers);
  const Reason why{.code = ReasonCode::kContended,
                   .text = search.Possible() ? "its sites have no common start yet"
                                             : "its sites have no common start in its window"};
  if (SearchEnds(f, t, request, SearchEvent::kNoPlace, why)) return;
  f.requests.SetReason(request, why);
  f.room.Stick(RankOf(request), WaitingRoom::StuckBy::kPlan, t.boot() + kContendedFor);
}

// Not later than was told, since that is what may be taken.
void PlaceAltered(SearchLayer& f, Turn& t, Request& request, std::vector<std::string> part_sites,
                  const IntervalSet& allowed, Instant start) {
  // What is only to be earlier starts when it was told to, and not before.
  const Instant from = request.TriesElsewhere() ? start : Instant{0};
  const IntervalSet until = allowed.Intersect(IntervalSet({{from, start + Span{1}}}));
  if (until.empty() || !until.Contains(start)) {
    return AlterFails(f, t, request,
                      Reason{.code = ReasonCode::kHorizon, .text = "no start in its window"});
  }
  if (!MayTakeAltered(f, t, request, start)) return;
  HoldPlace(f, t, request, std::move(part_sites), until, start);
}

}  // namespace

bool SaidProposed(const Request& request) {
  const std::vector<schemas::JobEvent>& events = request.record().events;
  return !events.empty() && events.back().code == "proposed";
}

bool PlaceByShadow(SearchLayer& f, Turn& t, Request& request) {
  const schemas::RequestSpec& spec = request.record().spec;
  if (request.replacing || f.searches.Of(request.id()).asks_fresh) return false;
  if (spec.parts.size() == 1) {
    const std::vector<std::string> up = UpSites(f, spec, 0);
    if (up.size() != 1) return false;
    const IntervalSet allowed = StartsAt(f, t, request, false, up);
    if (allowed.empty()) return false;
    HoldPlace(f, t, request, up, allowed, allowed.intervals()[0].begin);
    return true;
  }
  // What is inside of a reservation is planned in a system that no shadow knows.
  if (spec.inside) return false;
  const std::optional<partitioner::Met> met = MeetByShadows(f, t, request);
  if (!met) return false;
  f.searches.NoteSlot(request.id(), met->start);
  Place(f, t, request, *met);
  return true;
}

void PlaceByAnswers(SearchLayer& f, Turn& t, Request& request, const Answers& answers) {
  Learn(f, request, answers);
  if (EndIfHopeless(f, t, request)) return;
  std::optional<Candidate> best;
  if (const auto it = answers.find(0); it != answers.end())
    best = BestOf(f, t, request, it->second);
  if (!best) return WaitBecause(f, t, request, answers);
  request.nearest = NearestFound(f, t, request);
  const IntervalSet allowed = StartsSought(f, t, request, false, best->site);
  if (request.before()) return PlaceAltered(f, t, request, {best->site}, allowed, best->start);
  if (allowed.empty() && !PromisedAtOnce(f, request)) return GapRefused(f, request);
  if (allowed.empty()) return BackOff(f, t, request);
  const Instant nearest = allowed.intervals()[0].begin;
  if (KeepsItsPlace(f, t, request, std::max(best->start, nearest))) return;
  // The site may find another start than it told; not one behind the place that is there.
  const std::optional<Instant> place = SoundPlace(f, t, request);
  const IntervalSet earlier =
      place ? allowed.Intersect(IntervalSet({{Instant{0}, *place}})) : allowed;
  HoldPlace(f, t, request, {best->site}, earlier, best->start);
}

void PlaceByMeeting(SearchLayer& f, Turn& t, Request& request, const partitioner::Meeting& search) {
  const Answers answers = search.AnswersByPart();
  // Only the first figures are worth a line; later searches would drown the timeline.
  const bool first = f.searches.Of(request.id()).tries == 0 && !request.TriesElsewhere() &&
                     PromisedAtOnce(f, request);
  if (first && search.messages() > 0 && !SaidProposed(request)) {
    AddEvent(f, t, request, "proposed", "proposed to " + SitesText(search.asked()));
  }
  Learn(f, request, answers);
  if (EndIfHopeless(f, t, request)) return;
  const std::optional<partitioner::Met> met = search.Best(f.options.transfer);
  const auto place = request.replacing ? f.attempts.find(*request.replacing) : f.attempts.end();
  const bool placed = place != f.attempts.end();
  t.out.searched.push_back({.request = request.id(),
                            .rounds = search.rounds(),
                            .messages = search.messages(),
                            .moves = request.TriesElsewhere(),
                            .found = met && (!placed || met->start < place->second.record().start),
                            .proved = met && met->proved});
  if (!met) return WaitForMeeting(f, t, request, search, answers);
  request.nearest = NearestFound(f, t, request);
  if (met->start < request.nearest) {
    const Reason why{.code = ReasonCode::kContended, .text = "its place moved meanwhile"};
    if (!SearchEnds(f, t, request, SearchEvent::kNoPlace, why)) f.room.Ready(RankOf(request));
    return;
  }
  if (KeepsItsPlace(f, t, request, met->start)) return;
  const bool several = partitioner::MembersOf(met->part_sites).size() > 1;
  if (request.before()) {
    return PlaceAltered(
        f, t, request, met->part_sites,
        several ? IntervalSet::Only(met->start) : StartsAt(f, t, request, false, met->part_sites),
        met->start);
  }
  if (!met->proved) {
    AddEvent(f, t, request, "unproved",
             "an earlier common start was not ruled out" + WhyUnproved(search));
  }
  if (f.searches.Of(request.id()).tries < f.options.meet_tries)
    f.searches.NoteSlot(request.id(), met->start);
  Place(f, t, request, *met);
}

void PlacingFailed(SearchLayer& f, Turn& t, Request& request, const PlacingRefused& news) {
  if (request.seeking == news.fence) request.seeking.reset();
  // What it was to replace may wait for its permit.
  if (request.replacing) f.attempts.Touch(*request.replacing);
  if (!request.Wanted()) return;
  // The search was given up meanwhile: it has its place.
  if (request.record().attempt && !request.replacing && !request.before()) return;
  const bool joint = request.TriesElsewhere() && request.record().spec.parts.size() > 1;
  if (joint && f.searches.CountFailedMove(request.id()) <= kMoveTries) f.moves.at_once.Owe();
  const Reason why{.code = ReasonCode::kContended, .text = "it could not be held there"};
  if (SearchEnds(f, t, request, SearchEvent::kRefused, why)) return;
  Answers answers;
  for (const auto& [site, verdict] : news.refused) {
    const std::vector<std::string>& sites = news.part_sites;
    for (size_t i = 0; i < sites.size(); ++i) {
      // A hold of several parts may never fit where each of them would.
      if (sites[i] == site && std::count(sites.begin(), sites.end(), site) == 1) {
        answers[static_cast<uint32_t>(i)][site] = verdict;
      }
    }
  }
  Learn(f, request, answers);
  if (EndIfHopeless(f, t, request)) return;
  f.searches.AskFresh(request.id());
  if (!PromisedAtOnce(f, request)) {
    // It was to fill a gap that is not there: its sites may know another one.
    if (f.searches.RefuseGap(request.id())) return GapRefused(f, request);
    return f.room.Ready(RankOf(request));
  }
  const size_t tries = f.searches.CountTry(request.id());
  if (!partitioner::MeetSlack(tries, f.options.meet_tries)) return Contend(f, t, request);
  // The first refusal is answered at once, by asking: it was the shadow that erred.
  const bool ask = tries == 1 && !news.refused.empty();
  for (const auto& [site, verdict] : news.refused) {
    const bool blocked = verdict.kind == VerdictKind::kBlocked;
    if (blocked && !ask && request.record().spec.parts.size() == 1) {
      return WaitBecause(f, t, request, answers);
    }
    if (verdict.reason) f.requests.SetReason(request, *verdict.reason);
  }
  if (ask) return f.room.Ready(RankOf(request));
  BackOff(f, t, request);
}

// Time alone brings it within what is planned.
void SleepUntil(SearchLayer& f, const Turn& t, const Request& request, Instant near) {
  const BootSpan wait = ToBootSpan(std::max(Span{1}, near - t.plan.Floor()));
  f.room.Sleep(RankOf(request), t.boot() + std::min(wait, kHorizonAgain));
}

}  // namespace muster::meta
