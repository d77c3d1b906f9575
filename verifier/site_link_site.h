// The site's half of the link to its meta: when to dial, when to send hello or heartbeat, and when
// the meta counts as silent. protocol.md section 3.4 (rows DOWN, HELLO and what a site sees of the
// rest), section 9 (back-off, 5 s).
#pragma once

#include <cstdint>

#include "base/random.h"
#include "base/time.h"
#include "schemas/limits.h"

namespace muster::verifier {

// A site distinguishes only three states. kUp covers the meta's SYNCING, UP, SILENT and
// QUARANTINED.
enum class SiteLinkState : uint8_t { kDown, kHello, kUp };
enum class SiteLinkEvent : uint8_t { kDial, kWelcome, kRefused, kHelloWaitOver, kBeatsMissed };
inline constexpr SiteLinkEvent kLastSiteLinkEvent = SiteLinkEvent::kBeatsMissed;

struct SiteLinkStep {
  SiteLinkState next;
  bool say_hello = false;
  bool restart_feed = false;  // send the feed from the position named in the welcome
  bool back_off = false;
  bool operator==(const SiteLinkStep&) const = default;
};
// The state table. Pairs that are not listed change nothing.
SiteLinkStep NextSiteLink(SiteLinkState state, SiteLinkEvent event);

// The state table with its timers, on the boot clock. Value type.
class SiteLink {
 public:
  static constexpr BootSpan kFirstBackOff = Milliseconds(100);
  static constexpr BootSpan kLongestBackOff = Seconds(10);

  // The first dial is due at once.
  SiteLink(uint64_t seed, BootInstant now) : random_(seed), dial_at_(now) {}

  struct Due {
    bool hello = false;
    bool heartbeat = false;
    bool lost = false;  // the meta went silent; after the back-off a hello will be due
  };
  // The actions due at `now`. `heartbeat` is the period in force.
  Due Tick(BootInstant now, BootSpan heartbeat);
  // When to call Tick again.
  BootInstant Next(BootSpan heartbeat) const;

  // Valid in any state: the meta may welcome a site that it had considered lost. `heartbeat` is the
  // federation's period; three periods without a beat count as silence.
  void OnWelcome(BootInstant now, BootSpan heartbeat);
  void OnBeat(BootInstant now);
  void OnRefused(BootInstant now);

  SiteLinkState state() const { return state_; }
  bool up() const { return state_ == SiteLinkState::kUp; }

 private:
  void Enter(const SiteLinkStep& step, BootInstant now);

  SiteLinkState state_ = SiteLinkState::kDown;
  Random random_;
  BootInstant dial_at_;
  BootInstant hello_at_;
  BootInstant heard_at_;
  BootInstant beat_at_;  // when the last heartbeat was sent
  BootSpan patience_;
  uint32_t failures_ = 0;
};

}  // namespace muster::verifier
