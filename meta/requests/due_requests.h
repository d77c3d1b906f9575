// Requests, ordered by the time at which something is due for them.
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "base/ids.h"

namespace muster::meta {

// Invariant: entries are taken in order of time, then id, and are gone then. A request may have
// entries for several times. An outdated entry that was not removed is taken too, so the caller
// must check whether anything is due for the request.
template <class Time>
class DueRequests {
 public:
  void Add(Time at, RequestId id) { all_.insert({at, id}); }
  // Removes the entry for this time only; does nothing if there is none.
  void Remove(Time at, RequestId id) { all_.erase({at, id}); }
  // The earliest time; nullopt if there is no entry.
  std::optional<Time> Next() const {
    if (all_.empty()) return std::nullopt;
    return all_.begin()->first;
  }
  // Takes the first entry before `end`; nullopt if there is none.
  std::optional<RequestId> TakeBefore(Time end) {
    if (all_.empty() || !(all_.begin()->first < end)) return std::nullopt;
    return all_.extract(all_.begin()).value().second;
  }

 private:
  std::set<std::pair<Time, RequestId>> all_;
};

}  // namespace muster::meta
