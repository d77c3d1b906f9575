// Each try to place a request results in an attempt, or in a reason why there is none.
#include "meta/search/placing.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "meta/requests/credentials.h"
#include "meta/requests/figures.h"
#include "meta/requests/horizon.h"
#include "meta/requests/rank.h"
#include "meta/requests/start_conditions.h"
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

constexpr uint32_t kMoveTries = 3;  // failed joint moves in a row that are tried again
constexpr BootSpan kBackOffLeast = Milliseconds(100);
constexpr BootSpan kBackOffMost = Seconds(10);
constexpr BootSpan kContendedFor = Seconds(30);   // then the search begins again at the latest
constexpr BootSpan kHorizonAgain = Seconds(600);  // a site may have changed its horizon by then

// Holds at exactly the found start, even if one site has all the parts: for a later start another
// assignment might have been chosen.
void Place(SearchLayer& f, Turn& t, Request& request, const partitioner::Met& met) {
  HoldPlace(f, t, request, met.part_sites, IntervalSet::Only(met.start), met.start);
}

std::string SitesText(size_t sites) {
  return std::to_string(sites) + (sites == 1 ? " site" : " sites");
}

// End of the text of an 'unproved' event: the sites that did not answer.
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

// The search begins again when a plan changes: what becomes free meanwhile must not idle.
void Contend(SearchLayer& f, Turn& t, Request& request) {
  const bool common = request.record().spec.parts.size() > 1;
  const Reason why{.code = ReasonCode::kContended,
                   .text = std::string("its sites' plans change faster than a ") +
                           (common ? "common start" : "start") + " is agreed"};
  if (SearchEnds(f, t, request, SearchEvent::kNoPlace, why)) return;
  f.requests.SetReason(request, why);
  f.searches.StartOver(request.id());
  f.room.Stick(RankOf(request), WaitingRoom::StuckBy::kPlan, t.boot() + kContendedFor);
}

void Learn(SearchLayer& f, const Request& request, const Answers& answers) {
  for (const auto& [part, by_site] : answers) {
    for (const auto& [site, verdict] : by_site) {
      if (verdict.kind == VerdictKind::kNever) f.searches.Learn(request.id(), part, site);
    }
  }
}

void WaitForLentRoom(SearchLayer& f, const Turn& t, const Request& request) {
  f.room.Sleep(RankOf(request), f.lent_asks.NoteRefused(LentKeyOf(f, request), t.boot()));
}

// Nothing can be held now: the request waits, or its search ends, with the sites' reason.
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
  if (told && AsksForLentRoom(f, request.record().spec)) return WaitForLentRoom(f, t, request);
  if (told) {
    const bool horizon = reason->code == ReasonCode::kHorizon;
    if (horizon && reason->until) return SleepUntil(f, t, request, *reason->until);
    // A start within the horizon may come with another plan, or as time passes.
    std::optional<BootInstant> again;
    if (horizon || f.options.horizon) again = t.boot() + kHorizonAgain;
    if (PromisedAtStart(f, request.record().spec)) again = t.boot() + ToBootSpan(kStartAgain);
    return f.room.Stick(RankOf(request), WaitingRoom::StuckBy::kPlan, again);
  }
  // For a request of one part silence counts as a try; a site without a start does not.
  if (request.record().spec.parts.size() == 1) f.searches.CountTry(request.id());
  BackOff(f, t, request);
}

// True if the QoS is promised nothing before it can start and the best start is not now: the
// request is asked about again then, or when a plan changes.
bool WaitsForItsStart(SearchLayer& f, const Turn& t, Request& request, const IntervalSet& allowed,
                      Instant start) {
  if (!PromisedAtStart(f, request.record().spec) || request.replacing) return false;
  const Instant end = allowed.empty() ? t.NowCeiling() : allowed.intervals().back().end;
  if (start < end) return false;
  if (AsksForLentRoom(f, request.record().spec)) {
    f.requests.SetReason(request, {.code = ReasonCode::kBlocked,
                                   .text = "waits for room that is idle, to be lent to it"});
    WaitForLentRoom(f, t, request);
    return true;
  }
  f.requests.SetReason(request, {.code = ReasonCode::kHorizon,
                                 .until = start,
                                 .text = "QoS " + request.record().spec.qos +
                                         " is promised nothing before it can start"});
  f.room.Stick(RankOf(request), WaitingRoom::StuckBy::kPlan,
               t.boot() + ToBootSpan(start - end + Span{1}));
  return true;
}

