// Why and how a booking moves or ends: a site cause (H14, H15, H16), an earlier slot (H17), who is
// displaced, what a reservation's end means for what is inside of it. protocol.md sections 3.1,
// 4, 5.
#pragma once

#include <optional>
#include <vector>

#include "site/holds/hold_book.h"
#include "site/planning/reserved.h"

namespace muster::site {

// Invariant: record and plan agree after each call. No state of its own.
class Rebooking : public HoldBook {
 public:
  using HoldBook::HoldBook;

 protected:
  // H14, else H15, else H16. With `places_lost` the nodes cannot be used; otherwise a co-allocated
  // hold that may still start late keeps its booking: its tail covers that.
  void MoveForCause(const Fence& fence, schemas::Cause cause, bool places_lost);
  // H16: with the starts that would do instead.
  void Drop(const Fence& fence, schemas::Cause cause, const IntervalSet& starts);
  // H17; the plan has it there already.
  void MoveEarlier(const Fence& fence, const verifier::Booked& booked);
  // The record follows the planner: new start and places.
  void Remap(const Fence& fence, const verifier::Booked& booked);
  // The record follows a booking that made room.
  void Follow(const Fence& fence, const verifier::Booked& booked);
  // Frees the booking, gives back ports, reports. REQUIRES: its processes are gone.
  void Close(const Fence& fence, schemas::ClosedAs as, schemas::Cause cause);
  // H13: what runs is stopped, what does not run yet never will.
  void StopParts(const Fence& fence, const schemas::Cause& cause);

  // A reservation is a system of its own for the holds inside, which end with it at the latest.
  void OpenSystem(const Fence& fence);
  std::vector<Fence> InsideOf(RequestId reservation) const;
  void EndReserved(const Fence& fence, uint32_t index, schemas::PartEnd end);

 private:
  void MoveLater(const Fence& fence, const verifier::Booked& booked, schemas::Cause cause);
  std::optional<verifier::Booked> Displace(const Fence& fence, const schemas::Cause& cause);
  // The newest live hold of the reservation with a lesser fence.
  std::optional<Fence> NewestOf(RequestId reservation, const Fence& before) const;
  ResourceSet TakenInside(RequestId reservation, const Node& node) const;
  void FitInside(const Fence& fence, const Reserved& reserved);
  void CloseSystem(const schemas::HoldRecord& reservation, bool ended);
};

}  // namespace muster::site
