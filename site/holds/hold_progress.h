// Carries out what becomes due in one hold and its parts: end of lease, D, last start, ready,
// start, the close at the end. protocol.md sections 3.1 (H8, H11, H13, H18, H19), 3.3, 4.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "site/holds/resizing.h"

namespace muster::site {

// Invariant: after Advance the timers know the next moment at which a live hold needs a look.
class HoldProgress : public Resizing {
 public:
  using Resizing::Resizing;

  // Does nothing if the hold is not on record.
  void Advance(const Fence& fence);
  // When something is due next.
  std::optional<BootInstant> NextDue() const { return timers().Next(plan_clock()); }

 protected:
  // True if the hold is closed now.
  bool CloseIfPast(const Fence& fence);
  // Ends a part that will never run although other parts of its hold do or did.
  void FailPart(const Fence& fence, uint32_t index, std::string why);

 private:
  void AdvancePart(const Fence& fence, uint32_t index);
  void StartPart(const Fence& fence, uint32_t index);
  // Whether the part would, from now on, have nodes that others need who start before it and wait.
  // REQUIRES: it waits to start, and is booked or has only lent room.
  bool Overtakes(const Fence& fence, uint32_t index) const;
  void AdvanceReservation(const Fence& fence, uint32_t index);
  void OnOverrun(const Fence& fence, uint32_t index);
  Instant PlannedEnd(const PartKey& part) const;
  void ExtendBooking(const PartKey& part);
  void Schedule(const Fence& fence);
  Moment ReadyAt(Moment start) const;
  Moment OverdueAt(const schemas::HoldRecord& hold, Moment start) const;
  std::optional<Moment> NextOfPart(const schemas::HoldRecord& hold, size_t at) const;
  std::optional<Moment> NextOfReservation(const schemas::HoldRecord& hold, size_t at) const;
};

}  // namespace muster::site
