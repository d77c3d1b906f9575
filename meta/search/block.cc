// A request leaves its queue when its block is extracted. Nothing else tries it until the block
// ends.
#include "meta/search/block.h"

#include <algorithm>
#include <set>

#include "meta/requests/block_shares.h"
#include "meta/requests/horizon.h"
#include "meta/requests/rank.h"
#include "meta/requests/site_speeds.h"
#include "meta/requests/timeline.h"
#include "meta/requests/verdict_log.h"
#include "meta/search/asking.h"
#include "meta/search/block_plan.h"
#include "meta/search/candidates.h"
#include "meta/search/packing_choice.h"
#include "meta/search/queueing.h"
#include "meta/search/search_steps.h"
#include "meta/search/shadow_starts.h"
#include "meta/sites/say.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

using partitioner::Agreement;
using schemas::ProposalEntry;
using schemas::VerdictEntry;

constexpr BootSpan kGivenBack = Seconds(1);  // before an unanswered request is queued again

// From now on the request is placed alone, by fresh answers of its sites.
void MeetAlone(SearchLayer& f, const Request& request) {
  f.searches.MeetAlone(request.id());
  f.room.Ready(RankOf(request));
}

Instant AskedOf(const partitioner::Verification::Entry& at) {
  // A single site is asked for the first allowed start: a shadow may show less room than there is,
  // and the site would then move the request earlier than the start that the user was told.
  const bool several = at.members.size() > 1;
  return several ? at.start : at.allowed.NotBefore(at.not_before).intervals()[0].begin;
}

void LogBlockAnswer(SearchLayer& f, const Turn& t, const Block& block, size_t i,
                    const std::string& site, const VerdictEntry& verdict) {
  Request* request = f.requests.Find(block.requests[i]);
  if (!request) return;
  std::vector<size_t> parts;
  for (size_t part = 0; part < block.part_sites[i].size(); ++part) {
    if (block.part_sites[i][part] == site) parts.push_back(part);
  }
  LogAnswer(t, *request, f.sites.at(site), parts, AskedOf(block.loop.entries()[i]), verdict);
}

void Propose(SearchLayer& f, Turn& t) {
  Block& block = *f.block;
  block.owner = f.prover.NewOwner();
  block.out = block.loop.Questions();
  std::set<size_t> asked;
  for (const auto& [name, indices] : block.out) asked.insert(indices.begin(), indices.end());
  for (const size_t i : asked) LogRound(*f.requests.Find(block.requests[i]));
  const BootInstant until = t.boot() + f.options.values.answer_wait;
  for (const auto& [name, indices] : block.out) {
    std::vector<ProposalEntry> entries;
    for (const size_t i : indices) {
      const Request& request = *f.requests.Find(block.requests[i]);
      const partitioner::Verification::Entry& at = block.loop.entries()[i];
      const bool several = at.members.size() > 1;
      ProposalEntry entry;
      entry.parts = partitioner::DemandsAt(request.record().spec, block.part_sites[i], name,
                                           AskedAt(f, request.record().spec, name),
                                           several ? TailOf(f) : Span{0});
      SayWho(entry, f, request);
      entry.allowed = at.allowed.NotBefore(at.not_before);
      entry.asked = AskedOf(at);
      entry.want_starts = several;
      entries.push_back(std::move(entry));
    }
    Site& site = f.sites.at(name);
    Say(f, t, site, f.prover.Ask(name, block.owner, site.plan, std::move(entries), until));
  }
}

void LearnNever(SearchLayer& f, const Block& block, size_t i, const std::string& site) {
  Request* request = f.requests.Find(block.requests[i]);
  const std::vector<std::string>& sites = block.part_sites[i];
  // Parts that share a site may not fit together, though each of them would.
  if (!request || std::count(sites.begin(), sites.end(), site) != 1) return;
  const auto part =
      static_cast<size_t>(std::find(sites.begin(), sites.end(), site) - sites.begin());
  f.searches.Learn(request->id(), part, site);
}

// Orders an agreed entry at its start. A single site may take a later start if its plan has
// changed, but no earlier one, which could belong to another entry.
void Commit(SearchLayer& f, Turn& t, Request& request, const std::vector<std::string>& part_sites,
            const partitioner::Verification::Entry& entry) {
  const Instant start = entry.start;
  const bool several = entry.members.size() > 1;
  const IntervalSet from = StartsAt(f, t, request, several, part_sites);
  // The gate opened earlier meanwhile, so starts are allowed that its sites were not asked for.
  const Instant asked_from = entry.allowed.intervals()[0].begin;
  if (!from.empty() && from.intervals()[0].begin < asked_from) return MeetAlone(f, request);
  const IntervalSet allowed =
      several ? from.Intersect(IntervalSet::Only(start)) : from.NotBefore(start);
  f.searches.LeaveQueue(request.id());
  if (allowed.empty()) return MeetAlone(f, request);
  f.searches.NoteSlot(request.id(), start);
  HoldPlace(f, t, request, part_sites, allowed, allowed.intervals()[0].begin);
}

