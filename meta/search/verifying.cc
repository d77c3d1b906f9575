// Verification binds nothing. A site plans later entries around earlier ones of the same run, but
// only in a temporary copy of its plan.
#include "meta/search/verifying.h"

#include <algorithm>
#include <utility>

#include "meta/requests/horizon.h"
#include "meta/requests/site_speeds.h"
#include "meta/search/asking.h"
#include "meta/search/shadow_starts.h"
#include "meta/sites/say.h"
#include "partitioner/split.h"
#include "partitioner/verification.h"

namespace muster::meta {
namespace {

using schemas::VerdictKind;

// A site works for a run at most a tenth of the time.
constexpr int64_t kRestForWork = 9;

// If the sites will be asked only later, leaves the starts that are possible from then on.
IntervalSet AskedThen(const SearchLayer& f, const Turn& t, const LaidOut& laid_out,
                      const IntervalSet& allowed, bool several) {
  if (laid_out.asked <= t.NowCeiling()) return allowed;
  Span after{several ? (f.options.values.lead.milliseconds + 999) / 1000 : 0};
  for (const std::string& site : laid_out.part_sites) {
    const auto& capacity = f.sites.at(site).capacity;
    if (capacity) after = std::max(after, capacity->turnover);
  }
  return allowed.NotBefore(laid_out.asked + after);
}

// The site's entry for a request; none if the request has a place by now or no allowed start.
std::optional<schemas::ProposalEntry> EntryOf(const SearchLayer& f, const Turn& t,
                                              const LaidOut& laid_out, const std::string& site,
                                              VerifiedRun::Found& found) {
  const Request* request = f.requests.Find(laid_out.request);
  if (!request || !request->Wanted() || request->record().attempt) return std::nullopt;
  const bool several = partitioner::MembersOf(laid_out.part_sites).size() > 1;
  schemas::ProposalEntry entry;
  entry.parts = partitioner::DemandsAt(request->record().spec, laid_out.part_sites, site,
                                       AskedAt(f, request->record().spec, site),
                                       several ? TailOf(f) : Span{0});
  SayWho(entry, f, *request);
  entry.allowed =
      AskedThen(f, t, laid_out, StartsAt(f, t, *request, several, laid_out.part_sites), several);
  entry.want_starts = several;
  if (several) {
    entry.allowed = entry.allowed.NotBefore(found.not_before);
    found.allowed = entry.allowed;
  }
  if (entry.allowed.empty()) return std::nullopt;
  // A single site is asked for the first allowed start, as in a block.
  const Instant first = entry.allowed.intervals()[0].begin;
  entry.asked = several ? entry.allowed.FirstFrom(found.start).value_or(first) : first;
  return entry;
}

void Propose(SearchLayer& f, Turn& t, const std::string& name, VerifiedRun::AtSite& at) {
  VerifiedRun& run = *f.verified_run;
  std::vector<schemas::ProposalEntry> entries;
  for (size_t i = at.next; i < at.order.size() && entries.size() < kVerifiedEntries; ++i) {
    auto entry = EntryOf(f, t, run.laid_out[at.order[i]], name, run.found[at.order[i]]);
    if (entry) {
      entries.push_back(*std::move(entry));
      at.out.push_back(i);
    } else if (at.out.empty()) {
      at.next = i + 1;
    }
  }
  Site& site = f.sites.at(name);
  if (entries.empty() || !site.Up()) {
    at.ended = true;
    run.broken = run.broken || !site.Up();
    return;
  }
  at.asked = t.boot();
  schemas::Propose propose =
      f.prover.AskTentatively(name, run.owner, site.plan, std::move(entries),
                              t.boot() + f.options.values.answer_wait, at.last);
  at.last = propose.proposal;
  Say(f, t, site, std::move(propose));
}

void Take(VerifiedRun& run, const std::string& site, VerifiedRun::AtSite& at,
          const schemas::Verdict& verdict) {
  at.plan = verdict.plan;
  for (size_t k = 0; k < at.out.size(); ++k) {
    const schemas::VerdictEntry& entry = verdict.entries[k];
    // The site's planning budget ran out. If it did so before the first entry, it would again.
    if (entry.kind == VerdictKind::kUnanswered) {
      at.ended = k == 0;
      run.broken = run.broken || at.ended;
      break;
    }
    at.next = at.out[k] + 1;
    const size_t i = at.order[at.out[k]];
    VerifiedRun::Found& found = run.found[i];
    if (partitioner::MembersOf(run.laid_out[i].part_sites).size() > 1) {
      found.heard[site] = entry;
    } else if (entry.kind == VerdictKind::kAccepted || entry.kind == VerdictKind::kCountered) {
      found.start = entry.start;
      found.verified = true;
    }
  }
}

// For parts on several sites: combines the sites' verdicts. True if another round must be asked.
bool Reorganise(VerifiedRun& run, size_t i) {
  VerifiedRun::Found& found = run.found[i];
  const size_t members = partitioner::MembersOf(run.laid_out[i].part_sites).size();
  if (members < 2 || found.heard.size() < members) return false;
  std::vector<schemas::VerdictEntry> verdicts;
  for (const auto& [site, verdict] : found.heard) verdicts.push_back(verdict);
  const partitioner::Reorganised next =
      partitioner::Reorganise(found.start, found.not_before, found.allowed, verdicts);
  found.start = next.start;
  found.not_before = next.not_before;
  found.verified = next.agreement == partitioner::Agreement::kAgreed;
  return next.agreement == partitioner::Agreement::kOpen;
}

// Called when all sites have answered. True if another round begins, because parts on several sites
// do not agree yet. It asks about the whole order again, since entries behind those parts were
// planned around other starts.
bool NextRound(const SearchLayer& f, VerifiedRun& run) {
  bool open = false;
  for (size_t i = 0; i < run.found.size(); ++i) open = Reorganise(run, i) || open;
  if (!open || run.broken || run.rounds >= f.options.rounds_max) return false;
  ++run.rounds;
  for (VerifiedRun::Found& found : run.found) {
    found.verified = false;
    found.heard.clear();
  }
  for (auto& [name, at] : run.sites) {
    at.next = 0;
    at.last.reset();
    at.ended = false;
  }
  return true;
}

bool AllEnded(const VerifiedRun& run) {
  return std::all_of(run.sites.begin(), run.sites.end(),
                     [](const auto& site) { return site.second.ended; });
}

}  // namespace

void BeginVerifying(SearchLayer& f, std::vector<LaidOut> laid_out) {
  VerifiedRun run;
  run.owner = f.prover.NewOwner();
  run.block = f.last_block;
  for (size_t i = 0; i < laid_out.size(); ++i) {
    for (const std::string& site : partitioner::MembersOf(laid_out[i].part_sites)) {
      run.sites[site].order.push_back(i);
    }
  }
  for (const LaidOut& one : laid_out) run.found.push_back({.start = one.start});
  run.laid_out = std::move(laid_out);
  f.verified_run = std::move(run);
}

void GoOnVerifying(SearchLayer& f, Turn& t) {
  if (!f.verified_run) return;
  VerifiedRun& run = *f.verified_run;
  if (!run.over && AllEnded(run)) run.over = !NextRound(f, run);
  for (auto& [name, at] : run.sites) {
    if (at.ended || !at.out.empty()) continue;
    if (t.boot() < at.not_before) {
      t.WakeBy(at.not_before);
    } else {
      Propose(f, t, name, at);
    }
  }
}

std::vector<schemas::ProposalEntry> EntriesOf(const SearchLayer& f, const Turn& t,
                                              const std::vector<LaidOut>& laid_out,
                                              const std::string& site) {
  std::vector<schemas::ProposalEntry> out;
  for (const LaidOut& one : laid_out) {
    const std::vector<std::string> members = partitioner::MembersOf(one.part_sites);
    if (std::find(members.begin(), members.end(), site) == members.end()) continue;
    if (out.size() == kVerifiedEntries) break;
    VerifiedRun::Found found{.start = one.start, .not_before = one.start};
    std::optional<schemas::ProposalEntry> entry = EntryOf(f, t, one, site, found);
    if (!entry) continue;
    // These entries only take up room in front of others: nobody reads their feasible starts.
    entry->want_starts = false;
    out.push_back(*std::move(entry));
  }
  return out;
}

bool VerifyingIsDone(const SearchLayer& f) { return f.verified_run && f.verified_run->over; }

bool TakeVerified(SearchLayer& f, Turn& t, uint64_t owner, const std::string& site,
                  const schemas::Verdict* verdict) {
  if (!f.verified_run || f.verified_run->owner != owner) return false;
  VerifiedRun::AtSite& at = f.verified_run->sites.at(site);
  // Verdicts from different plan revisions cannot be combined.
  const bool other = verdict && at.plan != PlanRevision{} && verdict->plan != at.plan;
  if (!verdict || verdict->gone || other) {
    at.ended = true;
    f.verified_run->broken = true;
  } else {
    Take(*f.verified_run, site, at, *verdict);
    at.ended = at.ended || at.next >= at.order.size();
    at.not_before = t.boot() + (t.boot() - at.asked) * kRestForWork;
  }
  at.out.clear();
  return true;
}

void EndVerifyingAt(SearchLayer& f, const std::string& site) {
  if (!f.verified_run) return;
  const auto at = f.verified_run->sites.find(site);
  if (at == f.verified_run->sites.end()) return;
  at->second.ended = true;
  at->second.out.clear();
  f.verified_run->broken = true;
}

}  // namespace muster::meta
