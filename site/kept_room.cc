// See kept_room.h.
#include "site/kept_room.h"

#include <algorithm>

namespace muster::site {

// At first by a second more: starts are whole seconds, and the first one may pass at once.
std::optional<Span> KeptRoom::Longer(const Fence& fence, BootInstant now) const {
  const auto it = kept_.find(fence);
  if (it == kept_.end() || now >= it->second.since + kKeepRoomApart) {
    return Span{kKeepRoom.milliseconds / 1000 + 1};
  }
  const BootInstant end = it->second.since + kKeepRoom;
  if (now >= end) return std::nullopt;
  return Span{(end - now).milliseconds / 1000};
}

void KeptRoom::Keep(const Fence& fence, BootInstant now) {
  const auto [it, fresh] = kept_.try_emplace(fence, Kept{now});
  if (!fresh && now >= it->second.since + kKeepRoomApart) it->second = {now};
}

std::optional<BootInstant> KeptRoom::NextEnd() const {
  std::optional<BootInstant> next;
  for (const auto& [fence, kept] : kept_) {
    if (kept.now) next = std::min(next.value_or(kept.since + kKeepRoom), kept.since + kKeepRoom);
  }
  return next;
}

bool KeptRoom::LetGo(BootInstant now) {
  bool any = false;
  for (auto it = kept_.begin(); it != kept_.end();) {
    Kept& kept = it->second;
    if (kept.now && now >= kept.since + kKeepRoom) {
      kept.now = false;
      any = true;
    }
    it = now >= kept.since + kKeepRoomApart ? kept_.erase(it) : std::next(it);
  }
  return any;
}

}  // namespace muster::site
