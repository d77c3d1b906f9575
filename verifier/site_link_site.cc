// See site_link_site.h.
#include "verifier/site_link_site.h"

#include <algorithm>

namespace muster::verifier {

SiteLinkStep NextSiteLink(SiteLinkState state, SiteLinkEvent event) {
  using S = SiteLinkState;
  switch (event) {
    case SiteLinkEvent::kDial:
      if (state == S::kDown) return {.next = S::kHello, .say_hello = true};
      break;
    case SiteLinkEvent::kWelcome:
      return {.next = S::kUp, .restart_feed = true};
    case SiteLinkEvent::kRefused:
      return {.next = S::kDown, .back_off = true};
    case SiteLinkEvent::kHelloWaitOver:
      if (state == S::kHello) return {.next = S::kDown, .back_off = true};
      break;
    case SiteLinkEvent::kBeatsMissed:
      if (state == S::kUp) return {.next = S::kDown, .back_off = true};
      break;
  }
  return {.next = state};
}

void SiteLink::Enter(const SiteLinkStep& step, BootInstant now) {
  if (step.back_off) {
    int64_t span = kFirstBackOff.milliseconds;
    for (uint32_t i = 0; i < failures_ && span < kLongestBackOff.milliseconds; ++i) span *= 2;
    span = std::min(span, kLongestBackOff.milliseconds);
    // Half fixed, half random, so that many sites that lost one meta do not return at the same
    // instant.
    dial_at_ = now + BootSpan{random_.Between((span + 1) / 2, span)};
    ++failures_;
  }
  if (step.say_hello) hello_at_ = now;
  state_ = step.next;
}

SiteLink::Due SiteLink::Tick(BootInstant now, BootSpan heartbeat) {
  Due due;
  if (state_ == SiteLinkState::kUp && now >= heard_at_ + patience_) {
    due.lost = true;
    Enter(NextSiteLink(state_, SiteLinkEvent::kBeatsMissed), now);
  }
  if (state_ == SiteLinkState::kHello && now >= hello_at_ + schemas::kHelloWait) {
    Enter(NextSiteLink(state_, SiteLinkEvent::kHelloWaitOver), now);
  }
  if (state_ == SiteLinkState::kDown && now >= dial_at_) {
    Enter(NextSiteLink(state_, SiteLinkEvent::kDial), now);
    due.hello = true;
  }
  if (state_ == SiteLinkState::kUp && now >= beat_at_ + heartbeat) {
    due.heartbeat = true;
    beat_at_ = now;
  }
  return due;
}

BootInstant SiteLink::Next(BootSpan heartbeat) const {
  switch (state_) {
    case SiteLinkState::kDown:
      return dial_at_;
    case SiteLinkState::kHello:
      return hello_at_ + schemas::kHelloWait;
    case SiteLinkState::kUp:
      break;
  }
  return std::min(beat_at_ + heartbeat, heard_at_ + patience_);
}

void SiteLink::OnWelcome(BootInstant now, BootSpan heartbeat) {
  Enter(NextSiteLink(state_, SiteLinkEvent::kWelcome), now);
  failures_ = 0;
  patience_ = heartbeat * schemas::kMissedHeartbeats;
  heard_at_ = now;
  beat_at_ = now;
}
void SiteLink::OnBeat(BootInstant now) { heard_at_ = now; }
void SiteLink::OnRefused(BootInstant now) {
  Enter(NextSiteLink(state_, SiteLinkEvent::kRefused), now);
}

}  // namespace muster::verifier
