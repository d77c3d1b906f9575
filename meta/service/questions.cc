// One proposal per site, one offer per site; for several parts one offer for the best combination.
#include "meta/service/questions.h"

#include <algorithm>

#include "meta/requests/figures.h"
#include "meta/requests/gates.h"
#include "meta/requests/members.h"
#include "meta/requests/reservations.h"
#include "meta/requests/terms.h"
#include "meta/requests/validate.h"
#include "meta/search/meetings.h"
#include "meta/search/placing.h"
#include "meta/sites/say.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

using schemas::OfferView;
using schemas::VerdictEntry;
using schemas::VerdictKind;

void Refuse(ServiceLayer& f, Turn& t, const AskPending& ask, schemas::Refused refused) {
  refused.changed = "nothing was changed";
  Reply(f, t, ask.user, ask.link, ask.number, std::move(refused));
}

schemas::Figures OfferFigures(const ServiceLayer& f, const Turn& t,
                              const schemas::RequestSpec& spec,
                              const std::vector<std::string>& part_sites, Instant start) {
  schemas::Figures out = PromiseOf(f, spec, partitioner::MembersOf(part_sites), start, t.plan);
  out.starts_by->firm = false;  // a quote binds nobody
  return out;
}

OfferView OfferOf(const ServiceLayer& f, const Turn& t, const schemas::RequestSpec& spec,
                  const std::string& site, const VerdictEntry& verdict) {
  OfferView out;
  out.sites = {site};
  switch (verdict.kind) {
    case VerdictKind::kAccepted:
    case VerdictKind::kCountered:
      out.figures = OfferFigures(f, t, spec, out.sites, verdict.start);
      if (verdict.kind == VerdictKind::kCountered && verdict.reason)
        out.waits_for = {*verdict.reason};
      return out;
    case VerdictKind::kNever:
      out.never = verdict.reason.value_or(schemas::Reason{.code = schemas::ReasonCode::kNode,
                                                          .subject = {.site = site},
                                                          .text = "it can never run here"});
      out.largest = verdict.largest;
      break;
    case VerdictKind::kBlocked:
    case VerdictKind::kUnanswered:
      if (verdict.kind == VerdictKind::kUnanswered &&
          (!f.sites.at(site).Up() || f.sites.at(site).disk_low)) {
        out.figures.no_promise_reason = SilentReason(f, {site}, t.plan);
        break;
      }
      out.figures.no_promise_reason = verdict.reason.value_or(schemas::Reason{
          .code = verdict.kind == VerdictKind::kBlocked ? schemas::ReasonCode::kBlocked
                                                        : schemas::ReasonCode::kBudget,
          .subject = {.site = site},
          .text = verdict.kind == VerdictKind::kBlocked ? "blocked" : "no answer in time"});
      break;
  }
  out.figures.basis = BasisOf(f, out.sites, t.plan);
  return out;
}

// Offers that name a start come first, by start.
void SortOffers(std::vector<OfferView>& offers) {
  std::stable_sort(offers.begin(), offers.end(), [](const OfferView& a, const OfferView& b) {
    const auto at = [](const OfferView& o) {
      return o.figures.starts_by ? o.figures.starts_by->at : kFarFuture;
    };
    return at(a) < at(b);
  });
}

// One offer for all parts together.
OfferView Combination(const ServiceLayer& f, const Turn& t, const AskPending& ask,
                      const partitioner::Meeting& search) {
  OfferView out;
  const std::optional<partitioner::Met> met = search.Best(f.options.transfer);
  if (!met) {
    const std::vector<std::string> silent = search.Silent();
    out.figures.no_promise_reason = silent.empty()
                                        ? schemas::Reason{.code = schemas::ReasonCode::kContended,
                                                          .text = "no common start was found"}
                                        : SilentReason(f, silent, t.plan);
    return out;
  }
  out.sites = met->part_sites;
  for (const std::string& site : partitioner::MembersOf(met->part_sites)) {
    if (const schemas::Reason* why = search.WhyNotEarlier(*met, site))
      out.waits_for.push_back(*why);
  }
  out.figures = OfferFigures(f, t, ask.spec, met->part_sites, met->start);
  return out;
}

void AnswerWith(ServiceLayer& f, Turn& t, const AskPending& ask,
                const std::vector<std::string>& asked, std::vector<OfferView> offers) {
  schemas::Rows rows;
  rows.as_of = t.plan;
  rows.basis = BasisOf(f, asked, t.plan);
  rows.offers = std::move(offers);
  SortOffers(rows.offers);
  Reply(f, t, ask.user, ask.link, ask.number, std::move(rows));
}

void Answer(ServiceLayer& f, Turn& t, const AskPending& ask) {
  const std::vector<std::string> asked(ask.asked.begin(), ask.asked.end());
  std::vector<OfferView> offers;
  for (const std::string& site : partitioner::EligibleSites(ask.spec.parts[0], f.site_names)) {
    const auto verdict = ask.verdicts.find(site);
    offers.push_back(OfferOf(f, t, ask.spec, site,
                             verdict == ask.verdicts.end() ? VerdictEntry{} : verdict->second));
  }
  AnswerWith(f, t, ask, asked, std::move(offers));
}

// It cannot be placed without sites that are not up.
std::optional<schemas::Refused> Unreachable(const ServiceLayer& f, const Turn& t,
                                            const schemas::RequestSpec& spec) {
  const std::vector<std::string> missed = SitesMissed(f, spec);
  if (missed.empty()) return std::nullopt;
  const schemas::Reason why = SilentReason(f, missed, t.plan);
  if (why.code != schemas::ReasonCode::kSilent) {
    return schemas::Refused{.code = "disk-full", .message = why.text};
  }
  std::string text = why.text;
  const size_t silent = text.find(" has been silent for ");
  if (silent != std::string::npos) text.replace(silent, 21, " has not answered for ");
  return schemas::Refused{.code = "unreachable",
                          .message = text,
                          .help = "last known plan: muster gantt --site " + missed[0] + " --stale"};
}

