// All attempts that are not over, and those whose request still shows them, by fence. Whoever
// changes a record takes it by `Edit`, its state by `Enter`; what a turn writes follows from that.
// Here too: which attempts are to be looked at, and when. protocol.md section 3.
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

// An attempt: its record, and what is only known while the daemon lives.
class Attempt {
 public:
  const schemas::AttemptRecord& record() const { return record_; }
  const Fence& fence() const { return record_.fence; }
  schemas::AttemptState state() const { return record_.state; }
  bool durable() const { return durable_; }  // from DECIDED on, n = 1 from PERMITTED on

  bool endangered = false;  // C7 was taken
  RequestId moved_by;       // whose end or promise made it seek another place although it is sound
  bool released = false;    // all members were, or are to be, told to release
  std::map<std::string, schemas::VerdictEntry> refused;  // by member: the way out, if it told one
  std::set<std::string> lost;                  // members that know nothing of a hold they had
  std::map<std::string, Moment> seen_running;  // when a member was first heard to run
  IntervalSet allowed;                         // starts asked for
  std::map<std::string, IntervalSet> offers;   // earlier starts that members have room for
  BootInstant answers_until;                   // answer_wait of HOLDING
  BootInstant repeat_at;                       // orders not yet obeyed are said again then
  uint32_t repeats = 0;
  bool of_block = false;  // its request left the waiting room with a block
  bool altered = false;   // it is of what its request is altered to
  // One site's, and the place that it replaces is given back before it is permitted.
  bool leaves_place = false;
  bool gives_way = false;  // released, unless it has started

  bool Several() const { return record_.members.size() > 1; }
  // It gets its permit at the start barrier: several members, or one whose request still waits for
  // others.
  bool PassesBarrier() const { return Several() || record_.gated; }

 private:
  friend class AttemptTable;
  schemas::AttemptRecord record_;
  bool durable_ = false;
  std::optional<BootInstant> wake_;
};

// Invariants: what differs from the store is due, of attempts that are durable; at most one attempt
// of a request is permitted (G3); an attempt has at most one time to be looked at again.
class AttemptTable {
 public:
  using Map = std::map<Fence, Attempt>;

  // A new one, on no disk before it is made durable. REQUIRES a fence that is not there.
  Attempt& Add(schemas::AttemptRecord record);
  // As the store has it: durable, and not written again. False: another one of its request is
  // permitted as well, so this one is not taken.
  [[nodiscard]] bool Restore(schemas::AttemptRecord record);
  // Written with this turn if it is durable. All but its state is the caller's to change.
  schemas::AttemptRecord& Edit(Attempt& attempt);
  // Its state, likewise written. REQUIRES, for PERMITTED to PARTIAL: no other attempt of its
  // request is in one of these.
  void Enter(Attempt& attempt, schemas::AttemptState state);
  // Written with this turn, and with each that changes it.
  void MakeDurable(Attempt& attempt);
  // Gone, and removed from the store with this turn. REQUIRES that it is closed.
  void Erase(const Fence& fence);

  // To be looked at before the turn ends, or in the next one; unknown fences do no harm.
  void Touch(const Fence& fence) { touched_.insert(fence); }
  void Touch(const std::set<Fence>& fences) { touched_.insert(fences.begin(), fences.end()); }
  bool touched() const { return !touched_.empty(); }
  std::set<Fence> TakeTouched() { return std::exchange(touched_, {}); }

  // When it is looked at again although nothing has touched it; none: never.
  void WakeAt(Attempt& attempt, std::optional<BootInstant> at);
  std::optional<BootInstant> NextWake() const;  // of all
  // Touches those whose time has come. It stays theirs until it is set anew.
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

  // For those who search for places, in the order in which it was found out.
  void Tell(AttemptNews news);
  std::vector<AttemptNews> TakeNews() { return std::exchange(news_, {}); }

  bool due() const { return !due_.empty(); }
  // Appends what this turn has to write, in the order of fences.
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
