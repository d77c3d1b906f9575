// Gathers requests, asks, and places them by rank after the last answer.
#include "meta/search/proposal_round.h"

#include <algorithm>

#include "meta/attempts/attempts.h"
#include "meta/requests/beyond_balance.h"
#include "meta/requests/credentials.h"
#include "meta/requests/credits.h"
#include "meta/requests/figures.h"
#include "meta/requests/horizon.h"
#include "meta/requests/members.h"
#include "meta/requests/occurrences.h"
#include "meta/requests/rank.h"
#include "meta/requests/site_speeds.h"
#include "meta/requests/spanning_limits.h"
#include "meta/requests/timeline.h"
#include "meta/requests/verdict_log.h"
#include "meta/search/asking.h"
#include "meta/search/block.h"
#include "meta/search/candidates.h"
#include "meta/search/gaps.h"
#include "meta/search/gate_moves.h"
#include "meta/search/meetings.h"
#include "meta/search/move_gain.h"
#include "meta/search/moves.h"
#include "meta/search/placing.h"
#include "meta/search/queueing.h"
#include "meta/search/relocation.h"
#include "meta/search/search_steps.h"
#include "meta/search/shadow_starts.h"
#include "meta/search/verified_run.h"
#include "meta/sites/say.h"
#include "partitioner/choose.h"
#include "partitioner/split.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

using schemas::ProposalEntry;
using schemas::VerdictEntry;

// A request whose search must wait for others to end is looked at again after this.
constexpr BootSpan kMeetingTurn = Milliseconds(100);
// A request of a user without valid membership is looked at again after this, and when the file of
// users is read again.
constexpr BootSpan kBarred = Seconds(60);  // a ceiling may have come down by then
constexpr BootSpan kNotCounted = Seconds(3600);

struct Gathering {
  Wave wave;
  std::map<std::string, std::vector<ProposalEntry>> proposals;
};

// The sites to ask about a request of one part. First the best by their shadows and the user's
// home; in later rounds the best whose shadow is better than the best answer so far, or the next
// best if no answer named a start. Empty if there are none left.
std::vector<std::string> SitesToAsk(const SearchLayer& f, const Turn& t, const Request& request) {
  const schemas::RequestSpec& spec = request.record().spec;
  std::vector<std::string> sites = UpSites(f, spec, 0);
  // A permitted request is moved up by its own site, so that site is not asked; nor is one that it
  // is to leave.
  if (request.TriesElsewhere() && request.replacing && sites.size() > 1) {
    const Attempt& place = f.attempts.at(*request.replacing);
    if (request.GivesWay() || MovesHere(f, t, request, place)) {
      std::erase(sites, place.record().members[0]);
    }
  }
  const auto& heard = f.searches.Of(request.id()).heard;
  if (heard.empty() && sites.size() <= f.options.ask_sites) return sites;
  std::erase_if(sites, [&](const std::string& site) {
    return f.searches.SaidNever(request.id(), 0, site) || heard.contains(site) ||
           StartsSought(f, t, request, false, site).empty();
  });
  std::vector<partitioner::Candidate> candidates;
  for (const std::string& site : sites) {
    candidates.push_back(CandidateAt(f, t, request, 0, site,
                                     ShadowStartAt(f, t, request, site).value_or(kFarFuture)));
  }
  std::stable_sort(candidates.begin(), candidates.end(), partitioner::Better);
  const std::optional<partitioner::Candidate> best = BestOf(f, t, request, heard);
  sites.clear();
  for (const partitioner::Candidate& candidate : candidates) {
    const bool among_first = sites.size() < f.options.ask_sites;
    const bool wanted = best ? among_first && partitioner::Better(candidate, *best)
                             : among_first || (candidate.home && heard.empty());
    if (wanted) sites.push_back(candidate.site);
  }
  return sites;
}

