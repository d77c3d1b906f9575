// One proposal and one offer per site; for several parts, one offer for the best combination.
#include "meta/service/questions.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "meta/requests/beyond_balance.h"
#include "meta/requests/credentials.h"
#include "meta/requests/credits.h"
#include "meta/requests/figures.h"
#include "meta/requests/horizon.h"
#include "meta/requests/members.h"
#include "meta/requests/refusals.h"
#include "meta/requests/reservations.h"
#include "meta/requests/site_speeds.h"
#include "meta/requests/start_conditions.h"
#include "meta/requests/validate.h"
#include "meta/search/asking.h"
#include "meta/search/candidates.h"
#include "meta/search/meetings.h"
#include "meta/sites/say.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

using schemas::OfferView;
using schemas::VerdictEntry;
using schemas::VerdictKind;

void RefuseAsk(ServiceLayer& f, Turn& t, const Asker& asker, schemas::Refused refused) {
  refused.changed = kNothingChanged;
  Refuse(f, t, asker, std::move(refused));
}

schemas::Figures OfferFigures(const ServiceLayer& f, const Turn& t,
                              const schemas::RequestSpec& spec,
                              const std::vector<std::string>& part_sites, Instant start) {
  schemas::Figures out = PromiseOf(f, spec, partitioner::MembersOf(part_sites), start, t.plan);
  out.starts_by->firm = false;  // a quote binds nobody
  return out;
}

// What would be set aside for it.
std::optional<int64_t> CostAt(const ServiceLayer& f, const schemas::RequestSpec& spec,
                              const std::vector<std::string>& part_sites, Instant start) {
  if (!IsPaid(f, spec)) return std::nullopt;
  const bool several = partitioner::MembersOf(part_sites).size() > 1;
  const Span tail = several ? Span{f.options.values.start_wait.milliseconds / 1000} : Span{0};
  const std::vector<int64_t> prices = PricesOf(f, spec, part_sites, start, tail);
  return std::accumulate(prices.begin(), prices.end(), int64_t{0});
}

