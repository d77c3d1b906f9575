// See kept_room.h.
#include "site/holds/kept_room.h"

namespace muster::site {

// One second more when the hold begins to keep room: starts are whole seconds, and the first
// possible one may pass at once.
std::optional<Span> KeptRoom::Longer(const Fence& fence, BootInstant now) const {
  const auto kept = kept_.find(fence);
  const bool again = kept == kept_.end() || now >= kept->second + kKeepRoomApart;
  if (IsOpen(now)) {
    const bool its = kept != kept_.end() && kept->second >= *since_;
    if (!its && !again) return std::nullopt;
    return Span{(*since_ + kKeepRoom - now).milliseconds / 1000 + (its ? 0 : 1)};
  }
  if (!again || (since_ && now < *since_ + kKeepRoom + kNoneKept)) return std::nullopt;
  return Span{kKeepRoom.milliseconds / 1000 + 1};
}

void KeptRoom::Keep(const Fence& fence, BootInstant now) {
  if (!IsOpen(now)) since_ = now;
  let_go_ = false;
  BootInstant& kept = kept_.try_emplace(fence, now).first->second;
  if (kept < *since_) kept = now;
}

std::optional<BootInstant> KeptRoom::NextEnd() const {
  if (let_go_) return std::nullopt;
  return *since_ + kKeepRoom;
}

bool KeptRoom::LetGo(BootInstant now) {
  std::erase_if(kept_, [now](const auto& kept) { return now >= kept.second + kKeepRoomApart; });
  if (let_go_ || IsOpen(now)) return false;
  return let_go_ = true;
}

}  // namespace muster::site
