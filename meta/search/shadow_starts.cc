// A booking is longer than the run: turnover before it, and after it time for a late start.
#include "meta/search/shadow_starts.h"

#include <algorithm>

#include "meta/requests/horizon.h"
#include "meta/requests/site_speeds.h"
#include "partitioner/meet.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

// The booking of all parts that a site gets. It begins at the request's start + `shift`.
struct Need {
  ResourceSet amounts;
  Span shift;
  Span length;
};

Need NeedAt(const SearchLayer& f, const schemas::RequestSpec& spec,
            const std::vector<std::string>& part_sites, const std::string& site, Span tail) {
  Need out;
  Span first{kFarFuture.seconds};
  Span last{0};
  for (size_t i = 0; i < part_sites.size(); ++i) {
    if (part_sites[i] != site) continue;
    out.amounts += partitioner::AmountsOf(spec.parts[i]);
    first = std::min(first, spec.parts[i].offset);
    last = std::max(last, spec.parts[i].offset);
  }
  const std::optional<schemas::Capacity>& capacity = f.sites.at(site).capacity;
  const Span turnover = capacity ? capacity->turnover : Span{0};
  out.shift = first - turnover;
  out.length = turnover + (last - first) + LengthAt(f, spec, site) + tail;
  return out;
}

}  // namespace

Span TailOf(const SearchLayer& f) {
  return Span{(f.options.values.start_wait.milliseconds + 999) / 1000};
}

std::optional<Instant> ShadowStart(const SearchLayer& f, const partitioner::Shadow& shadow,
                                   const schemas::RequestSpec& spec,
                                   const std::vector<std::string>& part_sites,
                                   const std::string& site, Instant from, Span tail,
                                   Instant until) {
  const Need need = NeedAt(f, spec, part_sites, site, tail);
  const Instant end = until >= kFarFuture ? until : until + need.shift;
  const std::optional<Instant> fit =
      shadow.EarliestFit(need.amounts, from + need.shift, need.length, end);
  if (!fit) return std::nullopt;
  return *fit - need.shift;
}

partitioner::Shadow::Starts ShadowStarts(const SearchLayer& f, const partitioner::Shadow& shadow,
                                         const schemas::RequestSpec& spec,
                                         const std::vector<std::string>& part_sites,
                                         const std::string& site, const Interval& within,
                                         Span tail) {
  const Need need = NeedAt(f, spec, part_sites, site, tail);
  partitioner::Shadow::Starts out =
      shadow.StartsIn(need.amounts, {within.begin + need.shift, within.end + need.shift},
                      need.length, schemas::kStartIntervals);
  const Span back = Span{0} - need.shift;
  return {.starts = out.starts.Shifted(back), .complete_until = out.complete_until + back};
}

std::optional<Instant> ShadowMeetIn(const SearchLayer& f, const Request& request,
                                    const std::vector<std::string>& part_sites,
                                    const IntervalSet& allowed) {
  if (allowed.empty()) return std::nullopt;
  const schemas::RequestSpec& spec = request.record().spec;
  const std::vector<std::string> members = partitioner::MembersOf(part_sites);
  const Instant until = allowed.intervals().back().end;
  const Span tail = members.size() > 1 ? TailOf(f) : Span{0};
  std::vector<partitioner::EarliestFrom> sites;
  for (const std::string& site : members) {
    sites.push_back([&, site](Instant from) {
      return ShadowStart(f, f.sites.at(site).shadow, spec, part_sites, site, from, tail, until);
    });
  }
  const std::optional<Instant> start = partitioner::MeetFrom(sites, allowed.intervals()[0].begin);
  if (!start || !allowed.Contains(*start)) return std::nullopt;
  return start;
}

std::optional<Instant> ShadowStartAt(const SearchLayer& f, const Turn& t, const Request& request,
                                     const std::string& site) {
  const schemas::RequestSpec& spec = request.record().spec;
  const std::string& user = request.record().requester.user;
  const IntervalSet allowed = StartsAt(f, t, spec, user, false, {site});
  if (allowed.empty()) return std::nullopt;
  const Instant from = allowed.intervals()[0].begin;
  const std::optional<Instant> start =
      ShadowStart(f, f.sites.at(site).shadow, spec, {site}, site, from, Span{0});
  if (!start || !allowed.Contains(*start)) return std::nullopt;
  return start;
}

}  // namespace muster::meta
