// Moves and ends bookings: for a site cause (H14, H15, H16), to an earlier slot (H17), by
// displacement, or because the reservation around them ends. protocol.md sections 3.1, 4, 5.
#pragma once

#include <optional>
#include <vector>

#include "site/holds/loans.h"
#include "site/planning/reserved.h"

namespace muster::site {

// Invariant: record and plan agree after each call. Stateless.
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
  // H17. REQUIRES: the plan has the hold at `booked` already.
  void MoveEarlier(const Fence& fence, const verifier::Booked& booked);
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
  void MoveLater(const Fence& fence, const verifier::Booked& booked, schemas::Cause cause);
  std::optional<verifier::Booked> Displace(const Fence& fence, const schemas::Cause& cause);
  // The reservation's newest live hold with a fence below `before`.
  std::optional<Fence> NewestOf(RequestId reservation, const Fence& before) const;
  ResourceSet TakenInside(RequestId reservation, const Node& node) const;
  void FitInside(const Fence& fence, const Reserved& reserved);
  void CloseSystem(const schemas::HoldRecord& reservation, bool ended);
};

}  // namespace muster::site
