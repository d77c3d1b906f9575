// Each step reads only what is durable somewhere, so daemons may come back in any order.
#include "meta/attempts/reconciliation.h"

#include "meta/attempts/attempt_orders.h"
#include "meta/requests/array_jobs.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/credits.h"
#include "meta/requests/horizon.h"
#include "meta/requests/site_speeds.h"
#include "meta/requests/spanning_limits.h"
#include "meta/requests/start_conditions.h"
#include "meta/sites/links.h"
#include "meta/sites/say.h"
#include "partitioner/split.h"
#include "schemas/canonical.h"
#include "verifier/attempt_table.h"
#include "verifier/start_notice.h"

namespace muster::meta {
namespace {

using schemas::AttemptState;
using schemas::HoldState;

// A lost order gets no answer. After this time the meta repeats it at the site's next heartbeat.
constexpr BootSpan kReleaseAgain = Seconds(5);

void ReleaseUnknown(Turn& t, Site& site, const Fence& fence) {
  site.unknown.erase(fence);
  site.unwanted.insert(fence);
  site.unwanted_said_at = t.boot();
  GiveOrder(t, site, {schemas::ReleaseOrder{fence, {}}});
}

// Whether a hold could still become the place of the request: the request is wanted, and none of
// its attempts binds.
bool IsFree(const AttemptsLayer& f, const Request& request) {
  if (!request.Wanted()) return false;
  for (const Fence& fence : request.attempts) {
    const auto it = f.attempts.find(fence);
    if (it != f.attempts.end() && verifier::Binds(it->second.state())) return false;
  }
  return true;
}

// Adopts a hold of one member whose decision was lost with the write (3.6): rebuilds the attempt
// from the order, in HOLDING, so that C4 writes the decision again.
void Adopt(AttemptsLayer& f, Turn& t, Site& site, Request& request,
           const schemas::HoldOrder& order) {
  schemas::AttemptRecord record;
  record.fence = order.fence;
  record.request = request.id();
  record.state = AttemptState::kHolding;
  record.members = order.members;
  record.part_sites = order.part_sites;
  record.start = site.mirror.Find(order.fence)->start;
  record.gated = order.members.size() == 1 && order.stage == HoldState::kPrepared;
  Attempt& attempt = f.attempts.Add(std::move(record));
  attempt.allowed = order.allowed;
  attempt.answers_until = t.boot() + f.options.values.answer_wait;
  request.attempts.insert(order.fence);
  site.attempts.insert(order.fence);
  site.unknown.erase(order.fence);
  site.unwanted.erase(order.fence);
  f.room.Remove(request.id());
  if (request.seeking) {
    // A place being sought meanwhile is given up for the one that exists already.
    const auto sought = f.attempts.find(*request.seeking);
    if (sought != f.attempts.end()) sought->second.answers_until = t.boot();
    f.attempts.Touch(*request.seeking);
  }
  request.seeking = order.fence;
  TakePlace(f, request, attempt);
  t.Note("adopted hold " + ToText(order.fence) + " of request " + ToText(request.id()) + " at " +
         site.name);
  f.attempts.Touch(order.fence);
}

// A direct commit is permitted as soon as it is adopted. It was ordered when the gate was open, but
// another element may have taken the place in the array since.
bool MayBePermitted(const AttemptsLayer& f, const Turn& t, const Request& request,
                    const schemas::HoldOrder& order) {
  return order.stage == HoldState::kPrepared || GateIsOpen(f, request, t.plan);
}

// Whether the hold was ordered for the request as it is now, rather than for an alteration that was
// never shown or for what it was before an alteration.
bool Matches(const AttemptsLayer& f, const Request& request, const schemas::HoldOrder& order,
             const std::string& site, Instant start) {
  const schemas::RequestSpec& spec = request.record().spec;
  const std::vector<std::string> part_sites(spec.parts.size(), site);
  if (order.members != std::vector<std::string>{site} || order.part_sites != part_sites ||
      order.parts.empty()) {
    return false;
  }
  return order.parts == partitioner::DemandsAt(spec, part_sites, site, AskedAt(f, spec, site),
                                               order.parts[0].tail) &&
         order.inside == spec.inside && order.notice == spec.notice &&
         order.start_notice == verifier::StartNoticeOf(spec) &&
         order.reserves.has_value() == spec.reserves.has_value() &&
         partitioner::AllowedStarts(spec, LengthAt(f, spec, site)).Contains(start) &&
         order.payload_digest == schemas::DigestOf(PayloadOf(f, request));
}

// Whether limits over all sites leave the request this start.
bool IsLeft(const AttemptsLayer& f, const Turn& t, const Request& request, const std::string& site,
            Instant start) {
  const IntervalSet only = IntervalSet::Only(start);
  return !LeftByLimits(f, t, request, false, {site}, only).empty() &&
         !WhyNotPromised(f, request, t.plan);
}

void CompareUnknown(AttemptsLayer& f, Turn& t, Site& site, const schemas::MirrorRecord& hold) {
  Request* request = f.requests.Find(hold.request);
  const bool may_be_adopted = request && hold.state >= HoldState::kCommitted && IsFree(f, *request);
  if (!may_be_adopted) return ReleaseUnknown(t, site, hold.fence);
  const auto order = site.listed.find(hold.fence);
  if (order == site.listed.end()) {
    // Only a listing contains the order of the hold.
    site.unknown.insert(hold.fence);
    return AskListing(f, t, site);
  }
  // A co-allocation that is committed here was decided. Without the listings of all members it is
  // left until its D.
  if (order->second.members.size() > 1) {
    site.unknown.erase(hold.fence);
    return;
  }
  if (!Matches(f, *request, order->second, site.name, hold.start) ||
      hold.start < NearestStart(f, t, *request) || !MayBePermitted(f, t, *request, order->second)) {
    return ReleaseUnknown(t, site, hold.fence);
  }
  // Nobody was told of it: others may have what a limit leaves, or what an account can pay.
  if (!IsLeft(f, t, *request, site.name, hold.start) ||
      SetAside(f, *request, order->second.part_sites, hold.start, order->second.parts[0].tail,
               t.plan)) {
    return ReleaseUnknown(t, site, hold.fence);
  }
  Adopt(f, t, site, *request, order->second);
}

}  // namespace

void CompareHold(AttemptsLayer& f, Turn& t, Site& site, const Fence& fence) {
  const schemas::MirrorRecord* hold = site.mirror.Find(fence);
  if (!hold) return;
  const auto it = f.attempts.find(fence);
  if (it == f.attempts.end()) {
    if (hold->state == HoldState::kClosed) {
      site.unknown.erase(fence);
      site.mirror.Erase(fence);
      return;
    }
    return CompareUnknown(f, t, site, *hold);
  }
  Attempt& attempt = it->second;
  if (attempt.state() == AttemptState::kClosed) {
    if (hold->state != HoldState::kClosed) ReleaseUnknown(t, site, fence);
    return;
  }
  f.attempts.Touch(fence);
  if (std::optional<schemas::Order> order = OrderDue(f, t, attempt, site.name)) {
    GiveOrder(t, site, std::move(*order));
  }
}

void RepeatReleases(Turn& t, Site& site) {
  if (site.unwanted.empty() || t.boot() < site.unwanted_said_at + kReleaseAgain) return;
  site.unwanted_said_at = t.boot();
  std::erase_if(site.unwanted, [&site](const Fence& fence) {
    const schemas::MirrorRecord* hold = site.mirror.Find(fence);
    return hold == nullptr || hold->state == HoldState::kClosed;
  });
  for (const Fence& fence : site.unwanted) GiveOrder(t, site, {schemas::ReleaseOrder{fence, {}}});
}

void CompareSite(AttemptsLayer& f, Turn& t, Site& site) {
  std::vector<Fence> fences;
  for (const auto& [fence, hold] : site.mirror.holds()) {
    if (hold.state != HoldState::kClosed) fences.push_back(fence);
  }
  for (const Fence& fence : fences) CompareHold(f, t, site, fence);
  // Attempts that the site has not reported: their due orders are repeated.
  for (const Fence& fence : site.attempts) {
    const auto it = f.attempts.find(fence);
    if (it == f.attempts.end() || site.mirror.Find(fence) != nullptr) continue;
    if (std::optional<schemas::Order> order = OrderDue(f, t, it->second, site.name)) {
      GiveOrder(t, site, std::move(*order));
    }
    f.attempts.Touch(fence);
  }
}

}  // namespace muster::meta
