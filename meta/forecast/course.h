// The expected starts that one waiting request was told, over time. What stood a day, an hour or
// ten minutes before the start is judged when it starts. scheduling.md section 6 (While waiting).
#pragma once

#include <optional>
#include <vector>

#include "base/time.h"
#include "schemas/views.h"

namespace muster::meta {

// Keeps all that is needed to tell what stood at any time in the past, to within kResolution of the
// time since then.
class Course {
 public:
  static constexpr double kResolution = 0.125;

  // From `now` on this figure stands. Calls are in order of time; a clock that was set back
  // replaces what it goes back over.
  void Tell(Instant now, const schemas::Expected& figure);
  // The figure that stood at this time. None if there was none yet.
  std::optional<schemas::Expected> StoodAt(Instant at) const;
  size_t kept() const { return figures_.size(); }

 private:
  struct Figure {
    Instant from;
    schemas::Expected figure;
  };
  std::vector<Figure> figures_;  // oldest first
};

}  // namespace muster::meta
