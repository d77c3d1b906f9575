// Judges by shadows only, site by site.
#include "meta/search/relocation.h"

#include <algorithm>

#include "meta/requests/fairshare.h"
#include "meta/requests/horizon.h"
#include "meta/requests/spanning_limits.h"
#include "meta/search/shadow_starts.h"
#include "partitioner/shadow.h"
#include "partitioner/split.h"
#include "schemas/limits.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

Span SlackOf(const Site& site) { return site.capacity ? site.capacity->start_slack : Span{0}; }

}  // namespace

bool HasShadowStart(const SearchLayer& f, const Request& request, const std::string& site,
                    const IntervalSet& allowed, const Attempt& place) {
  if (allowed.empty()) return false;
  const bool leaves = verifier::Permitted(place.state());
  const Span tail = leaves ? Span{schemas::kMoveWait.milliseconds / 1000} : Span{0};
  const auto start_in = [&](const partitioner::Shadow& shadow) {
    return ShadowStart(f, shadow, request.record().spec, {site}, site, allowed.intervals()[0].begin,
                       tail, allowed.intervals().back().end);
  };
  std::optional<Instant> start;
  if (site == place.record().members[0]) {
    start = start_in(f.sites.at(site).shadow.Without({place.fence()}));
  } else {
    start = start_in(f.sites.at(site).shadow);
  }
  return start && allowed.Contains(*start);
}

bool MovesHere(const SearchLayer& f, const Turn& t, const Request& request,
               const Attempt& attempt) {
  return verifier::Permitted(attempt.state()) && !MayBeDated(f, request, t.plan) &&
         !IsLimited(f, request, t.plan);
}

bool MayGoElsewhere(const SearchLayer& f, const Turn& t, const Request& request,
                    const Attempt& attempt, Gain gain) {
  const Instant now = t.NowCeiling();
  Interval worth = WorthGoing(f.options.rechoice, request, attempt.record().start, now, gain);
  worth.begin = std::max(worth.begin, now + kMoveAhead);
  if (worth.begin >= worth.end) return false;
  const std::string& here = attempt.record().members[0];
  const bool moves_here = MovesHere(f, t, request, attempt);
  const Span slack = SlackOf(f.sites.at(here)) + kLeastAtOnce;
  // The same for all sites unless their speeds differ.
  std::optional<IntervalSet> allowed;
  const schemas::PartSpec& part = request.record().spec.parts[0];
  for (const std::string& name : f.site_names) {
    if ((name == here && moves_here) || !partitioner::MayRunAt(part, name)) continue;
    const Site& site = f.sites.at(name);
    if (!site.Up() || site.disk_low || !site.shadow.known()) continue;
    if (TellsLess(f, request, name)) continue;
    // The promise is the start plus the site's start slack, and must not get later.
    if (f.searches.SaidNever(request.id(), 0, name) || SlackOf(site) > slack) continue;
    if (!allowed || !f.options.terms.empty()) {
      allowed = StartsAt(f, t, request, false, {name}).Intersect(IntervalSet({worth}));
    }
    if (HasShadowStart(f, request, name, *allowed, attempt)) return true;
  }
  return false;
}

}  // namespace muster::meta
