// The conditions of rows C2 to C13, evaluated on what the members reported. If several hold at
// once, what ends or endangers the attempt is tested before what advances it.
#include "verifier/attempt.h"

#include <algorithm>

#include "base/check.h"

namespace muster::verifier {
namespace {

using schemas::AttemptState;
using schemas::HoldState;
using schemas::Started;

constexpr BootSpan kHeardWithin = Seconds(1);  // C8
// How often C8 is tried once all first parts are ready.
constexpr BootSpan kLookAgain = Milliseconds(250);

Moment Plus(Moment t, BootSpan by) { return {t.milliseconds + by.milliseconds}; }
Moment Minus(Moment t, BootSpan by) { return {t.milliseconds - by.milliseconds}; }

template <class Condition>
bool All(const AttemptView& v, Condition condition) {
  return std::all_of(v.members.begin(), v.members.end(), condition);
}
template <class Condition>
bool Any(const AttemptView& v, Condition condition) {
  return std::any_of(v.members.begin(), v.members.end(), condition);
}

bool Dropped(const MemberView& m) { return m.lost || m.hold == HoldState::kClosed; }

// With one member no partner needs time to get its permit; only one round trip must remain.
constexpr BootSpan kGatedWindow = Seconds(1);
Moment WindowEnd(const AttemptView& v) {
  return Minus(v.deadline, v.members.size() > 1 ? v.values.permit_window : kGatedWindow);
}
Moment LeadReached(const AttemptView& v) { return Minus(ToMoment(v.start), v.values.lead); }

std::optional<AttemptEvent> DueInHolding(const AttemptView& v) {
  const bool lost = Any(v, [](const MemberView& m) {
    return m.refused || Dropped(m) || (!m.link_up && m.hold < HoldState::kPrepared);
  });
  if (lost || !v.wanted) return AttemptEvent::kRefused;
  if (!v.several()) {
    if (v.members[0].hold >= HoldState::kCommitted) {
      if (v.rival_permitted) return AttemptEvent::kRefused;
      if (v.secret_at_hand) return AttemptEvent::kSoleCommitted;
      return std::nullopt;
    }
  } else if (All(v, [](const MemberView& m) { return m.hold >= HoldState::kPrepared; })) {
    const bool agree = All(v, [&](const MemberView& m) { return m.start == v.members[0].start; });
    if (!agree || v.rival_permitted || v.now >= WindowEnd(v)) return AttemptEvent::kRefused;
    return AttemptEvent::kPrepared;
  }
  if (v.answers_overdue) return AttemptEvent::kRefused;
  return std::nullopt;
}

std::optional<AttemptEvent> DueBeforePermit(const AttemptView& v) {
  if (!v.wanted || v.superseded || v.now > WindowEnd(v)) return AttemptEvent::kGivenUp;
  if (!v.endangered) {
    const bool at_lead = v.now >= LeadReached(v);
    if (Any(v, [&](const MemberView& m) { return Dropped(m) || (at_lead && m.link_lost); })) {
      return AttemptEvent::kMemberLost;
    }
  }
  const bool committed =
      All(v, [](const MemberView& m) { return !Dropped(m) && m.hold >= HoldState::kCommitted; });
  if (v.state == AttemptState::kDecided) {
    if (committed) return AttemptEvent::kAllCommitted;
    return std::nullopt;
  }
  if (v.state == AttemptState::kCommitted) {
    if (v.now >= LeadReached(v)) return AttemptEvent::kLeadReached;
    return std::nullopt;
  }
  const bool ready =
      committed && All(v, [](const MemberView& m) { return m.first_parts_ready && m.link_up; });
  if (ready && v.secret_at_hand && v.permits_allowed && GuardsOf(v).members_heard) {
    return AttemptEvent::kReady;
  }
  return std::nullopt;
}

// When C11 is due by silence: partner_wait after both D + settle and the first report that a member
// runs. None if no member was heard to run, or if each other one has run or been heard since.
std::optional<Moment> PartialBySilence(const AttemptView& v) {
  std::optional<Moment> evidence;
  for (const MemberView& m : v.members) {
    if (!m.seen_running) continue;
    if (!evidence || *m.seen_running < *evidence) evidence = m.seen_running;
  }
  if (!evidence) return std::nullopt;
  const Moment since = std::max(*evidence, Plus(v.deadline, v.values.settle));
  const bool unheard = Any(v, [&](const MemberView& m) {
    return !m.seen_running && m.started == Started::kNo && m.heard < since;
  });
  if (!unheard) return std::nullopt;
  return Plus(since, v.values.partner_wait);
}

std::optional<AttemptEvent> DueAfterPermit(const AttemptView& v) {
  const bool some_closed_unstarted =
      Any(v, [](const MemberView& m) { return Dropped(m) && m.started == Started::kNo; });
  const bool some_ran = Any(v, [](const MemberView& m) { return m.started != Started::kNo; });
  // Tested before AllClosed, so that a partial start is recorded even if all holds have closed
  // meanwhile.
  const bool partial = v.several() && some_closed_unstarted && some_ran;
  if (partial && v.state == AttemptState::kPermitted) return AttemptEvent::kPartialStart;
  if (AllClosed(v)) return AttemptEvent::kAllClosed;
  if (v.state != AttemptState::kPermitted) return std::nullopt;
  if (v.several()) {
    if (some_closed_unstarted) return AttemptEvent::kPartialStart;
    const std::optional<Moment> silent = PartialBySilence(v);
    if (silent && v.now >= *silent) return AttemptEvent::kPartialStart;
  }
  if (All(v, [](const MemberView& m) { return m.all_parts_running; })) {
    return AttemptEvent::kAllRunning;
  }
  return std::nullopt;
}

}  // namespace

bool AllClosed(const AttemptView& v) { return All(v, Dropped); }

AttemptGuards GuardsOf(const AttemptView& v) {
  AttemptGuards g;
  g.several = v.several();
  g.before_window_end =
      v.state == AttemptState::kHolding ? v.now < WindowEnd(v) : v.now <= WindowEnd(v);
  g.wanted = v.wanted;
  g.rival_permitted = v.rival_permitted;
  // With one member no start can be partial.
  g.members_heard = v.members.size() == 1 || All(v, [&](const MemberView& m) {
                      return m.heard >= Minus(v.now, kHeardWithin);
                    });
  g.superseded = v.superseded;
  return g;
}

std::optional<AttemptEvent> DueEvent(const AttemptView& v) {
  MUSTER_CHECK(!v.members.empty());
  switch (v.state) {
    case AttemptState::kHolding:
      return DueInHolding(v);
    case AttemptState::kDecided:
    case AttemptState::kCommitted:
    case AttemptState::kBarrier:
      return DueBeforePermit(v);
    case AttemptState::kPermitted:
    case AttemptState::kRunning:
    case AttemptState::kPartial:
      return DueAfterPermit(v);
    case AttemptState::kAborting: {
      const bool closed = All(v, [](const MemberView& m) { return Dropped(m) || m.refused; });
      if (closed) return AttemptEvent::kAllClosed;
      if (v.deadline.milliseconds != 0 && v.now >= Plus(v.deadline, v.values.settle)) {
        return AttemptEvent::kSettled;
      }
      return std::nullopt;
    }
    case AttemptState::kSeeking:
    case AttemptState::kClosed:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Moment> NextDue(const AttemptView& v) {
  switch (v.state) {
    case AttemptState::kDecided:
    case AttemptState::kCommitted:
      return v.now < LeadReached(v) ? LeadReached(v) : Plus(WindowEnd(v), Milliseconds(1));
    case AttemptState::kBarrier: {
      const bool ready = All(v, [](const MemberView& m) { return m.first_parts_ready; });
      const Moment end = Plus(WindowEnd(v), Milliseconds(1));
      return ready && v.permits_allowed ? std::min(end, Plus(v.now, kLookAgain)) : end;
    }
    case AttemptState::kPermitted:
      return v.several() ? PartialBySilence(v) : std::nullopt;
    case AttemptState::kAborting:
      if (v.deadline.milliseconds != 0) return Plus(v.deadline, v.values.settle);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace muster::verifier
