// Room that backfilling leaves free a moment for a co-allocation that was told it could start at
// once: its sites agree over the network, others here would have taken the room by then. Nothing is
// on record or in the plan between two turns. scheduling.md section 5 (joint moves).
#pragma once

#include <map>
#include <optional>

#include "base/ids.h"
#include "base/time.h"

namespace muster::site {

inline constexpr BootSpan kKeepRoom = Seconds(3);
// After it has kept some, a hold keeps none for so long: others must not wait for offers that come
// to nothing.
inline constexpr BootSpan kKeepRoomApart = Seconds(60);

// Value type. Invariant: whose room was last kept longer ago than kKeepRoomApart is not known.
class KeptRoom {
 public:
  // By how much longer than the hold needs its room is to be, so that it is still room enough when
  // the sites have agreed; none: no room is kept for it now.
  std::optional<Span> Longer(const Fence& fence, BootInstant now) const;
  // There is some, and it is kept from now on, if it was not before.
  void Keep(const Fence& fence, BootInstant now);

  // When room is let go of next.
  std::optional<BootInstant> NextEnd() const;
  // True if some was let go of since the last time.
  bool LetGo(BootInstant now);

 private:
  struct Kept {
    BootInstant since;
    bool now = true;
  };
  std::map<Fence, Kept> kept_;
};

}  // namespace muster::site
