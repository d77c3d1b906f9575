// Clients that follow jobs or events. A follower must renew itself in time, or it is removed.
// protocol.md section 2b (follow).
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

// Address of a follower: the user's link, and the number of its `follow` message.
struct FollowerKey {
  std::string user;
  std::string link;
  uint64_t number = 0;
  auto operator<=>(const FollowerKey&) const = default;
};

// Followers of jobs. Value type. Invariant: the index by request matches the followers' lists.
class Followers {
 public:
  // Renews a follower of exactly these requests, in this order. Otherwise returns false and changes
  // nothing.
  bool KeepAlive(const FollowerKey& key, const std::vector<RequestId>& requests, BootInstant until);
  // Follows these requests from now on, instead of those it followed before.
  void Follow(const FollowerKey& key, std::vector<RequestId> requests, BootInstant until);
  void Stop(const FollowerKey& key);
  void ForgetOverdue(BootInstant now);

  bool empty() const { return followers_.empty(); }
  bool Has(const FollowerKey& key) const { return followers_.contains(key); }
  // Requests that this follower follows. REQUIRES: Has(key).
  const std::vector<RequestId>& RequestsOf(const FollowerKey& key) const;
  // Number of other followers of the same user.
  size_t OthersOf(const FollowerKey& key) const;
  // Which requests to report to each follower after `changed` have changed, each request once. A
  // changed element also counts as a change of its array.
  std::map<FollowerKey, std::vector<RequestId>> NewsOf(const std::set<RequestId>& changed) const;
  // When the next follower expires.
  std::optional<BootInstant> NextEnd() const;

 private:
  struct Follower {
    std::vector<RequestId> requests;
    BootInstant until;  // expires then unless renewed
  };
  std::map<FollowerKey, Follower> followers_;
  std::map<RequestId, std::set<FollowerKey>> followed_;
};

// Followers of events. Value type.
class Watchers {
 public:
  // Renews a watcher. Returns false and changes nothing if `key` does not watch.
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
