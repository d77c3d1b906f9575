// The clock of a plan: boot time plus an offset that follows the wall clock slowly, so that a jump
// of the wall clock shifts no start. protocol.md section 6.
#pragma once

#include <optional>

#include "base/time.h"

namespace muster::verifier {

// Value type, updated once per turn. If the wall clock is more than kJump away, that is a jump: the
// offset stays until the new one has been steady for kSteady, and is then replaced at once. Only
// then may plan time step, also backwards. Otherwise plan time never goes back, and its rate
// differs from the rate of boot time by at most kSlewPerSecond.
class PlanClock {
 public:
  static constexpr int64_t kSlewPerSecond = 1;  // milliseconds per second of boot time
  static constexpr BootSpan kJump = Seconds(2);
  static constexpr BootSpan kSteady = Seconds(60);

  enum class Event { kNone, kJumped, kTookNewOffset };

  explicit PlanClock(const Now& now);

  // Advances to `now`. Returns whether this call detected a new jump or took a new offset.
  Event Update(const Now& now);

  // Plan time at the last update; and at a boot instant under the present offset.
  Moment Read() const { return At(last_.boot); }
  Moment At(BootInstant boot) const { return {boot.milliseconds + offset_}; }
  // The boot instant at which plan time reaches `moment` under the present offset.
  BootInstant When(Moment moment) const { return {moment.milliseconds - offset_}; }
  // Whether the wall clock has jumped and the new offset is not taken yet.
  bool jumped() const { return jump_since_.has_value(); }

 private:
  int64_t offset_ = 0;  // milliseconds: plan - boot
  Now last_;
  int64_t slewed_until_ = 0;  // boot milliseconds up to which the offset has been slewed
  std::optional<BootInstant> jump_since_;
  int64_t jump_offset_ = 0;  // wall - boot when the jump was detected
};

}  // namespace muster::verifier
