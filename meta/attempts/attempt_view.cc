// Read from the attempt, its request and the mirrors of its members; nothing is kept here.
#include "meta/attempts/attempt_view.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/check.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/start_conditions.h"
#include "meta/sites/links.h"
#include "partitioner/split.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

using schemas::AttemptState;
using schemas::HoldState;
using schemas::PartState;

verifier::MemberView MemberOf(const AttemptsLayer& f, const Turn& t, const Attempt& attempt,
                              const Request& request, const std::string& name) {
  const Site& site = f.sites.at(name);
  verifier::MemberView out;
  out.refused = attempt.refused.contains(name);
  out.lost = attempt.lost.contains(name);
  out.link_up = site.Up();
  out.link_lost = site.Silent() || site.link.state() == schemas::SiteState::kQuarantined;
  // Over an ideal link a site sends only when it has news, so a site that is up counts as heard
  // now.
  out.heard = IsIdeal(f.options.values) ? t.plan : site.heard;
  const auto running = attempt.seen_running.find(name);
  if (running != attempt.seen_running.end()) out.seen_running = running->second;
  const schemas::MirrorRecord* hold = site.mirror.Find(attempt.fence());
  if (!hold) return out;
  out.hold = hold->state;
  out.closed_as = hold->closed_as;
  out.started = hold->started;
  out.start = hold->start;
  out.first_parts_ready = true;
  out.all_parts_running = true;
  const schemas::RequestSpec& spec = SpecOf(request, attempt);
  const Span first = partitioner::FirstOffset(spec);
  for (size_t i = 0; i < attempt.record().part_sites.size(); ++i) {
    if (attempt.record().part_sites[i] != name) continue;
    const schemas::MirrorPart* part = PartOf(*hold, static_cast<uint32_t>(i + 1));
    const PartState state = part ? part->state : PartState::kBooked;
    if (spec.parts[i].offset == first && state < PartState::kReady) out.first_parts_ready = false;
    // A part released while starting is ENDING without ever having run.
    const bool ran =
        state == PartState::kRunning || (state > PartState::kRunning && part->started_at);
    if (!ran) out.all_parts_running = false;
  }
  return out;
}

// If most of three or more sites are off in the same direction, the meta's clock is wrong.
// protocol.md section 6.
bool ClockIsTrusted(const AttemptsLayer& f) {
  size_t known = 0;
  size_t ahead = 0;
  size_t behind = 0;
  for (const auto& [name, site] : f.sites) {
    if (!site.link.offset()) continue;
    ++known;
    if (site.link.offset()->Provable() <= verifier::kClockQuarantine) continue;
    ++(site.link.offset()->milliseconds > 0 ? ahead : behind);
  }
  return known < 3 || 2 * std::max(ahead, behind) <= known;
}

// Whether all members have reached `stage` and none has closed its hold.
bool AllHold(const AttemptsLayer& f, const Attempt& attempt, HoldState stage) {
  return std::all_of(attempt.record().members.begin(), attempt.record().members.end(),
                     [&](const std::string& site) {
                       const auto* hold = f.sites.at(site).mirror.Find(attempt.fence());
                       return hold && hold->state >= stage && hold->state != HoldState::kClosed;
                     });
}

// Whether the replacement of this attempt is committed everywhere. What closed the holds of this
// attempt is then that commit, and no place was lost.
bool MadeRoom(const AttemptsLayer& f, const Request& request, const Attempt& attempt) {
  if (!request.seeking) return false;
  const auto next = f.attempts.find(*request.seeking);
  if (next == f.attempts.end() || next->second.record().replaces != attempt.fence()) return false;
  return AllHold(f, next->second, HoldState::kCommitted);
}

