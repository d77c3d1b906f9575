// Each request is in one place, and an index by id is kept in step.
#include "meta/waiting/waiting_room.h"

namespace muster::meta {

void WaitingRoom::Put(const Rank& rank, Where where, std::optional<BootInstant> until) {
  Remove(rank.id);
  places_[rank.id] = {rank, where, until};
  if (until) asleep_.insert({*until, rank});
  switch (where) {
    case Where::kReady:
      ready_.insert(rank);
      break;
    case Where::kQueued:
    case Where::kAsleep:
      break;
    case Where::kSilence:
      silence_.all.insert(rank);
      break;
    case Where::kPlan:
      plan_.all.insert(rank);
      break;
    case Where::kCredit:
      credit_.all.insert(rank);
      break;
  }
}

void WaitingRoom::Ready(const Rank& rank) { Put(rank, Where::kReady, {}); }
void WaitingRoom::Sleep(const Rank& rank, BootInstant until) { Put(rank, Where::kAsleep, until); }
void WaitingRoom::Stick(const Rank& rank, StuckBy by, std::optional<BootInstant> until) {
  Put(rank,
      by == StuckBy::kSilence ? Where::kSilence
      : by == StuckBy::kPlan  ? Where::kPlan
                              : Where::kCredit,
      until);
}
void WaitingRoom::Queue(const Rank& rank, std::vector<std::string> sites) {
  Put(rank, Where::kQueued, {});
  queues_.Enter(rank, std::move(sites));
}

void WaitingRoom::Remove(RequestId id) {
  const auto it = places_.find(id);
  if (it == places_.end()) return;
  const Place& place = it->second;
  if (place.until) asleep_.erase({*place.until, place.rank});
  switch (place.where) {
    case Where::kReady:
      ready_.erase(place.rank);
      break;
    case Where::kQueued:
      queues_.Leave(id);
      break;
    case Where::kAsleep:
      break;
    case Where::kSilence:
      silence_.Erase(place.rank);
      break;
    case Where::kPlan:
      plan_.Erase(place.rank);
      break;
    case Where::kCredit:
      credit_.Erase(place.rank);
      break;
  }
  places_.erase(it);
}

bool WaitingRoom::Reorder(const Rank& rank) {
  Place& place = places_.at(rank.id);
  const Rank before = std::exchange(place.rank, rank);
  if (before == rank) return false;
  if (place.until) {
    asleep_.erase({*place.until, before});
    asleep_.insert({*place.until, rank});
  }
  switch (place.where) {
    case Where::kReady:
      ready_.erase(before);
      ready_.insert(rank);
      break;
    case Where::kQueued:
      queues_.Reorder(rank);
      return true;
    case Where::kAsleep:
      break;
    case Where::kSilence:
      silence_.Reorder(before, rank);
      break;
    case Where::kPlan:
      plan_.Reorder(before, rank);
      break;
    case Where::kCredit:
      credit_.Reorder(before, rank);
      break;
  }
  return false;
}

void WaitingRoom::WakeDue(BootInstant now) {
  while (!asleep_.empty() && asleep_.begin()->first <= now) {
    const Rank rank = asleep_.begin()->second;
    Ready(rank);
  }
}

void WaitingRoom::WakeAsleep() {
  while (!asleep_.empty()) Ready(Rank(asleep_.begin()->second));
}

void WaitingRoom::Stuck::Wake() {
  if (running) {
    again = true;
    return;
  }
  running = !all.empty();
  passed.reset();
}

std::optional<Rank> WaitingRoom::Stuck::Next() {
  while (running) {
    const auto it = passed ? all.upper_bound(*passed) : all.begin();
    if (it != all.end()) {
      passed = *it;
      return *it;
    }
    if (!missed.empty()) return *missed.begin();
    running = std::exchange(again, false) && !all.empty();
    passed.reset();
  }
  return std::nullopt;
}

void WaitingRoom::Stuck::Erase(const Rank& rank) {
  all.erase(rank);
  missed.erase(rank);
}

void WaitingRoom::Stuck::Reorder(const Rank& before, const Rank& after) {
  const bool was_missed = missed.erase(before) > 0;
  all.erase(before);
  all.insert(after);
  const bool ahead = running && passed && after <= *passed;
  if (ahead && (was_missed || *passed < before)) missed.insert(after);
}

void WaitingRoom::WakeStuck(bool site_came_up) {
  plan_.Wake();
  if (site_came_up) silence_.Wake();
}

std::optional<Rank> WaitingRoom::TakeReady() {
  if (ready_.empty()) return std::nullopt;
  const Rank rank = *ready_.begin();
  Remove(rank.id);
  return rank;
}

std::optional<Rank> WaitingRoom::TakeWoken() {
  // Those who wait for credit are handed out between those who wait for a plan: one in so many.
  constexpr uint32_t kCreditShare = 4;
  const bool credit_first = credit_.running && ++woken_ % kCreditShare == 0;
  Stuck* const usual[] = {&silence_, &plan_, &credit_};
  Stuck* const turned[] = {&credit_, &silence_, &plan_};
  for (Stuck* stuck : credit_first ? turned : usual) {
    if (const std::optional<Rank> rank = stuck->Next()) {
      Remove(rank->id);
      return rank;
    }
  }
  return std::nullopt;
}

std::optional<BootInstant> WaitingRoom::NextWake() const {
  if (asleep_.empty()) return std::nullopt;
  return asleep_.begin()->first;
}

WaitingRoom::Standing WaitingRoom::StandingOf(const Rank& rank) const {
  const bool queued = InQueue(rank.id);
  Standing out;
  for (const auto& [id, place] : places_) {
    if (place.rank.order != rank.order || (place.where == Where::kQueued) != queued) continue;
    ++out.peers;
    if (id == rank.id || rank < place.rank) continue;
    ++out.place;
    if (!out.before || *out.before < place.rank) out.before = place.rank;
  }
  return out;
}

void WaitingRoom::SetQueues(std::vector<int64_t> orders) {
  std::vector<Rank> queued;
  for (std::optional<Rank> rank = queues_.After(std::nullopt); rank; rank = queues_.After(rank)) {
    queued.push_back(*rank);
  }
  for (const Rank& rank : queued) Ready(rank);
  queues_ = room::Queues(std::move(orders));
}

}  // namespace muster::meta
