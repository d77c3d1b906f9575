// Something for each fence, found by it: a compact tree of places beside what lies there, so that
// looking among ten thousand bookings touches a few cache lines, and nothing moves while others
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

  // What the fence has, null if nothing. It stays where it is until it is taken out.
  const Value* Find(const Fence& fence) const {
    const auto it = places_.find(fence);
    return it == places_.end() ? nullptr : &values_[it->second];
  }
  Value* Find(const Fence& fence) { return const_cast<Value*>(std::as_const(*this).Find(fence)); }
  // REQUIRES: the fence has something.
  const Value& At(const Fence& fence) const {
    const Value* value = Find(fence);
    MUSTER_CHECK(value != nullptr);
    return *value;
  }
  Value& At(const Fence& fence) { return const_cast<Value&>(std::as_const(*this).At(fence)); }

  // REQUIRES: the fence has nothing.
  Value& Put(const Fence& fence, Value value) {
    const size_t place = empty_.empty() ? values_.size() : empty_.back();
    MUSTER_CHECK(places_.emplace(fence, place).second);
    if (empty_.empty()) {
      return values_.emplace_back(std::move(value));
    }
    empty_.pop_back();
    return values_[place] = std::move(value);
  }
  // Takes out what the fence has. REQUIRES: it has something.
  Value Take(const Fence& fence) {
    const auto it = places_.find(fence);
    MUSTER_CHECK(it != places_.end());
    empty_.push_back(it->second);
    places_.erase(it);
    return std::exchange(values_[empty_.back()], Value{});
  }

  // Calls visit(fence, value) for all, ascending by fence.
  template <typename Visit>
  void Each(Visit visit) {
    for (const auto& [fence, place] : places_) visit(fence, values_[place]);
  }

 private:
  absl::btree_map<Fence, size_t> places_;
  std::deque<Value> values_;
  std::vector<size_t> empty_;  // places of nobody
};

}  // namespace muster::plan
