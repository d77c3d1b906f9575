// The order that is due follows from the attempt's state and from its members' reports.
#include "meta/attempts/attempt_orders.h"

#include <algorithm>
#include <utility>

#include "meta/requests/array_jobs.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/credentials.h"
#include "meta/requests/homes.h"
#include "meta/requests/horizon.h"
#include "meta/requests/points.h"
#include "meta/requests/site_speeds.h"
#include "meta/requests/spanning_limits.h"
#include "meta/requests/start_conditions.h"
#include "meta/sites/say.h"
#include "partitioner/split.h"
#include "schemas/canonical.h"
#include "verifier/attempt_table.h"
#include "verifier/start_notice.h"

namespace muster::meta {

using schemas::AttemptState;
using schemas::HoldState;

schemas::HoldOrder HoldOrderFor(const AttemptsLayer& f, const Turn& t, const Request& request,
                                const Attempt& attempt, const std::string& site) {
  const schemas::RequestRecord& r = request.record();
  schemas::HoldOrder o;
  o.fence = attempt.fence();
  o.request = r.id;
  o.job_name = r.spec.name;
  o.requester = r.requester;
  o.inside = r.spec.inside;
  o.reserves = r.spec.reserves;
  o.notice = r.spec.notice;
  o.start_notice = verifier::StartNoticeOf(r.spec);
  o.request_class = r.spec.request_class;
  o.priority = UrgencyOf(f, r.spec);
  o.home = GoesFirstAt(f, r.requester.user, site);
  o.account = r.spec.account;
  o.qos = r.spec.qos;
  o.queue = r.spec.queue;
  if (f.sites.at(site).Can(schemas::kOrdersByPoints)) {
    o.waits_since = Moment{t.plan.milliseconds - TimeWaited(f, request, t.plan).seconds * 1000};
    if (const policy::Qos* const qos = QosOf(f, r.spec)) o.target = qos->target;
  }
  o.members = attempt.record().members;
  o.part_count = static_cast<uint32_t>(r.spec.parts.size());
  o.part_sites = attempt.record().part_sites;
  o.parts = partitioner::DemandsAt(r.spec, attempt.record().part_sites, site,
                                   AskedAt(f, r.spec, site), WaitOf(f, attempt));
  o.payload = PayloadOf(f, request);
  o.payload_digest = schemas::DigestOf(o.payload);
  o.allowed = attempt.allowed;
  // The start must not be nearer than `nearest` either: it is shown only once the old place is
  // given back, and the user must still have the start notice then.
  o.earliest = std::max({r.spec.from.value_or(Instant{0}), t.NowCeiling(), request.nearest});
  // A site must not move the start to before the gate opens, since the permit would not come by
  // then. An element that waits for a place of its array keeps its start until the permit.
  o.keeps_order = attempt.PassesBarrier() && r.id.is_element();
  if (!o.keeps_order) {
    const Instant start = attempt.record().start;
    o.earliest = std::max(o.earliest, GateOpensAt(f, request, t.plan).value_or(start));
  }
  // Nor to before what a ceiling leaves: it was told a start behind the roll-over.
  if (const std::optional<Instant> from = AdmittedFrom(f, t, request)) {
    o.earliest = std::max(o.earliest, std::min(*from, attempt.record().start));
  }
  // Its site does not know of limits over all sites, so it moves nothing that counts under one.
  if (IsLimited(f, request, t.plan)) o.earliest = std::max(o.earliest, attempt.record().start);
  if (r.spec.at) o.earliest = *r.spec.at;
  o.only_lent = attempt.record().only_lent;
  o.recalls = r.recalls;
  o.saved = r.saved;
  const bool may_lend = f.sites.at(site).Can(schemas::kLends) && o.members.size() == 1;
  if (r.spec.contract && (o.only_lent || (may_lend && r.spec.contract->max_recalls > 0))) {
    o.contract = r.spec.contract;
  }
  o.stage = attempt.PassesBarrier() ? HoldState::kPrepared : HoldState::kCommitted;
  o.deadline_after = Span{PermitWait(f, attempt).milliseconds / 1000};
  o.assumed = f.sites.at(site).plan;
  if (attempt.record().replaces &&
      f.sites.at(site).mirror.Find(*attempt.record().replaces) != nullptr) {
    o.replaces = attempt.record().replaces;
    o.improves = o.members.size() == 1 && request.TriesElsewhere() && !request.GivesWay();
  }
  return o;
}

schemas::Permit DrawPermit(AttemptsLayer& f, const Request& request, const Attempt& attempt) {
  schemas::Permit permit;
  permit.secret = f.secrets.Draw();
  for (size_t i = 0; attempt.Several() && i < attempt.record().part_sites.size(); ++i) {
    const schemas::MirrorPart* part = PartAt(f, attempt, i);
    permit.rendezvous.push_back(part ? part->booking.rendezvous : "");
  }
  if (attempt.Several()) {
    permit.last_start = attempt.record().deadline.Floor();
    return permit;
  }
  const Instant start = attempt.record().start;
  const schemas::RequestSpec& spec = SpecOf(request, attempt);
  const Instant allowed =
      partitioner::LastAllowedStart(spec, LengthAt(f, spec, attempt.record().members));
  permit.last_start = std::min(start + schemas::kKeepMax, allowed);
  // Even a start at the last allowed second needs time to spawn a process.
  const Span spawn{schemas::kSingleWait.milliseconds / 1000};
  permit.last_start = std::max(permit.last_start, start + spawn);
  // A site may have reported any start, even the end of time, and must still get an answer.
  permit.last_start = std::min(permit.last_start, kFarFuture);
  return permit;
}

std::optional<schemas::Order> OrderDue(const AttemptsLayer& f, const Turn& t,
                                       const Attempt& attempt, const std::string& name) {
  const Site& site = f.sites.at(name);
  const Fence& fence = attempt.fence();
  const schemas::MirrorRecord* hold = site.mirror.Find(fence);
  const bool closed = attempt.lost.contains(name) || attempt.refused.contains(name) ||
                      (hold && hold->state == HoldState::kClosed);
  if (closed || attempt.state() == AttemptState::kClosed) return std::nullopt;
  if (attempt.released || attempt.state() == AttemptState::kAborting ||
      attempt.state() == AttemptState::kPartial) {
    return schemas::Order{schemas::ReleaseOrder{fence, attempt.record().cause, attempt.gives_way}};
  }
  if (verifier::Permitted(attempt.state())) {
    const bool obeyed = hold && hold->state >= HoldState::kPermitted;
    if (obeyed || !attempt.record().permit || t.plan > attempt.record().deadline)
      return std::nullopt;
    return schemas::Order{schemas::PermitOrder{fence, *attempt.record().permit}};
  }
  if (verifier::Binds(attempt.state()) && (!hold || hold->state < HoldState::kCommitted)) {
    return schemas::Order{schemas::CommitOrder{fence}};
  }
  return std::nullopt;
}

void GiveOrdersDue(AttemptsLayer& f, Turn& t, Attempt& attempt) {
  for (const std::string& site : attempt.record().members) {
    if (std::optional<schemas::Order> order = OrderDue(f, t, attempt, site)) {
      GiveOrder(t, f.sites.at(site), std::move(*order));
    }
  }
  attempt.repeats = 0;
  attempt.repeat_at = t.boot() + Seconds(1);
}

void RepeatOrders(AttemptsLayer& f, Turn& t, Attempt& attempt) {
  if (attempt.state() == AttemptState::kHolding || t.boot() < attempt.repeat_at) return;
  for (const std::string& site : attempt.record().members) {
    if (std::optional<schemas::Order> order = OrderDue(f, t, attempt, site)) {
      GiveOrder(t, f.sites.at(site), std::move(*order));
    }
  }
  // Permits are repeated every second until D, other orders less and less often.
  const bool hurry = attempt.state() == AttemptState::kPermitted && !attempt.released;
  attempt.repeats = std::min<uint32_t>(attempt.repeats + 1, 5);
  attempt.repeat_at =
      t.boot() + (hurry ? Seconds(1) : Seconds(1) * (int64_t{1} << attempt.repeats));
}

void Release(AttemptsLayer& f, Attempt& attempt, const schemas::Cause& cause) {
  attempt.released = true;
  attempt.gives_way = false;
  if (cause.code != schemas::CauseCode::kNone &&
      attempt.record().cause.code == schemas::CauseCode::kNone) {
    f.attempts.Edit(attempt).cause = cause;
  }
}

}  // namespace muster::meta
