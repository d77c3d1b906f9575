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
// Nor does anybody for a shorter time: else one after the other would keep the same room.
inline constexpr BootSpan kNoneKept = Seconds(12);

// Value type. All room is let go of at once, kKeepRoom after the first began to keep some.
// Invariant: whose room was last kept longer ago than kKeepRoomApart is not known.
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
  bool IsOpen(BootInstant now) const { return since_ && now < *since_ + kKeepRoom; }

  std::optional<BootInstant> since_;   // the last time of keeping began
  bool let_go_ = true;                 // its end was told
  std::map<Fence, BootInstant> kept_;  // by whom room was kept, and since when
};

}  // namespace muster::site