void FinishBlock(SearchLayer& f, Turn& t) {
  const Block block = std::move(*f.block);
  f.block.reset();
  f.prover.Drop(block.owner);
  size_t agreed = 0;
  size_t changed = 0;
  for (size_t i = 0; i < block.requests.size(); ++i) {
    if (block.loop.entries()[i].start != block.asked[i]) ++changed;
  }
  MeasureBlock(f, t, {block.loop.rounds(), changed, t.boot() - block.began});
  for (size_t i = 0; i < block.requests.size(); ++i) {
    Request* request = f.requests.Find(block.requests[i]);
    if (!request) continue;
    f.searches.EndAsking(request->id());
    if (!request->Wanted() || request->seeking || request->record().attempt) continue;
    const partitioner::Verification::Entry& entry = block.loop.entries()[i];
    switch (entry.agreement) {
      case Agreement::kAgreed:
        ++agreed;
        Commit(f, t, *request, block.part_sites[i], entry);
        break;
      case Agreement::kUnanswered:
        f.requests.SetReason(*request, {.code = schemas::ReasonCode::kBudget,
                                        .text = "not all of its sites have answered"});
        // The site was just asked four times, so the request waits a moment before it is queued
        // again.
        f.searches.LeaveQueue(request->id(), false);
        f.room.Sleep(RankOf(*request), t.boot() + kGivenBack);
        break;
      case Agreement::kOpen:
      case Agreement::kNoStart:
      case Agreement::kNever:
      case Agreement::kBlocked:
        MeetAlone(f, *request);
        break;
    }
  }
  t.Note("block " + std::to_string(block.number) + ": " + std::to_string(agreed) + " of " +
         std::to_string(block.requests.size()) + " requests agreed, " +
         std::to_string(block.loop.rounds()) + " rounds, " + std::to_string(block.loop.restarts()) +
         " restarts, " + std::to_string(changed) + " changed, " +
         std::to_string((t.boot() - block.began).milliseconds) + " ms");
}

// Takes the block's requests out of the queues; returns them in their order. Those that cannot be
// planned now become ready, so that the next wave finds out what they wait for.
std::vector<RequestId> Extract(SearchLayer& f, Turn& t, uint64_t number) {
  std::vector<Rank> taken;
  size_t chunks = 0;
  const std::optional<room::BlockOrder> order = BlockOrderOf(f, t);
  for (const Rank& rank : f.room.queues().Block(BlockMax(f), order ? &*order : nullptr)) {
    Request* request = f.requests.Find(rank.id);
    if (request && chunks > 0 && chunks + ChunksOf(*request) > packing::kBlockChunks) break;
    f.room.Remove(rank.id);
    if (!request || !request->Wanted() || request->seeking || request->record().attempt) continue;
    chunks += ChunksOf(*request);
    // Set also for requests that turn out unplannable below: it lets the next wave handle them.
    f.searches.LeaveQueue(rank.id);
    const std::string left =
        "left queue " + request->record().spec.queue + " with block " + std::to_string(number);
    AddEvent(f, t, *request, "extracted", left);
    f.requests.SetReason(*request, {.code = schemas::ReasonCode::kPolicy,
                                    .text = left + "; its sites are being asked"});
    const bool planable = !StartsFrom(f, t, *request, false).empty();
    bool askable = true;
    for (size_t p = 0; p < request->record().spec.parts.size(); ++p) {
      askable = askable && !UpSites(f, request->record().spec, p).empty();
    }
    if (planable && askable) {
      taken.push_back(rank);
    } else {
      f.room.Ready(rank);
    }
  }
  if (order) {
    taken = order->InOrder(std::move(taken));
  } else {
    std::sort(taken.begin(), taken.end());
  }
  std::vector<RequestId> out;
  for (const Rank& rank : taken) out.push_back(rank.id);
  return out;
}

}  // namespace

void StartBlock(SearchLayer& f, Turn& t) {
  if (f.block || !BlockIsDue(f, t)) return;
  Block block;
  block.number = ++f.last_block;
  const std::vector<RequestId> ids = Extract(f, t, block.number);
  std::vector<partitioner::Verification::Entry> entries;
  for (PlannedEntry& planned : PlanBlock(f, t, ids)) {
    Request& request = *f.requests.Find(planned.id);
    partitioner::Verification::Entry entry;
    entry.members = partitioner::MembersOf(planned.part_sites);
    entry.start = planned.start;
    entry.allowed = StartsAt(f, t, request, entry.members.size() > 1, entry.members);
    if (!entry.allowed.Contains(entry.start)) continue;
    entry.not_before = entry.allowed.intervals()[0].begin;
    entries.push_back(std::move(entry));
    block.requests.push_back(planned.id);
    block.part_sites.push_back(std::move(planned.part_sites));
    block.asked.push_back(planned.start);
    AskSites(f, t, request);
  }
  // The sites decide about requests that fit nowhere on the shadows.
  for (const RequestId id : ids) {
    if (!f.searches.IsAsked(id)) MeetAlone(f, *f.requests.Find(id));
  }
  if (entries.empty()) return;
  block.began = t.boot();
  block.loop = partitioner::Verification(std::move(entries), {.rounds_max = f.options.rounds_max});
  f.block = std::move(block);
  Propose(f, t);
}

bool TakeBlockAnswer(SearchLayer& f, Turn& t, uint64_t owner, const std::string& site,
                     PlanRevision plan, const std::vector<VerdictEntry>* verdicts) {
  if (!f.block || f.block->owner != owner) return false;
  Block& block = *f.block;
  const auto asked = block.out.find(site);
  if (asked == block.out.end()) return true;
  for (size_t k = 0; k < asked->second.size(); ++k) {
    const size_t i = asked->second[k];
    const VerdictEntry verdict = verdicts ? (*verdicts)[k] : VerdictEntry{};
    LogBlockAnswer(f, t, block, i, site, verdict);
    if (verdict.kind == schemas::VerdictKind::kNever) LearnNever(f, block, i, site);
  }
  block.loop.Take(site, plan, verdicts);
  block.out.erase(asked);
  if (!block.out.empty()) return true;
  if (block.loop.NextRound()) {
    Propose(f, t);
  } else {
    FinishBlock(f, t);
  }
  return true;
}

}  // namespace muster::meta
