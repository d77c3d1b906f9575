// The order in which a site with points of its own moves what is promised there to earlier starts,
// as far as the meta knows it. It asks for it for forecasts. scheduling.md section 11.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace muster::meta {

// How often a site is asked.
inline constexpr Span kOrderAskedEvery{60};

// Value type. Volatile: a site that was welcomed anew is asked anew.
class MoveOrder {
 public:
  bool IsDue(Moment now) const {
    return !asked_at_ ||
           now.milliseconds - asked_at_->milliseconds >= kOrderAskedEvery.seconds * 1000;
  }
  void Ask(uint64_t inspection, Moment now) {
    inspection_ = inspection;
    asked_at_ = now;
  }
  // The version to ask beside; 0: none is known.
  uint64_t version() const { return version_; }
  // Takes an answer. True if the order is another one; false also for an answer that was not asked
  // for.
  bool Take(uint64_t inspection, uint64_t version, const std::vector<Fence>& fences) {
    if (inspection_ != inspection) return false;
    inspection_.reset();
    if (version == version_) return false;
    version_ = version;
    places_.clear();
    for (size_t i = 0; i < fences.size(); ++i) places_.emplace(fences[i], i);
    news_ = true;
    return true;
  }
  // True once after the order has changed.
  bool TakeNews() {
    const bool news = news_;
    news_ = false;
    return news;
  }
  // From 0; those that the site did not name come last.
  size_t PlaceOf(const Fence& fence) const {
    const auto it = places_.find(fence);
    return it == places_.end() ? SIZE_MAX : it->second;
  }

 private:
  std::optional<uint64_t> inspection_;  // under way
  std::optional<Moment> asked_at_;
  uint64_t version_ = 0;
  std::map<Fence, size_t> places_;
  bool news_ = false;
};

}  // namespace muster::meta
