// Who waits for a place, by rank: ready to be tried, in a queue until the next block, asleep until
// a moment, or stuck until a site changes. No scan is longer than what it wakes, and what is woken
// is handed out bit by bit, behind those that have just come. scheduling.md section 1 (waiting
// room).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/waiting/queues.h"

namespace muster::meta {

using room::Rank;

class WaitingRoom {
 public:
  enum class StuckBy : uint8_t {
    kSilence,  // no eligible site is up: until one comes up
    kPlan,     // sites said no: until one's plan changes, or one comes up
  };

  // Each puts the request into one place, out of any other.
  void Ready(const Rank& rank);
  void Sleep(const Rank& rank, BootInstant until);
  // At the latest until `until`, if given.
  void Stick(const Rank& rank, StuckBy by, std::optional<BootInstant> until = std::nullopt);
  // Waits for the next block, or a gap; `sites` are those it could use.
  void Queue(const Rank& rank, std::vector<std::string> sites);
  void Remove(RequestId id);
  bool Has(RequestId id) const { return places_.contains(id); }
  bool InQueue(RequestId id) const { return queues_.Has(id); }

  // Makes ready: those whose time has come; those stuck (by silence too, if a site came up), which
  // TakeWoken hands out; all that sleep, as if their time had come.
  void WakeDue(BootInstant now);
  void WakeStuck(bool site_came_up);
  void WakeAsleep();

  // The first ready one, taken out; the next one that was stuck and was woken.
  std::optional<Rank> TakeReady();
  std::optional<Rank> TakeWoken();
  bool HasReady() const { return !ready_.empty() || plan_.running || silence_.running; }
  std::optional<BootInstant> NextWake() const;
  size_t size() const { return places_.size(); }

  const room::Queues& queues() const { return queues_; }
  // Other queues, by weight, highest first. Those that wait in a queue become ready.
  void SetQueues(std::vector<int64_t> orders);

 private:
  enum class Where : uint8_t { kReady, kQueued, kAsleep, kSilence, kPlan };
  struct Place {
    Rank rank;
    Where where;
    std::optional<BootInstant> until;
  };
  // Those stuck by one thing. Waking them is a pass from the first to the last; one that gets stuck
  // again behind the pass waits for the next, which is owed if there was another reason meanwhile.
  struct Stuck {
    std::set<Rank> all;
    bool running = false;
    bool again = false;
    std::optional<Rank> passed;
    void Wake();
    std::optional<Rank> Next();
  };
  void Put(const Rank& rank, Where where, std::optional<BootInstant> until);

  std::set<Rank> ready_;
  std::set<std::pair<BootInstant, Rank>> asleep_;  // and those stuck for a time at most
  Stuck silence_;
  Stuck plan_;
  room::Queues queues_;
  std::map<RequestId, Place> places_;
};

}  // namespace muster::meta
