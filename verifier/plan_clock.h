// The clock plans are kept on: boot time plus an offset that follows the wall clock slowly, so that
// a jump of the wall clock starts nothing early and nothing late. protocol.md section 6.
#pragma once

#include <optional>

#include "base/time.h"

namespace muster::verifier {

// Value type; told the time once per turn. Plan time never goes back and differs from boot time by
// a rate of at most kSlewPerSecond. A wall clock more than kJump away is a jump: the old offset
// stays until the new one was steady for kSteady, then it is taken at once (the only case in which
// plan time may step, back too).
class PlanClock {
 public:
  static constexpr int64_t kSlewPerSecond = 1;  // milliseconds
  static constexpr BootSpan kJump = Seconds(2);
  static constexpr BootSpan kSteady = Seconds(60);

  enum class Event { kNone, kJumped, kTookNewOffset };

  explicit PlanClock(const Now& now);

  // Advances to `now`; says if a jump was seen first now, or a new offset was taken now.
  Event Update(const Now& now);

  // Plan time of the last update, and of a boot instant under the present offset.
  Moment Read() const { return At(last_.boot); }
  Moment At(BootInstant boot) const { return {boot.milliseconds + offset_}; }
  // When plan time will be `moment` under the present offset.
  BootInstant When(Moment moment) const { return {moment.milliseconds - offset_}; }
  // The wall clock is away by a jump that has not been taken yet.
  bool jumped() const { return jump_since_.has_value(); }

 private:
  int64_t offset_ = 0;  // milliseconds: plan - boot
  Now last_;
  int64_t slewed_until_ = 0;  // boot milliseconds up to which the slew allowance was used
  std::optional<BootInstant> jump_since_;
  int64_t jump_offset_ = 0;  // wall - boot when the jump was seen
};

}  // namespace muster::verifier
