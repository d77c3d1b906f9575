// Converts field by field. Resources of the plan that people must not see are left out on the way
// back.
#include "site/planning/conversions.h"

#include <algorithm>
#include <utility>

#include "base/text/node_set.h"
#include "schemas/limits.h"
#include "site/plan/rules/keeps.h"

namespace muster::site {
namespace {

plan::Place PlaceOf(schemas::Place place) {
  switch (place) {
    case schemas::Place::kPack:
      return plan::Place::kPack;
    case schemas::Place::kScatter:
      return plan::Place::kScatter;
    case schemas::Place::kFree:
      break;
  }
  return plan::Place::kFree;
}

// A text that says nothing becomes a set without an attribute, which the plan refuses.
std::optional<NodeSet> SetOf(const schemas::PartDemand& part, const Habits& habits) {
  const bool mandated = habits.set && !part.by_clock && (part.set.empty() || habits.forced);
  if (mandated) return habits.set;
  if (part.set.empty() || part.set == text::kAnyNodes) return std::nullopt;
  Diagnosed<NodeSet> set = text::ParseNodeSet(part.set);
  return set.ok() ? *std::move(set) : NodeSet{};
}

schemas::ReasonCode CodeOf(plan::Why::Code code) {
  switch (code) {
    case plan::Why::Code::kBooking:
      return schemas::ReasonCode::kJob;
    case plan::Why::Code::kNode:
      return schemas::ReasonCode::kNode;
    case plan::Why::Code::kProperty:
      return schemas::ReasonCode::kProperty;
    case plan::Why::Code::kPolicy:
      return schemas::ReasonCode::kPolicy;
    case plan::Why::Code::kHorizon:
      return schemas::ReasonCode::kHorizon;
    case plan::Why::Code::kLimit:
      return schemas::ReasonCode::kLimit;
    case plan::Why::Code::kFreepool:
      return schemas::ReasonCode::kFreepool;
    case plan::Why::Code::kReservation:
      return schemas::ReasonCode::kReservation;
    case plan::Why::Code::kTopology:
      return schemas::ReasonCode::kTopology;
  }
  return schemas::ReasonCode::kJob;
}

}  // namespace

plan::Order OrderOf(const std::vector<schemas::PartDemand>& parts, std::string label,
                    plan::Consumer who, bool element, const Habits& habits) {
  plan::Order order{{}, std::move(label), std::move(who), element};
  for (const schemas::PartDemand& demand : parts) {
    // Spans out of range become a length of 0, which the plan refuses, so that their sum cannot
    // overflow.
    const bool sane = demand.duration > Span{0} && demand.duration < Span{kFarFuture.seconds} &&
                      demand.tail >= Span{0} && demand.tail < Span{kFarFuture.seconds};
    const Span tail =
        sane ? demand.tail + schemas::BookedFor(habits.booked_in, demand.duration) - demand.duration
             : Span{0};
    plan::Part part{{},
                    PlaceOf(demand.place),
                    demand.exclusive || habits.whole,
                    demand.offset,
                    sane ? demand.duration + tail : Span{0},
                    demand.jobwide,
                    SetOf(demand, habits),
                    tail,
                    demand.by_clock,
                    habits.even};
    for (const schemas::Chunk& chunk : demand.chunks) {
      part.chunks.push_back({chunk.count, chunk.resources, chunk.properties});
    }
    order.parts.push_back(std::move(part));
  }
  return order;
}

plan::Order OrderOf(const Fence& fence, const verifier::Demand& demand, const Habits& habits) {
  // Where it is said what was asked for, the durations are what is to be booked.
  Habits as_booked = habits;
  if (!demand.asked.empty()) as_booked.booked_in = {};
  plan::Order order =
      OrderOf(demand.parts, demand.label, {demand.who, fence.epoch.value != 0, demand.lent},
              demand.element, as_booked);
  order.grows = demand.grows;
  order.stays = demand.stays;
  for (size_t p = 0; p < order.parts.size(); ++p) {
    const auto asked = demand.asked.find(demand.parts[p].index);
    if (asked != demand.asked.end()) order.parts[p].tail = order.parts[p].length - asked->second;
  }
  return order;
}

Credentials CredentialsOf(const schemas::ProposalEntry& entry) {
  return {.user = entry.user,
          .groups = entry.groups,
          .account = entry.account,
          .qos = entry.qos,
          .queue = entry.queue,
          .interactive = entry.request_class == schemas::RequestClass::kInteractive};
}

size_t IntervalsOf(const schemas::ProposalEntry& entry) {
  if (!entry.want_starts) return 1;
  if (entry.intervals == 0) return schemas::kStartIntervals;
  return std::min<size_t>(entry.intervals, schemas::kSearchIntervals);
}

schemas::Reason ReasonOf(const plan::Why& why, const std::string& site) {
  return {CodeOf(why.code),
          {site, why.node, why.label},
          rules::Shown(why.resource),
          why.until,
          rules::ShownIn(why.text)};
}

void FillRefusal(schemas::VerdictEntry& entry, const plan::Refused& refused,
                 const std::string& site) {
  switch (refused.kind) {
    case plan::Refused::Kind::kLater:
      // Without a feasible start the entry is blocked, as things are planned now.
      entry.kind = refused.feasible.starts.empty() ? schemas::VerdictKind::kBlocked
                                                   : schemas::VerdictKind::kCountered;
      break;
    case plan::Refused::Kind::kNever:
      entry.kind = schemas::VerdictKind::kNever;
      break;
    case plan::Refused::Kind::kBlocked:
      entry.kind = schemas::VerdictKind::kBlocked;
      break;
  }
  entry.starts = refused.feasible.starts;
  entry.complete_until = refused.feasible.complete_until;
  if (!entry.starts.empty()) entry.start = entry.starts.intervals().front().begin;
  entry.reason = ReasonOf(refused.why, site);
  for (const plan::Chunk& chunk : refused.largest) {
    entry.largest.push_back({chunk.count, rules::ShownLeast(chunk.resources), chunk.properties});
  }
}

}  // namespace muster::site
