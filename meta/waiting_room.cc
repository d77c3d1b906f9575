// One place per request, kept in step with an index by id.
#include "meta/waiting_room.h"

namespace muster::meta {

void WaitingRoom::Put(const Rank& rank, Where where, BootInstant until) {
  Remove(rank.id);
  places_[rank.id] = {rank, where, until};
  switch (where) {
    case Where::kReady:
      ready_.insert(rank);
      break;
    case Where::kAsleep:
      asleep_.insert({until, rank});
      break;
    case Where::kSilence:
      silence_.insert(rank);
      break;
    case Where::kPlan:
      plan_.insert(rank);
      break;
  }
}

void WaitingRoom::Ready(const Rank& rank) { Put(rank, Where::kReady, {}); }
void WaitingRoom::Sleep(const Rank& rank, BootInstant until) { Put(rank, Where::kAsleep, until); }
void WaitingRoom::Stick(const Rank& rank, StuckBy by) {
  Put(rank, by == StuckBy::kSilence ? Where::kSilence : Where::kPlan, {});
}

void WaitingRoom::Remove(RequestId id) {
  const auto it = places_.find(id);
  if (it == places_.end()) return;
  const Place& place = it->second;
  switch (place.where) {
    case Where::kReady:
      ready_.erase(place.rank);
      break;
    case Where::kAsleep:
      asleep_.erase({place.until, place.rank});
      break;
    case Where::kSilence:
      silence_.erase(place.rank);
      break;
    case Where::kPlan:
      plan_.erase(place.rank);
      break;
  }
  places_.erase(it);
}

void WaitingRoom::WakeDue(BootInstant now) {
  while (!asleep_.empty() && asleep_.begin()->first <= now) {
    const Rank rank = asleep_.begin()->second;
    Ready(rank);
  }
}

void WaitingRoom::WakeAll(std::set<Rank>& from) {
  while (!from.empty()) {
    const Rank rank = *from.begin();
    Ready(rank);
  }
}

void WaitingRoom::WakeStuck(bool site_came_up) {
  WakeAll(plan_);
  if (site_came_up) WakeAll(silence_);
}

std::optional<Rank> WaitingRoom::TakeReady() {
  if (ready_.empty()) return std::nullopt;
  const Rank rank = *ready_.begin();
  Remove(rank.id);
  return rank;
}

std::optional<BootInstant> WaitingRoom::NextWake() const {
  if (asleep_.empty()) return std::nullopt;
  return asleep_.begin()->first;
}

}  // namespace muster::meta
