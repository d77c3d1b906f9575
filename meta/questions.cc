// One proposal per site, one offer per site; for several parts one offer for the best combination.
#include "meta/questions.h"

#include <algorithm>

#include "meta/figures.h"
#include "meta/gates.h"
#include "meta/placing.h"
#include "meta/reservations.h"
#include "meta/terms.h"
#include "meta/validate.h"
#include "partitioner/choose.h"
#include "partitioner/meet.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

using schemas::OfferView;
using schemas::VerdictEntry;
using schemas::VerdictKind;

void Refuse(Federation& f, Turn& t, const AskPending& ask, schemas::Refused refused) {
  refused.changed = "nothing was changed";
  Reply(f, t, ask.user, ask.link, ask.number, std::move(refused));
}

schemas::Figures OfferFigures(const Federation& f, const Turn& t, const schemas::RequestSpec& spec,
                              const std::vector<std::string>& part_sites, Instant start) {
  schemas::Figures out = PromiseOf(f, spec, partitioner::MembersOf(part_sites), start, t.plan);
  out.starts_by->firm = false;  // a quote binds nobody
  return out;
}

OfferView OfferOf(const Federation& f, const Turn& t, const schemas::RequestSpec& spec,
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

const VerdictEntry* VerdictOf(const AskPending& ask, const std::string& site, uint32_t part) {
  const auto verdicts = ask.verdicts.find(site);
  const auto entries = ask.entries.find(site);
  if (verdicts == ask.verdicts.end() || entries == ask.entries.end()) return nullptr;
  for (size_t i = 0; i < entries->second.size(); ++i) {
    if (entries->second[i] == part) return &verdicts->second[i];
  }
  return nullptr;
}

OfferView Combination(const Federation& f, const Turn& t, const AskPending& ask) {
  const schemas::RequestSpec& spec = ask.spec;
  std::vector<std::vector<partitioner::Candidate>> parts(spec.parts.size());
  OfferView out;
  for (uint32_t i = 0; i < spec.parts.size(); ++i) {
    for (const std::string& site : partitioner::EligibleSites(spec.parts[i], f.site_names)) {
      const VerdictEntry* verdict = VerdictOf(ask, site, i);
      const bool starts = verdict && (verdict->kind == VerdictKind::kAccepted ||
                                      verdict->kind == VerdictKind::kCountered);
      if (starts) {
        parts[i].push_back({.site = site,
                            .start = verdict->start,
                            .length = LengthAt(f, spec, site),
                            .load = f.sites.at(site).shadow.Load(t.NowCeiling()),
                            .cost = CostAt(f, site)});
      }
      if (verdict && verdict->reason) out.waits_for.push_back(*verdict->reason);
    }
  }
  const auto start_of = [&](const std::vector<std::string>& sites) -> std::optional<Instant> {
    const bool several = partitioner::MembersOf(sites).size() > 1;
    std::vector<IntervalSet> sets = {StartsAt(f, t, spec, several, sites)};
    for (uint32_t i = 0; i < sites.size(); ++i) {
      const VerdictEntry& v = *VerdictOf(ask, sites[i], i);
      sets.push_back(v.starts.empty() ? IntervalSet::Only(v.start) : v.starts);
    }
    return partitioner::CommonStarts(sets).FirstFrom(Instant{-kFarFuture.seconds});
  };
  const Instant earliest = t.NowCeiling();
  const auto found = partitioner::Assign(std::move(parts), spec.apart, earliest, start_of);
  if (!found) {
    out.figures.no_promise_reason = schemas::Reason{.code = schemas::ReasonCode::kContended,
                                                    .text = "no common start was found"};
    return out;
  }
  out.sites = found->part_sites;
  // Only what these sites wait for.
  std::erase_if(out.waits_for, [&](const schemas::Reason& reason) {
    return !reason.subject.site.empty() &&
           std::find(out.sites.begin(), out.sites.end(), reason.subject.site) == out.sites.end();
  });
  out.figures = OfferFigures(f, t, spec, found->part_sites, found->start);
  return out;
}

void Answer(Federation& f, Turn& t, const AskPending& ask) {
  schemas::Rows rows;
  rows.as_of = t.plan;
  std::vector<std::string> asked;
  for (const auto& [site, entries] : ask.entries) asked.push_back(site);
  rows.basis = BasisOf(f, asked, t.plan);
  if (ask.spec.parts.size() > 1) {
    rows.offers.push_back(Combination(f, t, ask));
  } else {
    for (const std::string& site : partitioner::EligibleSites(ask.spec.parts[0], f.site_names)) {
      const VerdictEntry* verdict = VerdictOf(ask, site, 0);
      rows.offers.push_back(OfferOf(f, t, ask.spec, site, verdict ? *verdict : VerdictEntry{}));
    }
  }
  SortOffers(rows.offers);
  Reply(f, t, ask.user, ask.link, ask.number, std::move(rows));
}

// A quote behind others begins when they have ended, as promised; false if nobody can tell.
bool BeginAfterOthers(const Federation& f, const Turn& t, schemas::RequestSpec& spec) {
  if (spec.after.empty()) return true;
  Request request;
  request.record.spec.after = spec.after;
  const std::optional<Instant> opens = GateOpensAt(f, request, t.plan);
  if (!opens || AfterOf(f, request, t.plan) == AfterStands::kNever) return false;
  if (*opens > Instant{0}) spec.from = std::max(spec.from.value_or(*opens), *opens);
  return true;
}

}  // namespace