// Adds a request of one part to the wave. False if a proposal would get too long.
bool Join(const SearchLayer& f, const Turn& t, Request& request, Gathering& g) {
  const schemas::RequestSpec& spec = request.record().spec;
  for (const auto& [site, entries] : g.proposals) {
    if (entries.size() + 1 > schemas::kProposalEntries) return false;
  }
  for (const std::string& site : SitesToAsk(f, t, request)) {
    ProposalEntry entry;
    entry.parts = {partitioner::DemandOf(spec, 1, TailAlone(f, t, request))};
    entry.parts[0].duration = AskedAt(f, spec, site);
    SayWho(entry, f, request);
    entry.allowed = PromisedAtOnce(f, request) ? StartsSoon(f, t, request, site, kStartAgain)
                                               : StartsSought(f, t, request, false, site);
    if (request.TriesElsewhere())
      entry.allowed = entry.allowed.NotBefore(t.NowCeiling() + kMoveAhead);
    if (entry.allowed.empty()) continue;
    entry.asked = entry.allowed.intervals()[0].begin;
    if (request.replacing) entry.ignoring = {*request.replacing};
    g.proposals[site].push_back(std::move(entry));
    g.wave.entries[site].push_back(request.id());
    g.wave.asked[site].push_back(g.proposals[site].back().asked);
  }
  g.wave.requests.push_back(request.id());
  LogRound(request);
  return true;
}

// Lets a request wait until sites are up without which its parts cannot be placed. True if it waits
// or its search has ended.
bool WaitForSite(SearchLayer& f, Turn& t, Request& request) {
  const schemas::RequestSpec& spec = request.record().spec;
  const bool unlisted =
      std::any_of(spec.parts.begin(), spec.parts.end(), [&f](const schemas::PartSpec& part) {
        return partitioner::EligibleSites(part, f.site_names).empty();
      });
  const std::vector<std::string> missed = SitesMissed(f, spec);
  if (missed.empty() && !unlisted) return false;
  const schemas::Reason why = SilentReason(f, missed, t.plan);
  // If its sites are no longer configured, the request keeps the place it has.
  const SearchEvent event = unlisted ? SearchEvent::kNoPlace : SearchEvent::kNotNow;
  if (SearchEnds(f, t, request, event, why)) return true;
  // The duration of a silence is computed when shown, so the same reason is not set again.
  const bool silent_still = why.code == schemas::ReasonCode::kSilent && request.record().reason &&
                            request.record().reason->code == why.code &&
                            request.record().reason->subject == why.subject;
  if (!silent_still) f.requests.SetReason(request, why);
  f.room.Stick(RankOf(request), WaitingRoom::StuckBy::kSilence);
  return true;
}

// True if each part has a site that is up and fast enough for the deadline or reservation.
bool CanEnd(const SearchLayer& f, const Turn& t, const Request& request) {
  if (f.options.terms.empty()) return true;
  for (size_t i = 0; i < request.record().spec.parts.size(); ++i) {
    const std::vector<std::string> up = UpSites(f, request.record().spec, i);
    const bool one = std::any_of(up.begin(), up.end(), [&](const std::string& site) {
      return !StartsAt(f, t, request, false, {site}).empty();
    });
    if (!one) return false;
  }
  return true;
}

// The request has no allowed start now. A start behind the horizon comes nearer with time. A window
// without another whole second left has passed by the next look.
void WaitForStarts(SearchLayer& f, Turn& t, Request& request) {
  const std::optional<schemas::Reason> beyond = BeyondHorizon(f, t, request);
  std::optional<schemas::Reason> outside =
      beyond ? std::nullopt : WhyNotCounted(f, request.record().requester.user);
  if (!beyond && !outside) outside = WhyNotAdmitted(f, t, request);
  if (const auto limited =
          beyond || outside ? std::nullopt
                            : WhyNoStart(f, request.record().spec, request.record().requester.user,
                                         request.id(), t.plan)) {
    if (SearchEnds(f, t, request, SearchEvent::kNoPlace, *limited)) return;
    return WaitForLimit(f, t, request, *limited);
  }
  const SearchEvent event = beyond || outside ? SearchEvent::kNoPlace : SearchEvent::kNotNow;
  const schemas::Reason why = beyond.value_or(
      schemas::Reason{.code = schemas::ReasonCode::kHorizon, .text = "no start in its window"});
  if (SearchEnds(f, t, request, event, why)) return;
  if (outside) {
    // Waits until the file of users changes. A window ends the request all the same.
    f.requests.SetReason(request, *outside);
    const bool share = outside->code == schemas::ReasonCode::kShare;
    return f.room.Stick(RankOf(request), WaitingRoom::StuckBy::kSilence,
                        t.boot() + (share ? kBarred : kNotCounted));
  }
  if (!beyond) return f.room.Sleep(RankOf(request), t.boot() + Seconds(1));
  // What counts under a limit ends earlier than planned now and then.
  if (IsLimited(f, request, t.plan)) return WaitForLimit(f, t, request, *beyond);
  f.requests.SetReason(request, *beyond);
  SleepUntil(f, t, request, *beyond->until);
}

