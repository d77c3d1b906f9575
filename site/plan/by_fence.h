// A map from fences to values. A compact tree maps each fence to an index into a deque of values: a
// lookup among ten thousand bookings touches a few cache lines, and no value moves while others
// come and go.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "base/check.h"
#include "base/ids.h"

namespace muster::plan {

template <typename Value>
class ByFence {
 public:
  bool Has(const Fence& fence) const { return places_.contains(fence); }
  size_t size() const { return places_.size(); }

  // The fence's value; null if it has none. The address stays valid until Take(fence).
  const Value* Find(const Fence& fence) const {
    const auto it = places_.find(fence);
    return it == places_.end() ? nullptr : &values_[it->second];
  }
  Value* Find(const Fence& fence) { return const_cast<Value*>(std::as_const(*this).Find(fence)); }
  // REQUIRES: Has(fence).
  const Value& At(const Fence& fence) const {
    const Value* value = Find(fence);
    MUSTER_CHECK(value != nullptr);
    return *value;
  }
  Value& At(const Fence& fence) { return const_cast<Value&>(std::as_const(*this).At(fence)); }

  // REQUIRES: !Has(fence).
  Value& Put(const Fence& fence, Value value) {
    const size_t place = empty_.empty() ? values_.size() : empty_.back();
    MUSTER_CHECK(places_.emplace(fence, place).second);
    if (empty_.empty()) {
      return values_.emplace_back(std::move(value));
    }
    empty_.pop_back();
    return values_[place] = std::move(value);
  }
  // Removes and returns the fence's value. REQUIRES: Has(fence).
  Value Take(const Fence& fence) {
    const auto it = places_.find(fence);
    MUSTER_CHECK(it != places_.end());
    empty_.push_back(it->second);
    places_.erase(it);
    return std::exchange(values_[empty_.back()], Value{});
  }

  // Calls visit(fence, value) for all entries, ascending by fence.
  template <typename Visit>
  void Each(Visit visit) {
    for (const auto& [fence, place] : places_) visit(fence, values_[place]);
  }

 private:
  absl::btree_map<Fence, size_t> places_;
  std::deque<Value> values_;
  std::vector<size_t> empty_;  // unused indices of values_
};

}  // namespace muster::plan
