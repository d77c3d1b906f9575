// Every set asks for an amount of one, so that any number of sets fits where nothing is reserved.
#include "site/plan/rules/standing.h"

#include <algorithm>

#include "site/plan/rules/times.h"

namespace muster::rules {
namespace {

constexpr Span kCentury{int64_t{100} * 366 * 86400};

}  // namespace

std::string DimensionOf(const Standing& standing) { return "nodes\n" + standing.name; }

std::string ShownAs(const Standing& standing) {
  if (standing.outside) return "valid " + standing.when + " only";
  return "reservation " + standing.name;
}

bool MayUse(const Standing& standing, const plan::Order& order) {
  const plan::Consumer& who = order.who;
  if (CoversOneOf(standing.allow, who) || (standing.lend && who.lent)) return true;
  if (standing.open_to.empty()) return false;
  ResourceSet amounts;
  Span duration;
  for (const plan::Part& part : order.parts) {
    for (const plan::Chunk& chunk : part.chunks) amounts += chunk.resources * chunk.count;
    amounts += part.jobwide;
    duration = std::max(duration, part.duration());
  }
  static const std::map<std::string, std::string> kNone;
  return Holds(standing.open_to, {.user = who.user,
                                  .groups = who.groups,
                                  .duration = duration,
                                  .amounts = amounts,
                                  .properties = kNone,
                                  .account = who.account,
                                  .qos = who.qos,
                                  .queue = who.queue,
                                  .interactive = who.interactive});
}

std::vector<Aside> SetAside(const Standing& standing, const Zone& zone, Instant now,
                            Instant until) {
  std::vector<Aside> out;
  if (standing.valid.kind == Validity::Kind::kAlways) {
    if (!standing.outside) out.push_back({{now, now + kCentury}, true});
    return out;
  }
  // Looks beyond `until` so far that the last interval which begins before it is complete.
  const auto times = [&](Instant from, Instant to, size_t limit) {
    return Intervals(standing.valid, zone, from, to, limit).intervals;
  };
  IntervalSet aside = times(now, until + Validity::kLongestOccurrence, kMostIntervals);
  if (standing.outside) aside = Minus(IntervalSet({{now, until}}), aside);
  for (Interval one : aside.intervals()) {
    if (one.begin >= until) break;
    if (standing.outside && one.end == until) {
      const IntervalSet next = times(until, kFarFuture, 1);
      one.end = next.empty() ? kFarFuture : next.intervals().front().begin;
    }
    const bool endless = one.end - one.begin > kCentury;
    if (endless) one.end = one.begin + kCentury;
    out.push_back({one, endless});
  }
  return out;
}

ResourceSet WithUnreserved(const RuleSet& rules, const ResourceSet& has) {
  ResourceSet out = has;
  for (const Standing& standing : rules.standing) out.Set(DimensionOf(standing), kUnreserved);
  return out;
}

void TakeUnreserved(const RuleSet& rules, plan::Order& order) {
  for (const Standing& standing : rules.standing) {
    if (MayUse(standing, order)) continue;
    for (plan::Part& part : order.parts) {
      for (plan::Chunk& chunk : part.chunks) chunk.resources.Set(DimensionOf(standing), 1);
    }
  }
}

}  // namespace muster::rules
