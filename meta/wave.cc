// Gathering, asking, and placing by rank when the last answer is in.
#include "meta/wave.h"

#include <algorithm>

#include "meta/alter.h"
#include "meta/block.h"
#include "meta/endings.h"
#include "meta/figures.h"
#include "meta/gates.h"
#include "meta/placing.h"
#include "meta/questions.h"
#include "meta/queueing.h"
#include "meta/rechoice.h"
#include "meta/terms.h"
#include "meta/verdict_log.h"
#include "meta/verified_run.h"
#include "partitioner/choose.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

using schemas::ProposalEntry;
using schemas::VerdictEntry;

struct Gathering {
  Wave wave;
  std::map<std::string, std::vector<ProposalEntry>> proposals;
};

// Of a part that is alone only the best ones by their shadows are asked; those that can never run
// it were asked before.
std::vector<std::string> SitesToAsk(const Federation& f, const Turn& t, const Request& request,
                                    uint32_t part) {
  const schemas::RequestSpec& spec = request.record.spec;
  std::vector<std::string> sites = UpSites(f, spec, part);
  // Who may go elsewhere moves up by itself where it is.
  if (request.rechoosing && request.replacing && sites.size() > 1) {
    std::erase(sites, f.attempts.at(*request.replacing).record.members[0]);
  }
  if (spec.parts.size() > 1 || sites.size() <= f.options.ask_sites) return sites;
  std::erase_if(sites, [&](const std::string& site) { return SaidNever(request, part, site); });
  std::vector<partitioner::Candidate> candidates;
  for (const std::string& site : sites) {
    candidates.push_back({site, ShadowStartAt(f, t, spec, site).value_or(kFarFuture)});
  }
  std::stable_sort(candidates.begin(), candidates.end(), partitioner::Better);
  sites.clear();
  for (const partitioner::Candidate& candidate : candidates) {
    if (sites.size() < f.options.ask_sites) sites.push_back(candidate.site);
  }
  return sites;
}

// False if the entries would not fit into one proposal any more.
bool Join(const Federation& f, const Turn& t, const Request& request, Gathering& g) {
  const schemas::RequestSpec& spec = request.record.spec;
  const bool several = spec.parts.size() > 1;
  for (const auto& [site, entries] : g.proposals) {
    if (entries.size() + spec.parts.size() > schemas::kProposalEntries) return false;
  }
  const Span tail = several ? Span{f.options.values.start_wait.milliseconds / 1000} : Span{0};
  for (uint32_t i = 0; i < spec.parts.size(); ++i) {
    for (const std::string& site : SitesToAsk(f, t, request, i)) {
      ProposalEntry entry;
      entry.parts = {partitioner::DemandOf(spec, i + 1, tail)};
      entry.parts[0].duration = LengthAt(f, spec, site);
      SayWho(entry, request);
      entry.priority = request.priority;
      // Parts may end up on one site, and then need no lead; the sets are cut again before a hold.
      entry.allowed = StartsAt(f, t, request, false, {site});
      if (entry.allowed.empty()) continue;
      const IntervalSet asked = StartsAt(f, t, request, several, {site});
      entry.asked = (asked.empty() ? entry.allowed : asked).intervals()[0].begin;
      entry.want_starts = several;
      if (request.replacing) entry.ignoring = {*request.replacing};
      g.proposals[site].push_back(std::move(entry));
      g.wave.entries[site].push_back({request.record.id, i});
    }
  }
  g.wave.requests.push_back(request.record.id);
  return true;
}

// Where a request waits whose parts have no site that is up; true if it does.
bool WaitForSite(Federation& f, Turn& t, Request& request) {
  const schemas::RequestSpec& spec = request.record.spec;
  for (size_t i = 0; i < spec.parts.size(); ++i) {
    if (!UpSites(f, spec, i).empty()) continue;
    const std::vector<std::string> sites = partitioner::EligibleSites(spec.parts[i], f.site_names);
    // Its sites are listed no more: what it has already it keeps.
    if (sites.empty() && KeepsItsPlace(f, t, request, std::nullopt)) return true;
    const schemas::Reason why = SilentReason(f, sites, t.plan);
    if (request.before) {
      AlterFails(f, t, request, why);
      return true;
    }
    // The time of a silence is shown as it is when somebody looks; it is no news.
    const bool silent_still = why.code == schemas::ReasonCode::kSilent && request.record.reason &&
                              request.record.reason->code == why.code;
    if (!silent_still) SetReason(t, request, why);
    f.room.Stick(RankOf(request), WaitingRoom::StuckBy::kSilence);
    return true;
  }
  return false;
}

