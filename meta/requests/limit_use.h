// What counts under the limits over all sites: bookings and open requests, by limit and consumer.
// scheduling.md section 15.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "policy/limits.h"

namespace muster::meta {

// Follows from attempts and requests, and is made anew at a start and when the limits change.
// Invariant: no key without a booking or request.
class LimitUse {
 public:
  using Key = std::pair<size_t, std::string>;  // index of the limit, consumer
  struct Counted {
    Key key;
    policy::Booked booked;
    bool once = false;  // of all sites of an attempt together, from the first begin to the last end
  };

  // What the attempt has booked at the site, in place of what it had there.
  void Book(const Fence& fence, const std::string& site, RequestId request, bool started,
            std::vector<Counted> counted);
  void Free(const Fence& fence, const std::string& site);
  // Notes the limits on open requests that this one counts under, until it ends.
  void Open(RequestId request, std::vector<Key> keys);
  void Close(RequestId request);
  void Clear();

  // Bookings under the key but for those of `apart`.
  std::vector<policy::Booked> Of(const Key& key, RequestId apart) const;
  // Requests with a booking under the key that have not started, but for `apart`.
  size_t UnstartedOf(const Key& key, RequestId apart) const;
  size_t OpenOf(const Key& key) const;

 private:
  using Place = std::pair<Fence, std::string>;
  struct Entry {
    RequestId request;
    bool started = false;
    std::vector<Counted> counted;
  };
  std::map<Place, Entry> entries_;
  std::map<Key, std::set<Place>> places_;
  std::map<RequestId, std::vector<Key>> open_keys_;
  std::map<Key, size_t> open_;
};

}  // namespace muster::meta
