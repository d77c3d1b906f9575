// Moves to earlier starts that take other walls (A6 of protocol.md section 3.1): the new place is
// booked beside the old one, which stays on record until the walls of the new one stand.
#include <utility>

#include "site/holds/hold_facts.h"
#include "site/holds/rebooking.h"
#include "verifier/start_notice.h"

namespace muster::site {
namespace {

// Epoch of the fences under which such places are booked. No meta has this epoch.
constexpr Epoch kAskedRoom{UINT64_MAX - 4};

// How long a hold rests whose new start had passed when its walls stood.
constexpr BootSpan kRests = Seconds(10);

}  // namespace

bool Rebooking::AskToMove(const Fence& fence, const verifier::Booked& booked) {
  const schemas::HoldRecord& hold = *ledger().Find(fence);
  std::vector<driver::PutWall> walls =
      WallsOf(fence, fence, hold.order, booked.start, booked.places);
  if (walls.empty()) return false;
  for (driver::PutWall& put : walls) put.by_choice = true;
  const Fence room{kAskedRoom, ++rooms_asked_};
  planner().Free(fence);
  RestoreBooking(hold);
  planner().Restore(room, DemandNow(hold), booked);
  planner().Join(room, fence);
  moves_[fence] = {.to = booked, .room = room, .since = turn().boot};
  TakeOverWalls(fence);
  SetAsking(fence, true);
  Want(fence, std::move(walls));
  return true;
}

void Rebooking::MoveIfAsked(const Fence& fence) {
  const auto it = moves_.find(fence);
  if (it == moves_.end()) return;
  const schemas::HoldRecord& hold = *ledger().Find(fence);
  const verifier::Booked to = it->second.to;
  const bool may = IsLive(hold) && hold.state >= schemas::HoldState::kPrepared &&
                   !HasStarted(hold) && !IsStopping(hold) && to.start < hold.start &&
                   to.start >= now_floor() && to.start >= verifier::EarliestMove(hold, now()) &&
                   MayUseAll(to.places) && !plan().ShortOn(it->second.room);
  if (!may) {
    StayWhereItIs(fence);
    SetAsking(fence, true);
    resting_[fence] = turn().boot + kRests;
    return;
  }
  planner().Free(it->second.room);
  planner().Free(fence);
  planner().Restore(fence, DemandNow(hold), to);
  moves_.erase(it);
  LeaveWalls(fence);
  SetAsking(fence, false);
  MoveNow(fence, to);
  SomethingIsFree();  // its old place
}

bool Rebooking::StayWhereItIs(const Fence& fence) {
  if (resting_.erase(fence) > 0) SetAsking(fence, false);
  const auto it = moves_.find(fence);
  if (it == moves_.end()) return false;
  planner().Free(it->second.room);
  moves_.erase(it);
  LeaveWalls(fence);
  SetAsking(fence, false);
  KeepWallsOf(fence);
  SomethingIsFree();
  return true;
}

void Rebooking::GiveUpMoves() {
  std::vector<Fence> late;
  for (const auto& [fence, move] : moves_) {
    if (turn().boot >= move.since + values().answer_wait) late.push_back(fence);
  }
  for (const Fence& fence : late) StayWhereItIs(fence);
  for (auto it = resting_.begin(); it != resting_.end();) {
    if (turn().boot < it->second) {
      ++it;
      continue;
    }
    const Fence fence = it->first;
    it = resting_.erase(it);
    SetAsking(fence, false);
    SomethingIsFree();
  }
}

std::optional<BootInstant> Rebooking::NextOfMoves() const {
  std::optional<BootInstant> next;
  for (const auto& [fence, move] : moves_) {
    const BootInstant due = move.since + values().answer_wait;
    next = std::min(next.value_or(due), due);
  }
  for (const auto& [fence, until] : resting_) next = std::min(next.value_or(until), until);
  return next;
}

}  // namespace muster::site
