// All open attempts, and closed ones that their request still shows, by fence. Callers change a
// record through `Edit` and its state through `Enter`; these determine what a turn writes. The
// table also knows which attempts must be evaluated, and when. protocol.md section 3.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/interval.h"
#include "base/time.h"
#include "meta/requests/attempt_news.h"
#include "schemas/meta_records.h"
#include "schemas/proposal.h"
#include "schemas/write.h"

namespace muster::meta {

// An attempt: its record, and volatile state.
class Attempt {
 public:
  const schemas::AttemptRecord& record() const { return record_; }
  const Fence& fence() const { return record_.fence; }
  schemas::AttemptState state() const { return record_.state; }
  bool durable() const { return durable_; }  // from DECIDED on, n = 1 from PERMITTED on

  bool endangered = false;  // C7 was taken
  // The request whose end or promise is why another place is sought, although this attempt is
  // sound.
  RequestId moved_by;
  bool released = false;  // all members were, or are to be, ordered to release
  std::map<std::string, schemas::VerdictEntry> refused;  // by member: its counter, if it gave one
  // Members that no longer know a hold they had, or that an operator gave up.
  std::set<std::string> lost;
  std::map<std::string, Moment> seen_running;  // by member, when it was first reported running
  IntervalSet allowed;                         // starts that the members were offered
  std::map<std::string, IntervalSet> offers;   // by member: earlier starts it has room for
  BootInstant answers_until;                   // HOLDING awaits answers until then (answer_wait)
  BootInstant repeat_at;                       // when orders not yet obeyed are repeated
  uint32_t repeats = 0;
  bool of_block = false;  // its request left the waiting room in a block
  bool altered = false;   // it is for the altered specification of its request
  // It has a single member, and is permitted only after the place that it replaces is given back.
  bool leaves_place = false;
  bool gives_way = false;  // to be released unless it has started

  bool Several() const { return record_.members.size() > 1; }
  // Whether it gets its permit at the start barrier: it has several members, or its request's gate
  // is shut.
  bool PassesBarrier() const { return Several() || record_.gated; }

 private:
  friend class AttemptTable;
  schemas::AttemptRecord record_;
  bool durable_ = false;
  std::optional<BootInstant> wake_;
};

// Invariants: durable attempts that differ from the store are pending write; at most one attempt of
// a request is permitted (G3); an attempt has at most one wake-up time.
class AttemptTable {
 public:
  using Map = std::map<Fence, Attempt>;

  // Adds a new attempt; it is not stored before MakeDurable. REQUIRES: its fence is new.
  Attempt& Add(schemas::AttemptRecord record);
  // Adds a stored attempt: durable, not written again. Returns false and does not add it if another
  // attempt of its request is permitted as well.
  [[nodiscard]] bool Restore(schemas::AttemptRecord record);
  // Gives access to change the record, except its state; a durable attempt is written with this
  // turn.
  schemas::AttemptRecord& Edit(Attempt& attempt);
  // Changes the state; a durable attempt is written with this turn. REQUIRES, for PERMITTED to
  // PARTIAL: no other attempt of its request is in one of these states.
  void Enter(Attempt& attempt, schemas::AttemptState state);
  // Makes the attempt durable: it is written with this turn, and with each turn that changes it.
  void MakeDurable(Attempt& attempt);
  // Removes the attempt; the store removes it with this turn. REQUIRES: it is closed.
  void Erase(const Fence& fence);

  // Has attempts evaluated before the turn ends, or in the next one. Unknown fences are ignored.
  void Touch(const Fence& fence) { touched_.insert(fence); }
  void Touch(const std::set<Fence>& fences) { touched_.insert(fences.begin(), fences.end()); }
  bool touched() const { return !touched_.empty(); }
  std::set<Fence> TakeTouched() { return std::exchange(touched_, {}); }

  // Sets when the attempt is evaluated again although nothing touched it; nullopt: never.
  void WakeAt(Attempt& attempt, std::optional<BootInstant> at);
  std::optional<BootInstant> NextWake() const;  // the earliest of all attempts
  // Touches the attempts whose wake-up time has come. They keep that time until it is set anew.
  void TouchDue(BootInstant now);

  Map::iterator begin() { return all_.begin(); }
  Map::iterator end() { return all_.end(); }
  Map::const_iterator begin() const { return all_.begin(); }
  Map::const_iterator end() const { return all_.end(); }
  Map::iterator find(const Fence& fence) { return all_.find(fence); }
  Map::const_iterator find(const Fence& fence) const { return all_.find(fence); }
  bool contains(const Fence& fence) const { return all_.contains(fence); }
  Attempt& at(const Fence& fence) { return all_.at(fence); }
  const Attempt& at(const Fence& fence) const { return all_.at(fence); }

  // Collects news for the search for places, in order of occurrence.
  void Tell(AttemptNews news);
  std::vector<AttemptNews> TakeNews() { return std::exchange(news_, {}); }

  bool due() const { return !due_.empty(); }
  // Appends the writes of this turn, in the order of fences.
  void TakeWrites(std::vector<schemas::Write<schemas::MetaRecord>>& to);

 private:
  Map all_;
  std::set<Fence> due_;
  std::vector<AttemptNews> news_;
  std::set<Fence> touched_;
  std::set<std::pair<BootInstant, Fence>> wakes_;
  std::map<RequestId, Fence> permitted_;
};

}  // namespace muster::meta