// The sites that answered have no common start. For parts that start together this does not count
// as a try; only a refused hold does.
void WaitForMeeting(SearchLayer& f, Turn& t, Request& request, const partitioner::Meeting& search,
                    const Answers& answers) {
  const std::vector<std::string> silent = search.Silent();
  if (!PromisedAtOnce(f, request)) return GapRefused(f, request, silent.empty());
  if (!silent.empty()) {
    const Reason why = SilentReason(f, silent, t.plan);
    if (SearchEnds(f, t, request, SearchEvent::kNoPlace, why)) return;
    f.requests.SetReason(request, why);
    return f.room.Stick(RankOf(request), WaitingRoom::StuckBy::kSilence, t.boot() + kBackOffMost);
  }
  // Only starts behind the refused slot were searched; an earlier one may exist by now.
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

// Takes no later start than `start`: only that one was shown to the user or found worth a move.
void PlaceAltered(SearchLayer& f, Turn& t, Request& request, std::vector<std::string> part_sites,
                  const IntervalSet& allowed, Instant start) {
  // A move to an earlier start takes exactly the start that was found.
  const Instant from = request.TriesElsewhere() ? start : Instant{0};
  const IntervalSet until = allowed.Intersect(IntervalSet({{from, start + Span{1}}}));
  if (until.empty() || !until.Contains(start)) {
    return AlterFails(f, t, request,
                      Reason{.code = ReasonCode::kHorizon, .text = "no start in its window"});
  }
  if (!MayTakeAltered(f, t, request, part_sites[0], start)) return;
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
  if (AsksForLentRoom(f, spec)) return false;  // no shadow knows of lent room
  if (spec.parts.size() == 1) {
    const std::vector<std::string> up = UpSites(f, spec, 0);
    if (up.size() != 1) return false;
    const IntervalSet allowed = StartsAt(f, t, request, false, up);
    if (allowed.empty()) return false;
    HoldPlace(f, t, request, up, allowed, allowed.intervals()[0].begin);
    return true;
  }
  // No shadow knows the system inside of a reservation.
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
  if (WaitsForItsStart(f, t, request, allowed, best->start)) return;
  if (allowed.empty()) return BackOff(f, t, request);
  const Instant nearest = allowed.intervals()[0].begin;
  if (KeepsItsPlace(f, t, request, std::max(best->start, nearest))) return;
  // The site may take another start than the one it gave, but only one before the present place.
  const std::optional<Instant> place = SoundPlace(f, t, request);
  const IntervalSet earlier =
      place ? allowed.Intersect(IntervalSet({{Instant{0}, *place}})) : allowed;
  HoldPlace(f, t, request, {best->site}, earlier, best->start);
}

void PlaceByMeeting(SearchLayer& f, Turn& t, Request& request, const partitioner::Meeting& search) {
  const Answers answers = search.AnswersByPart();
  // Only the first search is an event; later ones would flood the timeline.
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
  if (!met && f.searches.Of(request.id()).too_dear) {
    // Nowhere at lower prices. Whether dearer places are free again is seen when it is woken.
    const Reason why = *f.searches.Of(request.id()).too_dear;
    if (!SearchEnds(f, t, request, SearchEvent::kNoPlace, why)) WaitForCredit(f, t, request, why);
    return;
  }
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
  if (request.seeking == news.fence) {
    request.seeking.reset();
    f.bank.Unwant(request.id());
  }
  // The attempt to be replaced may be waiting for its permit.
  if (request.replacing) f.attempts.Touch(*request.replacing);
  if (!request.Wanted()) return;
  // The search was given up meanwhile; the request has its place.
  if (request.record().attempt && !request.replacing && !request.before()) return;
  const bool joint = request.TriesElsewhere() && request.record().spec.parts.size() > 1;
  if (joint && f.searches.CountFailedMove(request.id()) <= kMoveTries) f.moves.at_once.Owe();
  if (request.TriesElsewhere() && !joint) {
    for (const auto& refused : news.refused) f.searches.NoteWrongGuess(request.id(), refused.first);
  }
  const Reason why{.code = ReasonCode::kContended, .text = "it could not be held there"};
  if (SearchEnds(f, t, request, SearchEvent::kRefused, why)) return;
  Answers answers;
  for (const auto& [site, verdict] : news.refused) {
    const std::vector<std::string>& sites = news.part_sites;
    for (size_t i = 0; i < sites.size(); ++i) {
      // Parts that share a site may not fit together, though each of them would.
      if (sites[i] == site && std::count(sites.begin(), sites.end(), site) == 1) {
        answers[static_cast<uint32_t>(i)][site] = verdict;
      }
    }
  }
  Learn(f, request, answers);
  if (EndIfHopeless(f, t, request)) return;
  f.searches.AskFresh(request.id());
  if (!PromisedAtOnce(f, request)) {
    // The gap that the shadows showed does not exist. The sites may know another.
    if (f.searches.RefuseGap(request.id())) return GapRefused(f, request);
    return f.room.Ready(RankOf(request));
  }
  const size_t tries = f.searches.CountTry(request.id());
  if (!partitioner::MeetSlack(tries, f.options.meet_tries)) return Contend(f, t, request);
  // After the first refusal the sites are asked at once, since the shadow was wrong.
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

// The first start comes within the horizon as time passes.
void SleepUntil(SearchLayer& f, const Turn& t, const Request& request, Instant near) {
  const BootSpan wait = ToBootSpan(std::max(Span{1}, near - t.plan.Floor()));
  f.room.Sleep(RankOf(request), t.boot() + std::min(wait, kHorizonAgain));
}

}  // namespace muster::meta
