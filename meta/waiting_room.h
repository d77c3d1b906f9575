// Who waits for a place, by rank: ready to be tried, asleep until a moment, or stuck until a site
// changes. No scan is longer than what it wakes. scheduling.md section 1 (waiting room), in its
// first stage.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/ids.h"
#include "base/time.h"

namespace muster::meta {

// Queue priority, then arrival; the smallest is tried first.
struct Rank {
  int32_t order = 0;  // minus the queue's priority
  RequestId id;
  auto operator<=>(const Rank&) const = default;
};

class WaitingRoom {
 public:
  enum class StuckBy : uint8_t {
    kSilence,  // no eligible site is up: until one comes up
    kPlan,     // sites said no: until one's plan changes, or one comes up
  };

  // Each puts the request into one place, out of any other.
  void Ready(const Rank& rank);
  void Sleep(const Rank& rank, BootInstant until);
  void Stick(const Rank& rank, StuckBy by);
  void Remove(RequestId id);
  bool Has(RequestId id) const { return places_.contains(id); }

  // Makes ready: those whose time has come; those stuck (by silence too, if a site came up).
  void WakeDue(BootInstant now);
  void WakeStuck(bool site_came_up);

  // The first ready one, taken out.
  std::optional<Rank> TakeReady();
  bool HasReady() const { return !ready_.empty(); }
  std::optional<BootInstant> NextWake() const;
  size_t size() const { return places_.size(); }

 private:
  enum class Where : uint8_t { kReady, kAsleep, kSilence, kPlan };
  struct Place {
    Rank rank;
    Where where;
    BootInstant until;
  };
  void Put(const Rank& rank, Where where, BootInstant until);
  void WakeAll(std::set<Rank>& from);

  std::set<Rank> ready_;
  std::set<std::pair<BootInstant, Rank>> asleep_;
  std::set<Rank> silence_;
  std::set<Rank> plan_;
  std::map<RequestId, Place> places_;
};

}  // namespace muster::meta