// A quote behind others begins when they have ended, as promised; false if nobody can tell.
bool BeginAfterOthers(const ServiceLayer& f, const Turn& t, schemas::RequestSpec& spec) {
  if (spec.after.empty()) return true;
  schemas::RequestRecord asked;
  asked.spec.after = spec.after;
  const Request request(std::move(asked));
  const std::optional<Instant> opens = GateOpensAt(f, request, t.plan);
  if (!opens || AfterOf(f, request, t.plan) == AfterStands::kNever) return false;
  if (*opens > Instant{0}) spec.from = std::max(spec.from.value_or(*opens), *opens);
  return true;
}

}  // namespace

void OnAsk(ServiceLayer& f, Turn& t, const std::string& user, const std::string& link,
           MessageNumber number, const schemas::Ask& message) {
  AskPending ask{.user = user, .link = link, .number = number, .spec = message.request};
  const auto outstanding =
      std::count_if(f.asks.begin(), f.asks.end(),
                    [&](const auto& other) { return other.second.user == user; }) +
      std::count_if(f.meetings.begin(), f.meetings.end(), [&](const auto& other) {
        return !other.second.request && other.second.ask.user == user;
      });
  if (static_cast<size_t>(outstanding) >= schemas::kAsksPerUser) {
    return Refuse(
        f, t, ask,
        {.code = "busy", .message = std::to_string(outstanding) + " questions are out already"});
  }
  if (auto fault = CheckCounts(f, user, t.plan)) return Refuse(f, t, ask, *fault);
  NameProperties(f, ask.spec);
  FillDuration(f, ask.spec, user);
  if (auto fault = CheckRequest(f, ask.spec, t.plan, false)) return Refuse(f, t, ask, *fault);
  if (auto fault = verifier::CheckStartNotice(ask.spec, ShortestLength(f, ask.spec), t.plan))
    return Refuse(f, t, ask, *fault);
  if (auto fault = EnterReservation(f, ask.spec, user, t.plan)) return Refuse(f, t, ask, *fault);
  if (auto never = NeverRuns(f, ask.spec)) return Refuse(f, t, ask, *never);
  if (!BeginAfterOthers(f, t, ask.spec)) {
    return Refuse(f, t, ask,
                  {.code = "conflict",
                   .message = "nobody can tell yet when the jobs it comes after have ended",
                   .help = "ask without --after"});
  }
  if (auto silent = Unreachable(f, t, ask.spec)) return Refuse(f, t, ask, *std::move(silent));
  if (ask.spec.parts.size() > 1) {
    if (StartsFrom(f, t, ask.spec, user, false).empty())
      return Refuse(f, t, ask, NoStarts(f, t, ask.spec, user));
    return AskMeeting(f, t, std::move(ask));
  }
  std::map<std::string, std::vector<schemas::ProposalEntry>> proposals;
  for (const std::string& site : UpSites(f, ask.spec, 0)) {
    schemas::ProposalEntry entry;
    entry.parts = {partitioner::DemandOf(ask.spec, 1, Span{0})};
    entry.parts[0].duration = LengthAt(f, ask.spec, site);
    SayWho(entry, f, ask.spec, user, t.plan);
    entry.priority = f.requests.PriorityOf(ask.spec.queue);
    entry.allowed = StartsAt(f, t, ask.spec, user, false, {site});
    if (entry.allowed.empty()) return Refuse(f, t, ask, NoStarts(f, t, ask.spec, user));
    entry.asked = entry.allowed.intervals()[0].begin;
    entry.want_starts = true;
    proposals[site].push_back(std::move(entry));
    ask.asked.insert(site);
  }
  const uint64_t owner = ++f.last_owner;
  const BootInstant until = t.boot() + f.options.values.answer_wait;
  for (auto& [name, entries] : proposals) {
    ask.out.insert(name);
    Site& site = f.sites.at(name);
    Say(f, t, site, f.prover.Ask(name, owner, site.plan, std::move(entries), until));
  }
  f.asks[owner] = std::move(ask);
}

void AnswerMeeting(ServiceLayer& f, Turn& t, const AskPending& ask,
                   const partitioner::Meeting& search) {
  std::vector<std::string> asked;
  for (const auto& [part, by_site] : search.AnswersByPart()) {
    for (const auto& [site, verdict] : by_site) asked.push_back(site);
  }
  std::sort(asked.begin(), asked.end());
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  AnswerWith(f, t, ask, asked, {Combination(f, t, ask, search)});
}

void TakeAskAnswer(ServiceLayer& f, Turn& t, uint64_t owner, const std::string& site,
                   const std::vector<VerdictEntry>* verdicts) {
  const auto it = f.asks.find(owner);
  if (it == f.asks.end()) return;
  AskPending& ask = it->second;
  if (verdicts) ask.verdicts[site] = verdicts->front();
  ask.out.erase(site);
  if (!ask.out.empty()) return;
  // It stays until what is expected of its offers is known.
  Answer(f, t, ask);
}

void EndAskAnswersOf(ServiceLayer& f, Turn& t, const std::string& site) {
  f.prover.TakeSite(site);
  std::vector<uint64_t> owners;
  for (const auto& [owner, ask] : f.asks) {
    if (ask.out.contains(site)) owners.push_back(owner);
  }
  for (const uint64_t owner : owners) TakeAskAnswer(f, t, owner, site, nullptr);
}

}  // namespace muster::meta
