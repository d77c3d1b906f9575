// See outside_work.h.
#include "site/planning/outside_work.h"

#include <algorithm>
#include <set>
#include <utility>

#include "schemas/limits.h"

namespace muster::site {

void OutsideWork::Shun(const std::vector<schemas::ChunkPlace>& chunks, const Interval& when,
                       const std::string& why, Instant until) {
  driver::OutsideBooking booking{.key = kFirstShunned + shuns_++, .label = why};
  booking.chunks = chunks;
  booking.when = when;
  planner().SetOutside(booking);
  shunned_[booking.key] = until;
  bookings_[booking.key] = std::move(booking);
}

void OutsideWork::SettleShunned() {
  for (const auto& [key, until] : shunned_) {
    driver::OutsideBooking& booking = bookings_.at(key);
    if (std::exchange(booking.soft, true)) continue;
    planner().SetOutside(booking);
  }
}

bool OutsideWork::ForgetShunned() {
  const size_t before = shunned_.size();
  for (auto it = shunned_.begin(); it != shunned_.end();) {
    if (it->second > now_floor()) {
      ++it;
      continue;
    }
    Forget(it->first);
    it = shunned_.erase(it);
  }
  return shunned_.size() < before;
}

std::optional<Instant> OutsideWork::NextForgotten() const {
  std::optional<Instant> next;
  for (const auto& [key, until] : shunned_) next = std::min(next.value_or(until), until);
  return next;
}

std::vector<schemas::OutsideRun> OutsideWork::OutsideRuns() const {
  std::vector<const driver::OutsideBooking*> running;
  for (const auto& [key, booking] : bookings_) {
    if (booking.running && !booking.reserved && !IsShunned(key)) running.push_back(&booking);
  }
  std::stable_sort(running.begin(), running.end(), [](const auto* a, const auto* b) {
    return a->when.begin < b->when.begin;  // those of one second remain in the order of their keys
  });
  std::vector<schemas::OutsideRun> out;
  for (const driver::OutsideBooking* booking : running) {
    if (out.size() == schemas::kOutsideRuns) break;
    ResourceSet amounts = plan().AmountsOf(*booking);
    if (amounts.empty() || booking->when.begin >= booking->when.end) continue;
    out.push_back({booking->key, booking->user, booking->when, std::move(amounts)});
  }
  return out;
}

const driver::OutsideNode* OutsideWork::Told(const std::string& node) const {
  const auto it = nodes_.find(node);
  return it == nodes_.end() ? nullptr : &it->second;
}

std::optional<schemas::Reason> OutsideWork::WhyBlind() const {
  if (!blind_) return std::nullopt;
  return schemas::Reason{.code = schemas::ReasonCode::kSilent,
                         .subject = {.site = options().name},
                         .text = "the site does not see its machine: " + why_blind_};
}

void OutsideWork::Forget(uint64_t key) {
  planner().DropOutside(key);
  bookings_.erase(key);
}

bool OutsideWork::SetBlind(bool blind) {
  const bool was = std::exchange(blind_, blind);
  if (was && !blind) blind_until_ = now_floor();
  return was;
}

OutsideWork::OutsideNews OutsideWork::Hear(const driver::Outside& outside) {
  OutsideNews news;
  std::set<uint64_t> gone(outside.gone.begin(), outside.gone.end());
  std::set<std::string> unnamed;
  if (outside.whole) {
    for (const auto& [key, booking] : bookings_) {
      if (key < kFirstShunned) gone.insert(key);
    }
    for (const auto& booking : outside.set) gone.erase(booking.key);
    for (const auto& [name, node] : nodes_) unnamed.insert(name);
  }
  for (const uint64_t key : gone) {
    news.freed = news.freed || bookings_.contains(key);
    Forget(key);
  }
  // What was told before and is told again gives up its old place first: the new ones may need it.
  std::vector<const driver::OutsideBooking*> put;
  for (const driver::OutsideBooking& booking : outside.set) {
    const auto known = bookings_.find(booking.key);
    if (known != bookings_.end() && known->second == booking) continue;
    if (known != bookings_.end()) {
      news.freed = true;
      planner().DropOutside(booking.key);
    }
    bookings_[booking.key] = booking;
    put.push_back(&booking);
  }
  for (const bool soft : {false, true}) {
    for (const driver::OutsideBooking* booking : put) {
      if (booking->soft != soft) continue;
      planner().SetOutside(*booking);
      if (!soft) news.came.push_back(booking->key);
    }
  }
  const auto judge = [&](const std::string& name, bool before, bool after) {
    if (before && !after) news.left.push_back(name);
    if (!before && after) news.returned.push_back(name);
  };
  for (const driver::OutsideNode& node : outside.nodes) {
    unnamed.erase(node.node);
    const driver::OutsideNode* known = Told(node.node);
    if ((known == nullptr ? Span{0} : known->most_time) != node.most_time) {
      planner().LimitTime(node.node, {node.most_time, node.limited_by});
      news.freed = true;
    }
    judge(node.node, known == nullptr || known->usable, node.usable);
    news.other_commons |= (known != nullptr && known->commons) != node.commons;
    nodes_[node.node] = node;
  }
  for (const std::string& name : unnamed) {
    judge(name, nodes_.at(name).usable, true);
    news.other_commons |= nodes_.at(name).commons;
    nodes_.erase(name);
  }
  if (outside.whole) {
    told_all_ = true;
    news.sees = SetBlind(false);
  }
  return news;
}

bool OutsideWork::Hear(const driver::Sight& sight) {
  if (!sight.blind && !told_all_) return false;
  const bool was = SetBlind(sight.blind);
  why_blind_ = sight.why;
  return was && !blind_;
}

}  // namespace muster::site
