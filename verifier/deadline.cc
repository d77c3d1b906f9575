// See deadline.h.
#include "verifier/deadline.h"

#include <algorithm>

namespace muster::verifier {

schemas::Deadline ArmDeadline(BootSpan span, Moment wall, BootInstant now,
                              std::string_view boot_id) {
  span = std::max(span, BootSpan{0});
  return {.boot_id = std::string(boot_id), .boot = now + span, .wall = wall, .span = span};
}

BootInstant DeadlineInThisBoot(const schemas::Deadline& stored, const Now& now,
                               std::string_view boot_id) {
  if (stored.boot_id == boot_id) return stored.boot;
  // A restored backup may contain any value: compare before subtracting, to avoid overflow.
  if (stored.wall <= now.wall || stored.span <= BootSpan{0}) return now.boot;
  const int64_t longest = now.wall.milliseconds + stored.span.milliseconds;
  const int64_t end = std::min(stored.wall.milliseconds, longest);
  return now.boot + BootSpan{end - now.wall.milliseconds};
}

}  // namespace muster::verifier
