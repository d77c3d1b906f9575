// The meta's half of a site link: the table of protocol.md section 3.4, the clock comparison of
// section 6 and the count of nonsense that leads to quarantine.
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
  kHello,       // accepted; a welcome goes out
  kSynced,      // feed reached r of the hello, orders for differences sent
  kMissed,      // three heartbeats missed
  kHeartbeat,   // of the welcomed incarnation
  kOffence,     // offset provably over 2 s, nonsense over its limit, two daemons with one key
  kCleanAgain,  // ten clean heartbeats, or an operator's word
};
inline constexpr int kLinkEvents = 6;

struct LinkStep {
  bool listed = false;  // false: nothing happens
  schemas::SiteState next = schemas::SiteState::kDown;
  bool welcome = false;
  bool operator==(const LinkStep&) const = default;
};
LinkStep NextLinkStep(schemas::SiteState state, LinkEvent event);

// Offset of a site's clock against the meta's, by the four stamps: site minus meta, known to +-
// half_trip.
struct ClockOffset {
  int64_t milliseconds = 0;
  int64_t half_trip = 0;
  // The least it is off, whatever the trip was.
  int64_t Provable() const;
};
// None if the stamps echo nothing, or cannot be true.
std::optional<ClockOffset> OffsetOf(const schemas::ClockStamps& stamps, Moment received);

inline constexpr int64_t kClockWarn = 250;         // milliseconds
inline constexpr int64_t kClockQuarantine = 2000;  // milliseconds
inline constexpr uint32_t kCleanHeartbeats = 10;
// Heartbeats, greetings and reports of what is known: at their fastest (kReadyHeartbeat) 240 a
// minute, and those of a minute more when a cut heals.
inline constexpr uint32_t kIdlePerMinute = 1200;

// State of one site's link; the meta's core acts on what the calls return.
class SiteLinkMeta {
 public:
  schemas::SiteState state() const { return state_; }
  bool Up() const { return state_ == schemas::SiteState::kUp; }

  LinkStep Take(LinkEvent event);
  // Nonsense was said at `now`; true if that was one too many within a minute.
  bool Nonsense(BootInstant now);
  // A message that told nothing new was taken at `now`; true if there are too many of them.
  bool Idle(BootInstant now);
  // A clean heartbeat; true if the site has earned its way out of quarantine.
  bool Clean();
  // Stamps of a hello or heartbeat; true if the clock is provably off by more than 2 s.
  bool Stamps(const schemas::ClockStamps& stamps, Moment received);
  const std::optional<ClockOffset>& offset() const { return offset_; }

 private:
  schemas::SiteState state_ = schemas::SiteState::kDown;
  std::deque<BootInstant> nonsense_;
  BootInstant idle_since_;  // the minute in which they are counted
  uint32_t idle_ = 0;
  uint32_t clean_ = 0;
  std::optional<ClockOffset> offset_;
};

}  // namespace muster::verifier
