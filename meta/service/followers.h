// Who follows jobs, and who follows events. Whoever follows keeps itself alive; one that does not
// is forgotten. protocol.md section 2b (follow).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace muster::meta {

// Where news go: a user's link, and the message that asked for them.
struct FollowerKey {
  std::string user;
  std::string link;
  uint64_t number = 0;
  auto operator<=>(const FollowerKey&) const = default;
};

// Followers of jobs. Value type. Invariant: a request has a follower exactly where the follower
// names that request.
class Followers {
 public:
  // Of one that follows these very requests, in this order; else false, and nothing happens.
  bool KeepAlive(const FollowerKey& key, const std::vector<RequestId>& requests, BootInstant until);
  // Follows these from now on, and what it followed before no more.
  void Follow(const FollowerKey& key, std::vector<RequestId> requests, BootInstant until);
  void Stop(const FollowerKey& key);
  void ForgetOverdue(BootInstant now);

  bool empty() const { return followers_.empty(); }
  bool Has(const FollowerKey& key) const { return followers_.contains(key); }
  // What it follows. REQUIRES: Has(key).
  const std::vector<RequestId>& RequestsOf(const FollowerKey& key) const;
  // How many others of its user follow.
  size_t OthersOf(const FollowerKey& key) const;
  // Who is told of which requests when these have changed: of an element's array, too, and of each
  // request once.
  std::map<FollowerKey, std::vector<RequestId>> NewsOf(const std::set<RequestId>& changed) const;
  // When the next one is overdue.
  std::optional<BootInstant> NextEnd() const;

 private:
  struct Follower {
    std::vector<RequestId> requests;
    BootInstant until;  // without a keep-alive
  };
  std::map<FollowerKey, Follower> followers_;
  std::map<RequestId, std::set<FollowerKey>> followed_;
};

// Followers of events. Value type.
class Watchers {
 public:
  // Of one that watches; else false, and nothing happens.
  bool KeepAlive(const FollowerKey& key, BootInstant until);
  void Watch(const FollowerKey& key, BootInstant until) { until_[key] = until; }
  void Stop(const FollowerKey& key) { until_.erase(key); }
  void ForgetOverdue(BootInstant now);

  size_t CountOf(const std::string& user) const;
  std::vector<FollowerKey> All() const;

 private:
  std::map<FollowerKey, BootInstant> until_;
};

}  // namespace muster::meta