void OnAsk(Federation& f, Turn& t, const std::string& user, const std::string& link,
           MessageNumber number, const schemas::Ask& message) {
  AskPending ask{.user = user, .link = link, .number = number, .spec = message.request};
  const auto outstanding = std::count_if(
      f.asks.begin(), f.asks.end(), [&](const auto& other) { return other.second.user == user; });
  if (static_cast<size_t>(outstanding) >= schemas::kAsksPerUser) {
    return Refuse(
        f, t, ask,
        {.code = "busy", .message = std::to_string(outstanding) + " questions are out already"});
  }
  FillDuration(f, ask.spec, user);
  if (auto fault = CheckRequest(f, ask.spec, t.plan, false)) return Refuse(f, t, ask, *fault);
  if (auto fault = EnterReservation(f, ask.spec, user)) return Refuse(f, t, ask, *fault);
  if (auto never = NeverRuns(f, ask.spec)) return Refuse(f, t, ask, *never);
  if (!BeginAfterOthers(f, t, ask.spec)) {
    return Refuse(f, t, ask,
                  {.code = "conflict",
                   .message = "nobody can tell yet when the jobs it comes after have ended",
                   .help = "ask without --after"});
  }
  const bool several = ask.spec.parts.size() > 1;
  const Span tail = several ? Span{f.options.values.start_wait.milliseconds / 1000} : Span{0};
  std::map<std::string, std::vector<schemas::ProposalEntry>> proposals;
  for (uint32_t i = 0; i < ask.spec.parts.size(); ++i) {
    const std::vector<std::string> up = UpSites(f, ask.spec, i);
    if (up.empty()) {
      const auto sites = partitioner::EligibleSites(ask.spec.parts[i], f.site_names);
      const schemas::Reason why = SilentReason(f, sites, t.plan);
      if (why.code != schemas::ReasonCode::kSilent) {
        return Refuse(f, t, ask, {.code = "disk-full", .message = why.text});
      }
      std::string text = why.text;
      const size_t silent = text.find(" has been silent for ");
      if (silent != std::string::npos) text.replace(silent, 21, " has not answered for ");
      return Refuse(f, t, ask,
                    {.code = "unreachable",
                     .message = text,
                     .help = "last known plan: muster gantt --site " + sites[0] + " --stale"});
    }
    for (const std::string& site : up) {
      schemas::ProposalEntry entry;
      entry.parts = {partitioner::DemandOf(ask.spec, i + 1, tail)};
      entry.parts[0].duration = LengthAt(f, ask.spec, site);
      SayWho(entry, f, ask.spec, user);
      entry.priority = f.requests.PriorityOf(ask.spec.queue);
      entry.allowed = StartsAt(f, t, ask.spec, false, {site});
      const IntervalSet asked = StartsAt(f, t, ask.spec, several, {site});
      if (entry.allowed.empty()) return Refuse(f, t, ask, NoStarts(f, t, ask.spec));
      entry.asked = (asked.empty() ? entry.allowed : asked).intervals()[0].begin;
      entry.want_starts = true;
      proposals[site].push_back(std::move(entry));
      ask.entries[site].push_back(i);
    }
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

void TakeAskAnswer(Federation& f, Turn& t, uint64_t owner, const std::string& site,
                   const std::vector<VerdictEntry>* verdicts) {
  const auto it = f.asks.find(owner);
  if (it == f.asks.end()) return;
  AskPending& ask = it->second;
  if (verdicts) ask.verdicts[site] = *verdicts;
  ask.out.erase(site);
  if (!ask.out.empty()) return;
  // It stays until what is expected of its offers is known.
  Answer(f, t, ask);
}

void EndAskAnswersOf(Federation& f, Turn& t, const std::string& site) {
  f.prover.TakeSite(site);
  std::vector<uint64_t> owners;
  for (const auto& [owner, ask] : f.asks) {
    if (ask.out.contains(site)) owners.push_back(owner);
  }
  for (const uint64_t owner : owners) TakeAskAnswer(f, t, owner, site, nullptr);
}

}  // namespace muster::meta
