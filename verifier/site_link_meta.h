// The meta's half of a site link: the table of protocol.md section 3.4, the clock comparison of
// section 6, and the count of nonsense messages that leads to quarantine.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/ids.h"
#include "base/time.h"
#include "schemas/site_link.h"
#include "schemas/views.h"

namespace muster::verifier {

enum class LinkEvent : uint8_t {
  kHello,       // accepted; a welcome is sent
  kSynced,      // the feed has reached the hello's revision, and orders for differences were sent
  kMissed,      // three heartbeats missed
  kHeartbeat,   // from the welcomed incarnation
  kOffence,     // offset provably over 2 s, nonsense over its limit, two daemons with one key
  kCleanAgain,  // ten clean heartbeats, or an operator's order
};
inline constexpr int kLinkEvents = 6;

struct LinkStep {
  bool listed = false;  // false: nothing happens
  schemas::SiteState next = schemas::SiteState::kDown;
  bool welcome = false;
  bool operator==(const LinkStep&) const = default;
};
LinkStep NextLinkStep(schemas::SiteState state, LinkEvent event);

// Offset of a site's clock from the meta's (site minus meta) by the four stamps, exact to +-
// half_trip milliseconds.
struct ClockOffset {
  int64_t milliseconds = 0;
  int64_t half_trip = 0;
  // Smallest possible absolute offset, whatever the transit times were.
  int64_t Provable() const;
};
// None if the stamps echo nothing or are contradictory.
std::optional<ClockOffset> OffsetOf(const schemas::ClockStamps& stamps, Moment received);

inline constexpr int64_t kClockWarn = 250;         // milliseconds
inline constexpr int64_t kClockQuarantine = 2000;  // milliseconds
inline constexpr uint32_t kCleanHeartbeats = 10;
// Limit of messages without news (heartbeats, hellos, reports of known changes). A site sends at
// most 240 heartbeats per minute (kReadyHeartbeat), plus those delayed by a cut link when it heals.
inline constexpr uint32_t kIdlePerMinute = 1200;

// The state of one site's link. The meta's core acts on the results of the calls.
class SiteLinkMeta {
 public:
  schemas::SiteState state() const { return state_; }
  bool Up() const { return state_ == schemas::SiteState::kUp; }

  LinkStep Take(LinkEvent event);
  // Records a nonsense message at `now`; true if the limit per minute is exceeded.
  bool Nonsense(BootInstant now);
  // Records a message without news at `now`; true if the limit per minute is exceeded.
  bool Idle(BootInstant now);
  // Records a clean heartbeat; true if the site may leave quarantine.
  bool Clean();
  // Evaluates the stamps of a hello or heartbeat; true if the clock is provably off by more than 2
  // s.
  bool Stamps(const schemas::ClockStamps& stamps, Moment received);
  const std::optional<ClockOffset>& offset() const { return offset_; }

 private:
  schemas::SiteState state_ = schemas::SiteState::kDown;
  std::deque<BootInstant> nonsense_;
  BootInstant idle_since_;  // start of the minute that idle_ counts
  uint32_t idle_ = 0;
  uint32_t clean_ = 0;
  std::optional<ClockOffset> offset_;
};

}  // namespace muster::verifier
