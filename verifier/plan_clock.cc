// See plan_clock.h.
#include "verifier/plan_clock.h"

#include <algorithm>
#include <cstdlib>

namespace muster::verifier {

PlanClock::PlanClock(const Now& now)
    : offset_(now.wall.milliseconds - now.boot.milliseconds),
      last_(now),
      slewed_until_(now.boot.milliseconds) {}

PlanClock::Event PlanClock::Update(const Now& now) {
  last_ = now;
  const int64_t wall_offset = now.wall.milliseconds - now.boot.milliseconds;
  const int64_t difference = wall_offset - offset_;
  if (std::abs(difference) > kJump.milliseconds) {
    slewed_until_ = now.boot.milliseconds;
    const bool known = jump_since_.has_value();
    // A second jump restarts the observation; drift during it does not count as a jump.
    if (!known || std::abs(wall_offset - jump_offset_) > kJump.milliseconds) {
      jump_since_ = now.boot;
      jump_offset_ = wall_offset;
      return Event::kJumped;
    }
    if (now.boot - *jump_since_ < kSteady) return Event::kNone;
    jump_since_.reset();
    offset_ = wall_offset;
    return Event::kTookNewOffset;
  }
  jump_since_.reset();
  // Slews for whole seconds of boot time only; the fraction counts in a later update.
  const int64_t seconds = (now.boot.milliseconds - slewed_until_) / 1000;
  const int64_t allowed = seconds * kSlewPerSecond;
  slewed_until_ += seconds * 1000;
  offset_ += std::clamp(difference, -allowed, allowed);
  return Event::kNone;
}

}  // namespace muster::verifier
