// This file judges by shadows and committed plans; the sites decide.
#include "meta/search/gaps.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "meta/requests/horizon.h"
#include "meta/requests/spanning_limits.h"
#include "meta/search/candidates.h"
#include "meta/search/packing/blocks.h"
#include "meta/search/queueing.h"
#include "meta/search/search_steps.h"
#include "meta/search/shadow_starts.h"
#include "partitioner/choose.h"
#include "partitioner/fits.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

using partitioner::Candidate;

constexpr size_t kGapLooks = 1024;  // requests looked at per turn

// Starts that fill a gap at all these sites (one per part).
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

// Describes what the request asks for, and where it may run and be paid.
std::string ShapeOf(const SearchLayer& f, const Turn& t, const Request& request) {
  const schemas::RequestSpec& spec = request.record().spec;
  std::string out = std::to_string(spec.duration.seconds) + (spec.apart ? "a" : "t");
  for (size_t i = 0; i < spec.parts.size(); ++i) {
    out += "|" + std::to_string(spec.parts[i].offset.seconds) + ":" +
           ToText(partitioner::AmountsOf(spec.parts[i]));
    for (const std::string& site : PaidOf(f, t, request, i, UsableSites(f, request, i))) {
      out += "," + site;
    }
  }
  return out;
}

bool FillAlone(SearchLayer& f, Turn& t, Request& request) {
  std::optional<Candidate> best;
  for (const std::string& site : PaidOf(f, t, request, 0, UpSites(f, request.record().spec, 0))) {
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

std::optional<std::string> GapShapeOf(const SearchLayer& f, const Turn& t, const Request& request) {
  const schemas::RequestSpec& spec = request.record().spec;
  if (!spec.after.empty() || request.id().is_element()) return std::nullopt;
  if (spec.from && *spec.from > t.NowCeiling()) return std::nullopt;
  if (WhyNotAdmitted(f, t, request) || IsLimited(f, request, t.plan)) return std::nullopt;
  return ShapeOf(f, t, request);
}

bool FillGap(SearchLayer& f, Turn& t, Request& request) {
  f.searches.NoteGap(request.id(), f.gaps.releases());
  if (request.record().spec.parts.size() == 1) return FillAlone(f, t, request);
  return FillTogether(f, t, request);
}

void NoteEased(SearchLayer& f) {
  f.moves.Owe();
  f.searches.ForgetAllFruitless();
  f.searches.ForgetAllPrices();
  f.room.WakeAsleep();
  if (f.options.threshold) f.gaps.NoteRelease(f.room.queues().size() > 0);
}

void NoteRelease(SearchLayer& f) {
  f.moves.Owe();
  if (f.options.threshold) f.gaps.NoteRelease(f.room.queues().size() > 0);
}

void SeekGaps(SearchLayer& f, Turn& t) {
  size_t tried = 0;
  for (size_t looked = 0; f.gaps.running() && looked < kGapLooks && tried < packing::kGapTries;
       ++looked) {
    const std::optional<Rank> rank = f.room.queues().After(f.gaps.passed());
    if (!rank) {
      if (f.gaps.End()) t.WakeBy(t.boot());
      return;
    }
    if (!f.gaps.Pass(*rank)) continue;
    Request* request = f.requests.Find(rank->id);
    if (!request || !request->Wanted() || request->seeking) continue;
    const std::optional<std::string> shape = GapShapeOf(f, t, *request);
    if (shape && f.gaps.FoundNone(*shape)) continue;
    if (f.gaps.any_refused() && f.gaps.WasRefused(RefusedKeyOf(*request))) continue;
    ++tried;
    if (FillGap(f, t, *request)) {
      // A place that cannot be paid for, or that a limit takes away, has put it elsewhere already.
      if (request->seeking) f.room.Remove(rank->id);
    } else if (shape) {
      f.gaps.NoteNone(*shape);
    }
  }
  // Continue without delay: a start that is possible now may be gone later.
  if (f.gaps.running()) t.WakeBy(t.boot());
}

}  // namespace muster::meta