// Waits until a site is even again; balances are worked out anew meanwhile.
void WaitForBalance(SearchLayer& f, Turn& t, Request& request, const schemas::Reason& why) {
  if (SearchEnds(f, t, request, SearchEvent::kNoPlace, why)) return;
  f.requests.SetReason(request, why);
  f.room.Stick(RankOf(request), WaitingRoom::StuckBy::kSilence, t.boot() + kBarred);
}

// True if some site gave a start before that of the place to be replaced.
bool HasRoomBefore(const std::map<std::string, VerdictEntry>& by_site, const SearchLayer& f,
                   const Request& request) {
  const auto place = request.replacing ? f.attempts.find(*request.replacing) : f.attempts.end();
  if (place == f.attempts.end()) return false;
  return std::any_of(by_site.begin(), by_site.end(), [&](const auto& told) {
    const schemas::VerdictKind kind = told.second.kind;
    const bool has =
        kind == schemas::VerdictKind::kAccepted || kind == schemas::VerdictKind::kCountered;
    return has && told.second.start < place->second.record().start + Span{request.GivesWay()};
  });
}

// Corrects counters that assume earlier entries of the wave which then went to other sites. Such a
// counter is an upper bound of the start. The shadow, which knows where entries went, gives a lower
// bound and is the better guess for choosing a site. Not done if a site confirmed a start before
// the present place: trying the guess would pass that start over. Guesses for a move go by the
// sites in turn, since the best one may be refused again and again.
void CountRoomLeft(SearchLayer& f, const Turn& t, const Request& request,
                   const std::set<std::string>& elsewhere, Answers& answers) {
  if (request.record().spec.inside || answers.empty() || !PromisedAtOnce(f, request)) return;
  if (request.TriesElsewhere() && HasRoomBefore(answers[0], f, request)) return;
  bool guessed = false;
  for (auto& [site, verdict] : answers[0]) {
    if (verdict.kind != schemas::VerdictKind::kCountered || !elsewhere.contains(site)) continue;
    if (f.searches.GuessedWrong(request.id(), site)) continue;
    const std::optional<Instant> start = ShadowStartAt(f, t, request, site);
    if (!start || *start >= verdict.start) continue;
    verdict.start = *start;
    verdict.starts = {};
    guessed = true;
  }
  if (!guessed) f.searches.ForgetWrongGuesses(request.id());
}

// True if sites remain whose shadows are better than all answers. The next wave asks them.
bool AsksMore(SearchLayer& f, const Turn& t, Request& request,
              std::map<std::string, VerdictEntry> heard) {
  if (heard.empty()) return false;
  const RequestId id = request.id();
  f.searches.Hear(id, std::move(heard), t.boot() + f.options.values.answer_wait);
  if (SitesToAsk(f, t, request).empty()) {
    f.searches.TakeHeard(id);
    return false;
  }
  f.room.Ready(RankOf(request));
  return true;
}

bool HasRoom(const VerdictEntry& verdict) {
  return verdict.kind == schemas::VerdictKind::kAccepted ||
         verdict.kind == schemas::VerdictKind::kCountered;
}