// Is there a site for each part that is up and fast enough for a deadline or a slot?
bool CanEnd(const Federation& f, const Turn& t, const Request& request) {
  if (f.options.terms.empty()) return true;
  for (size_t i = 0; i < request.record.spec.parts.size(); ++i) {
    const std::vector<std::string> up = UpSites(f, request.record.spec, i);
    const bool one = std::any_of(up.begin(), up.end(), [&](const std::string& site) {
      return !StartsAt(f, t, request, false, {site}).empty();
    });
    if (!one) return false;
  }
  return true;
}

// It has no start now: one behind the horizon comes nearer; a window that opens no more whole
// second is ended by the next look.
void WaitForStarts(Federation& f, Turn& t, Request& request) {
  const std::optional<schemas::Reason> beyond = BeyondHorizon(f, t, request);
  if (request.before) {
    return AlterFails(f, t, request,
                      beyond.value_or(schemas::Reason{.code = schemas::ReasonCode::kHorizon,
                                                      .text = "no start in its window"}));
  }
  if (!beyond) return f.room.Sleep(RankOf(request), t.boot() + Seconds(1));
  if (KeepsItsPlace(f, t, request, std::nullopt)) return;
  SetReason(t, request, *beyond);
  SleepUntil(f, t, request, *beyond->until);
}

// A counter assumed all earlier entries of the set at its site. Where some went elsewhere it is
// only an upper bound; the shadow, which knows what went where, is the lower one, and the better
// guess for choosing a site.
void CountRoomLeft(const Federation& f, const Turn& t, const Request& request,
                   const std::set<std::string>& elsewhere, Answers& answers) {
  if (request.record.spec.parts.size() != 1 || request.record.spec.inside) return;
  for (auto& [site, verdict] : answers[0]) {
    if (verdict.kind != schemas::VerdictKind::kCountered || !elsewhere.contains(site)) continue;
    const std::optional<Instant> start = ShadowStartAt(f, t, request.record.spec, site);
    if (!start || *start >= verdict.start) continue;
    verdict.start = *start;
    verdict.starts = {};
  }
}

void FinishWave(Federation& f, Turn& t) {
  const Wave wave = std::move(*f.wave);
  f.wave.reset();
  f.prover.Drop(wave.owner);
  std::set<std::string> elsewhere;  // sites whose verdicts counted on entries that went elsewhere
  for (const RequestId id : wave.requests) {
    Request* request = f.requests.Find(id);
    if (!request) continue;
    request->in_wave = false;
    if (!request->Wanted() || request->seeking) continue;
    if (request->record.attempt && !request->replacing) continue;
    Answers answers;
    size_t asked = 0;
    for (uint32_t i = 0; i < request->record.spec.parts.size(); ++i) {
      const auto it = wave.verdicts.find({id, i});
      if (it == wave.verdicts.end()) continue;
      answers[i] = it->second;
      asked = std::max(asked, it->second.size());
    }
    // Only the first figures are worth a line; later rounds would drown the timeline.
    if (asked > 0 && request->tries == 0) {
      AddEvent(t, *request, "proposed",
               "proposed to " + std::to_string(asked) + (asked == 1 ? " site" : " sites"));
    }
    LogVerdicts(f, t, *request, answers);
    CountRoomLeft(f, t, *request, elsewhere, answers);
    PlaceByAnswers(f, t, *request, answers);
    for (const auto& [site, verdict] : answers[0]) {
      const bool here = request->seeking && f.sites.at(site).attempts.contains(*request->seeking);
      if (!here) elsewhere.insert(site);
    }
  }
}

// Answers of one site to the wave; an unanswered set is answered by kUnanswered.
void TakeWave(Federation& f, Turn& t, const std::string& site,
              const std::vector<VerdictEntry>* verdicts) {
  Wave& wave = *f.wave;
  const std::vector<Wave::Entry>& entries = wave.entries[site];
  for (size_t i = 0; i < entries.size(); ++i) {
    wave.verdicts[{entries[i].request, entries[i].part}][site] =
        verdicts ? (*verdicts)[i] : VerdictEntry{};
  }
  wave.out.erase(site);
  if (wave.out.empty()) FinishWave(f, t);
}