OfferView OfferOf(const ServiceLayer& f, const Turn& t, const schemas::RequestSpec& spec,
                  const std::string& site, const VerdictEntry& verdict) {
  OfferView out;
  out.sites = {site};
  switch (verdict.kind) {
    case VerdictKind::kAccepted:
    case VerdictKind::kCountered:
      out.figures = OfferFigures(f, t, spec, out.sites, verdict.start);
      out.cost = CostAt(f, spec, out.sites, verdict.start);
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

// Offers with a start come first, by start.
void SortOffers(std::vector<OfferView>& offers) {
  std::stable_sort(offers.begin(), offers.end(), [](const OfferView& a, const OfferView& b) {
    const auto at = [](const OfferView& o) {
      return o.figures.starts_by ? o.figures.starts_by->at : kFarFuture;
    };
    return at(a) < at(b);
  });
}

// One offer for all parts together.
OfferView Combination(const ServiceLayer& f, const Turn& t, const schemas::RequestSpec& spec,
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
  out.figures = OfferFigures(f, t, spec, met->part_sites, met->start);
  out.cost = CostAt(f, spec, met->part_sites, met->start);
  return out;
}

void AnswerWith(ServiceLayer& f, Turn& t, const Client& client,
                const std::vector<std::string>& asked, std::vector<OfferView> offers) {
  schemas::Rows rows;
  rows.as_of = t.plan;
  rows.basis = BasisOf(f, asked, t.plan);
  rows.offers = std::move(offers);
  SortOffers(rows.offers);
  Reply(f, t, client.user, client.link, client.number, std::move(rows));
}

void Answer(ServiceLayer& f, Turn& t, Quotes::Gathering quote) {
  const std::vector<std::string> asked(quote.asked.begin(), quote.asked.end());
  const schemas::RequestSpec& spec = quote.question;
  std::vector<OfferView> offers;
  for (const std::string& site : partitioner::EligibleSites(spec.parts[0], f.site_names)) {
    const auto verdict = quote.answers.find(site);
    VerdictEntry told = verdict == quote.answers.end() ? VerdictEntry{} : verdict->second;
    if (verdict == quote.answers.end() && KeepsRoomFrom(f, spec, quote.client.user, site)) {
      told = {.kind = VerdictKind::kBlocked, .reason = WhyRoomIsKept(f, site)};
    }
    offers.push_back(OfferOf(f, t, spec, site, told));
  }
  AnswerWith(f, t, quote.client, asked, std::move(offers));
  auto& [user, link, number] = quote.client;
  t.offered.push_back({std::move(user), std::move(link), number, std::move(quote.question)});
}

// Refusal if the request cannot be placed without sites that cannot be asked now.
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

// Lets a quote with dependencies begin no earlier than these are promised to end. False if that
// time is unknown, or a dependency can no longer be satisfied.
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

// Completes and checks the specification of a question.
verifier::Fault Prepare(const ServiceLayer& f, const Turn& t, const std::string& user,
                        schemas::RequestSpec& spec) {
  if (auto fault = CheckCounts(f, user, t.plan)) return fault;
  NameProperties(f, spec);
  FillDuration(f, spec, user);
  if (auto fault = CheckRequest(f, spec, t.plan, false)) return fault;
  if (auto fault = verifier::CheckStartNotice(spec, ShortestLength(f, spec), t.plan)) return fault;
  if (auto fault = EnterCredentials(f, spec, user, t.plan)) {
    fault->changed.clear();
    return fault;
  }
  if (auto fault = EnterReservation(f, spec, user, t.plan)) return fault;
  if (auto never = NeverRuns(f, spec, user, t.plan)) return never;
  if (!BeginAfterOthers(f, t, spec)) {
    return schemas::Refused{
        .code = "conflict",
        .message = "nobody can tell yet when the jobs it comes after have ended",
        .help = "ask without --after"};
  }
  return Unreachable(f, t, spec);
}

}  // namespace

void OnAsk(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Ask& message) {
  schemas::RequestSpec spec = message.request;
  // Quotes whose offers leave with this turn count as open.
  const auto answered = std::count_if(t.offered.begin(), t.offered.end(),
                                      [&](const Offered& one) { return one.user == asker.user; });
  const size_t out = f.asks.CountOf(asker.user) + static_cast<size_t>(answered);
  if (out >= schemas::kAsksPerUser) {
    return RefuseAsk(
        f, t, asker,
        {.code = "busy", .message = std::to_string(out) + " questions are out already"});
  }
  if (auto fault = Prepare(f, t, asker.user, spec)) return RefuseAsk(f, t, asker, *fault);
  if (const auto kept = WhyNoRoomBeyondBalances(f, spec, asker.user)) {
    return RefuseAsk(f, t, asker,
                     {.code = "busy",
                      .message = "no site promises " + asker.user + " a start just now",
                      .detail = kept->text,
                      .help = "submit it all the same: it waits until the site is even again"});
  }
  const Client client{asker.user, asker.link, asker.number};
  if (spec.parts.size() > 1) {
    if (StartsFrom(f, t, spec, asker.user, false).empty())
      return RefuseAsk(f, t, asker, NoStarts(f, t, spec, asker.user));
    const Inquired inquired =
        Inquire(f, t, {.spec = spec, .user = asker.user, .as = {}, .behind = {}});
    f.asks.Begin(inquired.owner, client, std::move(spec));
    if (inquired.over) AnswerMeeting(f, t, {inquired.owner, *inquired.over});
    return;
  }
  std::map<std::string, std::vector<schemas::ProposalEntry>> proposals;
  for (const std::string& site : UpSites(f, spec, 0)) {
    if (KeepsRoomFrom(f, spec, asker.user, site)) continue;
    schemas::ProposalEntry entry;
    entry.parts = {partitioner::DemandOf(spec, 1, Span{0})};
    entry.parts[0].duration = AskedAt(f, spec, site);
    SayWho(entry, f, spec, asker.user, t.plan);
    entry.allowed = StartsAt(f, t, spec, asker.user, false, {site});
    if (entry.allowed.empty()) {
      return RefuseAsk(f, t, asker, NoStarts(f, t, spec, asker.user));
    }
    entry.asked = entry.allowed.intervals()[0].begin;
    entry.want_starts = true;
    proposals[site].push_back(std::move(entry));
  }
  const uint64_t owner = f.prover.NewOwner();
  const BootInstant until = t.boot() + f.options.values.answer_wait;
  f.asks.Begin(owner, client, std::move(spec));
  for (auto& [name, entries] : proposals) {
    f.asks.Ask(owner, name);
    Site& site = f.sites.at(name);
    Say(f, t, site, f.prover.Ask(name, owner, site.plan, std::move(entries), until));
  }
}

void AnswerMeeting(ServiceLayer& f, Turn& t, const InquiryOver& over) {
  const std::optional<Quotes::Gathering> quote = f.asks.Close(over.owner);
  MUSTER_CHECK(quote.has_value());
  std::vector<std::string> asked;
  for (const auto& [part, by_site] : over.search.AnswersByPart()) {
    for (const auto& [site, verdict] : by_site) asked.push_back(site);
  }
  std::sort(asked.begin(), asked.end());
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  AnswerWith(f, t, quote->client, asked, {Combination(f, t, quote->question, over.search)});
}

void TakeAskAnswer(ServiceLayer& f, Turn& t, uint64_t owner, const std::string& site,
                   const std::vector<VerdictEntry>* verdicts) {
  const bool awaited =
      verdicts ? f.asks.Take(owner, site, verdicts->front()) : f.asks.Miss(owner, site);
  if (!awaited) return;
  if (auto quote = f.asks.TakeComplete(owner)) Answer(f, t, *std::move(quote));
}

void EndAskAnswersOf(ServiceLayer& f, Turn& t, const std::string& site) {
  for (Quotes::Gathering& quote : f.asks.End(site)) Answer(f, t, std::move(quote));
}

}  // namespace muster::meta