// True if a site refused the request behind entries that had room there but went elsewhere, and no
// other site has a start. The request is then asked about again without those entries. This ends,
// since the first entry of a set is behind none and the set shrinks each time.
bool AsksAgain(const SearchLayer& f, const Request& request,
               const std::map<std::string, VerdictEntry>& told,
               const std::set<std::string>& not_taken) {
  if (not_taken.empty() || !PromisedAtOnce(f, request)) return false;
  const bool has = request.TriesElsewhere()
                       ? HasRoomBefore(told, f, request)
                       : std::any_of(told.begin(), told.end(),
                                     [](const auto& one) { return HasRoom(one.second); });
  return !has && std::any_of(told.begin(), told.end(), [&](const auto& one) {
    return one.second.kind == schemas::VerdictKind::kBlocked && not_taken.contains(one.first);
  });
}

void FinishWave(SearchLayer& f, Turn& t) {
  const Wave wave = std::move(*f.wave);
  f.wave.reset();
  f.prover.Drop(wave.owner);
  std::set<std::string> elsewhere;  // sites with verdicts on entries that went elsewhere
  std::set<std::string> not_taken;  // those of them that had room for such an entry
  for (const RequestId id : wave.requests) {
    Request* request = f.requests.Find(id);
    if (!request) continue;
    f.searches.EndAsking(id);
    auto heard = f.searches.TakeHeard(id);
    if (!request->Wanted() || request->seeking) continue;
    if (request->record().attempt && !request->replacing) continue;
    if (const auto it = wave.verdicts.find(id); it != wave.verdicts.end()) {
      for (const auto& [site, verdict] : it->second) heard.insert_or_assign(site, verdict);
    }
    Answers answers;
    if (!heard.empty()) answers[0] = heard;
    const size_t asked = heard.size();
    if (AsksMore(f, t, *request, std::move(heard))) continue;
    // Only the first search is an event; later ones would flood the timeline.
    const bool first =
        f.searches.Of(id).tries == 0 && !request->TriesElsewhere() && PromisedAtOnce(f, *request);
    if (first && asked > 0 && !SaidProposed(*request)) {
      AddEvent(f, t, *request, "proposed",
               "proposed to " + std::to_string(asked) + (asked == 1 ? " site" : " sites"));
    }
    if (AsksAgain(f, *request, answers[0], not_taken)) {
      f.room.Ready(RankOf(*request));
      continue;
    }
    CountRoomLeft(f, t, *request, elsewhere, answers);
    // This request was asked behind entries that went elsewhere. If it fails now it is tried once
    // more.
    if (!elsewhere.empty()) f.searches.NoteRoomBefore(id);
    PlaceByAnswers(f, t, *request, answers);
    for (const auto& [site, verdict] : answers[0]) {
      const bool here = request->seeking && f.sites.at(site).attempts.contains(*request->seeking);
      if (here) continue;
      elsewhere.insert(site);
      if (HasRoom(verdict)) not_taken.insert(site);
    }
  }
}

// Takes a ready request before a woken one, but at every kShare-th place of a wave the other way
// round.
std::optional<Rank> TakeNext(SearchLayer& f, size_t tried) {
  constexpr size_t kShare = 4;
  const bool woken_first = tried % kShare == kShare - 1;
  std::optional<Rank> rank = woken_first ? f.room.TakeWoken() : f.room.TakeReady();
  if (!rank) rank = woken_first ? f.room.TakeReady() : f.room.TakeWoken();
  return rank;
}

// Another one that asks for the same lent room was just told that there is none.
std::optional<BootInstant> LentRoomRefusedUntil(const SearchLayer& f, const Turn& t,
                                                const Request& request) {
  if (request.replacing || !AsksForLentRoom(f, request.record().spec)) return std::nullopt;
  return f.lent_asks.RefusedUntil(LentKeyOf(f, request), t.boot());
}

