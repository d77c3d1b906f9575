// Moves and ends bookings: for a site cause (H14, H15, H16), to an earlier slot (H17), by
// displacement, or because the reservation around them ends. protocol.md sections 3.1, 4, 5.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "site/holds/loans.h"
#include "site/planning/reserved.h"

namespace muster::site {

// Invariants: record and plan agree after each call. A hold that has asked to move keeps its place,
// and the new one is booked beside it.
class Rebooking : public Loans {
 public:
  using Loans::Loans;

 protected:
  // Applies H14, else H15, else H16. `places_lost`: the present nodes cannot be used; otherwise a
  // co-allocated hold keeps its booking, since its tail covers a late start.
  void MoveForCause(const Fence& fence, schemas::Cause cause, bool places_lost);
  // H16: drops the hold and reports `starts`, at which it would fit. One that runs on lent room
  // ends there first, and is closed once its processes are gone.
  void Drop(const Fence& fence, schemas::Cause cause, const IntervalSet& starts);
  // H17; where that takes other walls, once they stand (A6). REQUIRES: the plan has the hold at
  // `booked` already.
  void MoveEarlier(const Fence& fence, const verifier::Booked& booked);
  // Carries out, once its walls stand, what MoveEarlier asked for; nothing if it asked for nothing.
  void MoveIfAsked(const Fence& fence);
  // Gives that up; false if it asked for nothing.
  bool StayWhereItIs(const Fence& fence);
  // Gives up what was asked for too long ago.
  void GiveUpMoves();
  std::optional<BootInstant> NextOfMoves() const;
  // Copies new start and places from the plan's booking to the record.
  void Remap(const Fence& fence, const verifier::Booked& booked);
  // Updates the record of a hold that was rebooked to make room.
  void Follow(const Fence& fence, const verifier::Booked& booked);
  // Frees the booking, gives back ports, reports. REQUIRES: its processes are gone.
  void Close(const Fence& fence, schemas::ClosedAs as, schemas::Cause cause);
  // H13: stops the parts that run; those that have not started never will.
  void StopParts(const Fence& fence, const schemas::Cause& cause);

  // A reservation is a resource system of its own (rRS) for the holds inside, which end no later
  // than it does.
  void OpenSystem(const Fence& fence);
  std::vector<Fence> InsideOf(RequestId reservation) const;
  void EndReserved(const Fence& fence, uint32_t index, schemas::PartEnd end);

 private:
  struct AskedMove {
    verifier::Booked to;
    Fence room;  // under which the plan has it
    BootInstant since;
  };
  // False if it may move at once. REQUIRES: as for MoveEarlier.
  bool AskToMove(const Fence& fence, const verifier::Booked& booked);
  void MoveNow(const Fence& fence, const verifier::Booked& booked);
  void MoveLater(const Fence& fence, const verifier::Booked& booked, schemas::Cause cause);
  std::optional<verifier::Booked> Displace(const Fence& fence, const schemas::Cause& cause);
  // The reservation's newest live hold with a fence below `before`.
  std::optional<Fence> NewestOf(RequestId reservation, const Fence& before) const;
  ResourceSet TakenInside(RequestId reservation, const Node& node) const;
  void FitInside(const Fence& fence, const Reserved& reserved);
  void CloseSystem(const schemas::HoldRecord& reservation, bool ended);

  std::map<Fence, AskedMove> moves_;
  std::map<Fence, BootInstant> resting_;  // those that ask for nothing until then
  uint64_t rooms_asked_ = 0;
};

}  // namespace muster::site
