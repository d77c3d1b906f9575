// Two indices: requests by follower, and followers by request.
#include "meta/service/followers.h"

#include <algorithm>
#include <utility>

namespace muster::meta {

bool Followers::KeepAlive(const FollowerKey& key, const std::vector<RequestId>& requests,
                          BootInstant until) {
  const auto at = followers_.find(key);
  if (at == followers_.end() || at->second.requests != requests) return false;
  at->second.until = until;
  return true;
}

void Followers::Follow(const FollowerKey& key, std::vector<RequestId> requests, BootInstant until) {
  Stop(key);
  for (const RequestId id : requests) followed_[id].insert(key);
  followers_[key] = {std::move(requests), until};
}

void Followers::Stop(const FollowerKey& key) {
  const auto at = followers_.find(key);
  if (at == followers_.end()) return;
  for (const RequestId id : at->second.requests) {
    const auto followed = followed_.find(id);
    if (followed == followed_.end()) continue;
    followed->second.erase(key);
    if (followed->second.empty()) followed_.erase(followed);
  }
  followers_.erase(at);
}

void Followers::ForgetOverdue(BootInstant now) {
  std::vector<FollowerKey> gone;
  for (const auto& [key, follower] : followers_) {
    if (follower.until <= now) gone.push_back(key);
  }
  for (const FollowerKey& key : gone) Stop(key);
}

const std::vector<RequestId>& Followers::RequestsOf(const FollowerKey& key) const {
  return followers_.at(key).requests;
}

size_t Followers::OthersOf(const FollowerKey& key) const {
  return static_cast<size_t>(std::count_if(
      followers_.begin(), followers_.end(),
      [&](const auto& other) { return other.first.user == key.user && other.first != key; }));
}

std::map<FollowerKey, std::vector<RequestId>> Followers::NewsOf(
    const std::set<RequestId>& changed) const {
  std::map<FollowerKey, std::vector<RequestId>> news;
  if (followed_.empty()) return news;
  for (const RequestId id : changed) {
    for (const RequestId of : {id, id.array()}) {
      const auto at = followed_.find(of);
      if (at == followed_.end()) continue;
      for (const FollowerKey& key : at->second) {
        std::vector<RequestId>& ids = news[key];
        if (std::find(ids.begin(), ids.end(), of) == ids.end()) ids.push_back(of);
      }
    }
  }
  return news;
}

std::optional<BootInstant> Followers::NextEnd() const {
  std::optional<BootInstant> next;
  for (const auto& [key, follower] : followers_) {
    if (!next || follower.until < *next) next = follower.until;
  }
  return next;
}

bool Watchers::KeepAlive(const FollowerKey& key, BootInstant until) {
  const auto at = until_.find(key);
  if (at == until_.end()) return false;
  at->second = until;
  return true;
}

void Watchers::ForgetOverdue(BootInstant now) {
  std::erase_if(until_, [now](const auto& watcher) { return watcher.second <= now; });
}

size_t Watchers::CountOf(const std::string& user) const {
  return static_cast<size_t>(std::count_if(
      until_.begin(), until_.end(), [&](const auto& other) { return other.first.user == user; }));
}

std::vector<FollowerKey> Watchers::All() const {
  std::vector<FollowerKey> out;
  for (const auto& [key, until] : until_) out.push_back(key);
  return out;
}

}  // namespace muster::meta
