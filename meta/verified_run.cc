// See verified_run.h. What is verified binds nobody: the room that a site's overlay keeps for those
// before is given to none.
#include "meta/verified_run.h"

#include <algorithm>
#include <utility>

#include "meta/federation.h"
#include "meta/placing.h"
#include "meta/terms.h"
#include "meta/turn.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

using schemas::VerdictKind;

// A site is asked at most a tenth of the time.
constexpr int64_t kRestForWork = 9;

// What its site is asked; nothing if it has a place by now, or none is allowed.
std::optional<schemas::ProposalEntry> EntryOf(const Federation& f, const Turn& t,
                                              const LaidOut& laid_out, const std::string& site) {
  const Request* request = f.requests.Find(laid_out.request);
  if (!request || !request->Wanted() || request->record.attempt) return std::nullopt;
  const bool several = partitioner::MembersOf(laid_out.part_sites).size() > 1;
  schemas::ProposalEntry entry;
  entry.parts = partitioner::DemandsAt(request->record.spec, laid_out.part_sites, site,
                                       LengthAt(f, request->record.spec, site),
                                       several ? TailOf(f) : Span{0});
  SayWho(entry, *request);
  entry.priority = request->priority;
  entry.allowed = StartsAt(f, t, *request, several, laid_out.part_sites);
  // Parts on several sites start together, when the shadows say that all can.
  if (several) entry.allowed = entry.allowed.NotBefore(laid_out.start);
  if (entry.allowed.empty()) return std::nullopt;
  entry.asked = entry.allowed.intervals()[0].begin;
  return entry;
}

void Propose(Federation& f, Turn& t, const std::string& name, VerifiedRun::AtSite& at) {
  VerifiedRun& run = *f.verified_run;
  std::vector<schemas::ProposalEntry> entries;
  for (size_t i = at.next; i < at.order.size() && entries.size() < kVerifiedEntries; ++i) {
    auto entry = EntryOf(f, t, run.laid_out[at.order[i]], name);
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
    return;
  }
  at.asked = t.boot();
  schemas::Propose propose =
      f.prover.AskTentatively(name, run.owner, site.plan, std::move(entries),
                              t.boot() + f.options.values.answer_wait, at.last);
  at.last = propose.proposal;
  Say(f, t, site, std::move(propose));
}

void Take(VerifiedRun& run, VerifiedRun::AtSite& at, const schemas::Verdict& verdict) {
  at.plan = verdict.plan;
  for (size_t k = 0; k < at.out.size(); ++k) {
    const schemas::VerdictEntry& entry = verdict.entries[k];
    // The site's planning budget was spent before the first: it would be again.
    if (entry.kind == VerdictKind::kUnanswered) {
      at.ended = k == 0;
      break;
    }
    at.next = at.out[k] + 1;
    if (entry.kind != VerdictKind::kAccepted && entry.kind != VerdictKind::kCountered) continue;
    VerifiedRun::Found& found = run.found[at.order[at.out[k]]];
    found.start = found.answers == 0 ? entry.start : std::max(found.start, entry.start);
    ++found.answers;
  }
}

}  // namespace

void BeginVerifying(Federation& f, std::vector<LaidOut> laid_out) {
  VerifiedRun run;
  run.owner = ++f.last_owner;
  run.block = f.last_block;
  for (size_t i = 0; i < laid_out.size(); ++i) {
    for (const std::string& site : partitioner::MembersOf(laid_out[i].part_sites)) {
      run.sites[site].order.push_back(i);
    }
  }
  run.found.resize(laid_out.size());
  run.laid_out = std::move(laid_out);
  f.verified_run = std::move(run);
}

void GoOnVerifying(Federation& f, Turn& t) {
  if (!f.verified_run) return;
  for (auto& [name, at] : f.verified_run->sites) {
    if (at.ended || !at.out.empty()) continue;
    if (t.boot() < at.not_before) {
      t.WakeBy(at.not_before);
    } else {
      Propose(f, t, name, at);
    }
  }
}

bool VerifyingIsDone(const Federation& f) {
  return f.verified_run && std::all_of(f.verified_run->sites.begin(), f.verified_run->sites.end(),
                                       [](const auto& site) { return site.second.ended; });
}

bool TakeVerified(Federation& f, Turn& t, uint64_t owner, const std::string& site,
                  const schemas::Verdict* verdict) {
  if (!f.verified_run || f.verified_run->owner != owner) return false;
  VerifiedRun::AtSite& at = f.verified_run->sites.at(site);
  // Of another plan than the entries before, they do not go together.
  const bool other = verdict && at.plan != PlanRevision{} && verdict->plan != at.plan;
  if (!verdict || verdict->gone || other) {
    at.ended = true;
  } else {
    Take(*f.verified_run, at, *verdict);
    at.ended = at.ended || at.next >= at.order.size();
    at.not_before = t.boot() + (t.boot() - at.asked) * kRestForWork;
  }
  at.out.clear();
  return true;
}

void EndVerifyingAt(Federation& f, const std::string& site) {
  if (!f.verified_run) return;
  const auto at = f.verified_run->sites.find(site);
  if (at == f.verified_run->sites.end()) return;
  at->second.ended = true;
  at->second.out.clear();
}

}  // namespace muster::meta