void Unanswered(Federation& f, Turn& t, const verifier::Prover::Question& question) {
  if (TakeVerified(f, t, question.owner, question.site, nullptr)) return;
  if (TakeBlockAnswer(f, t, question.owner, question.site, {}, nullptr)) return;
  if (f.wave && f.wave->owner == question.owner) {
    TakeWave(f, t, question.site, nullptr);
  } else {
    TakeAskAnswer(f, t, question.owner, question.site, nullptr);
  }
}

// Those that have just come before those that were woken, which get a share of every wave.
std::optional<Rank> TakeNext(Federation& f, size_t tried) {
  constexpr size_t kShare = 4;
  const bool woken_first = tried % kShare == kShare - 1;
  std::optional<Rank> rank = woken_first ? f.room.TakeWoken() : f.room.TakeReady();
  if (!rank) rank = woken_first ? f.room.TakeReady() : f.room.TakeWoken();
  return rank;
}

void GatherWave(Federation& f, Turn& t) {
  Gathering g;
  for (size_t tried = 0; tried < f.options.wave_max; ++tried) {
    const std::optional<Rank> rank = TakeNext(f, tried);
    if (!rank) break;
    Request* request = f.requests.Find(rank->id);
    if (!request || !request->Wanted() || request->seeking || request->in_wave) continue;
    if (request->record.attempt && !request->replacing) continue;
    if (EndIfHopeless(f, t, *request) || WaitsForOthers(f, t, *request)) continue;
    if (WaitForSite(f, t, *request)) continue;
    request->nearest = NearestStart(f, t, *request);
    if (StartsFrom(f, t, *request, false).empty()) {
      WaitForStarts(f, t, *request);
      continue;
    }
    if (!PromisedAtOnce(f, *request)) {
      if (!FillGap(f, t, *request)) EnterQueue(f, t, *request);
      continue;
    }
    if (!CanEnd(f, t, *request)) {
      WaitForStarts(f, t, *request);
      continue;
    }
    if (PlaceByShadow(f, t, *request)) continue;
    if (!Join(f, t, *request, g)) {
      f.room.Ready(*rank);
      break;
    }
    request->in_wave = true;
  }
  if (g.wave.requests.empty()) return;
  g.wave.owner = ++f.last_owner;
  const BootInstant until = t.boot() + f.options.values.answer_wait;
  for (auto& [site, entries] : g.proposals) {
    g.wave.out.insert(site);
    Site& to = f.sites.at(site);
    Say(f, t, to, f.prover.Ask(site, g.wave.owner, to.plan, std::move(entries), until));
  }
  f.wave = std::move(g.wave);
}

}  // namespace

void StartWave(Federation& f, Turn& t) {
  SeekRechoices(f, t);
  if (!f.wave) GatherWave(f, t);
  SeekGaps(f, t);
  StartBlock(f, t);
}

absl::Status OnVerdict(Federation& f, Turn& t, const std::string& site,
                       const schemas::Verdict& verdict) {
  const size_t before = f.prover.size();
  absl::StatusOr<std::optional<verifier::Prover::Question>> taken = f.prover.Take(site, verdict);
  if (!taken.ok()) {
    // The question is gone from the prover: for whoever asked, this site has not answered.
    if (f.prover.size() < before) {
      // First, since it drops all that is out there; a block may ask the site again at once.
      EndAskAnswersOf(f, t, site);
      EndVerifyingAt(f, site);
      if (f.wave && f.wave->out.contains(site)) TakeWave(f, t, site, nullptr);
      if (f.block) TakeBlockAnswer(f, t, f.block->owner, site, {}, nullptr);
    }
    return taken.status();
  }
  if (!taken->has_value()) return absl::OkStatus();
  const uint64_t owner = (*taken)->owner;
  if (TakeVerified(f, t, owner, site, &verdict)) return absl::OkStatus();
  if (TakeBlockAnswer(f, t, owner, site, verdict.plan, &verdict.entries)) return absl::OkStatus();
  if (f.wave && f.wave->owner == (*taken)->owner) {
    TakeWave(f, t, site, &verdict.entries);
  } else {
    TakeAskAnswer(f, t, (*taken)->owner, site, &verdict.entries);
  }
  return absl::OkStatus();
}

void EndOverdueQuestions(Federation& f, Turn& t) {
  for (const verifier::Prover::Question& q : f.prover.TakeOverdue(t.boot())) Unanswered(f, t, q);
}

void EndQuestionsOf(Federation& f, Turn& t, const std::string& site) {
  for (const verifier::Prover::Question& q : f.prover.TakeSite(site)) Unanswered(f, t, q);
}

}  // namespace muster::meta