void GatherWave(SearchLayer& f, Turn& t) {
  Gathering g;
  std::vector<Rank> in_turn;  // requests whose search must wait until another has ended
  for (size_t tried = 0; tried < f.options.wave_max; ++tried) {
    const std::optional<Rank> rank = TakeNext(f, tried);
    if (!rank) break;
    Request* request = f.requests.Find(rank->id);
    if (!request || !request->Wanted() || request->seeking) continue;
    if (f.searches.IsAsked(rank->id)) continue;
    if (IsStanding(*request)) continue;  // its occurrences are placed instead
    if (request->record().attempt && !request->replacing) continue;
    if (EndIfHopeless(f, t, *request) || WaitsForOthers(f, t, *request)) continue;
    if (WaitForSite(f, t, *request)) continue;
    if (const auto until = LentRoomRefusedUntil(f, t, *request)) {
      f.room.Sleep(*rank, *until);
      continue;
    }
    if (const auto why = WhyNotPaid(f, *request, t.plan)) {
      if (!SearchEnds(f, t, *request, SearchEvent::kNoPlace, *why)) {
        WaitForCredit(f, t, *request, *why);
      }
      continue;
    }
    if (const auto why = WhyNotPromised(f, *request, t.plan)) {
      if (!SearchEnds(f, t, *request, SearchEvent::kNoPlace, *why)) {
        WaitForLimit(f, t, *request, *why);
      }
      continue;
    }
    if (const auto why = WhyNoRoomBeyondBalances(f, *request)) {
      WaitForBalance(f, t, *request, *why);
      continue;
    }
    request->nearest = NearestStart(f, t, *request);
    if (StartsFrom(f, t, *request, false).empty()) {
      WaitForStarts(f, t, *request);
      continue;
    }
    if (!PromisedAtOnce(f, *request) && !f.searches.Of(rank->id).gap_refused) {
      if (!FillGap(f, t, *request)) EnterQueue(f, *request);
      continue;
    }
    if (!CanEnd(f, t, *request)) {
      WaitForStarts(f, t, *request);
      continue;
    }
    if (t.boot() > f.searches.Of(rank->id).heard_until) f.searches.TakeHeard(rank->id);
    if (f.searches.Of(rank->id).heard.empty() && PlaceByShadow(f, t, *request)) continue;
    if (request->record().spec.parts.size() > 1) {
      if (MayMeet(f)) {
        SeekMeeting(f, t, *request);
      } else {
        in_turn.push_back(*rank);
      }
      continue;
    }
    if (!Join(f, t, *request, g)) {
      f.room.Ready(*rank);
      break;
    }
    AskSites(f, t, *request);
  }
  for (const Rank& rank : in_turn) f.room.Sleep(rank, t.boot() + kMeetingTurn);
  if (g.wave.requests.empty()) return;
  g.wave.owner = f.prover.NewOwner();
  const BootInstant until = t.boot() + f.options.values.answer_wait;
  for (auto& [site, entries] : g.proposals) {
    g.wave.out.insert(site);
    Site& to = f.sites.at(site);
    Say(f, t, to, f.prover.Ask(site, g.wave.owner, to.plan, std::move(entries), until));
  }
  f.wave = std::move(g.wave);
  // Perhaps no request of the wave has a site left to ask.
  if (f.wave->out.empty()) FinishWave(f, t);
}

}  // namespace

void StartWave(SearchLayer& f, Turn& t) {
  SeekMoves(f, t);
  if (!f.wave) GatherWave(f, t);
  SeekGaps(f, t);
  StartBlock(f, t);
}

bool TakeWave(SearchLayer& f, Turn& t, uint64_t owner, const std::string& site,
              const std::vector<VerdictEntry>* verdicts) {
  if (!f.wave || f.wave->owner != owner) return false;
  Wave& wave = *f.wave;
  const std::vector<RequestId>& entries = wave.entries[site];
  for (size_t i = 0; i < entries.size(); ++i) {
    const VerdictEntry verdict = verdicts ? (*verdicts)[i] : VerdictEntry{};
    if (Request* request = f.requests.Find(entries[i])) {
      LogAnswer(t, *request, f.sites.at(site), {0}, wave.asked[site][i], verdict);
    }
    wave.verdicts[entries[i]][site] = verdict;
  }
  wave.out.erase(site);
  if (wave.out.empty()) FinishWave(f, t);
  return true;
}

}  // namespace muster::meta
