// Waiting requests by rank: ready to be tried, queued for the next block, asleep until a given
// time, or stuck until a site changes. Waking looks only at the requests it wakes. Woken stuck
// requests are handed out a few at a time, behind those that are ready. scheduling.md section 1
// (waiting room).
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
    kSilence,  // no eligible site is up; woken when one comes up
    kPlan,     // sites refused; woken when a plan changes or a site comes up
    kCredit,   // its account cannot pay; woken when an account may have got more
  };

  // Each call puts the request into one state and removes it from its former one.
  void Ready(const Rank& rank);
  void Sleep(const Rank& rank, BootInstant until);
  // The request becomes ready at `until` at the latest, if given.
  void Stick(const Rank& rank, StuckBy by, std::optional<BootInstant> until = std::nullopt);
  // Waits for the next block or a gap. `sites`: those it could use.
  void Queue(const Rank& rank, std::vector<std::string> sites);
  void Remove(RequestId id);
  // Gives a request in the room another rank of the same queue, and leaves it in its place. True if
  // it is queued and its rank changed. REQUIRES: Has(rank.id).
  bool Reorder(const Rank& rank);
  bool Has(RequestId id) const { return places_.contains(id); }
  bool InQueue(RequestId id) const { return queues_.Has(id); }

  // WakeDue: makes requests ready whose time has come. WakeStuck: wakes stuck requests, those stuck
  // by silence only if a site came up; TakeWoken hands them out. WakeAsleep: makes all ready that
  // have a wake time. WakeBroke: wakes those stuck by credit.
  void WakeDue(BootInstant now);
  void WakeStuck(bool site_came_up);
  void WakeAsleep();
  void WakeBroke() { credit_.Wake(); }

  // Remove and return the first ready request, or the next woken one.
  std::optional<Rank> TakeReady();
  std::optional<Rank> TakeWoken();
  bool HasReady() const {
    return !ready_.empty() || plan_.running || silence_.running || credit_.running;
  }
  std::optional<BootInstant> NextWake() const;
  size_t size() const { return places_.size(); }

  // How a request would stand with this rank among its peers: those of its queue that wait for a
  // block as it does, or that do not either. Looks at all requests in the room.
  struct Standing {
    size_t place = 1;            // by rank, from 1
    size_t peers = 0;            // itself included
    std::optional<Rank> before;  // the last peer before it
  };
  // REQUIRES: Has(rank.id).
  Standing StandingOf(const Rank& rank) const;

  const room::Queues& queues() const { return queues_; }
  // Replaces the queues. `orders`: the weights of the new ones, highest priority first. Queued
  // requests become ready.
  void SetQueues(std::vector<int64_t> orders);

 private:
  enum class Where : uint8_t { kReady, kQueued, kAsleep, kSilence, kPlan, kCredit };
  struct Place {
    Rank rank;
    Where where;
    std::optional<BootInstant> until;
  };
  // Requests stuck for one reason. Waking is a pass from the first to the last by rank. A request
  // that gets stuck again at a rank that the pass has left behind waits for the next pass. That one
  // follows at once if Wake was called during this one.
  struct Stuck {
    std::set<Rank> all;
    bool running = false;
    bool again = false;
    std::optional<Rank> passed;
    std::set<Rank> missed;  // those of `all` that a running pass would miss
    void Wake();
    std::optional<Rank> Next();
    void Erase(const Rank& rank);
    // A request that a running pass would miss at its new rank is handed out at its end.
    void Reorder(const Rank& before, const Rank& after);
  };
  void Put(const Rank& rank, Where where, std::optional<BootInstant> until);

  std::set<Rank> ready_;
  std::set<std::pair<BootInstant, Rank>> asleep_;  // all requests that have a wake time
  Stuck silence_;
  Stuck plan_;
  Stuck credit_;
  uint32_t woken_ = 0;  // handed out while some waited for credit
  room::Queues queues_;
  std::map<RequestId, Place> places_;
};

}  // namespace muster::meta
