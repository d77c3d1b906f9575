// Those who use the site's machine without muster: what the driver told of their bookings and of
// nodes, and whether it sees the machine at all.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schemas/reasons.h"
#include "schemas/site_link.h"
#include "site/driver/outside.h"
#include "site/planning/planning.h"

namespace muster::site {

// Invariants: each of these bookings is in the plan. What is not told again after a restart is
// forgotten: nothing of it is on record. A shared driver that has not told all there is yet is
// blind, whatever else it has told: what it tells of changes may be meant for a core before this.
class OutsideWork : public Planning {
 public:
  OutsideWork(Options told, Now now)
      : Planning(std::move(told), now), blind_(options().facts.shared) {}

  // With what is shunned for a while, since the driver refused it (Shun).
  const std::map<uint64_t, driver::OutsideBooking>& outside() const { return bookings_; }
  static bool IsShunned(uint64_t key) { return key >= kFirstShunned; }
  // The jobs among them that run, as the meta is told of them (schemas::Capacity).
  std::vector<schemas::OutsideRun> OutsideRuns() const;
  // What was told of this node; null: nothing.
  const driver::OutsideNode* Told(const std::string& node) const;
  // Why nothing may be planned now: the machine is not seen. None: it is.
  std::optional<schemas::Reason> WhyBlind() const;
  // Whether there was a time since then at which it was not seen.
  bool WasBlindSince(Instant since) const { return blind_ || blind_until_ >= since; }

 protected:
  // What is different now.
  struct OutsideNews {
    bool freed = false;                 // room may be free that was not
    bool sees = false;                  // nothing was seen before
    std::vector<uint64_t> came;         // bookings that are new or have changed, not soft ones
    bool other_commons = false;         // a node has entered or left the commons
    std::vector<std::string> left;      // nodes that are not usable any more
    std::vector<std::string> returned;  // nodes that are usable again
  };
  OutsideNews Hear(const driver::Outside& outside);
  // True if it sees again.
  bool Hear(const driver::Sight& sight);

  // Books what was refused, for these times, so that it is not asked for again before `until`. What
  // was to have it lacks its room from now on; once that has left, SettleShunned leaves of it what
  // nobody else has booked.
  void Shun(const std::vector<schemas::ChunkPlace>& chunks, const Interval& when,
            const std::string& why, Instant until);
  void SettleShunned();
  // Forgets what is shunned no longer; true if there was any.
  bool ForgetShunned();
  std::optional<Instant> NextForgotten() const;

 private:
  static constexpr uint64_t kFirstShunned = uint64_t{1} << 62;  // keys of the driver are below

  void Forget(uint64_t key);
  // Returns whether it was blind before.
  bool SetBlind(bool blind);

  std::map<uint64_t, driver::OutsideBooking> bookings_;
  std::map<std::string, driver::OutsideNode> nodes_;
  std::map<uint64_t, Instant> shunned_;  // until when, by key
  uint64_t shuns_ = 0;
  bool blind_;
  bool told_all_ = false;
  Instant blind_until_{-kFarFuture.seconds};  // the last time before now
  std::string why_blind_ = "its machine was not seen yet";
};

}  // namespace muster::site
