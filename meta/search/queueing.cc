// Everything here judges by shadows and by what is committed; sites decide.
#include "meta/search/queueing.h"

#include <algorithm>

#include "meta/attempts/attempts.h"
#include "meta/requests/figures.h"
#include "meta/requests/rank.h"
#include "meta/requests/terms.h"
#include "meta/search/moves.h"
#include "meta/search/packing/blocks.h"
#include "meta/search/placing.h"
#include "meta/search/search_steps.h"
#include "meta/search/shadow_starts.h"
#include "partitioner/choose.h"
#include "partitioner/fits.h"
#include "partitioner/split.h"
#include "schemas/canonical.h"

namespace muster::meta {
namespace {

using partitioner::Candidate;
using schemas::Reason;
using schemas::ReasonCode;

constexpr size_t kGapLooks = 1024;  // requests looked at in a turn

// Others that wait for this site in a queue.
bool OthersWait(const SearchLayer& f, const Request& request, const std::string& site) {
  size_t waiting = f.room.queues().Wanted(site);
  const RequestId id = request.id();
  if (waiting > 0 && f.room.InQueue(id)) {
    const std::vector<std::string>& own = f.room.queues().SitesOf(id);
    if (std::find(own.begin(), own.end(), site) != own.end()) --waiting;
  }
  return waiting > 0;
}

// Of the allowed starts those at which the request, with parts at `name` of which the last begins
// `last` after its start, fills a gap there: it ends within the plan, or starts now where nobody
// else waits.
IntervalSet GapsAt(const SearchLayer& f, const Turn& t, const Request& request, bool several,
                   const std::string& name, Span last, const IntervalSet& allowed) {
  if (allowed.empty()) return {};
  const Site& site = f.sites.at(name);
  const Span tail{several ? (f.options.values.start_wait.milliseconds + 999) / 1000 : 0};
  const Instant first = allowed.intervals()[0].begin;
  std::vector<Interval> starts;
  if (const std::optional<Instant> end = site.committed.End()) {
    starts.push_back(
        {first, *end - LengthAt(f, request.record().spec, name) - tail - last + Span{1}});
  }
  if (first <= t.NowCeiling() + NearNow(f) && !OthersWait(f, request, name)) {
    const Span turnover = site.capacity ? site.capacity->turnover : Span{0};
    starts.push_back({first, first + turnover + packing::kStartsNow});
  }
  std::erase_if(starts, [](const Interval& i) { return i.begin >= i.end; });
  return allowed.Intersect(IntervalSet(std::move(starts)));
}

// The same with these sites, of each part.
IntervalSet GapStarts(const SearchLayer& f, const Turn& t, const Request& request,
                      const std::vector<std::string>& part_sites) {
  const schemas::RequestSpec& spec = request.record().spec;
  const std::vector<std::string> members = partitioner::MembersOf(part_sites);
  const bool several = members.size() > 1;
  const IntervalSet allowed = StartsAt(f, t, request, several, members);
  IntervalSet out = allowed;
  for (const std::string& name : members) {
    Span last;
    for (size_t i = 0; i < part_sites.size(); ++i) {
      if (part_sites[i] == name) last = std::max(last, spec.parts[i].offset);
    }
    out = out.Intersect(GapsAt(f, t, request, several, name, last, allowed));
  }
  return out;
}

// What it asks for, and where it may be.
std::string ShapeOf(const SearchLayer& f, const Request& request) {
  const schemas::RequestSpec& spec = request.record().spec;
  std::string out = std::to_string(spec.duration.seconds) + (spec.apart ? "a" : "t");
  for (size_t i = 0; i < spec.parts.size(); ++i) {
    out += "|" + std::to_string(spec.parts[i].offset.seconds) + ":" +
           ToText(partitioner::AmountsOf(spec.parts[i]));
    for (const std::string& site : UsableSites(f, request, i)) out += "," + site;
  }
  return out;
}

// Sites refuse by their rules, which go by user, by chunks and by times.
std::string RefusedKeyOf(const Request& request) {
  const schemas::RequestSpec& spec = request.record().spec;
  schemas::CanonicalWriter key;
  key.Put(request.record().requester.user);
  key.Put(spec.parts);
  key.Put(spec.duration);
  key.Put(spec.apart);
  key.Put(spec.from);
  key.Put(spec.after);
  key.Put(request.id().is_element());
  return key.bytes();
}

bool FillAlone(SearchLayer& f, Turn& t, Request& request) {
  std::optional<Candidate> best;
  for (const std::string& site : UpSites(f, request.record().spec, 0)) {
    if (f.searches.SaidNever(request.id(), 0, site)) continue;
    const IntervalSet starts = GapStarts(f, t, request, {site});
    const std::optional<Instant> start = ShadowMeetIn(f, request, {site}, starts);
    if (!start) continue;
    Candidate candidate = CandidateAt(f, t, request, 0, site, *start);
    if (!best || partitioner::Better(candidate, *best)) best = std::move(candidate);
  }
  if (!best) return false;
  HoldPlace(f, t, request, {best->site}, GapStarts(f, t, request, {best->site}), best->start);
  return true;
}

bool FillTogether(SearchLayer& f, Turn& t, Request& request) {
  const schemas::RequestSpec& spec = request.record().spec;
  const IntervalSet allowed = StartsFrom(f, t, request, false);
  if (allowed.empty()) return false;
  const Instant from = allowed.intervals()[0].begin;
  std::vector<std::vector<Candidate>> parts(spec.parts.size());
  for (size_t i = 0; i < spec.parts.size(); ++i) {
    for (const std::string& site : UpSites(f, spec, i)) {
      if (f.searches.SaidNever(request.id(), i, site)) continue;
      std::vector<std::string> alone(spec.parts.size());
      alone[i] = site;
      const std::optional<Instant> start =
          ShadowStart(f, f.sites.at(site).shadow, spec, alone, site, from, Span{0});
      if (start) parts[i].push_back(CandidateAt(f, t, request, i, site, *start));
    }
    if (parts[i].empty()) return false;
  }
  const auto found = partitioner::Assign(
      std::move(parts), spec.apart,
      [&](const std::vector<std::string>& sites) {
        return ShadowMeetIn(f, request, sites, GapStarts(f, t, request, sites));
      },
      TransferOfSites(f));
  if (!found) return false;
  const bool several = partitioner::MembersOf(found->part_sites).size() > 1;
  const IntervalSet starts =
      several ? IntervalSet::Only(found->start) : GapStarts(f, t, request, found->part_sites);
  HoldPlace(f, t, request, found->part_sites, starts, found->start);
  return true;
}

}  // namespace

void TakeQueues(SearchLayer& f) {
  std::vector<std::string> names;
  std::vector<int64_t> orders;
  for (const Queue& queue : f.options.queues) {
    names.push_back(queue.name);
    orders.push_back(std::max<int64_t>(queue.order, 1));
  }
  if (orders.empty()) orders.push_back(1);
  f.requests.SetQueues(std::move(names));
  f.room.SetQueues(std::move(orders));
}

bool PromisedAtOnce(const SearchLayer& f, const Request& request) {
  if (!f.options.threshold || request.replacing || f.searches.Of(request.id()).left_queue)
    return true;
  if (request.record().replacements > 0) return true;
  const schemas::RequestSpec& spec = request.record().spec;
  return spec.firm || spec.at || spec.reserves || spec.inside || LastStart(f, spec) < kFarFuture;
}

std::vector<std::string> UsableSites(const SearchLayer& f, const Request& request, size_t part) {
  const schemas::PartSpec& spec = request.record().spec.parts[part];
  std::vector<std::string> out = partitioner::EligibleSites(spec, f.site_names);
  std::erase_if(out, [&](const std::string& name) {
    const Site& site = f.sites.at(name);
    return f.searches.SaidNever(request.id(), part, name) ||
           (site.capacity && partitioner::WhyNever(spec, *site.capacity));
  });
  return out;
}

void EnterQueue(SearchLayer& f, Request& request) {
  f.searches.StartOver(request.id());
  std::vector<std::string> sites;
  for (size_t i = 0; i < request.record().spec.parts.size(); ++i) {
    for (std::string& site : UsableSites(f, request, i)) sites.push_back(std::move(site));
  }
  std::sort(sites.begin(), sites.end());
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  if (sites.empty()) {
    // No block would ever be due for it: its sites are asked, and say never or why not now.
    f.searches.MeetAlone(request.id());
    f.room.Ready(RankOf(request));
    return;
  }
  f.room.Queue(RankOf(request), std::move(sites));
  const std::optional<Reason>& reason = request.record().reason;
  const bool came_back =
      reason && (reason->code == ReasonCode::kContended || reason->code == ReasonCode::kBudget);
  if (came_back) return;
  f.requests.SetReason(
      request, {.code = ReasonCode::kPolicy,
                .text = "waits in queue " + request.record().spec.queue + " for the next block"});
}

std::optional<std::string> GapShapeOf(const SearchLayer& f, const Turn& t, const Request& request) {
  const schemas::RequestSpec& spec = request.record().spec;
  if (!spec.after.empty() || request.id().is_element()) return std::nullopt;
  if (spec.from && *spec.from > t.NowCeiling()) return std::nullopt;
  return ShapeOf(f, request);
}

void GapRefused(SearchLayer& f, Request& request, bool answered) {
  const bool released_since = f.searches.Of(request.id()).gap_since != f.gaps.releases;
  if (answered && !released_since) f.gaps.refused.insert(RefusedKeyOf(request));
  EnterQueue(f, request);
  if (released_since) NoteRoomBack(f);
}

Span NearNow(const SearchLayer& f) { return Span{f.options.values.lead.milliseconds / 1000 + 1}; }

bool FillGap(SearchLayer& f, Turn& t, Request& request) {
  f.searches.NoteGap(request.id(), f.gaps.releases);
  if (request.record().spec.parts.size() == 1) return FillAlone(f, t, request);
  return FillTogether(f, t, request);
}

IntervalSet StartsSought(const SearchLayer& f, const Turn& t, const Request& request, bool several,
                         const std::string& site) {
  IntervalSet allowed = StartsAt(f, t, request, several, {site});
  if (PromisedAtOnce(f, request)) return allowed;
  Span last;
  for (const schemas::PartSpec& part : request.record().spec.parts)
    last = std::max(last, part.offset);
  return GapsAt(f, t, request, several, site, last, allowed);
}

void NoteRelease(SearchLayer& f) {
  OweMoves(f);
  if (!f.options.threshold) return;
  ++f.gaps.releases;
  if (f.gaps.running) {
    f.gaps.again = true;
  } else {
    f.gaps = {.running = f.room.queues().size() > 0, .releases = f.gaps.releases};
  }
}

void NoteRoomBack(SearchLayer& f) {
  if (!f.options.threshold || f.room.queues().size() == 0) return;
  f.gaps.running = true;
  f.gaps.passed.reset();
  f.gaps.vain.clear();
}

void SeekGaps(SearchLayer& f, Turn& t) {
  size_t tried = 0;
  for (size_t looked = 0; f.gaps.running && looked < kGapLooks && tried < packing::kGapTries;
       ++looked) {
    const std::optional<Rank> rank = f.room.queues().After(f.gaps.passed);
    if (!rank) {
      if (f.gaps.again) {
        f.gaps = {.running = true, .releases = f.gaps.releases};
        return t.WakeBy(t.boot());
      }
      f.gaps.running = false;
      f.gaps.passed.reset();
      return f.gaps.vain.clear();
    }
    f.gaps.passed = rank;
    Request* request = f.requests.Find(rank->id);
    if (!request || !request->Wanted() || request->seeking) continue;
    const std::optional<std::string> shape = GapShapeOf(f, t, *request);
    if (shape && f.gaps.vain.contains(*shape)) continue;
    if (!f.gaps.refused.empty() && f.gaps.refused.contains(RefusedKeyOf(*request))) continue;
    ++tried;
    if (FillGap(f, t, *request)) {
      f.room.Remove(rank->id);
    } else if (shape) {
      f.gaps.vain.insert(*shape);
    }
  }
  // At once: what could start now cannot later.
  if (f.gaps.running) t.WakeBy(t.boot());
}

std::optional<Instant> NextBlockAt(const SearchLayer& f) {
  if (!f.options.threshold) return std::nullopt;
  std::optional<Instant> next;
  for (const auto& [name, waiting] : f.room.queues().wanted()) {
    const auto site = f.sites.find(name);
    if (site == f.sites.end() || !site->second.Up() || site->second.disk_low) continue;
    const Instant at = BlockDueFor(f, name).value_or(Instant{0});
    if (!next || at < *next) next = at;
  }
  return next;
}

bool BlockIsDue(const SearchLayer& f, const Turn& t) {
  const std::optional<Instant> at = NextBlockAt(f);
  return at && *at <= t.plan.Floor();
}

std::optional<BootInstant> NextExtraction(const SearchLayer& f, const Turn& t) {
  if (f.block) return std::nullopt;
  const std::optional<Instant> at = NextBlockAt(f);
  if (!at) return std::nullopt;
  return std::max(BootOf(f, ToMoment(*at)), t.boot());
}

}  // namespace muster::meta
