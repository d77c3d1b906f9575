// The rows of section 3.4 at the meta. The state HELLO does not occur: hello and welcome happen in
// one turn.
#include "verifier/site_link_meta.h"

#include <cstdlib>

#include "schemas/limits.h"

namespace muster::verifier {

using schemas::SiteState;

LinkStep NextLinkStep(SiteState state, LinkEvent event) {
  switch (event) {
    case LinkEvent::kHello:
      // A new hello does not end quarantine.
      if (state == SiteState::kQuarantined) return {true, SiteState::kQuarantined, true};
      return {true, SiteState::kSyncing, true};
    case LinkEvent::kSynced:
      if (state == SiteState::kSyncing) return {true, SiteState::kUp, false};
      break;
    case LinkEvent::kMissed:
      if (state == SiteState::kUp || state == SiteState::kSyncing) {
        return {true, SiteState::kSilent, false};
      }
      break;
    case LinkEvent::kHeartbeat:
      if (state == SiteState::kSilent) return {true, SiteState::kSyncing, true};
      break;
    case LinkEvent::kOffence:
      if (state == SiteState::kUp || state == SiteState::kSyncing) {
        return {true, SiteState::kQuarantined, false};
      }
      break;
    case LinkEvent::kCleanAgain:
      if (state == SiteState::kQuarantined) return {true, SiteState::kSyncing, true};
      break;
  }
  return {false, state, false};
}

int64_t ClockOffset::Provable() const {
  const int64_t least = std::abs(milliseconds) - half_trip;
  return least > 0 ? least : 0;
}

std::optional<ClockOffset> OffsetOf(const schemas::ClockStamps& stamps, Moment received) {
  if (stamps.echoed.milliseconds == 0) return std::nullopt;
  const int64_t there = stamps.received.milliseconds - stamps.echoed.milliseconds;
  const int64_t back = stamps.sent.milliseconds - received.milliseconds;
  const int64_t trip = there - back;
  if (trip < 0 || stamps.echoed > received) return std::nullopt;
  return ClockOffset{(there + back) / 2, trip / 2};
}

LinkStep SiteLinkMeta::Take(LinkEvent event) {
  const LinkStep step = NextLinkStep(state_, event);
  if (!step.listed) return step;
  if (step.next == SiteState::kQuarantined && state_ != SiteState::kQuarantined) clean_ = 0;
  state_ = step.next;
  return step;
}

bool SiteLinkMeta::Nonsense(BootInstant now) {
  clean_ = 0;
  nonsense_.push_back(now);
  while (!nonsense_.empty() && nonsense_.front() + Seconds(60) <= now) nonsense_.pop_front();
  return nonsense_.size() > schemas::kNonsensePerMinute;
}

bool SiteLinkMeta::Idle(BootInstant now) {
  if (now >= idle_since_ + Seconds(60)) {
    idle_since_ = now;
    idle_ = 0;
  }
  return ++idle_ > kIdlePerMinute;
}

bool SiteLinkMeta::Clean() { return ++clean_ >= kCleanHeartbeats; }

bool SiteLinkMeta::Stamps(const schemas::ClockStamps& stamps, Moment received) {
  const std::optional<ClockOffset> offset = OffsetOf(stamps, received);
  if (!offset) return false;
  offset_ = offset;
  return offset->Provable() > kClockQuarantine;
}

}  // namespace muster::verifier
