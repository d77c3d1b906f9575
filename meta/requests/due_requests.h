// Requests by a time at which something is due of them.
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "base/ids.h"

namespace muster::meta {

// Invariant: what is taken is gone, the earliest first, of one time the lowest id. A request may be
// there under several times, once under each: one that was not removed under an old time is taken
// at that one too, so whoever takes a request looks whether anything is due of it.
template <class Time>
class DueRequests {
 public:
  void Add(Time at, RequestId id) { all_.insert({at, id}); }
  // Under this time alone; nothing happens if it is not there.
  void Remove(Time at, RequestId id) { all_.erase({at, id}); }
  // The earliest time; none if nothing is due.
  std::optional<Time> Next() const {
    if (all_.empty()) return std::nullopt;
    return all_.begin()->first;
  }
  // The first one whose time is before `end`, taken; none if there is none.
  std::optional<RequestId> TakeBefore(Time end) {
    if (all_.empty() || !(all_.begin()->first < end)) return std::nullopt;
    return all_.extract(all_.begin()).value().second;
  }

 private:
  std::set<std::pair<Time, RequestId>> all_;
};

}  // namespace muster::meta
