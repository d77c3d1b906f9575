// Each booking is found by its place and by each key that it counts under.
#include "meta/requests/limit_use.h"

#include <algorithm>

namespace muster::meta {

void LimitUse::Book(const Fence& fence, const std::string& site, RequestId request, bool started,
                    std::vector<Counted> counted) {
  Free(fence, site);
  if (counted.empty()) return;
  const Place place{fence, site};
  for (const Counted& one : counted) places_[one.key].insert(place);
  entries_[place] = {request, started, std::move(counted)};
}

void LimitUse::Free(const Fence& fence, const std::string& site) {
  const auto it = entries_.find({fence, site});
  if (it == entries_.end()) return;
  for (const Counted& one : it->second.counted) {
    const auto of = places_.find(one.key);
    if (of == places_.end()) continue;
    of->second.erase(it->first);
    if (of->second.empty()) places_.erase(of);
  }
  entries_.erase(it);
}

void LimitUse::Open(RequestId request, std::vector<Key> keys) {
  Close(request);
  if (keys.empty()) return;
  for (const Key& key : keys) ++open_[key];
  open_keys_[request] = std::move(keys);
}

void LimitUse::Close(RequestId request) {
  const auto it = open_keys_.find(request);
  if (it == open_keys_.end()) return;
  for (const Key& key : it->second) {
    if (--open_[key] == 0) open_.erase(key);
  }
  open_keys_.erase(it);
}

void LimitUse::Clear() { *this = {}; }

std::vector<policy::Booked> LimitUse::Of(const Key& key, RequestId apart) const {
  std::vector<policy::Booked> out;
  const auto it = places_.find(key);
  if (it == places_.end()) return out;
  const Fence* last = nullptr;  // of what was added last and counts once
  for (const Place& place : it->second) {
    const Entry& entry = entries_.at(place);
    if (entry.request == apart) continue;
    for (const Counted& one : entry.counted) {
      if (one.key != key) continue;
      if (one.once && last && *last == place.first) {
        out.back().from = std::min(out.back().from, one.booked.from);
        out.back().to = std::max(out.back().to, one.booked.to);
        continue;
      }
      out.push_back(one.booked);
      last = one.once ? &place.first : nullptr;
    }
  }
  return out;
}

size_t LimitUse::UnstartedOf(const Key& key, RequestId apart) const {
  std::set<RequestId> out;
  const auto it = places_.find(key);
  if (it == places_.end()) return 0;
  for (const Place& place : it->second) {
    const Entry& entry = entries_.at(place);
    if (!entry.started && entry.request != apart) out.insert(entry.request);
  }
  return out.size();
}

size_t LimitUse::OpenOf(const Key& key) const {
  const auto it = open_.find(key);
  return it == open_.end() ? 0 : it->second;
}

}  // namespace muster::meta
