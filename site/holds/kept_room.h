// Room that backfilling leaves free for a moment, for a co-allocation that was offered a start at
// once. Its sites have to agree over the network first; meanwhile other holds would take the room.
// Between two turns nothing of it is on record or in the plan. scheduling.md section 5 (joint
// moves).
#pragma once

#include <map>
#include <optional>

#include "base/ids.h"
#include "base/time.h"

namespace muster::site {

inline constexpr BootSpan kKeepRoom = Seconds(3);
// A hold keeps room at most once in this time: others must not wait for offers that come to
// nothing.
inline constexpr BootSpan kKeepRoomApart = Seconds(60);
// After kept room is released, no hold keeps any for this time: else one hold after the other would
// keep the same room.
inline constexpr BootSpan kNoneKept = Seconds(12);

// Value type. All kept room is released together, kKeepRoom after the first hold began to keep
// some. LetGo forgets holds that began to keep room longer than kKeepRoomApart ago.
class KeptRoom {
 public:
  // By how much the booked room has to be longer than the hold needs, so that it still suffices
  // when the sites have agreed; none: the hold may keep no room now.
  std::optional<Span> Longer(const Fence& fence, BootInstant now) const;
  // The hold keeps room from now on, unless it already did.
  void Keep(const Fence& fence, BootInstant now);

  // When kept room is released; none: none is kept.
  std::optional<BootInstant> NextEnd() const;
  // True once after kept room was released.
  bool LetGo(BootInstant now);

 private:
  bool IsOpen(BootInstant now) const { return since_ && now < *since_ + kKeepRoom; }

  std::optional<BootInstant> since_;   // when the present or last period of keeping began
  bool let_go_ = true;                 // LetGo has reported the end of that period
  std::map<Fence, BootInstant> kept_;  // since when each hold has kept room
};

}  // namespace muster::site