// Start of the place that the request seeks to leave for an earlier one; none if the present place
// is endangered or no longer binding.
std::optional<Instant> PlaceLeft(const AttemptsLayer& f, const Request& request) {
  if (!request.replacing) return std::nullopt;
  const auto place = f.attempts.find(*request.replacing);
  const bool stands = place != f.attempts.end() && !place->second.endangered &&
                      verifier::Binds(place->second.state());
  return stands ? std::optional(place->second.record().start) : std::nullopt;
}

}  // namespace

bool Yields(const AttemptsLayer& f, const Request& request, const Attempt& attempt) {
  if (!request.before() || !attempt.altered || !attempt.record().replaces ||
      attempt.state() != AttemptState::kHolding) {
    return false;
  }
  const auto old = f.attempts.find(*attempt.record().replaces);
  if (old == f.attempts.end() || !verifier::Permitted(old->second.state())) return false;
  return AllHold(f, attempt,
                 attempt.PassesBarrier() ? HoldState::kPrepared : HoldState::kCommitted);
}

verifier::AttemptView ViewOf(const AttemptsLayer& f, const Turn& t, const Attempt& attempt) {
  const Request* request = f.requests.Find(attempt.record().request);
  MUSTER_CHECK(request != nullptr);
  verifier::AttemptView v;
  v.state = attempt.state();
  for (const std::string& name : attempt.record().members) {
    v.members.push_back(MemberOf(f, t, attempt, *request, name));
  }
  v.wanted = !request->Ended() && !request->Cancelling() && !request->record().parked;
  // The trial that this attempt is for has ended.
  if (v.state == AttemptState::kHolding && attempt.altered && !request->before()) v.wanted = false;
  // A site may have moved one of the two holds meanwhile. If the new place is no longer earlier,
  // the present place is kept.
  const bool held = v.members[0].hold >= HoldState::kPrepared;
  if (v.state == AttemptState::kHolding && held &&
      request->replacing == attempt.record().replaces) {
    const std::optional<Instant> place =
        request->TriesElsewhere() ? PlaceLeft(f, *request) : SoundPlace(f, t, *request);
    if (place && v.members[0].start >= *place + Span{request->GivesWay()}) v.wanted = false;
  }
  v.start = attempt.record().start;
  v.deadline = attempt.record().deadline;
  v.gated = attempt.record().gated;
  if (v.state == AttemptState::kHolding && attempt.PassesBarrier() &&
      v.members[0].hold >= HoldState::kPrepared) {
    v.deadline =
        Moment{ToMoment(v.members[0].start).milliseconds + PermitWait(f, attempt).milliseconds};
  }
  if (v.state == AttemptState::kAborting && !attempt.durable()) {
    // C2 wrote nothing, so the only D is the one that the members armed.
    for (const std::string& name : attempt.record().members) {
      const schemas::MirrorRecord* hold = f.sites.at(name).mirror.Find(attempt.fence());
      if (hold && hold->deadline) v.deadline = std::max(v.deadline, *hold->deadline);
    }
  }
  v.superseded = attempt.record().superseded_by.has_value();
  for (const Fence& other : request->attempts) {
    if (other == attempt.fence()) continue;
    const auto it = f.attempts.find(other);
    if (it != f.attempts.end() && verifier::Permitted(it->second.state())) {
      v.rival_permitted = true;
    }
  }
  // Shown as merely held, so that no permit is written before the attempt that it replaces is known
  // not to have started.
  if (Yields(f, *request, attempt)) v.members[0].hold = HoldState::kHeld;
  v.endangered = attempt.endangered || MadeRoom(f, *request, attempt);
  v.secret_at_hand = !f.secrets.empty();
  // A site that commits the replacement closes this hold in the same write. Until that is known,
  // there must be no permit.
  const bool giving_way = request->seeking && request->replacing == attempt.fence();
  v.permits_allowed = !giving_way && (!attempt.Several() || ClockIsTrusted(f)) &&
                      GateIsOpenFor(f, *request, attempt, t.plan);
  v.answers_overdue = t.boot() >= attempt.answers_until;
  v.now = t.plan;
  v.values = f.options.values;
  return v;
}

}  // namespace muster::meta
